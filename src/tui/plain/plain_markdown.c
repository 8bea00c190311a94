/* See plain_markdown.h. */
#include "tui/plain/plain_markdown.h"

#include "base/str.h"
#include "base/utf8.h"
#include "tui/text/md_blocks.h"
#include "tui/text/md_rows.h"
#include "tui/text/md_spans.h"

#include <string.h>

enum { FENCE_MARKS = 3, HEADING_LEVELS = 6, RULE_MARKS = 3 };

void plain_markdown_clear(PlainMarkdown *self)
{
    g_strfreev(self->head);
    *self = (PlainMarkdown) { 0 };
}

// ---- inside of a line ----

/* Without the marks of emphasis, code and links; caller frees. */
static char *bare_text(const char *text)
{
    const MdInline spec = { .has_links = false };
    g_autoptr(GPtrArray) rows = rows_new();
    g_autoptr(GString) out = g_string_new(NULL);
    md_inline_rows(&spec, text, strlen(text), rows);
    for (unsigned i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        g_string_append_printf(out, "%s%s", i > 0 ? " " : "", row->text);
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static char *line_named(const char *name, const char *text)
{
    g_autofree char *bare = bare_text(text);
    return g_strconcat(name, bare, NULL);
}

bool plain_markdown_is_whole(const PlainMarkdown *self, const char *line, size_t size)
{
    MdSpans spans = { 0 };
    size_t at = 0;
    line += strspn(line, " ");
    if (self->fence || *line == '|' || str_has_prefix(line, "```") || str_has_prefix(line, "~~~"))
        return true;
    md_spans_scan(&spans, line, MIN(size, strlen(line)));
    return md_spans_first_open(&spans, size, &at);
}

// ---- code ----

static size_t fence_size(const char *text, char mark)
{
    size_t size = 0;
    while (text[size] == mark)
        size++;
    return size >= FENCE_MARKS ? size : 0;
}

static char *begin_code(PlainMarkdown *self, const char *text)
{
    self->fence = *text;
    self->fence_size = fence_size(text, *text);
    const char *language = text + self->fence_size + strspn(text + self->fence_size, " ");
    g_autofree char *word = g_strndup(language, strcspn(language, " \t{"));
    return *word ? g_strdup_printf("Code, %s:", word) : g_strdup("Code:");
}

static char *code_line(PlainMarkdown *self, const char *line)
{
    const char *text = line + strspn(line, " ");
    size_t size = fence_size(text, self->fence);
    if (size < self->fence_size || !utf8_is_blank(text + size))
        return g_strdup(line);
    self->fence = 0;
    return g_strdup("End of code.");
}

// ---- tables ----

/* "| a | b |": a NULL-terminated array; caller frees. */
static char **cells_of(const char *line)
{
    g_autofree char *text = g_strstrip(g_strdup(line));
    g_autoptr(GPtrArray) cells = g_ptr_array_new();
    g_autoptr(GString) cell = g_string_new(NULL);
    for (const char *p = text + (*text == '|'); *p; p++) {
        bool is_escaped = *p == '\\' && p[1] == '|';
        bool is_end = *p == '|' || (!is_escaped && p[1] == '\0');
        p += is_escaped;
        if (*p != '|' || is_escaped)
            g_string_append_c(cell, *p);
        if (!is_end && p[1])
            continue;
        g_autofree char *bare = bare_text(g_strstrip(cell->str));
        g_ptr_array_add(cells, g_steal_pointer(&bare));
        g_string_truncate(cell, 0);
    }
    g_ptr_array_add(cells, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&cells), FALSE);
}

/* "Name: a; Size: b" */
static char *table_row(const PlainMarkdown *self, const char *line)
{
    g_auto(GStrv) cells = cells_of(line);
    g_autoptr(GString) out = g_string_new(NULL);
    size_t columns = g_strv_length(self->head);
    for (size_t i = 0; cells[i]; i++) {
        const char *name = i < columns ? self->head[i] : "";
        if (*cells[i])
            g_string_append_printf(out, "%s%s%s%s", out->len > 0 ? "; " : "", name,
                                   *name ? ": " : "", cells[i]);
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* What waited was no table. */
static char *take_head(PlainMarkdown *self)
{
    char *text = self->head && !self->is_table ? g_strjoinv("; ", self->head) : NULL;
    g_clear_pointer(&self->head, g_strfreev);
    self->is_table = false;
    return text;
}

/* False: the line belongs to no table. */
static bool take_table_line(PlainMarkdown *self, const char *text, char **ret_said)
{
    *ret_said = NULL;
    if (self->is_table && *text == '|') {
        *ret_said = table_row(self, text);
        return true;
    }
    if (self->head && !self->is_table && md_delimiter_columns(text, strlen(text)) > 0) {
        self->is_table = true;
        return true;
    }
    if (*text != '|')
        return false;
    *ret_said = take_head(self);
    self->head = cells_of(text);
    return true;
}

// ---- lines ----

static bool is_rule(const char *text)
{
    char mark = *text;
    size_t count = 0;
    if (mark == '\0' || !strchr("-*_=", mark))
        return false;
    for (; *text; text++) {
        if (*text != mark && *text != ' ')
            return false;
        count += *text == mark;
    }
    return count >= RULE_MARKS;
}

/* NULL: it is none. */
static char *line_heading(const char *text)
{
    size_t level = strspn(text, "#");
    if (level == 0 || level > HEADING_LEVELS || !strchr(" ", text[level]))
        return NULL;
    g_autofree char *rest = g_strstrip(g_strdup(text + level));
    size_t size = strlen(rest);
    while (size > 0 && rest[size - 1] == '#')
        size--;
    if (size < strlen(rest) && (size == 0 || rest[size - 1] == ' '))
        rest[size] = '\0';
    return line_named("Heading: ", g_strchomp(rest));
}

/* "- [x] done", "2. second"; `indent`: blanks before it. NULL: it is none. */
static char *list_item(const char *text, int indent)
{
    size_t digits = strspn(text, "0123456789");
    bool is_bullet = strchr("-*+", *text) && *text && text[1] == ' ';
    bool is_number =
        digits > 0 && strchr(".)", text[digits]) && text[digits] && text[digits + 1] == ' ';
    if (!is_bullet && !is_number)
        return NULL;
    const char *rest = text + (is_bullet ? 1 : digits + 1);
    rest += strspn(rest, " ");
    bool is_task = *rest == '[' && rest[1] && strchr(" xX", rest[1]) && rest[2] == ']';
    const char *state = !is_task ? "" : rest[1] == ' ' ? "Open: " : "Done: ";
    g_autofree char *bare = bare_text(is_task ? rest + 3 + strspn(rest + 3, " ") : rest);
    return g_strdup_printf("%*s%.*s%s%s%s", indent, "", is_number ? (int)digits + 1 : 0, text,
                           is_number ? " " : "", state, bare);
}

static char *block_line(PlainMarkdown *self, const char *line)
{
    const char *text = line + strspn(line, " ");
    bool was_quote = self->is_quote;
    self->is_quote = *text == '>';
    if (fence_size(text, '`') > 0 || fence_size(text, '~') > 0)
        return begin_code(self, text);
    while (*text == '>')
        text += 1 + strspn(text + 1, " ");
    if (is_rule(text))
        return NULL;
    if (self->is_quote && !was_quote)
        return line_named("Quote: ", text);
    char *said = line_heading(text);
    if (!said)
        said = list_item(text, (int)strspn(line, " "));
    return said ? said : bare_text(text);
}

char *plain_markdown_line(PlainMarkdown *self, const char *line, bool is_start)
{
    char *said = NULL;
    if (self->fence)
        return code_line(self, line);
    if (!is_start)
        return bare_text(line);
    if (take_table_line(self, line + strspn(line, " "), &said))
        return said;
    g_autofree char *before = take_head(self);
    said = block_line(self, line);
    if (!before || !said)
        return before ? g_steal_pointer(&before) : said;
    g_autofree char *now = said;
    return g_strconcat(before, "\n", now, NULL);
}

char *plain_markdown_finish(PlainMarkdown *self)
{
    char *said = take_head(self);
    plain_markdown_clear(self);
    return said;
}
