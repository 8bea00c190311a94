/*
 * How an item is written (apply_private.h): calls that may be repeated, and POSTs that must not
 * happen twice. What an earlier attempt, or a connection that broke, left in doubt is looked for on
 * GitHub before anything is sent again.
 */
#include "wm/apply/apply_private.h"

#include "wm/task/wm_log.h"

#include <stdarg.h>

#define SETTLE_MS 1000 // before GitHub is asked whether a request that broke was carried out

const char *apply_text(const Applier *self, const char *field)
{
    const char *text = json_get_text(self->item.fields, field);
    return text ? text : "";
}

char *apply_path(const Applier *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *rest = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return g_strconcat("/repos/", self->spec->repo, rest, NULL);
}

static const char *kind_name(const Applier *self)
{
    return wm_kind_table[self->item.kind].type;
}

void apply_take(Applier *self, const json_t *answer)
{
    const char *url = json_get_text(answer, "html_url");
    self->number = json_get_int(answer, "number", self->number);
    self->id = json_get_int(answer, "id", self->id);
    if (!url)
        return;
    g_free(self->url);
    self->url = g_strdup(url);
}

void apply_skip(Applier *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_free(self->reason);
    self->reason = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    self->status = APPLY_SKIPPED;
}

void apply_warn(const Applier *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *line = g_strdup_printf("warning: %s: %s", kind_name(self), text);
    wm_log(WM_WARN, line, NULL);
}

static void note_call(Applier *self, const char *method, const char *path, const json_t *body)
{
    json_t *call = json_make("method:%s path:%s", method, path);
    if (body)
        json_object_set(call, "body", (json_t *)body);
    json_append_take(self->calls, call);
}

bool apply_is_of_run(const Applier *self, const char *url)
{
    json_each (self->outputs, index, output)
        if (url && g_strcmp0(json_get_text(output, "url"), url) == 0 &&
            g_strcmp0(json_get_text(output, "kind"), kind_name(self)) == 0)
            return true;
    return false;
}

bool apply_call(Applier *self, const char *method, const char *path, const json_t *body,
                json_t **ret_answer, GError **error)
{
    if (self->is_staged) {
        note_call(self, method, path, body);
        return true;
    }
    const WmCall call = { .method = method, .path = path, .body = body, .is_repeatable = true };
    g_autoptr(GError) failed = NULL;
    if (wm_api_call(self->spec->api, &call, self->cancel, ret_answer, &failed))
        return true;
    int status = wm_api_status(failed);
    self->is_doubtful = self->is_doubtful || status == 0 || status >= 500;
    return pass_error(error, &failed);
}

bool apply_get(Applier *self, const char *path, json_t **ret_answer, GError **error)
{
    // there is nothing yet with a temporary id
    bool is_there = self->item.number > 0 || !self->item.target_id;
    if (self->spec->api && is_there)
        return wm_api_get(self->spec->api, path, self->cancel, ret_answer, error);
    g_assert(self->is_staged);
    wm_say("wm %s: safe-outputs: staged %s: not checked: GET %s", self->spec->actor,
           kind_name(self), path);
    *ret_answer = NULL;
    return true;
}

static json_t *result_of(const json_t *answer)
{
    static const char *const keys[] = { "number", "html_url", "id", "node_id" };
    json_t *result = json_object();
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        json_set_take(result, keys[i], json_incref(json_object_get(answer, keys[i])));
    return result;
}

static bool was_made_since(const json_t *element, const char *since)
{
    const char *at = json_get_text(element, "created_at");
    if (!at)
        at = json_get_text(element, "submitted_at");
    return at && strcmp(at, since) >= 0;
}

/* *ret_found: NULL when it is not there. */
static bool look_for(Applier *self, const ApplyPost *post, json_t **ret_found, GError **error)
{
    if (!post->list)
        return true;
    g_autofree char *since = apply_record_since(self->record, self->index, self->hash);
    g_autofree char *encoded = wm_encode(since);
    g_autofree char *path =
        g_strconcat(post->list, strchr(post->list, '?') ? "&" : "?", "since=", encoded, NULL);
    g_autoptr(json_t) list = NULL;
    if (!wm_api_list(self->spec->api, *since != '\0' ? path : post->list, NULL, self->cancel, &list,
                     error)) {
        g_prefix_error(error, "cannot tell whether it was written before: ");
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *element = json_array_get(list, i);
        if (!was_made_since(element, since) || !post->is_it(element, post->body) ||
            apply_record_has_id(self->record, json_get_int(element, "id", 0)))
            continue;
        *ret_found = json_incref(element);
        break;
    }
    return true;
}

static bool keep_step(Applier *self, const ApplyPost *post, const json_t *answer,
                      json_t **ret_answer, GError **error)
{
    g_autoptr(json_t) result = result_of(answer);
    if (!apply_record_add_step(self->record, self->index, self->hash, post->step, result, error)) {
        self->is_doubtful = true; // it is there, but the next attempt cannot know
        return false;
    }
    if (ret_answer)
        *ret_answer = json_incref((json_t *)answer);
    return true;
}

/* Takes over `failed`: did it happen all the same? */
static bool after_doubt(Applier *self, const ApplyPost *post, GError *failed, json_t **ret_answer,
                        GError **error)
{
    g_autoptr(GError) cause = failed;
    g_autoptr(json_t) found = NULL;
    self->is_doubtful = true;
    bool has_looked = post->list && cancel_sleep(self->cancel, SETTLE_MS, NULL) &&
                      look_for(self, post, &found, NULL);
    if (found) {
        self->is_doubtful = false;
        return keep_step(self, post, found, ret_answer, error);
    }
    g_propagate_error(error, g_steal_pointer(&cause));
    if (has_looked)
        g_prefix_error(error, "looked for and not found on GitHub (process-outputs may be run "
                              "again; it looks once more): ");
    return false;
}

bool apply_post(Applier *self, const ApplyPost *post, json_t **ret_answer, GError **error)
{
    if (self->is_staged) {
        note_call(self, "POST", post->path, post->body);
        return true;
    }
    const json_t *known = apply_record_step(self->record, self->index, self->hash, post->step);
    if (known) {
        if (ret_answer)
            *ret_answer = json_incref((json_t *)known);
        return true;
    }
    g_autoptr(json_t) found = NULL, answer = NULL;
    if (self->is_open && !look_for(self, post, &found, error))
        return false;
    if (found)
        return keep_step(self, post, found, ret_answer, error);
    const WmCall call = { .method = "POST", .path = post->path, .body = post->body };
    GError *failed = NULL;
    if (wm_api_call(self->spec->api, &call, self->cancel, &answer, &failed))
        return keep_step(self, post, answer, ret_answer, error);
    if (wm_api_is_unknown(failed))
        return after_doubt(self, post, failed, ret_answer, error);
    return pass_error(error, &failed);
}

char *apply_comment_text(const Applier *self, const char *text, bool has_footer)
{
    const WmPolicy *policy = self->spec->policy;
    const char *task = self->spec->task->name;
    g_autofree char *defused = wm_body_defuse(text, policy->keeps_mentions);
    g_autofree char *footer =
        has_footer && policy->footer
            ? wm_message_expand(policy->footer, task, self->spec->event->name, "")
            : NULL;
    return wm_body_comment(defused, footer, task);
}

char *apply_plain_text(const Applier *self, const char *text)
{
    g_autofree char *defused = wm_body_defuse(text, self->spec->policy->keeps_mentions);
    return wm_body_plain(defused);
}

char *apply_made_text(const Applier *self, const char *text)
{
    g_autofree char *defused = wm_body_defuse(text, self->spec->policy->keeps_mentions);
    return wm_body_made(defused, self->spec->task->name);
}

/* No one is called by a title. */
char *apply_title(const Applier *self)
{
    return wm_body_defuse(apply_text(self, "title"), true);
}

char *apply_place(const Applier *self)
{
    if (self->url)
        return g_strdup(self->url);
    int64_t number = self->number > 0 ? self->number : self->item.number;
    if (number > 0)
        return g_strdup_printf("#%" G_GINT64_FORMAT, number);
    return g_strdup(self->item.target_id ? self->item.target_id : "(new)");
}
