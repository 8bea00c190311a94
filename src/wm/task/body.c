/* See body.h. */
#include "wm/task/body.h"

#include "base/env.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wm/task/mentions.h"

#define CUT_TEXT           "\n\n…(truncated)"
#define MAX_FOOTER_BYTES   (WM_MAX_COMMENT_BYTES / 2)
#define MAX_STATUS_CHARS   300
#define DEFAULT_SERVER_URL "https://github.com"

char *wm_body_marker(const char *task_name)
{
    const char *name = str_is_empty(task_name) ? "unknown" : task_name;
    return g_strconcat("\n\n", WM_MARKER_PREFIX, name, " -->", NULL);
}

/* `text` with `tail` behind it, `text` cut so that both fit. */
static char *fit(const char *text, const char *tail, size_t max_bytes)
{
    g_autofree char *trimmed = utf8_trim(text);
    size_t room = max_bytes - MIN(strlen(tail), max_bytes);
    if (strlen(trimmed) <= room)
        return g_strconcat(trimmed, tail, NULL);
    g_autofree char *cut = str_truncate(trimmed, room - MIN(strlen(CUT_TEXT), room));
    return g_strconcat(cut, CUT_TEXT, tail, NULL);
}

char *wm_body_comment(const char *text, const char *footer, const char *task_name)
{
    g_autofree char *trimmed = utf8_trim(footer ? footer : "");
    g_autofree char *cut = str_truncate(trimmed, MAX_FOOTER_BYTES);
    bool is_alone = utf8_is_blank(text);
    g_autofree char *tail =
        cut[0] == '\0' ? g_strdup("") : g_strconcat(is_alone ? "" : "\n\n", cut, NULL);
    g_autofree char *whole = fit(text, tail, WM_MAX_COMMENT_BYTES);
    if (whole[0] == '\0')
        return g_strdup("");
    g_autofree char *marker = wm_body_marker(task_name);
    return g_strconcat(whole, marker, NULL);
}

char *wm_body_made(const char *text, const char *task_name)
{
    g_autofree char *marker = wm_body_marker(task_name);
    return fit(text, utf8_is_blank(text) ? g_strchug(marker) : marker, WM_MAX_BODY_BYTES);
}

char *wm_body_plain(const char *text)
{
    return fit(text, "", WM_MAX_BODY_BYTES);
}

char *wm_body_defuse(const char *text, bool keeps_mentions)
{
    // what kedge believes when it reads it again: checkpoints, whose comment or issue it is
    static const char *const markers[] = { "<!-- wm-checkpoint", "<!-- wm-agent", "<!-- wm-task" };
    g_autofree char *defused = g_strdup(text);
    for (size_t i = 0; i < G_N_ELEMENTS(markers); i++) {
        g_autofree char *whole = g_strconcat(markers[i], ":", NULL);
        g_autofree char *broken = g_strconcat(markers[i], "&#58;", NULL);
        g_auto(GStrv) parts = g_strsplit(defused, whole, -1);
        g_free(defused);
        defused = g_strjoinv(broken, parts);
    }
    return keeps_mentions ? g_steal_pointer(&defused) : wm_mentions_quote(defused);
}

static char *run_url(void)
{
    const char *server = env_get_raw("GITHUB_SERVER_URL");
    const char *repo = env_get_raw("GITHUB_REPOSITORY"), *run = env_get_raw("GITHUB_RUN_ID");
    if (!repo || !run)
        return g_strdup("");
    return g_strdup_printf("%s/%s/actions/runs/%s", server ? server : DEFAULT_SERVER_URL, repo,
                           run);
}

char *wm_message_expand(const char *template_text, const char *task_name, const char *event_name,
                        const char *status)
{
    const char *workflow = env_get_raw("GITHUB_WORKFLOW");
    g_autofree char *url = run_url();
    const struct {
        const char *name, *value;
    } values[] = {
        { "{workflow_name}", workflow ? workflow : task_name },
        { "{run_url}", url },
        { "{event_type}", event_name },
        { "{status}", status },
    };
    GString *out = g_string_new(NULL);
    for (const char *at = template_text; *at;) {
        size_t i = 0;
        while (i < G_N_ELEMENTS(values) && !str_has_prefix(at, values[i].name))
            i++;
        if (i < G_N_ELEMENTS(values)) {
            g_string_append(out, values[i].value);
            at += strlen(values[i].name);
        } else {
            g_string_append_c(out, *at++);
        }
    }
    return g_string_free(out, FALSE);
}

char *wm_message_status(const char *first_error)
{
    if (str_is_empty(first_error))
        return g_strdup("failed");
    g_autofree char *line = g_strdelimit(g_strdup(first_error), "\r\n", ' ');
    g_autofree char *valid = utf8_from_bytes(line, strlen(line));
    glong length = g_utf8_strlen(valid, -1);
    g_autofree char *cut = g_utf8_substring(valid, 0, MIN(length, MAX_STATUS_CHARS));
    return g_strdup_printf("failed (%s)", cut);
}
