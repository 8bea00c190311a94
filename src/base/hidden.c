/*
 * Hidden characters (hidden.h). Which ones they are is utf8proc's table; comments are found in
 * hidden_markdown.c, other texts in hidden_unshown.c.
 */
#include "base/hidden.h"

#include "base/hidden_markdown.h"
#include "base/hidden_unshown.h"

#include <string.h>
#include <utf8proc.h>

#define MAX_PASSES      4
#define NON_JOINER      0x200c
#define JOINER          0x200d
#define VARIATION_TEXT  0xfe0e
#define VARIATION_EMOJI 0xfe0f
#define KEYCAP          0x20e3
#define SKIN_TONE_FIRST 0x1f3fb
#define SKIN_TONE_LAST  0x1f3ff

// ---- characters ----

bool hidden_is(gunichar c)
{
    return c >= 0x80 &&
           (utf8proc_get_property((utf8proc_int32_t)c)->ignorable || // U+00AD, U+202E, U+E0041, …
            (c >= 0xfff9 && c <= 0xfffb) ||                          // annotations
            (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef) || // no characters
            c >= 0xf0000);                                            // private planes
}

static bool is_emoji(gunichar c)
{
    return utf8proc_get_property((utf8proc_int32_t)c)->boundclass ==
           UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static bool is_key(gunichar c)
{
    return (c >= '0' && c <= '9') || c == '#' || c == '*';
}

// Scripts in which a joiner changes what is read (safety §2.3).
static bool is_joined_script(GUnicodeScript script)
{
    switch (script) {
    case G_UNICODE_SCRIPT_ARABIC:
    case G_UNICODE_SCRIPT_SYRIAC:
    case G_UNICODE_SCRIPT_MONGOLIAN:
    case G_UNICODE_SCRIPT_DEVANAGARI:
    case G_UNICODE_SCRIPT_BENGALI:
    case G_UNICODE_SCRIPT_GURMUKHI:
    case G_UNICODE_SCRIPT_GUJARATI:
    case G_UNICODE_SCRIPT_ORIYA:
    case G_UNICODE_SCRIPT_TAMIL:
    case G_UNICODE_SCRIPT_TELUGU:
    case G_UNICODE_SCRIPT_KANNADA:
    case G_UNICODE_SCRIPT_MALAYALAM:
    case G_UNICODE_SCRIPT_SINHALA:
        return true;
    default:
        return false;
    }
}

static bool is_joined_letter(gunichar c)
{
    return (g_unichar_isalpha(c) || g_unichar_ismark(c)) &&
           is_joined_script(g_unichar_get_script(c));
}

static bool is_end_of_emoji(gunichar c)
{
    return is_emoji(c) || c == VARIATION_EMOJI || (c >= SKIN_TONE_FIRST && c <= SKIN_TONE_LAST);
}

bool hidden_is_read(gunichar before, gunichar c, gunichar after)
{
    if (before == 0)
        return false;
    if (c == VARIATION_EMOJI && is_key(before))
        return after == KEYCAP;
    if (c == VARIATION_TEXT || c == VARIATION_EMOJI)
        return is_emoji(before);
    if (c >= 0xe0100 && c <= 0xe01ef)
        return g_unichar_get_script(before) == G_UNICODE_SCRIPT_HAN;
    if (c == JOINER && is_emoji(after))
        return is_end_of_emoji(before);
    return (c == JOINER || c == NON_JOINER) && is_joined_letter(before) && is_joined_letter(after);
}

// ---- texts ----

static void append_escape(GString *out, gunichar c)
{
    g_string_append_printf(out, c < 0x10000 ? "\\u%04x" : "\\u{%x}", c);
}

static char *without_characters(const char *text, bool is_code, size_t *count)
{
    GString *out = g_string_sized_new(strlen(text) + 1);
    gunichar before = 0;
    for (const char *at = text; *at;) {
        gunichar c = g_utf8_get_char(at);
        const char *next = g_utf8_next_char(at);
        if (!hidden_is(c) || hidden_is_read(before, c, g_utf8_get_char(next))) {
            g_string_append_len(out, at, next - at);
            before = c;
        } else if (is_code) {
            append_escape(out, c);
            before = '\\'; // what comes next has the escape before it
        } else {
            (*count)++;
        }
        at = next;
    }
    return g_string_free(out, FALSE);
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

char *hidden_remove(const char *text, HiddenPlace place, HiddenCount *count)
{
    g_autofree char *valid = is_ascii(text) ? NULL : g_utf8_make_valid(text, -1);
    g_autofree char *seen =
        valid ? without_characters(valid, place == HIDDEN_IN_CODE, &count->characters)
              : g_strdup(text);
    if (place == HIDDEN_IN_LINE || place == HIDDEN_IN_CODE)
        return g_steal_pointer(&seen);
    size_t long_bytes = 0;
    bool is_of_one = place == HIDDEN_IN_MARKDOWN;
    char *rest = hidden_markdown_remove(seen, is_of_one, &count->comments, &long_bytes);
    for (int pass = 0; pass < MAX_PASSES; pass++) { // what is removed may have split another
        g_autofree char *shown = hidden_unshown_remove(rest, is_of_one, &count->texts);
        if (!shown)
            break;
        g_free(rest);
        rest = hidden_markdown_remove(shown, is_of_one, &count->comments, &long_bytes);
    }
    if (place == HIDDEN_AMONG_OTHERS)
        count->long_bytes += long_bytes;
    return rest;
}

// ---- answers ----

static bool is_among(const char *key, const char *const *names)
{
    return key && g_strv_contains(names, key);
}

static HiddenPlace place_of_key(const char *key)
{
    static const char *const lines[] = { "title", "name",    "path",     "filename",
                                         "login", "message", "headline", "messageHeadline",
                                         "url",   NULL };
    static const char *const code[] = { "diffHunk", "diff_hunk", "patch",
                                        "content",  "fragment",  NULL };
    return is_among(key, lines)  ? HIDDEN_IN_LINE
           : is_among(key, code) ? HIDDEN_IN_CODE
                                 : HIDDEN_IN_MARKDOWN;
}

static json_t *remove_under(const char *key, json_t *value, HiddenCount *count);

static json_t *remove_in_object(json_t *object, HiddenCount *count)
{
    json_t *out = json_object();
    const char *key = NULL;
    json_t *value = NULL;
    bool is_same = true;
    json_object_foreach (object, key, value) {
        g_autofree char *name = hidden_remove(key, HIDDEN_IN_LINE, count);
        json_t *now = remove_under(key, value, count);
        is_same = is_same && now == value && strcmp(name, key) == 0;
        json_object_set_new(out, name, now);
    }
    if (!is_same)
        return out;
    json_decref(out);
    return json_incref(object);
}

static json_t *remove_in_array(const char *key, json_t *array, HiddenCount *count)
{
    json_t *out = json_array();
    size_t i = 0;
    json_t *value = NULL;
    bool is_same = true;
    json_array_foreach (array, i, value) {
        json_t *now = remove_under(key, value, count);
        is_same = is_same && now == value;
        json_array_append_new(out, now);
    }
    if (!is_same)
        return out;
    json_decref(out);
    return json_incref(array);
}

/* New reference. */
static json_t *remove_under(const char *key, json_t *value, HiddenCount *count)
{
    if (json_is_object(value))
        return remove_in_object(value, count);
    if (json_is_array(value))
        return remove_in_array(key, value, count);
    if (!json_is_string(value))
        return json_incref(value);
    g_autofree char *seen = hidden_remove(json_string_value(value), place_of_key(key), count);
    if (strcmp(seen, json_string_value(value)) == 0)
        return json_incref(value);
    return json_text(seen);
}

json_t *hidden_remove_json(json_t *value, HiddenCount *count)
{
    return remove_under(NULL, value, count);
}

// ---- the notice ----

static void append_number(GString *out, size_t number, const char *what)
{
    if (number > 0)
        g_string_append_printf(out, "%s%zu %s%s", out->len > 0 ? " and " : "", number, what,
                               number == 1 ? "" : "s");
}

char *hidden_notice(const HiddenCount *count)
{
    GString *out = g_string_new(NULL);
    append_number(out, count->characters, "invisible character");
    append_number(out, count->comments, "HTML comment");
    append_number(out, count->texts, "hidden text");
    if (count->texts > 0) // or a model would ask for them
        g_string_append(out, " (alt, title, attributes, hidden elements)");
    bool is_empty = out->len == 0;
    if (!is_empty)
        g_string_append(out, " removed");
    if (count->long_bytes > 0)
        g_string_append_printf(out,
                               "; they took %zu bytes, maybe of others: ask for JSON, where each "
                               "text is its own",
                               count->long_bytes);
    return g_string_free(out, is_empty);
}
