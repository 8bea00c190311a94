/* See checkpoint.h. */
#include "wm/workspace/checkpoint.h"

#include "base/env.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "wm/workspace/run_file.h"

#include <string.h>

#define MAX_SUMMARY_BYTES ((size_t)2000)
#define COMMENT_END       "-->"

bool wm_checkpoint_is_on(void)
{
    return g_strcmp0(env_get_raw("WM_CHECKPOINT"), "1") == 0;
}

char *wm_checkpoint_text(const WmCheckpoint *self)
{
    g_autofree char *at = time_format_iso_seconds(self->at_ms);
    g_autoptr(json_t) value = json_object();
    json_set_text(value, "branch", self->branch ? self->branch : "");
    json_set_text(value, "sha", self->sha ? self->sha : "");
    json_set_text(value, "step", "");
    json_set_take(value, "files_changed", json_null());
    json_set_text(value, "summary", self->summary ? self->summary : "");
    json_set_text(value, "timestamp", at);
    g_autofree char *json = json_to_text(value), *escaped = run_file_escape(json);
    return g_strconcat(WM_CHECKPOINT_PREFIX " ", escaped, " " COMMENT_END, NULL);
}

char *wm_checkpoint_parse(const char *body)
{
    const char *start = strstr(body, WM_CHECKPOINT_PREFIX);
    if (!start)
        return NULL;
    start += strlen(WM_CHECKPOINT_PREFIX);
    const char *end = strstr(start, COMMENT_END);
    g_autoptr(json_t) value = NULL;
    if (!end || !json_parse(start, (size_t)(end - start), &value, NULL) || !json_is_object(value))
        return NULL;
    const json_t *summary = json_object_get(value, "summary");
    if (summary && !json_is_string(summary) && !json_is_null(summary))
        return NULL;
    const char *text = json_string_value(summary);
    return utf8_trim(text ? text : "");
}

/* D27: whoever may write to the repository, and programs that it has let in. */
static bool is_trusted(const json_t *comment)
{
    static const char *const trusted[] = { "OWNER", "MEMBER", "COLLABORATOR", NULL };
    const char *association = json_get_text(comment, "author_association");
    if (g_strcmp0(json_get_text(json_get_object(comment, "user"), "type"), "Bot") == 0)
        return true;
    return association && g_strv_contains(trusted, association);
}

char *wm_checkpoint_of_comments(const json_t *comments)
{
    g_autofree char *last = NULL;
    size_t i = 0;
    const json_t *comment = NULL;
    json_array_foreach (comments, i, comment) {
        const char *body = json_get_text(comment, "body");
        char *summary = body && is_trusted(comment) ? wm_checkpoint_parse(body) : NULL;
        if (!summary)
            continue;
        g_free(last);
        last = summary;
    }
    return str_is_empty(last) ? NULL : g_steal_pointer(&last);
}

bool wm_checkpoint_load(WmApi *api, int64_t number, Cancel *cancel, char **ret_hint, GError **error)
{
    g_autofree char *path = wm_path(api, "/issues/%" G_GINT64_FORMAT "/comments", (gint64)number);
    g_autoptr(json_t) comments = NULL;
    if (!wm_api_list(api, path, NULL, cancel, &comments, error))
        return false;
    *ret_hint = wm_checkpoint_of_comments(comments);
    return true;
}

char *wm_checkpoint_summary(const char *last_response, const char *tail)
{
    g_autofree char *text = utf8_trim(str_is_empty(last_response) ? "" : last_response);
    if (text[0] == '\0') {
        g_free(text);
        text = utf8_trim(tail ? tail : "");
    }
    if (strlen(text) <= MAX_SUMMARY_BYTES)
        return g_steal_pointer(&text);
    g_autofree char *cut = str_truncate(text, MAX_SUMMARY_BYTES);
    return g_strconcat(cut, "…", NULL);
}
