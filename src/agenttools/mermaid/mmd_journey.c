/*
 * User journeys (agent-tools-cli §8.7). Scores are not checked: the real parser does not either.
 */
#include "agenttools/mermaid/mmd_lines.h"

static bool take_task(MmdParser *p)
{
    const char *start = p->at;
    p->at += strcspn(p->at, "#:\n;");
    if (p->at == start) {
        mmd_unexpected(p, "the name of a task");
        return *start == ';' ? mmd_hint(p, "names must not hold ';' or '#'") : false;
    }
    if (*p->at != ':') {
        mmd_unexpected(p, "':' and a score after the task");
        return mmd_hint(p, "write Task: 5: Actor");
    }
    p->at++;
    size_t size = strncmp(p->at, "%%", 2) == 0 ? 0 : strcspn(p->at, "#\n;");
    if (size == 0)
        return mmd_unexpected(p, "a score after ':'");
    p->at += size;
    return true;
}

static bool take_statement(MmdParser *p, void *data)
{
    bool is_taken;
    if (lines_has_word(p, "journey"))
        return mmd_unexpected(p, "a task, a section or a title");
    if (lines_take_keyword(p, "title", "#\n;"))
        return true;
    if (!lines_take_accessibility(p, &is_taken))
        return false;
    return is_taken || lines_take_keyword(p, "section", "#:\n;") || take_task(p);
}

bool mmd_parse_journey(MmdParser *p)
{
    return mmd_begin(p, "journey") && lines_parse(p, take_statement, NULL);
}
