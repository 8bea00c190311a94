/* See mmd_plain.h. */
#include "agenttools/mermaid/mmd_plain.h"

static bool is_comment(const char *at)
{
    return strncmp(at, "%%", 2) == 0;
}

void plain_skip(MmdParser *p)
{
    p->at += strspn(p->at, " \t");
    if (is_comment(p->at))
        p->at = mmd_line_end(p->at, p->end);
}

bool plain_take_line_end(MmdParser *p, const char *expected)
{
    plain_skip(p);
    if (!mmd_at_end(p) && *p->at != '\n')
        return mmd_unexpected(p, expected);
    while (!mmd_at_end(p) && *p->at == '\n') {
        p->at++;
        plain_skip(p);
    }
    return true;
}

bool plain_is_word_end(const MmdParser *p)
{
    return mmd_at_end(p) || mmd_white_size(p->at, p->end) > 0 || is_comment(p->at);
}

bool plain_take_string(MmdParser *p, char **ret_string, const char *expected)
{
    const char *opened = p->at;
    char quote = *opened;
    if (quote != '"' && quote != '\'')
        return mmd_unexpected(p, expected);

    const char *at = opened + 1;
    while (at < p->end && *at != quote) {
        bool is_guard = *at == '\\' && at[1] != '\n';
        at = is_guard && at + 1 < p->end ? g_utf8_next_char(at + 1) : at + 1;
    }
    if (at >= p->end)
        return mmd_fail_open(p, p->end, opened, NULL, "expected %c to close the text", quote);
    if (ret_string)
        *ret_string = g_strndup(opened + 1, (size_t)(at - opened - 1));
    p->at = at + 1;
    return true;
}

/* Text to the end of the line or to a comment. */
static void take_text(MmdParser *p)
{
    const char *end = mmd_line_end(p->at, p->end);
    const char *comment = g_strstr_len(p->at, end - p->at, "%%");
    p->at = comment != NULL ? comment : end;
}

static bool take_description(MmdParser *p, bool *ret_taken)
{
    const char *start = p->at;
    if (!mmd_take(p, "accDescr"))
        return true;
    p->at += strspn(p->at, " \t");
    if (mmd_take(p, ":")) {
        *ret_taken = true;
        take_text(p);
        return true;
    }
    mmd_skip_white(p);
    const char *opened = p->at;
    if (!mmd_take(p, "{")) {
        p->at = start;
        return true;
    }
    const char *close = strchr(p->at, '}');
    if (!close)
        return mmd_fail_open(p, p->end, opened, NULL, "expected '}' to close accDescr");
    *ret_taken = true;
    p->at = close + 1;
    return true;
}

bool plain_take_title(MmdParser *p, bool *ret_taken)
{
    static const char expected[] = "the end of the line";
    const char *start = p->at;
    *ret_taken = false;
    if (mmd_take(p, "title")) {
        if (*p->at == ' ' || *p->at == '\t')
            take_text(p);
        *ret_taken = true;
        return plain_take_line_end(p, expected);
    }
    if (mmd_take(p, "accTitle")) {
        p->at += strspn(p->at, " \t");
        *ret_taken = mmd_take(p, ":");
        if (*ret_taken)
            take_text(p);
        else
            p->at = start;
    } else if (!take_description(p, ret_taken)) {
        return false;
    }
    return !*ret_taken || plain_take_line_end(p, expected);
}
