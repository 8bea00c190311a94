/*
 * mmd_lines.h.
 */
#include "agenttools/mermaid/mmd_lines.h"

static bool is_word_char(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

bool lines_has_word(const MmdParser *p, const char *word)
{
    size_t size = strlen(word);
    return g_ascii_strncasecmp(p->at, word, size) == 0 && !is_word_char(p->at[size]);
}

bool lines_take_keyword(MmdParser *p, const char *word, const char *stops)
{
    if (!lines_has_word(p, word))
        return false;
    const char *text = p->at + strlen(word);
    size_t white = mmd_white_size(text, p->end);
    size_t size = white > 0 ? strcspn(text + white, stops) : 0;
    if (size == 0)
        return false;
    p->at = text + white + size;
    return true;
}

bool lines_take_accessibility(MmdParser *p, bool *ret_taken)
{
    if (!mmd_take_accessibility(p, ret_taken))
        return false;
    if (*ret_taken && mmd_at_end(p)) // the text may begin on a later line, but must begin
        return mmd_fail(p, MMD_SYNTAX, p->end, "expected text after the last ':'");
    return true;
}

bool lines_take_odd_comment(MmdParser *p, const char *marks)
{
    if (mmd_at_end(p) || *p->at == '}' || g_utf8_get_char(p->at) > 0xffff)
        return false;
    if (strncmp(g_utf8_next_char(p->at), marks, strlen(marks)) != 0)
        return false;
    p->at = mmd_line_end(g_utf8_next_char(p->at), p->end);
    return true;
}

bool lines_unexpected(MmdParser *p, const char *expected)
{
    return mmd_fail(p, MMD_SYNTAX, p->at, "expected %s, found %s", expected, mmd_found(p, p->at));
}
