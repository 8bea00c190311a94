/*
 * Characters, words and white space, and the scanner over them (mmd_parser.h).
 */
#include "agenttools/mermaid/mmd_parser.h"

bool mmd_at_end(const MmdParser *p)
{
    return p->at >= p->end;
}

size_t mmd_white_size(const char *at, const char *end)
{
    if (at >= end)
        return 0;
    unsigned char first = (unsigned char)*at;
    if (first < 0x80)
        return first == ' ' || (first >= '\t' && first <= '\r') ? 1 : 0;

    gunichar c = g_utf8_get_char(at);
    bool is_white = c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
                    c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
    return is_white ? (size_t)(g_utf8_next_char(at) - at) : 0;
}

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

const char *mmd_match_as(unsigned how, const char *at, const char *end, const char *literal)
{
    size_t size = strlen(literal);
    if ((size_t)(end - at) < size || (how & MMD_NOCASE ? g_ascii_strncasecmp(at, literal, size)
                                                       : memcmp(at, literal, size)) != 0)
        return NULL;
    bool goes_on = how & MMD_WORDS && at + size < end && mmd_is_word_char(at[size]);
    return goes_on ? NULL : at + size;
}

const char *mmd_match(const char *at, const char *end, const char *literal)
{
    return mmd_match_as(0, at, end, literal);
}

const char *mmd_match_nocase(const char *at, const char *end, const char *literal)
{
    return mmd_match_as(MMD_NOCASE, at, end, literal);
}

const char *mmd_match_word(const char *at, const char *end, const char *word)
{
    return mmd_match_as(MMD_WORDS, at, end, word);
}

const char *mmd_match_word_nocase(const char *at, const char *end, const char *word)
{
    return mmd_match_as(MMD_WORDS | MMD_NOCASE, at, end, word);
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

const char *mmd_line_start(const MmdParser *p, const char *at)
{
    while (at > p->text && at[-1] != '\n')
        at--;
    return at;
}

void mmd_skip_blanks(MmdParser *p)
{
    p->at = mmd_skip_blanks_from(p->at, p->end);
}

void mmd_skip_white(MmdParser *p)
{
    p->at = mmd_skip_white_from(p->at, p->end);
}

static bool take(MmdParser *p, const char *stop)
{
    p->at = stop != NULL ? stop : p->at;
    return stop != NULL;
}

bool mmd_take(MmdParser *p, const char *literal)
{
    return take(p, mmd_match(p->at, p->end, literal));
}

bool mmd_take_nocase(MmdParser *p, const char *literal)
{
    return take(p, mmd_match_nocase(p->at, p->end, literal));
}

const char *mmd_line_end(const char *at, const char *end)
{
    const char *found = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return found != NULL ? found : end;
}

bool mmd_is_blank_to(const char *at, const char *end)
{
    at = mmd_skip_blanks_from(at, end);
    return at >= end || *at == '\n';
}
