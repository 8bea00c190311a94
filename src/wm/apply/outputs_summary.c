/* See outputs_summary.h. */
#include "wm/apply/outputs_summary.h"

#include "base/env.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/redact.h"
#include "base/str.h"
#include "wm/task/wm_log.h"

#include <fcntl.h>
#include <string.h>

#define MAX_SUMMARY_BYTES (900 * KIB)
#define MAX_REASON_CHARS  500
#define MAX_FIELDS_BYTES  (16 * KIB) // of one item that is shown

/* One line of text as a page shows it: no markup, no links, no mentions. */
static void append_line(GString *out, const char *text)
{
    g_autofree char *shown = redact_text(text);
    g_autofree char *line = wm_log_safe(shown);
    g_autofree char *cut = str_truncate(line, MAX_REASON_CHARS);
    g_autofree char *escaped = g_markup_escape_text(cut, -1);
    for (const char *at = escaped; *at; at++) {
        if (strchr("\\`*_[]|~@", *at))
            g_string_append_c(out, '\\');
        g_string_append_c(out, *at);
    }
}

static void append_output(GString *out, const json_t *output)
{
    const char *kind = json_get_text(output, "kind"), *status = json_get_text(output, "status");
    const char *url = json_get_text(output, "url"), *reason = json_get_text(output, "reason");
    gint64 number = json_get_int(output, "number", 0);
    g_string_append_printf(out, "- `%s`: %s", kind ? kind : "?", status ? status : "?");
    if (url && (str_has_prefix(url, "https://") || str_has_prefix(url, "http://")))
        g_string_append_printf(out, " → <%s>", url);
    else if (number > 0)
        g_string_append_printf(out, " → #%" G_GINT64_FORMAT, number);
    if (reason) {
        g_string_append(out, " — ");
        append_line(out, reason);
    }
    g_string_append_c(out, '\n');
}

char *wm_outputs_summary(const char *task_name, const json_t *outputs)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "\n## kedge wm · outputs of task `%s`\n\n", task_name);
    size_t i = 0;
    const json_t *output = NULL;
    json_array_foreach (outputs, i, output)
        append_output(out, output);
    if (i == 0)
        g_string_append(out, "Nothing was asked for.\n");
    return g_string_free(out, FALSE);
}

/* Longer than any row of back-quotes in the text, so that it cannot end the block. Caller frees. */
static char *fence_for(const char *text)
{
    size_t longest = 2;
    for (const char *at = text; *at;) {
        size_t length = strspn(at, "`");
        longest = MAX(longest, length);
        at += length > 0 ? length : 1;
    }
    return g_strnfill(longest + 1, '`');
}

static void append_staged(GString *out, const json_t *item)
{
    const char *kind = json_get_text(item, "kind");
    gint64 number = json_get_int(item, "number", 0);
    g_string_append_printf(out, "\n### %s", kind ? kind : "?");
    if (number > 0)
        g_string_append_printf(out, " → #%" G_GINT64_FORMAT, number);
    g_autofree char *pretty = json_to_pretty(item), *shown = redact_text(pretty);
    g_autofree char *cut = str_truncate(shown, MAX_FIELDS_BYTES);
    g_autofree char *fence = fence_for(cut);
    g_string_append_printf(out, "\n\n%sjson\n%s%s\n%s\n", fence, cut,
                           strlen(cut) < strlen(shown) ? "\n…" : "", fence);
}

char *wm_staged_summary(const char *task_name, const json_t *plan)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "\n## kedge wm · staged outputs of task `%s`\n", task_name);
    size_t i = 0;
    const json_t *item = NULL;
    json_array_foreach (plan, i, item) {
        if (out->len < MAX_SUMMARY_BYTES - 2 * MAX_FIELDS_BYTES)
            append_staged(out, item);
    }
    g_string_append_printf(out, "\nStaged: %zu item(s). Nothing was written to GitHub.\n", i);
    return g_string_free(out, FALSE);
}

void wm_summary_append(const char *text)
{
    const char *path = env_get_raw("GITHUB_STEP_SUMMARY");
    if (!path || !text)
        return;
    g_auto(Fd) fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);
    g_autofree char *cut = str_truncate(text, MAX_SUMMARY_BYTES);
    if (fd >= 0)
        fd_write_all(fd, cut, strlen(cut), path, NULL);
}
