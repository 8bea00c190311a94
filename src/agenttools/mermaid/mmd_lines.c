/* See mmd_lines.h. */
#include "agenttools/mermaid/mmd_lines.h"

bool lines_take_accessibility(MmdParser *p, bool *ret_taken)
{
    *ret_taken = mmd_skip(p, "(?i)acc(Title|Descr)\\s*:\\s*.*|accDescr\\s*{[^}]*}");
    const char *open = *ret_taken ? NULL : mmd_scan(p, p->at, "(?i)accDescr\\s*{");
    if (open)
        return mmd_fail_open(p, p->end, open - 1, NULL, "expected '}' to close accDescr");
    if (*ret_taken && mmd_at_end(p)) // the text may begin on a later line, but must begin
        return mmd_fail(p, MMD_SYNTAX, p->end, "expected text after the last ':'");
    return true;
}

bool lines_parse(MmdParser *p, bool (*take_statement)(MmdParser *p, void *data), void *data)
{
    while (!mmd_at_end(p)) {
        if (!mmd_skip(p, "#.*|%(?!{).*|" MMD_ODD_COMMENT("%%") "|\\s+") && !take_statement(p, data))
            return false;
    }
    return true;
}

bool plain_skip(MmdParser *p)
{
    return mmd_skip(p, "[ \t]*(%%.*)?");
}

bool plain_take_line_end(MmdParser *p, const char *expected)
{
    plain_skip(p);
    if (!mmd_at_end(p) && *p->at != '\n')
        return mmd_unexpected(p, expected);
    return mmd_skip(p, "(\n[ \t]*(%%.*)?)*");
}

bool plain_is_word_end(const MmdParser *p)
{
    return mmd_scan(p, p->at, "\\s|%%|$") != NULL;
}

bool plain_take_string(MmdParser *p, char **ret_string, const char *expected)
{
    const char *opened = p->at;
    if (*opened != '"' && *opened != '\'')
        return mmd_unexpected(p, expected);
    if (!mmd_skip(p, "\"(\\\\[^\n]|[^\"])*\"|'(\\\\[^\n]|[^'])*'"))
        return mmd_fail_open(p, p->end, opened, NULL, "expected %c to close the text", *opened);
    if (ret_string)
        *ret_string = g_strndup(opened + 1, (size_t)(p->at - opened - 2));
    return true;
}

bool plain_take_title(MmdParser *p, bool *ret_taken)
{
    *ret_taken = mmd_skip(p, "title([ \t]((?!%%).)*)?|acc(Title|Descr)[ \t]*:((?!%%).)*|"
                             "accDescr\\s*{[^}]*}");
    const char *open = *ret_taken ? NULL : mmd_scan(p, p->at, "accDescr\\s*{");
    if (open)
        return mmd_fail_open(p, p->end, open - 1, NULL, "expected '}' to close accDescr");
    return !*ret_taken || plain_take_line_end(p, "the end of the line");
}
