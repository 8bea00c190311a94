/*
 * Gantt charts (agent-tools-cli §8.7). Dates, durations and the names of tasks are not checked: the
 * real parser does not either.
 */
#include "agenttools/mermaid/mmd_lines.h"

/* Statements without further parts. */
static const char settings[] =
    "(?i)(dateFormat|axisFormat|tickInterval|includes|excludes)\\s[^#\n;]+|todayMarker\\s[^\n;]+|"
    "(title|section)\\s[^\n]+|inclusiveEndDates\\>|weekend\\s+(friday|saturday)\\>|"
    "weekday\\s+(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\\>";

/* `href "address"`; *ret_taken: false when there is none. */
static bool take_href(MmdParser *p, bool *ret_taken)
{
    const char *open = mmd_scan(p, p->at, "(?i)href\\s+\"");
    *ret_taken = mmd_skip(p, "(?i)href\\s+\"[^\"]+\"\\h*");
    if (*ret_taken || !open)
        return true;
    p->at = open;
    return *open == '"'
               ? mmd_unexpected(p, "an address between the quotes")
               : mmd_fail_open(p, p->end, open - 1, NULL, "expected '\"' to close the address");
}

/* `call name(arguments)`. */
static bool take_call(MmdParser *p, bool *ret_taken)
{
    *ret_taken = mmd_skip(p, "(?i)call\\s+");
    if (!*ret_taken || mmd_skip(p, "[^(]+\\([^)]*\\)\\h*"))
        return true;
    const char *open = mmd_scan(p, p->at, "[^(]+\\(");
    if (open)
        return mmd_fail_open(p, p->end, open - 1, NULL, "expected ')' after the arguments");
    return mmd_unexpected(p, mmd_at_end(p) || *p->at == '('
                                 ? "the name of a function after call"
                                 : "a function with parentheses, such as call show()");
}

/* After `click `: the tasks, then an address and a function in any order, one of them at least. */
static bool take_click(MmdParser *p)
{
    mmd_skip(p, "[^\\s]*");
    const char *task_end = p->at;
    mmd_skip(p, "\n?\\h*");
    bool has_href, has_call, has_late_href = false;
    if (!take_href(p, &has_href) || !take_call(p, &has_call))
        return false;
    if (has_call && !has_href && !take_href(p, &has_late_href))
        return false;
    if (has_href || has_call)
        return true;
    p->at = task_end;
    return mmd_unexpected(p, "href \"address\" or call function() after the task");
}

/* What the start of a line that is no task was meant to be. */
static bool fail_line(MmdParser *p, const char *start)
{
    static const char *const words[] = { "dateFormat", "axisFormat",  "tickInterval", "includes",
                                         "excludes",   "todayMarker", "title",        "section" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (mmd_has_word(p, start, words[i]))
            return mmd_fail(p, MMD_SYNTAX, p->at, "expected text after '%s'", words[i]);
    }
    if (mmd_scan(p, start, "(?i)week(day|end)\\>"))
        return mmd_fail(
            p, MMD_SYNTAX, start,
            "expected the name of a day after weekday, friday or saturday after weekend");
    mmd_unexpected(p, p->at == start ? "the name of a task before ':'"
                                     : "':' and the data of the task after its name");
    return mmd_hint(p, "write Name : id, 2024-01-01, 3d");
}

/* `name : data`, where `:%` begins a comment. */
static bool take_task(MmdParser *p)
{
    const char *start = p->at;
    if (mmd_skip(p, "[^:\n]+:(?!%)[^#\n;]+"))
        return true;
    mmd_skip(p, "[^:\n]*");
    if (p->at == start || *p->at != ':')
        return fail_line(p, start);
    p->at++;
    return mmd_unexpected(p, "the data of the task after ':'");
}

static bool take_statement(MmdParser *p)
{
    bool is_label;
    if (!lines_take_accessibility(p, &is_label))
        return false;
    if (is_label || mmd_skip(p, settings))
        return true;
    if (mmd_skip(p, "(?i)click\\s+"))
        return take_click(p);
    if (mmd_scan(p, p->at, "(?i)topAxis\\>")) {
        mmd_fail(p, MMD_SEMANTIC, p->at, "mermaid fails on topAxis in the text");
        return mmd_hint(p, "Set gantt.topAxis to true in the config of the front matter");
    }
    if (mmd_skip(p, "(?i)call\\s+|accDescription\\s[^#\n;]+") ||
        mmd_scan(p, p->at, "(?i)gantt\\>|\\d\\d\\d\\d-\\d\\d-\\d\\d\\>"))
        return mmd_unexpected(p, "a statement or the name of a task");
    return take_task(p);
}

bool mmd_parse_gantt(MmdParser *p)
{
    if (!mmd_begin(p, "gantt"))
        return false;
    while (!mmd_at_end(p)) {
        if (mmd_scan(p, p->at, "%%{"))
            return mmd_unexpected(p, "a statement");
        bool is_skipped = mmd_skip(p, "(?i)%.*|(?!acc)" MMD_ODD_COMMENT("%") "|\\s+");
        if (!is_skipped && !take_statement(p))
            return false;
    }
    return true;
}
