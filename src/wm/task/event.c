/*
 * An event of GitHub (event.h). Its cleaned text is in sanitize.c.
 */
#include "wm/task/event.h"

#include "base/env.h"
#include "base/file.h"
#include "base/str.h"

#include <string.h>

#define EXACT_DOUBLE 9007199254740992.0 // 2^53: whole numbers beyond are not exact

// The first of both that is not blank, trimmed; NULL.
static char *first_given(const char *given, const char *variable)
{
    const char *texts[] = { given, env_get_raw(variable) };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *text = g_strstrip(g_strdup(texts[i] ? texts[i] : ""));
        if (*text)
            return g_steal_pointer(&text);
    }
    return NULL;
}

static bool read_payload(const char *path, json_t **ret_payload, GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!file_read(path, WM_MAX_PAYLOAD_BYTES, &data, &size, error))
        return false;
    g_autoptr(json_t) payload = NULL;
    g_autoptr(GError) problem = NULL;
    if (!json_parse(data, size, &payload, &problem))
        return fail_with(error, problem->code, "parse event json: %s (in %s)", problem->message,
                         path);
    if (!json_is_object(payload) && !json_is_null(payload))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "parse event json: top level must be an object (in %s)", path);
    *ret_payload = json_is_null(payload) ? json_object() : g_steal_pointer(&payload);
    return true;
}

bool wm_event_read(const char *name, const char *path, WmEvent *ret_event, GError **error)
{
    g_autofree char *file = first_given(path, "GITHUB_EVENT_PATH");
    g_autoptr(json_t) payload = file ? NULL : json_object();
    if (file && !read_payload(file, &payload, error))
        return false;
    char *event = first_given(name, "GITHUB_EVENT_NAME");
    ret_event->name = event ? event : g_strdup(WM_NO_EVENT);
    ret_event->payload = g_steal_pointer(&payload);
    return true;
}

void wm_event_clear(WmEvent *self)
{
    g_clear_pointer(&self->name, g_free);
    g_clear_pointer(&self->payload, json_decref);
}

// What is no positive number counts as none.
static int64_t number_of(const json_t *value)
{
    int64_t number = 0;
    if (json_is_integer(value))
        number = json_integer_value(value);
    double real = json_is_real(value) ? json_real_value(value) : 0;
    if (real >= 1 && real < EXACT_DOUBLE)
        number = (int64_t)real;
    return MAX(number, 0);
}

static int64_t number_at(const json_t *payload, const char *object, const char *key)
{
    return number_of(json_object_get(json_get_object(payload, object), key));
}

// 12, "12" or "#12"
static int64_t dispatched_number(const json_t *payload)
{
    const json_t *value = json_object_get(json_get_object(payload, "inputs"), "issue_number");
    if (!json_is_string(value))
        return number_of(value);
    g_autofree char *text = g_strstrip(g_strdup(json_string_value(value)));
    int64_t number;
    return str_parse_int(text + (*text == '#'), &number) ? MAX(number, 0) : 0;
}

WmNumbers wm_event_numbers(const WmEvent *self, int64_t given)
{
    const json_t *payload = self->payload;
    WmNumbers numbers = {
        .issue = number_at(payload, "issue", "number"),
        .pull = number_at(payload, "pull_request", "number"),
        .comment = number_at(payload, "comment", "id"),
    };
    const json_t *issue = json_get_object(payload, "issue");
    bool is_pull = issue && json_is_object(json_object_get(issue, "pull_request"));
    if (numbers.pull == 0 && is_pull)
        numbers.pull = numbers.issue;
    if (numbers.issue == 0)
        numbers.issue = numbers.pull;
    if (numbers.issue == 0)
        numbers.issue = dispatched_number(payload);
    if (numbers.issue == 0)
        numbers.issue = MAX(given, 0);
    return numbers;
}

const char *wm_event_default_branch(const WmEvent *self)
{
    return json_get_text(json_get_object(self->payload, "repository"), "default_branch");
}
