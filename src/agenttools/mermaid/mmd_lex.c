/*
 * mmd_lex.h.
 */
#include "agenttools/mermaid/mmd_lex.h"

#include "base/utf8.h"

#include <stdarg.h>

bool mmd_is_word_char(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

bool mmd_is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

const char *mmd_find_one_of(const char *at, const char *end, const char *set)
{
    while (at < end && !mmd_is_one_of(*at, set))
        at++;
    return at;
}

const char *mmd_find_end_of_word(const char *at, const char *end, const char *set)
{
    while (at < end && !mmd_is_one_of(*at, set) && mmd_white_size(at, end) == 0)
        at = g_utf8_next_char(at);
    return at;
}

const char *mmd_match(const char *at, const char *end, const char *literal)
{
    size_t size = strlen(literal);
    bool stands = (size_t)(end - at) >= size && memcmp(at, literal, size) == 0;
    return stands ? at + size : NULL;
}

const char *mmd_match_nocase(const char *at, const char *end, const char *literal)
{
    size_t size = strlen(literal);
    bool stands = (size_t)(end - at) >= size && g_ascii_strncasecmp(at, literal, size) == 0;
    return stands ? at + size : NULL;
}

static const char *when_word_ends(const char *stop, const char *end)
{
    return stop != NULL && (stop == end || !mmd_is_word_char(*stop)) ? stop : NULL;
}

const char *mmd_match_word(const char *at, const char *end, const char *word)
{
    return when_word_ends(mmd_match(at, end, word), end);
}

const char *mmd_match_word_nocase(const char *at, const char *end, const char *word)
{
    return when_word_ends(mmd_match_nocase(at, end, word), end);
}

const char *mmd_match_digits(const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && g_ascii_isdigit(*stop))
        stop++;
    return stop > at ? stop : NULL;
}

const char *mmd_skip_white_from(const char *at, const char *end)
{
    size_t size;
    while ((size = mmd_white_size(at, end)) > 0)
        at += size;
    return at;
}

const char *mmd_skip_blanks_from(const char *at, const char *end)
{
    size_t size;
    while (at < end && *at != '\n' && (size = mmd_white_size(at, end)) > 0)
        at += size;
    return at;
}

const char *mmd_trim_end(const char *start, const char *stop)
{
    while (stop > start) {
        const char *last = g_utf8_prev_char(stop);
        if (mmd_white_size(last, stop) == 0)
            break;
        stop = last;
    }
    return stop;
}

const char *mmd_match_direction(const char *at, const char *end, bool ignores_case)
{
    static const char *const directions[] = { "TB", "BT", "RL", "LR" };
    const char *(*match)(const char *, const char *, const char *) =
        ignores_case ? mmd_match_nocase : mmd_match;
    const char *line_end = mmd_line_end(at, end);
    for (; at < line_end; at++) {
        const char *word_end = match(at, line_end, "direction");
        const char *value = word_end != NULL ? mmd_skip_white_from(word_end, end) : NULL;
        if (value == NULL || value == word_end)
            continue;
        for (size_t i = 0; i < G_N_ELEMENTS(directions); i++) {
            if (match(value, end, directions[i]) != NULL)
                return mmd_line_end(value, end);
        }
    }
    return NULL;
}

bool mmd_match_accessibility(const char *at, const char *end, bool ignores_case,
                             MmdAccessibility *ret_found)
{
    const char *(*match)(const char *, const char *, const char *) =
        ignores_case ? mmd_match_nocase : mmd_match;
    const char *title = match(at, end, "accTitle"), *description = match(at, end, "accDescr");
    const char *stop = title != NULL ? title : description;
    if (stop == NULL)
        return false;
    stop = mmd_skip_white_from(stop, end);
    if (stop < end && *stop == ':') { // the text may begin on a later line
        stop = mmd_line_end(mmd_skip_white_from(stop + 1, end), end);
        *ret_found = (MmdAccessibility) { .stop = stop };
        return true;
    }
    if (description == NULL || stop == end || *stop != '{')
        return false;
    const char *close = memchr(stop, '}', (size_t)(end - stop));
    *ret_found = (MmdAccessibility) { close != NULL ? close + 1 : end, stop, close == NULL };
    return true;
}

char *mmd_excerpt(const char *start, const char *stop)
{
    g_autofree char *text = g_strndup(start, (size_t)(stop - start));
    g_strdelimit(text, "\n", ' ');
    return utf8_ellipsize(text, MMD_FOUND_CHARS);
}

const char *mmd_blame(const MmdParser *p, const char *at)
{
    at = mmd_skip_blanks_from(at, p->end);
    if (at < p->end && *at != '\n')
        return at;
    const char *stop = mmd_trim_end(p->text, at);
    return stop > p->text ? g_utf8_prev_char(stop) : at;
}

const char *mmd_line_start(const MmdParser *p, const char *at)
{
    while (at > p->text && at[-1] != '\n')
        at--;
    return at;
}

/* Does the line of `at` begin as a Markdown fence? */
static bool is_in_fence_line(const MmdParser *p, const char *at)
{
    const char *start = mmd_skip_blanks_from(mmd_line_start(p, at), p->end);
    return mmd_match(start, p->end, "```") != NULL || mmd_match(start, p->end, "~~~") != NULL;
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

bool mmd_expected_no_keyword(MmdParser *p, const char *at, const char *stop, const char *what)
{
    stop = mmd_trim_end(at, stop);
    return mmd_fail(p, MMD_SYNTAX, at, "expected %s, found the keyword '%.*s'", what,
                    (int)(stop - at), at);
}

bool mmd_unclosed(MmdParser *p, const char *opened, const char *what, const char *close)
{
    mmd_fail_open(p, mmd_blame(p, p->end), opened, NULL, "%s is not closed: expected %s", what,
                  close);
    return mmd_hint(p, "%s opened at line %zu is not closed", what, mmd_line_of(p, opened));
}
