/*
 * Records errors, and says what is where one was found (mmd_parser.h).
 */
#include "agenttools/mermaid/mmd_parser.h"

#include "base/utf8.h"

#include <stdarg.h>

#define MESSAGE_CHARS_MAX 400

static MmdError *last_error(const MmdParser *p)
{
    GPtrArray *errors = p->verdict->errors;
    return errors->len > 0 ? g_ptr_array_index(errors, errors->len - 1) : NULL;
}

static bool is_blank_tail(const MmdParser *p, const char *at)
{
    return mmd_skip_white(at, p->end) >= p->end;
}

static const char *text_end(const MmdParser *p)
{
    const char *at = p->end;
    while (at > p->text && g_ascii_isspace(at[-1]))
        at--;
    return at;
}

/* A place in the blank end of the text is that of its last line that is not blank. */
static size_t document_offset(const MmdParser *p, const char *where)
{
    if (is_blank_tail(p, where))
        where = MIN(where, text_end(p));
    if (where < p->end)
        return p->origin[where - p->text];
    return p->end > p->text ? p->origin[p->end - p->text - 1] : p->document_size;
}

static void set_place(const MmdParser *p, size_t offset, size_t *ret_line, size_t *ret_column)
{
    const char *document_end = p->document + p->document_size;
    const char *place = p->document + offset, *line_start = p->document;
    size_t line = 1;
    for (const char *c = p->document; c < place; c++) {
        bool has_lf_after = c + 1 < document_end && c[1] == '\n';
        if (*c == '\n' || (*c == '\r' && !has_lf_after)) {
            line++;
            line_start = c + 1;
        }
    }
    *ret_line = line;
    *ret_column = 1 + (size_t)g_utf8_strlen(line_start, place - line_start);
}

/* One line of bounded length, entities as they were written. Takes `text`; the caller frees. */
static char *mmd_error_presentable(char *text)
{
    for (char *c = text; *c != '\0'; c++) {
        if (*c == MMD_ENTITY_OPEN)
            *c = '#';
        else if (*c == MMD_ENTITY_CLOSE)
            *c = ';';
        else if (*c == '\n')
            *c = ' ';
    }
    char *shown = utf8_ellipsize(text, MESSAGE_CHARS_MAX);
    g_free(text);
    return shown;
}

static bool is_fence_line(const MmdParser *p, size_t offset)
{
    const char *line = p->document + offset;
    while (line > p->document && line[-1] != '\n')
        line--;
    const char *end = p->document + p->document_size;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return end - line >= 3 && memcmp(line, "```", 3) == 0;
}

/* NULL when there are enough errors already. */
static G_GNUC_PRINTF(4, 0) MmdError *add_error(MmdParser *p, MmdClass class, size_t offset,
                                               const char *format, va_list arguments)
{
    GPtrArray *errors = p->verdict->errors;
    if (errors->len >= MMD_ERRORS_MAX)
        return NULL;
    MmdError *error = g_new0(MmdError, 1);
    error->class = class;
    error->message = mmd_error_presentable(g_strdup_vprintf(format, arguments));
    set_place(p, offset, &error->line, &error->column);
    if (is_fence_line(p, offset))
        error->hint = g_strdup("Remove the Markdown fence");
    g_ptr_array_add(errors, error);
    return error;
}

bool mmd_fail(MmdParser *p, MmdClass class, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_error(p, class, document_offset(p, where), format, arguments);
    va_end(arguments);
    return false;
}

bool mmd_fail_offset(MmdParser *p, MmdClass class, size_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_error(p, class, offset, format, arguments);
    va_end(arguments);
    return false;
}

bool mmd_fail_open(MmdParser *p, const char *where, const char *opened, const char *hint,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    MmdError *error = add_error(p, MMD_SYNTAX, document_offset(p, where), format, arguments);
    va_end(arguments);
    if (!error)
        return false;
    set_place(p, document_offset(p, opened), &error->opened_line, &error->opened_column);
    return hint && mmd_hint(p, "%s", hint);
}

bool mmd_hint(MmdParser *p, const char *format, ...)
{
    MmdError *error = last_error(p);
    if (!error)
        return false;
    va_list arguments;
    va_start(arguments, format);
    g_free(error->hint);
    error->hint = mmd_error_presentable(g_strdup_vprintf(format, arguments));
    va_end(arguments);
    return false;
}

size_t mmd_line_of(const MmdParser *p, const char *where)
{
    size_t line, column;
    set_place(p, document_offset(p, where), &line, &column);
    return line;
}

const char *mmd_found(MmdParser *p, const char *where)
{
    while (where < p->end && *where != '\n' && mmd_white_size(where, p->end) > 0)
        where += mmd_white_size(where, p->end);
    if (is_blank_tail(p, where))
        return "the end of the diagram";
    if (*where == '\n')
        return "the end of the line";

    const char *line_end = mmd_line_end(where, p->end);
    while (line_end > where && g_ascii_isspace(line_end[-1]))
        line_end--;
    const char *stop = where;
    for (unsigned i = 0; i < MMD_FOUND_CHARS && stop < line_end; i++)
        stop = g_utf8_next_char(stop);
    g_snprintf(p->found, sizeof p->found, "'%.*s%s'", (int)(stop - where), where,
               stop < line_end ? "…" : "");
    return p->found;
}

bool mmd_unexpected(MmdParser *p, const char *expected)
{
    return mmd_fail(p, MMD_SYNTAX, p->at, "expected %s, found %s", expected, mmd_found(p, p->at));
}

char *mmd_excerpt(const char *start, const char *stop)
{
    g_autofree char *text = g_strndup(start, (size_t)(stop - start));
    g_strdelimit(text, "\n", ' ');
    return utf8_ellipsize(text, MMD_FOUND_CHARS);
}

const char *mmd_blame(const MmdParser *p, const char *at)
{
    at = mmd_scan(p, at, "\\h*");
    if (at < p->end && *at != '\n')
        return at;
    const char *stop = mmd_trim_end(p->text, at);
    return stop > p->text ? g_utf8_prev_char(stop) : at;
}

/* Does the line of `at` begin as a Markdown fence? */
static bool is_in_fence_line(const MmdParser *p, const char *at)
{
    while (at > p->text && at[-1] != '\n')
        at--;
    return mmd_scan(p, at, "\\h*(```|~~~)");
}

bool mmd_expected(MmdParser *p, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    const char *place = mmd_blame(p, at);
    mmd_fail(p, MMD_SYNTAX, place, "expected %s, found %s", what, mmd_found(p, at));
    return is_in_fence_line(p, place) && mmd_hint(p, "Remove the Markdown fence");
}

bool mmd_expected_no_keyword(MmdParser *p, const char *what)
{
    const char *at = p->token.start, *stop = mmd_trim_end(at, p->token.stop);
    return mmd_fail(p, MMD_SYNTAX, at, "expected %s, found the keyword '%.*s'", what,
                    (int)(stop - at), at);
}

bool mmd_unclosed(MmdParser *p, const char *opened, const char *what, const char *close)
{
    mmd_fail_open(p, mmd_blame(p, p->end), opened, NULL, "%s is not closed: expected %s", what,
                  close);
    return mmd_hint(p, "%s opened at line %zu is not closed", what, mmd_line_of(p, opened));
}

bool mmd_begin(MmdParser *p, const char *header)
{
    if (mmd_scan(p, p->at, "\\>"))
        return true;
    g_autofree char *expected =
        g_strdup_printf("a blank or the end of the line after '%s'", header);
    return mmd_unexpected(p, expected);
}
