/* See visible.h. */
#include "base/visible.h"

#include "base/hidden.h"

#include <stdbool.h>
#include <string.h>

#define NON_JOINER 0x200c
#define JOINER     0x200d

typedef enum {
    KEEP_NOTHING,
    KEEP_LINES,   // LF and TAB
    KEEP_READING, // these, and joiners that belong to what is around them
} Keep;

static bool is_deceptive(gunichar before, gunichar c, gunichar after, Keep keep)
{
    if (c < 0x20 || (c >= 0x7f && c <= 0x9f))
        return keep == KEEP_NOTHING || (c != '\n' && c != '\t');
    if (c == 0x2028 || c == 0x2029)
        return true;
    bool is_joiner = c == JOINER || c == NON_JOINER;
    return hidden_is(c) &&
           ((is_joiner && keep != KEEP_READING) || !hidden_is_read(before, c, after));
}

static void append(GString *out, const char *text, Keep keep)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    gunichar before = 0;
    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p), after = g_utf8_get_char(g_utf8_next_char(p));
        if (keep != KEEP_NOTHING && c == '\r' && after == '\n')
            continue; // the line ends all the same
        if (!is_deceptive(before, c, after, keep))
            g_string_append_unichar(out, c);
        else if (c < 0x100)
            g_string_append_printf(out, "\\x%02x", c);
        else if (c < 0x10000)
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_printf(out, "\\u{%x}", c);
        before = c;
    }
}

void visible_append(GString *out, const char *text)
{
    append(out, text, KEEP_NOTHING);
}

char *visible_lines(const char *text)
{
    GString *out = g_string_new(NULL);
    append(out, text, KEEP_LINES);
    return g_string_free(out, FALSE);
}

void visible_append_lines(GString *out, const char *text)
{
    append(out, text, KEEP_LINES);
}

void visible_append_block(GString *out, const char *bar, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        size_t length = strlen(*line);
        if (line[1] && length > 0 && (*line)[length - 1] == '\r')
            (*line)[length - 1] = '\0';
        g_string_append_printf(out, "\n%s", bar);
        append(out, *line, KEEP_LINES);
    }
}

char *visible_on_terminal(const char *text)
{
    GString *out = g_string_sized_new(strlen(text) + 1);
    append(out, text, KEEP_READING);
    return g_string_free(out, FALSE);
}
