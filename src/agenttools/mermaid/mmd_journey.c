/*
 * User journeys (agent-tools-cli §8.7). Scores are not checked: the real parser does not either.
 */
#include "agenttools/mermaid/mmd_lines.h"

static bool take_statement(MmdParser *p, void *data G_GNUC_UNUSED)
{
    bool is_label;
    if (mmd_scan(p, p->at, "(?i)journey\\>"))
        return mmd_unexpected(p, "a task, a section or a title");
    if (mmd_skip(p, "(?i)title\\s[^#\n;]+"))
        return true;
    if (!lines_take_accessibility(p, &is_label))
        return false;
    if (is_label || mmd_skip(p, "(?i)section\\s[^#:\n;]+|[^#:\n;]+:(?!%%)[^#\n;]+"))
        return true;
    bool has_name = mmd_skip(p, "[^#:\n;]+");
    if (mmd_skip(p, has_name ? ":" : "$"))
        return mmd_unexpected(p, "a score after ':'");
    mmd_unexpected(p, has_name ? "':' and a score after the task" : "the name of a task");
    if (has_name)
        return mmd_hint(p, "write Task: 5: Actor");
    return *p->at == ';' && mmd_hint(p, "names must not hold ';' or '#'");
}

bool mmd_parse_journey(MmdParser *p)
{
    return mmd_begin(p, "journey") && lines_parse(p, take_statement, NULL);
}
