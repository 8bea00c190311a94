/* See mmd_lines.h. */
#include "agenttools/mermaid/mmd_lines.h"

bool lines_has_word(const MmdParser *p, const char *word)
{
    return mmd_match_word_nocase(p->at, p->end, word) != NULL;
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

bool lines_parse(MmdParser *p, bool (*take_statement)(MmdParser *p, void *data), void *data)
{
    while (!mmd_at_end(p)) {
        bool is_comment = *p->at == '#' || (*p->at == '%' && p->at[1] != '{');
        if (is_comment)
            p->at = mmd_line_end(p->at, p->end);
        if (is_comment || lines_take_odd_comment(p, "%%"))
            continue;
        const char *start = p->at;
        mmd_skip_white(p);
        if (p->at == start && !take_statement(p, data))
            return false;
    }
    return true;
}
