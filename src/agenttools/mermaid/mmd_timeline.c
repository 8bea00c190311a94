/*
 * Checks the statements of timelines (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_lines.h"

/* `: text`, where the text holds a colon only when no white space follows it. */
static bool take_event(MmdParser *p, bool has_period)
{
    const char *start = p->at++;
    size_t white = mmd_white_size(p->at, p->end);
    const char *text = p->at + white;
    const char *at = text;
    while (white > 0 && at < p->end && *at != '\n' &&
           !(*at == ':' && mmd_white_size(at + 1, p->end) > 0))
        at++;
    if (at == text || white == 0) {
        p->at = start;
        mmd_unexpected(p, "a blank and the text of an event after ':'");
        return mmd_hint(p, "write 2024 : event");
    }
    if (!has_period)
        return mmd_fail(p, MMD_SEMANTIC, start, "an event without a period before it");
    p->at = at;
    return true;
}

static bool take_statement(MmdParser *p, void *data)
{
    bool *has_period = data;
    bool is_taken;
    if (lines_has_word(p, "timeline"))
        return mmd_unexpected(p, "a period, an event or a section");
    if (lines_take_keyword(p, "title", "\n"))
        return true;
    if (!lines_take_accessibility(p, &is_taken))
        return false;
    if (is_taken || lines_take_keyword(p, "section", ":\n"))
        return true;
    if (*p->at == ':')
        return take_event(p, *has_period);
    p->at += strcspn(p->at, "#:\n");
    *has_period = true;
    return true;
}

static void take_direction(MmdParser *p)
{
    const char *start = p->at;
    p->at += strspn(p->at, " \t");
    if (p->at > start && (lines_has_word(p, "LR") || lines_has_word(p, "TD")))
        p->at += 2;
    else
        p->at = start;
}

bool mmd_parse_timeline(MmdParser *p)
{
    bool has_period = false;
    if (!mmd_begin(p, "timeline"))
        return false;
    take_direction(p);
    return lines_parse(p, take_statement, &has_period);
}
