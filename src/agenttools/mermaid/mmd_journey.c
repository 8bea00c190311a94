/*
 * User journeys (agent-tools-cli §8.7). Scores are not checked: the real parser does not either.
 */
#include "agenttools/mermaid/mmd_lines.h"

static bool take_task(MmdParser *p)
{
    const char *start = p->at;
    p->at += strcspn(p->at, "#:\n;");
    if (p->at == start) {
        lines_unexpected(p, "the name of a task");
        return *start == ';' ? mmd_hint(p, "names must not hold ';' or '#'") : false;
    }
    if (*p->at != ':') {
        lines_unexpected(p, "':' and a score after the task");
        return mmd_hint(p, "write Task: 5: Actor");
    }
    p->at++;
    size_t size = strncmp(p->at, "%%", 2) == 0 ? 0 : strcspn(p->at, "#\n;");
    if (size == 0)
        return lines_unexpected(p, "a score after ':'");
    p->at += size;
    return true;
}

static bool take_statement(MmdParser *p)
{
    bool is_taken;
    if (lines_has_word(p, "journey"))
        return lines_unexpected(p, "a task, a section or a title");
    if (lines_take_keyword(p, "title", "#\n;"))
        return true;
    if (!lines_take_accessibility(p, &is_taken))
        return false;
    return is_taken || lines_take_keyword(p, "section", "#:\n;") || take_task(p);
}

bool mmd_parse_journey(MmdParser *p)
{
    if (g_ascii_isalnum(*p->at) || *p->at == '_')
        return lines_unexpected(p, "a blank or the end of the line after 'journey'");
    while (!mmd_at_end(p)) {
        bool is_comment = *p->at == '#' || (*p->at == '%' && p->at[1] != '{');
        if (is_comment)
            p->at = mmd_line_end(p->at, p->end);
        if (is_comment || lines_take_odd_comment(p, "%%"))
            continue;
        const char *start = p->at;
        mmd_skip_white(p);
        if (p->at == start && !take_statement(p))
            return false;
    }
    return true;
}
