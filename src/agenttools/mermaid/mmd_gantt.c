/*
 * Gantt charts (agent-tools-cli §8.7). Dates, durations and the names of tasks are not checked: the
 * real parser does not either.
 */
#include "agenttools/mermaid/mmd_lines.h"

/* `word` and white space, in any case. */
static bool take_spaced(MmdParser *p, const char *word)
{
    const char *start = p->at;
    if (!lines_has_word(p, word))
        return false;
    p->at += strlen(word);
    const char *white = p->at;
    mmd_skip_white(p);
    if (p->at > white)
        return true;
    p->at = start;
    return false;
}

/* `weekday monday` and the like, the second word whole. */
static bool take_pair(MmdParser *p, const char *word, const char *const *names)
{
    const char *start = p->at;
    if (!take_spaced(p, word))
        return false;
    for (; *names; names++) {
        if (lines_has_word(p, *names)) {
            p->at += strlen(*names);
            return true;
        }
    }
    p->at = start;
    return false;
}

static const struct {
    const char *word, *stops; // what ends its text
} settings[] = {
    { "dateFormat", "#\n;" }, { "axisFormat", "#\n;" }, { "tickInterval", "#\n;" },
    { "includes", "#\n;" },   { "excludes", "#\n;" },   { "todayMarker", "\n;" },
    { "title", "\n" },        { "section", "\n" },
};

/* A statement without further parts. */
static bool take_setting(MmdParser *p)
{
    static const char *const weekdays[] = { "monday", "tuesday",  "wednesday", "thursday",
                                            "friday", "saturday", "sunday",    NULL };
    static const char *const weekends[] = { "friday", "saturday", NULL };

    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        if (lines_take_keyword(p, settings[i].word, settings[i].stops))
            return true;
    }
    if (lines_has_word(p, "inclusiveEndDates")) {
        p->at += strlen("inclusiveEndDates");
        return true;
    }
    return take_pair(p, "weekday", weekdays) || take_pair(p, "weekend", weekends);
}

/* `href "address"`; *ret_taken: false when none stands here. */
static bool take_href(MmdParser *p, bool *ret_taken)
{
    *ret_taken = false;
    const char *start = p->at;
    if (!take_spaced(p, "href") || *p->at != '"') {
        p->at = start;
        return true;
    }
    const char *opened = p->at++;
    const char *close = strchr(p->at, '"');
    if (!close)
        return mmd_fail_open(p, p->end, opened, NULL, "expected '\"' to close the address");
    if (close == p->at)
        return mmd_unexpected(p, "an address between the quotes");
    p->at = close + 1;
    mmd_skip_blanks(p);
    *ret_taken = true;
    return true;
}

/* `call name(arguments)`. */
static bool take_call(MmdParser *p, bool *ret_taken)
{
    *ret_taken = take_spaced(p, "call");
    if (!*ret_taken)
        return true;
    size_t name = strcspn(p->at, "(");
    if (name == 0)
        return mmd_unexpected(p, "the name of a function after call");
    const char *opened = p->at + name;
    if (*opened != '(')
        return mmd_unexpected(p, "a function with parentheses, such as call show()");
    const char *close = strchr(opened, ')');
    if (!close)
        return mmd_fail_open(p, p->end, opened, NULL, "expected ')' after the arguments");
    p->at = close + 1;
    mmd_skip_blanks(p);
    return true;
}

/* After `click `: the tasks, then an address and a function in any order, one of them at least. */
static bool take_click(MmdParser *p)
{
    while (!mmd_at_end(p) && mmd_white_size(p->at, p->end) == 0)
        p->at = g_utf8_next_char(p->at);
    const char *task_end = p->at;
    if (*p->at == '\n') // one line end may stand here
        p->at++;
    mmd_skip_blanks(p);

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

static bool is_date(const char *at)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; form[i] != '\0'; i++) {
        if (form[i] == 'd' ? !g_ascii_isdigit(at[i]) : at[i] != form[i])
            return false;
    }
    return !mmd_is_word_char(at[strlen(form)]);
}

/* What the start of a line that is no task was meant to be. */
static bool fail_line(MmdParser *p, const char *start)
{
    const MmdParser line = { .at = start, .end = p->end };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        if (lines_has_word(&line, settings[i].word))
            return mmd_fail(p, MMD_SYNTAX, p->at, "expected text after '%s'", settings[i].word);
    }
    if (lines_has_word(&line, "weekday") || lines_has_word(&line, "weekend"))
        return mmd_fail(
            p, MMD_SYNTAX, start,
            "expected the name of a day after weekday, friday or saturday after weekend");
    mmd_unexpected(p, "':' and the data of the task after its name");
    return mmd_hint(p, "write Name : id, 2024-01-01, 3d");
}

/* `name : data`. */
static bool take_task(MmdParser *p)
{
    const char *start = p->at;
    p->at += strcspn(p->at, ":\n");
    if (p->at == start) {
        mmd_unexpected(p, "the name of a task before ':'");
        return mmd_hint(p, "write Name : id, 2024-01-01, 3d");
    }
    if (*p->at != ':')
        return fail_line(p, start);
    p->at++;
    size_t size = *p->at == '%' ? 0 : strcspn(p->at, "#\n;"); // `:%` begins a comment
    if (size == 0)
        return mmd_unexpected(p, "the data of the task after ':'");
    p->at += size;
    return true;
}

static bool take_statement(MmdParser *p)
{
    bool is_taken;
    if (!lines_take_accessibility(p, &is_taken))
        return false;
    if (is_taken || take_setting(p))
        return true;
    if (take_spaced(p, "click"))
        return take_click(p);
    if (lines_has_word(p, "topAxis")) {
        mmd_fail(p, MMD_SEMANTIC, p->at, "mermaid fails on topAxis in the text");
        return mmd_hint(p, "Set gantt.topAxis to true in the config of the front matter");
    }
    if (lines_has_word(p, "gantt") || is_date(p->at) || take_spaced(p, "call") ||
        lines_take_keyword(p, "accDescription", "#\n;"))
        return mmd_unexpected(p, "a statement or the name of a task");
    return take_task(p);
}

bool mmd_parse_gantt(MmdParser *p)
{
    if (!mmd_begin(p, "gantt"))
        return false;
    while (!mmd_at_end(p)) {
        if (strncmp(p->at, "%%{", 3) == 0)
            return mmd_unexpected(p, "a statement");
        if (*p->at == '%') {
            p->at = mmd_line_end(p->at, p->end);
            continue;
        }
        const char *start = p->at;
        bool is_label = g_ascii_strncasecmp(start, "acc", 3) == 0;
        if (!is_label && lines_take_odd_comment(p, "%"))
            continue;
        mmd_skip_white(p);
        if (p->at == start && !take_statement(p))
            return false;
    }
    return true;
}
