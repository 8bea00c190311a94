/*
 * The types without nested statements (agent-tools-cli §8.7): what they share (mmd_lines.h), and
 * journeys, timelines, gantt and pie charts, which are little more.
 */
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

/* Statements, with white space and comments between them, to the end. */
static bool lines_parse(MmdParser *p, bool (*take_statement)(MmdParser *p, void *data), void *data)
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

// ---- journeys: scores are not checked, the real parser does not either ----

static bool journey_statement(MmdParser *p, void *data G_GNUC_UNUSED)
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
    return mmd_begin(p, "journey") && lines_parse(p, journey_statement, NULL);
}

// ---- timelines ----

static bool timeline_statement(MmdParser *p, void *data)
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
    return lines_parse(p, timeline_statement, &has_period);
}

// ---- gantt charts: dates and durations are not checked, the real parser does not either ----

/* Statements without further parts. */
static const char gantt_settings[] =
    "(?i)(dateFormat|axisFormat|tickInterval|includes|excludes)\\s[^#\n;]+|todayMarker\\s[^\n;]+|"
    "(title|section)\\s[^\n]+|inclusiveEndDates\\>|weekend\\s+(friday|saturday)\\>|"
    "weekday\\s+(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\\>";

/* `href "address"`; *ret_taken: false when there is none. */
static bool gantt_href(MmdParser *p, bool *ret_taken)
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
static bool gantt_call(MmdParser *p, bool *ret_taken)
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
static bool gantt_click(MmdParser *p)
{
    mmd_skip(p, "[^\\s]*");
    const char *task_end = p->at;
    mmd_skip(p, "\n?\\h*");
    bool has_href, has_call, has_late_href = false;
    if (!gantt_href(p, &has_href) || !gantt_call(p, &has_call))
        return false;
    if (has_call && !has_href && !gantt_href(p, &has_late_href))
        return false;
    if (has_href || has_call)
        return true;
    p->at = task_end;
    return mmd_unexpected(p, "href \"address\" or call function() after the task");
}

/* What the start of a line that is no task was meant to be. */
static bool gantt_fail_line(MmdParser *p, const char *start)
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
static bool gantt_task(MmdParser *p)
{
    const char *start = p->at;
    if (mmd_skip(p, "[^:\n]+:(?!%)[^#\n;]+"))
        return true;
    mmd_skip(p, "[^:\n]*");
    if (p->at == start || *p->at != ':')
        return gantt_fail_line(p, start);
    p->at++;
    return mmd_unexpected(p, "the data of the task after ':'");
}

static bool gantt_statement(MmdParser *p)
{
    bool is_label;
    if (!lines_take_accessibility(p, &is_label))
        return false;
    if (is_label || mmd_skip(p, gantt_settings))
        return true;
    if (mmd_skip(p, "(?i)click\\s+"))
        return gantt_click(p);
    if (mmd_scan(p, p->at, "(?i)topAxis\\>")) {
        mmd_fail(p, MMD_SEMANTIC, p->at, "mermaid fails on topAxis in the text");
        return mmd_hint(p, "Set gantt.topAxis to true in the config of the front matter");
    }
    if (mmd_skip(p, "(?i)call\\s+|accDescription\\s[^#\n;]+") ||
        mmd_scan(p, p->at, "(?i)gantt\\>|\\d\\d\\d\\d-\\d\\d-\\d\\d\\>"))
        return mmd_unexpected(p, "a statement or the name of a task");
    return gantt_task(p);
}

bool mmd_parse_gantt(MmdParser *p)
{
    if (!mmd_begin(p, "gantt"))
        return false;
    while (!mmd_at_end(p)) {
        if (mmd_scan(p, p->at, "%%{"))
            return mmd_unexpected(p, "a statement");
        bool is_skipped = mmd_skip(p, "(?i)%.*|(?!acc)" MMD_ODD_COMMENT("%") "|\\s+");
        if (!is_skipped && !gantt_statement(p))
            return false;
    }
    return true;
}

// ---- pie charts ----

static bool pie_fail_label(MmdParser *p, const char *expected)
{
    const char *line_end = mmd_line_end(p->at, p->end);
    const char *colon = g_strstr_len(p->at, line_end - p->at, ":");
    g_autofree char *label = g_strndup(p->at, colon ? (size_t)(colon - p->at) : 0);
    mmd_unexpected(p, expected);
    return *g_strstrip(label) != '\0' &&
           mmd_hint(p, "Write \"%s\" %.*s", label, (int)(line_end - colon), colon);
}

static bool pie_slice(MmdParser *p)
{
    static const char expected[] = "a slice such as \"Dogs\" : 10";
    if (*p->at != '"' && *p->at != '\'')
        return pie_fail_label(p, expected);
    if (!plain_take_string(p, NULL, expected))
        return false;
    plain_skip(p);
    if (!mmd_skip(p, ":"))
        return mmd_unexpected(p, "':' after the label");
    plain_skip(p);
    const char *number = p->at;
    if (!mmd_skip(p, "-?(\\d+\\.\\d+(?!\\.)|(0(?!\\d)|[1-9]\\d*)(?!\\.))")) {
        mmd_unexpected(p, "a number");
        return mmd_hint(p, "write a plain number such as 12 or 1.5");
    }
    if (*number == '-' && g_ascii_strtod(number, NULL) < 0)
        return mmd_fail(p, MMD_SEMANTIC, number, "a slice must not be negative: %.*s",
                        (int)(p->at - number), number);
    return plain_take_line_end(p, "the end of the line after the number");
}

bool mmd_parse_pie(MmdParser *p)
{
    if (!plain_is_word_end(p))
        return mmd_unexpected(p, "a blank or the end of the line after 'pie'");
    plain_skip(p);
    mmd_skip(p, "showData(?=\\s|%%|$)");
    plain_skip(p);
    if (*p->at == '\n')
        plain_take_line_end(p, "");
    while (!mmd_at_end(p)) {
        bool is_title;
        if (!plain_take_title(p, &is_title) || (!is_title && !pie_slice(p)))
            return false;
    }
    return true;
}
