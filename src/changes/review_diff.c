/* See review_diff.h. */
#include "changes/review_diff.h"

#include "base/line_diff.h"
#include "base/str.h"

#include <string.h>

/* The new name; of a deleted file the old one. Caller frees. */
static char *name_of(const char *part, size_t size)
{
    static const char *const marks[] = { "\n+++ b/", "\n--- a/" };
    g_autofree char *head = g_strndup(part, size);
    char *hunk = strstr(head, "\n@@ ");
    if (hunk)
        *hunk = '\0'; // lines of the file could look the same
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *mark = strstr(head, marks[i]);
        if (mark)
            return g_strndup(mark + strlen(marks[i]), strcspn(mark + strlen(marks[i]), "\n\t"));
    }
    g_autofree char *line = g_strndup(head, strcspn(head, "\n")); // binary, or a mode alone
    const char *name = g_strrstr(line, " b/");
    return g_strdup(name ? name + strlen(" b/") : line);
}

json_t *review_files_of_git(const char *diff)
{
    static const char begin[] = "diff --git ";
    json_t *files = json_array();
    for (const char *at = diff; str_has_prefix(at, begin);) {
        const char *next = strstr(at, "\ndiff --git ");
        const char *end = next ? next + 1 : at + strlen(at);
        const char *hunk = strstr(at, "\n@@ ");
        g_autofree char *name = name_of(at, (size_t)(end - at));
        json_t *file = json_make("filename:%s", name);
        if (hunk && hunk < end)
            json_set_take(file, "patch", json_text_n(hunk + 1, (size_t)(end - hunk - 1)));
        json_append_take(files, file);
        at = end;
    }
    return files;
}

static void append_patch(GString *out, const char *patch)
{
    int64_t number = 0;
    g_auto(GStrv) lines = g_strsplit(patch, "\n", -1);
    for (char **line = lines; *line; line++) {
        HunkHead head;
        if (hunk_head_read(*line, &head))
            number = head.new_start;
        bool is_in_new = **line == '+' || **line == ' ';
        if (is_in_new)
            g_string_append_printf(out, "%6" G_GINT64_FORMAT " %s\n", number++, *line);
        else if (**line)
            g_string_append_printf(out, "%s%s\n", **line == '@' ? "" : "       ", *line);
    }
}

char *review_text(const json_t *files)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *name = json_get_text(file, "filename"), *patch = json_get_text(file, "patch");
        g_string_append_printf(out, "diff --git a/%s b/%s\n", name ? name : "", name ? name : "");
        if (patch)
            append_patch(out, patch);
        else
            g_string_append(out, "(binary, renamed, or too large to be shown)\n");
    }
    return g_string_free(out, FALSE);
}
