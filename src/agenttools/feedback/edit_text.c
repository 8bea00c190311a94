/*
 * Line endings, byte-order mark and missing last newline, kept over an edit.
 */
#include "agenttools/feedback/edit_text.h"

#include "base/line_diff.h"
#include "base/str.h"
#include "base/utf8.h"

char *edit_text_plain(const char *text)
{
    text += utf8_bom_size(text, strlen(text));
    size_t size = strlen(text);
    char *plain = g_malloc(size + 1), *out = plain;
    for (size_t i = 0; i < size; i++)
        if (text[i] != '\r' || text[i + 1] != '\n')
            *out++ = text[i];
    *out = '\0';
    return plain;
}

bool edit_text_decode(const char *data, size_t size, char **ret_text)
{
    if (!g_utf8_validate_len(data, size, NULL)) // a NUL is not valid either
        return false;
    *ret_text = edit_text_plain(data);
    return true;
}

char *edit_text_show(const char *data, size_t size)
{
    g_autofree char *text = utf8_from_bytes(data, size);
    return edit_text_plain(text);
}

/* The last line without its newline. */
static const char *last_line(const char *text, size_t *ret_size)
{
    size_t end = strlen(text);
    end -= end > 0 && text[end - 1] == '\n';
    size_t from = end;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    *ret_size = end - from;
    return text + from;
}

char *edit_text_fit(const char *base, const char *content)
{
    char *text = edit_text_plain(content);
    if (*base == '\0' || g_str_has_suffix(base, "\n") || !g_str_has_suffix(text, "\n"))
        return text;
    size_t old_size, new_size;
    const char *old_line = last_line(base, &old_size), *new_line = last_line(text, &new_size);
    if (old_size == new_size && memcmp(old_line, new_line, old_size) == 0)
        text[strlen(text) - 1] = '\0';
    return text;
}

/* How each line of a file ends. */
typedef struct Endings {
    GArray *is_crlf; // of bool, a line each
    bool mostly_crlf;
} Endings;

static Endings endings_of(const char *data, size_t size)
{
    const char *data_end = data + size;
    Endings self = { .is_crlf = g_array_new(FALSE, FALSE, sizeof(bool)) };
    size_t crlf_count = 0;
    for (const char *end = data; (end = memchr(end, '\n', (size_t)(data_end - end))); end++) {
        bool is_crlf = end > data && end[-1] == '\r';
        crlf_count += is_crlf;
        g_array_append_val(self.is_crlf, is_crlf);
    }
    self.mostly_crlf = crlf_count * 2 > self.is_crlf->len;
    return self;
}

static void append_line(GString *out, const DiffLine *line, bool is_crlf)
{
    g_string_append_len(out, line->text, (gssize)line->size);
    if (line->has_newline)
        g_string_append(out, is_crlf ? "\r\n" : "\n");
}

char *edit_text_encode(const char *data, size_t size, const char *text, size_t *ret_size)
{
    g_autofree char *old_text = edit_text_show(data, size);
    Endings endings = endings_of(data, size);
    GString *out = g_string_new(str_has_prefix(data, UTF8_BOM) ? UTF8_BOM : "");
    g_autoptr(LineDiff) diff = line_diff_new(old_text, text);
    LineChange change = { 0 };
    size_t kept = 0;
    bool has_change;
    do {
        has_change = line_diff_next(diff, &change);
        for (; kept < change.before; kept++)
            append_line(out, &diff->before[kept],
                        kept < endings.is_crlf->len && g_array_index(endings.is_crlf, bool, kept));
        for (size_t i = 0; i < change.added; i++)
            append_line(out, &diff->after[change.after + i], endings.mostly_crlf);
        kept += change.deleted;
    } while (has_change);
    g_array_unref(endings.is_crlf);
    *ret_size = out->len;
    return g_string_free(out, FALSE);
}
