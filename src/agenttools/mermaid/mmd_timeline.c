/*
 * Checks the statements of timelines (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_lines.h"

static bool take_statement(MmdParser *p, void *data)
{
    bool *has_period = data, is_label;
    if (mmd_scan(p, p->at, "(?i)timeline\\>"))
        return mmd_unexpected(p, "a period, an event or a section");
    if (mmd_skip(p, "(?i)title\\s[^\n]+"))
        return true;
    if (!lines_take_accessibility(p, &is_label))
        return false;
    if (is_label || mmd_skip(p, "(?i)section\\s[^:\n]+"))
        return true;
    if (*p->at != ':') {
        *has_period = true;
        return mmd_skip(p, "[^#:\n]*");
    }
    const char *start = p->at;
    if (!mmd_skip(p, ":\\s([^:\n]|:(?!\\s))+")) {
        mmd_unexpected(p, "a blank and the text of an event after ':'");
        return mmd_hint(p, "write 2024 : event");
    }
    return *has_period || mmd_fail(p, MMD_SEMANTIC, start, "an event without a period before it");
}

bool mmd_parse_timeline(MmdParser *p)
{
    bool has_period = false;
    if (!mmd_begin(p, "timeline"))
        return false;
    mmd_skip(p, "(?i)[ \t]+(LR|TD)\\>");
    return lines_parse(p, take_statement, &has_period);
}
