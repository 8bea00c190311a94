/* See visible.h. */
#include "base/visible.h"

#include <stdbool.h>

static bool is_deceptive(gunichar c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xad ||
           c == 0x61c || c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

static void append(GString *out, const char *text, bool keeps_lines)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (keeps_lines && c == '\r' && p[1] == '\n')
            continue; // the line ends all the same
        if (!is_deceptive(c) || (keeps_lines && (c == '\n' || c == '\t')))
            g_string_append_unichar(out, c);
        else if (c < 0x100)
            g_string_append_printf(out, "\\x%02x", c);
        else if (c < 0x10000)
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_printf(out, "\\u{%x}", c);
    }
}

void visible_append(GString *out, const char *text)
{
    append(out, text, false);
}

char *visible_lines(const char *text)
{
    GString *out = g_string_new(NULL);
    append(out, text, true);
    return g_string_free(out, FALSE);
}

void visible_append_lines(GString *out, const char *text)
{
    append(out, text, true);
}
