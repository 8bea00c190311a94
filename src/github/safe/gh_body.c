/*
 * JSON of gh, made smaller or brought into the form of a newer gh (gh_body.h).
 */
#include "github/safe/gh_body.h"

#include "base/limits.h"
#include "base/utf8.h"

#define BODY_MAX_BYTES (2 * KIB)

/* Caller frees. NULL: short enough. */
static char *cut_text(const char *text)
{
    size_t size = strlen(text);
    if (size <= BODY_MAX_BYTES)
        return NULL;
    size_t end = utf8_boundary_before(text, size, BODY_MAX_BYTES);
    return g_strdup_printf("%.*s… [body truncated: %zu of %zu bytes]", (int)end, text,
                           BODY_MAX_BYTES, size);
}

static bool cut_bodies(json_t *value, bool keeps_body);

/* The parser bounds the depth, and so the recursion. */
static bool cut_in_object(json_t *object, bool keeps_body)
{
    bool is_cut = false;
    const char *key;
    json_t *item;
    void *next;
    json_object_foreach_safe (object, next, key, item) {
        bool is_body = strcmp(key, "body") == 0 && json_is_string(item);
        g_autofree char *cut = is_body && !keeps_body ? cut_text(json_string_value(item)) : NULL;
        if (cut)
            json_set_text(object, key, cut);
        bool is_cut_inside = !is_body && cut_bodies(item, false);
        is_cut = is_cut || cut != NULL || is_cut_inside;
    }
    return is_cut;
}

static bool cut_bodies(json_t *value, bool keeps_body)
{
    bool is_cut = false;
    size_t i;
    json_t *item;
    if (json_is_object(value))
        return cut_in_object(value, keeps_body);
    json_array_foreach (value, i, item)
        is_cut = cut_bodies(item, false) || is_cut;
    return is_cut;
}

char *gh_body_cut(const char *text, bool keeps_top)
{
    g_autoptr(json_t) value = NULL;
    if (!json_parse_text(text, &value, NULL) || !cut_bodies(value, keeps_top))
        return NULL;
    return json_to_text(value);
}

json_t *gh_body_values(const char *text)
{
    g_autoptr(json_t) values = json_array();
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        json_error_t where;
        json_t *value = json_loads(text, JSON_DISABLE_EOF_CHECK, &where);
        if (!value)
            return NULL;
        json_append_take(values, value);
        text += where.position;
    }
    return json_array_size(values) > 0 ? g_steal_pointer(&values) : NULL;
}

static const char *first_text(const json_t *object, const char *a, const char *b)
{
    const char *text = json_get_text(object, a);
    return text != NULL && *text != '\0' ? text : json_get_text(object, b);
}

static const char *check_state(const json_t *check)
{
    const char *state = json_get_text(check, "state");
    const char *status = json_get_text(check, "status");
    if (state && *state != '\0')
        return state;
    return g_strcmp0(status, "COMPLETED") == 0 ? json_get_text(check, "conclusion") : status;
}

static const char *check_bucket(const char *state)
{
    static const struct {
        const char *state, *bucket;
    } buckets[] = {
        { "SUCCESS", "pass" },     { "SKIPPED", "skipping" },     { "NEUTRAL", "skipping" },
        { "ERROR", "fail" },       { "FAILURE", "fail" },         { "TIMED_OUT", "fail" },
        { "CANCELLED", "cancel" }, { "ACTION_REQUIRED", "fail" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(buckets); i++) {
        if (g_strcmp0(state, buckets[i].state) == 0)
            return buckets[i].bucket;
    }
    return "pending";
}

static const char *check_value(const json_t *check, const char *field)
{
    if (strcmp(field, "name") == 0)
        return first_text(check, "name", "context");
    if (strcmp(field, "state") == 0)
        return check_state(check);
    if (strcmp(field, "bucket") == 0)
        return check_bucket(check_state(check));
    if (strcmp(field, "link") == 0)
        return first_text(check, "detailsUrl", "targetUrl");
    if (strcmp(field, "workflow") == 0)
        return json_get_text(check, "workflowName");
    return json_get_text(check, field); // the times, event and description have their own names
}

char *gh_body_checks(const char *text, const char *fields)
{
    g_autoptr(json_t) answer = NULL;
    if (!json_parse_text(text, &answer, NULL) || !json_is_object(answer))
        return NULL;
    g_auto(GStrv) names = g_strsplit(fields, ",", -1);
    g_autoptr(json_t) checks = json_array();
    size_t i;
    json_t *check;
    json_array_foreach (json_get_array(answer, "statusCheckRollup"), i, check) {
        json_t *row = json_object();
        for (char **name = names; *name; name++) {
            const char *value = check_value(check, *name);
            json_set_text(row, *name, value != NULL ? value : "");
        }
        json_append_take(checks, row);
    }
    return json_to_text(checks);
}

size_t gh_body_file_count(const char *text)
{
    g_autoptr(json_t) answer = NULL;
    if (!json_parse_text(text, &answer, NULL))
        return 0;
    return json_array_size(json_get_array(answer, "files"));
}

char *gh_body_url(const char *text)
{
    g_autoptr(json_t) answer = NULL;
    if (!json_parse_text(text, &answer, NULL))
        return NULL;
    return g_strdup(json_get_text(answer, "url"));
}
