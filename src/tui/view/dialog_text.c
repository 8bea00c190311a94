/*
 * What a question says, as rows (dialog_private.h, safety §10.1). Nothing in it can look like
 * something else: whoever wrote a part of it is not to be trusted.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "tui/text/diff_rows.h"
#include "tui/text/wrap.h"
#include "tui/view/dialog_private.h"

#define MAX_LINES         20 // of a text that is shown whole
#define HEAD_LINES        12 // of a longer one
#define TAIL_LINES        7
#define CHANGE_ROWS       12 // of a change, before it is explained
#define ALL_CHANGE_ROWS   400
#define LONG_ARGUMENT     2000 // bytes from which a text of a tool's own may leave an argument out
#define MAX_TEXT_BYTES    (2 * 1024 * 1024) // more than the gate's text is, control characters shown
#define MAX_EXPLAIN_BYTES (256 * 1024)
#define MAX_BODY_ROWS     40000
#define TOO_LONG          "… the rest is too long to be shown"

static Style first_style(const json_t *question)
{
    const char *effect = json_get_text(question, "effect");
    bool is_grave = g_strcmp0(effect, "destructive") == 0;
    ThemeToken token = json_get_text(question, "method") ? TOKEN_ACCENT
                       : is_grave                        ? TOKEN_ERROR
                                                         : TOKEN_WARNING;
    return (Style) { .fg = token, .attributes = STYLE_BOLD };
}

/* The line says an argument, or begins to ("  content (9000 bytes):", and lines after a bar), of
   which the change below says all. `before`: so did the line before it. */
static bool is_covered(const json_t *question, const char *line, bool before)
{
    size_t size = strcspn(line, ":(");
    if (before && str_has_prefix(line, "  | "))
        return true;
    if (!str_has_prefix(line, "  ") || line[size] == '\0')
        return false;
    g_autofree char *key = g_strchomp(g_strndup(line + 2, size - 2));
    return dialog_change_covers(question, key);
}

/* What is asked; never nothing, for then no one would know that there is a question. */
static const char *text_of(const json_t *question)
{
    bool is_choice = json_get_text(question, "method") != NULL;
    const char *text = json_get_text(question, is_choice ? "title" : "text");
    if (!text || utf8_is_blank(text))
        text = json_get_text(question, "summary");
    return text && !utf8_is_blank(text) ? text : is_choice ? "Your answer?" : "May this run?";
}

/* The gate's text has all of an argument that does not fit into a line. */
static bool is_in_text(const json_t *question, const char *key)
{
    g_autofree char *head = g_strdup_printf("\n  %s (", key);
    return strstr(text_of(question), head) != NULL;
}

/* At most `max_bytes`, of clean text; a line after it says so. Caller frees. */
static char *bound_text(const char *clean, size_t max_bytes)
{
    g_autofree char *cut = str_truncate(clean, max_bytes);
    return strlen(clean) > max_bytes ? g_strconcat(cut, "\n" TOO_LONG, NULL)
                                     : g_steal_pointer(&cut);
}

/* The lines that are shown; NULL-terminated. Caller frees. */
static char **lines_of(const json_t *question, bool is_explained, bool has_change, int tab_width)
{
    g_autofree char *clean = dialog_clean(text_of(question), tab_width);
    g_autofree char *text = bound_text(clean, MAX_TEXT_BYTES);
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);
    g_autoptr(GPtrArray) shown = g_ptr_array_new();
    bool is_left_out = false;
    for (size_t i = 0; all[i]; i++) {
        is_left_out = !is_explained && has_change && is_covered(question, all[i], is_left_out);
        if (!is_left_out)
            g_ptr_array_add(shown, g_strdup(all[i]));
    }
    g_ptr_array_add(shown, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&shown), FALSE);
}

static void add_line(const char *line, Style style, bool is_code, int width, GPtrArray *out)
{
    const WrapSpec spec = { .width = MAX(width, 1), .is_code = is_code };
    if (out->len < MAX_BODY_ROWS)
        wrap_text(line, style, &spec, out);
}

/* Head, tail, and how much stands between them. */
static void add_lines(const json_t *question, char **lines, bool is_explained, int width,
                      GPtrArray *out)
{
    const Style plain = { .fg = TOKEN_TEXT }, dim = { .fg = TOKEN_DIM };
    size_t count = g_strv_length(lines);
    bool is_long = !is_explained && count > MAX_LINES, is_code = !json_get_text(question, "method");
    for (size_t i = 0; i < count; i++) {
        if (is_long && i == HEAD_LINES) {
            g_autofree char *left = g_strdup_printf("  … %zu more lines: ? shows them",
                                                    count - HEAD_LINES - TAIL_LINES);
            add_line(left, dim, false, width, out);
            i = count - TAIL_LINES;
        }
        add_line(lines[i], i == 0 ? first_style(question) : plain, is_code && i > 0, width, out);
    }
}

/* Long arguments of which the text says less. */
static void add_arguments(const json_t *question, int tab_width, int width, GPtrArray *out)
{
    const Style plain = { .fg = TOKEN_TEXT }, dim = { .fg = TOKEN_DIM };
    size_t left = MAX_EXPLAIN_BYTES;
    json_each_member (json_get_object(question, "arguments"), key, value) {
        g_autofree char *json = json_is_string(value) ? NULL : json_to_pretty(value);
        const char *text = json ? json : json_string_value(value);
        if (strlen(text) <= LONG_ARGUMENT || is_in_text(question, key))
            continue;
        g_autofree char *clean = dialog_clean(text, tab_width); // before a cut splits a secret
        g_autofree char *part = bound_text(clean, left);
        g_autofree char *name = dialog_clean(key, tab_width);
        g_autofree char *head = g_strdup_printf("%s, whole:", name);
        add_line(head, dim, false, width, out);
        add_line(part, plain, true, width, out);
        left -= MIN(left, strlen(clean));
    }
}

static void bound_rows(int width, GPtrArray *out)
{
    const Style dim = { .fg = TOKEN_DIM };
    if (out->len <= MAX_BODY_ROWS)
        return;
    g_ptr_array_set_size(out, MAX_BODY_ROWS);
    const WrapSpec spec = { .width = MAX(width, 1) };
    wrap_text(TOO_LONG, dim, &spec, out);
}

void dialog_body_rows(const json_t *question, bool is_explained, int tab_width, int width,
                      GPtrArray *out)
{
    g_autofree char *change = dialog_change(question, tab_width);
    g_auto(GStrv) lines = lines_of(question, is_explained, change != NULL, tab_width);
    add_lines(question, lines, is_explained, width, out);
    if (change)
        diff_rows(change, width, is_explained ? ALL_CHANGE_ROWS : CHANGE_ROWS, out);
    if (is_explained)
        add_arguments(question, tab_width, width, out);
    bound_rows(width, out);
}
