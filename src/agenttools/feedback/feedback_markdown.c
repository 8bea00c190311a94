/*
 * Feedback as Markdown: a section for each artifact, in it the threads and the edits. What people
 * wrote is quoted and files' text is fenced, so that neither can look like part of the report.
 */
#include "agenttools/feedback/feedback_markdown.h"

#define GENERAL "General"

/* Each line after "> ". */
static void append_quote(GString *out, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(out, "%s%s\n", **line ? "> " : ">", *line);
    g_string_append_c(out, '\n');
}

/* In a fence longer than any run of backticks in it. */
static void append_fenced(GString *out, const char *language, const char *text)
{
    size_t longest = 2, run = 0;
    for (const char *p = text; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = MAX(longest, run);
    }
    g_autofree char *fence = g_strnfill(longest + 1, '`');
    g_string_append_printf(out, "%s%s\n%s%s%s\n\n", fence, language, text,
                           g_str_has_suffix(text, "\n") ? "" : "\n", fence);
}

/* Where a thread sits: "lines 9-10", "orphaned". */
static char *place_of(const json_t *annotation)
{
    int64_t line = json_get_int(annotation, "line", 0);
    int64_t end_line = json_get_int(annotation, "endLine", 0);
    if (json_get_bool(annotation, "orphaned", false))
        return g_strdup(", text not found any more");
    if (line == 0)
        return g_strdup("");
    if (end_line > line)
        return g_strdup_printf(", lines %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, line, end_line);
    return g_strdup_printf(", line %" G_GINT64_FORMAT, line);
}

static const char *anchored_text(const json_t *annotation)
{
    const json_t *anchor = json_get_object(annotation, "anchor");
    const char *text = json_get_text(anchor, "selectedText");
    return text ? text : json_get_text(anchor, "lineContent");
}

static void append_annotation(GString *out, const json_t *annotation)
{
    g_autofree char *place = place_of(annotation);
    const char *text = anchored_text(annotation);
    g_string_append_printf(out, "### Annotation %" G_GINT64_FORMAT "%s (%s)\n\n",
                           json_get_int(annotation, "id", 0), place,
                           json_get_text(annotation, "status"));
    if (text && *text)
        append_fenced(out, "text", text);
    g_string_append_printf(out, "%s, %s:\n\n", json_get_text(annotation, "author"),
                           json_get_text(annotation, "createdAt"));
    append_quote(out, json_get_text(annotation, "content"));
    size_t index;
    json_t *reply;
    json_array_foreach (json_get_array(annotation, "replies"), index, reply) {
        g_string_append_printf(out, "%s, %s:\n\n", json_get_text(reply, "author"),
                               json_get_text(reply, "createdAt"));
        append_quote(out, json_get_text(reply, "content"));
    }
}

static void append_edit(GString *out, const json_t *edit)
{
    g_string_append_printf(out, "### Edit %" G_GINT64_FORMAT " (%s)\n\n%s, %s:\n\n",
                           json_get_int(edit, "editId", 0), json_get_text(edit, "mode"),
                           json_get_text(edit, "author"), json_get_text(edit, "createdAt"));
    append_fenced(out, "diff", json_get_text(edit, "patch"));
}

static const char *section_of(const json_t *item)
{
    const char *path = json_get_text(item, "artifactPath");
    return path ? path : GENERAL;
}

/* The sections of `items` that are not in `sections` yet; borrowed. */
static void add_sections(GPtrArray *sections, const json_t *items)
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)items, index, item) {
        char *section = (char *)section_of(item);
        if (!g_ptr_array_find_with_equal_func(sections, section, g_str_equal, NULL))
            g_ptr_array_add(sections, section);
    }
}

static void append_items(GString *out, const json_t *items, const char *section,
                         void (*append)(GString *out, const json_t *item))
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)items, index, item) {
        if (strcmp(section_of(item), section) == 0)
            append(out, item);
    }
}

char *feedback_markdown(const json_t *data)
{
    const json_t *annotations = json_get_array(data, "annotations");
    const json_t *edits = json_get_array(data, "edits");
    g_autoptr(GPtrArray) sections = g_ptr_array_new();
    add_sections(sections, annotations);
    add_sections(sections, edits);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "# Feedback for run %s\n\nAnnotations: %zu. Edits: %zu.\n\n",
                           json_get_text(data, "runId"), json_array_size(annotations),
                           json_array_size(edits));
    for (unsigned i = 0; i < sections->len; i++) {
        const char *section = sections->pdata[i];
        g_string_append_printf(out, "## %s\n\n", section);
        append_items(out, annotations, section, append_annotation);
        append_items(out, edits, section, append_edit);
    }
    g_string_truncate(out, out->len - 1); // one newline at the end
    return g_string_free(out, FALSE);
}
