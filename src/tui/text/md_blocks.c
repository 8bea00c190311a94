/*
 * What a line of Markdown is (md_blocks.h).
 */
#include "tui/text/md_blocks.h"

#include <string.h>

#define CODE_INDENT 4
#define MAX_DIGITS  9
#define MAX_LABEL   999
#define SURE_BYTES  8 // of text after the marks of containers

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static unsigned blanks_at(const Cursor *self)
{
    unsigned count = 0;
    while (self->at + count < self->end && self->at[count] == ' ')
        count++;
    return count;
}

static bool is_at_end(const Cursor *self, size_t offset)
{
    return self->at + offset >= self->end;
}

static size_t run_of(const char *text, const char *end, char mark)
{
    size_t count = 0;
    while (text + count < end && text[count] == mark)
        count++;
    return count;
}

static bool is_rule(const char *text, const char *end)
{
    char mark = text < end ? *text : '\0';
    if (mark != '-' && mark != '*' && mark != '_')
        return false;
    size_t count = 0;
    for (; text < end; text++) {
        if (*text != mark && *text != ' ')
            return false;
        count += *text == mark;
    }
    return count >= 3;
}

// ---- containers ----

static bool take_quote(Cursor *self)
{
    unsigned blanks = blanks_at(self);
    if (blanks >= CODE_INDENT || is_at_end(self, blanks) || self->at[blanks] != '>')
        return false;
    self->at += blanks + 1;
    if (!is_at_end(self, 0) && *self->at == ' ')
        self->at++;
    return true;
}

static bool match_container(const MdContainer *container, Cursor *cursor)
{
    if (!container->is_item)
        return take_quote(cursor);
    unsigned blanks = blanks_at(cursor);
    if (is_at_end(cursor, blanks)) { // blank: it may go on
        cursor->at = cursor->end;
        return true;
    }
    if (blanks < container->indent)
        return false;
    cursor->at += container->indent;
    return true;
}

/* The size of the mark of an item: "-", "12."; 0: none. */
static size_t item_mark(const Cursor *cursor, MdContainer *ret_item)
{
    const char *at = cursor->at;
    if (strchr("-*+", *at)) {
        *ret_item = (MdContainer) { .is_item = true, .mark = *at };
        return 1;
    }
    unsigned number = 0;
    size_t digits = 0;
    for (; at < cursor->end && g_ascii_isdigit(*at) && digits < MAX_DIGITS; at++, digits++)
        number = number * 10 + (unsigned)g_ascii_digit_value(*at);
    if (digits == 0 || at == cursor->end || (*at != '.' && *at != ')'))
        return 0;
    *ret_item = (MdContainer) { .is_item = true, .mark = *at, .number = number };
    return digits + 1;
}

static char task_of(Cursor *cursor)
{
    const char *at = cursor->at;
    if (cursor->end - at < 4 || at[0] != '[' || at[2] != ']' || at[3] != ' ' ||
        !strchr(" xX", at[1]))
        return '\0';
    cursor->at += 4;
    return at[1] == ' ' ? ' ' : 'x';
}

static bool take_item(Cursor *cursor, bool is_in_paragraph, MdContainer *ret_item)
{
    unsigned blanks = blanks_at(cursor);
    Cursor mark = { cursor->at + blanks, cursor->end };
    if (blanks >= CODE_INDENT || is_at_end(&mark, 0) || is_rule(mark.at, mark.end))
        return false;
    MdContainer item;
    size_t size = item_mark(&mark, &item);
    if (size == 0 || (!is_at_end(&mark, size) && mark.at[size] != ' '))
        return false;
    bool is_numbered = item.mark == '.' || item.mark == ')';
    mark.at += size;
    unsigned inside = blanks_at(&mark);
    bool is_empty = is_at_end(&mark, inside);
    if (is_in_paragraph && (is_empty || (is_numbered && item.number != 1)))
        return false;
    if (is_empty)
        inside = 1;
    else if (inside > CODE_INDENT)
        inside = 1; // the rest is the indentation of code
    mark.at = is_empty ? mark.end : mark.at + inside;
    item.indent = blanks + (unsigned)size + inside;
    item.task = task_of(&mark);
    *cursor = mark;
    *ret_item = item;
    return true;
}

static void add_containers(Cursor *cursor, unsigned depth, bool is_in_paragraph, MdPlan *plan)
{
    while (depth + plan->added_count < MD_DEPTH) {
        MdContainer *next = &plan->added[plan->added_count];
        if (take_quote(cursor))
            *next = (MdContainer) { .is_item = false };
        else if (!take_item(cursor, is_in_paragraph && plan->added_count == 0, next))
            return;
        plan->added_count++;
        if (next->task)
            return;
    }
}

// ---- leaves ----

static unsigned heading_level(const Cursor *cursor)
{
    size_t level = run_of(cursor->at, cursor->end, '#');
    bool is_heading =
        level >= 1 && level <= 6 && (is_at_end(cursor, level) || cursor->at[level] == ' ');
    return is_heading ? (unsigned)level : 0;
}

/* "## text ##" without its marks. */
static void trim_heading(MdPlan *plan)
{
    const char *start = plan->text + plan->level, *end = plan->text + plan->size;
    while (start < end && *start == ' ')
        start++;
    while (end > start && end[-1] == ' ')
        end--;
    const char *marks = end;
    while (marks > start && marks[-1] == '#')
        marks--;
    if (marks == start || marks[-1] == ' ')
        end = marks;
    while (end > start && end[-1] == ' ')
        end--;
    plan->text = start;
    plan->size = (size_t)(end - start);
}

static bool is_fence(const Cursor *cursor, unsigned indent, MdFence *ret_fence)
{
    char mark = *cursor->at;
    size_t count = mark == '`' || mark == '~' ? run_of(cursor->at, cursor->end, mark) : 0;
    const char *info = cursor->at + count;
    if (count < 3 || (mark == '`' && memchr(info, '`', (size_t)(cursor->end - info))))
        return false;
    *ret_fence = (MdFence) { .mark = mark, .count = (unsigned)count, .indent = indent };
    return true;
}

static bool is_fence_end(const Cursor *cursor, const MdFence *fence)
{
    unsigned blanks = blanks_at(cursor);
    const char *at = cursor->at + blanks;
    size_t count = run_of(at, cursor->end, fence->mark);
    at += count;
    while (at < cursor->end && *at == ' ')
        at++;
    return blanks < CODE_INDENT && count >= fence->count && at == cursor->end;
}

static void plan_code(const MdState *state, Cursor *cursor, MdPlan *plan)
{
    plan->kind = is_fence_end(cursor, &state->fence) ? MD_LINE_FENCE_END : MD_LINE_CODE;
    cursor->at += MIN(blanks_at(cursor), state->fence.indent);
    plan->text = cursor->at;
    plan->size = (size_t)(cursor->end - cursor->at);
}

static MdLineKind kind_of(Cursor *cursor, bool is_in_paragraph, MdPlan *plan)
{
    unsigned blanks = blanks_at(cursor);
    if (is_at_end(cursor, blanks))
        return MD_LINE_BLANK;
    if (blanks >= CODE_INDENT && !is_in_paragraph) {
        cursor->at += CODE_INDENT;
        return MD_LINE_INDENTED;
    }
    cursor->at += blanks;
    if (blanks >= CODE_INDENT)
        return MD_LINE_TEXT;
    plan->level = heading_level(cursor);
    if (plan->level > 0)
        return MD_LINE_HEADING;
    if (is_fence(cursor, blanks, &plan->fence))
        return MD_LINE_FENCE;
    if (is_rule(cursor->at, cursor->end))
        return MD_LINE_RULE;
    const char *label;
    size_t size;
    bool is_definition =
        !is_in_paragraph && plan->added_count == 0 &&
        md_definition(cursor->at, (size_t)(cursor->end - cursor->at), &label, &size);
    return is_definition ? MD_LINE_DEFINITION : MD_LINE_TEXT;
}

void md_plan_line(const MdState *state, const char *line, size_t size, MdPlan *ret_plan)
{
    Cursor cursor = { line, line + size };
    MdPlan plan = { .kind = MD_LINE_TEXT };
    while (plan.matched < state->depth &&
           match_container(&state->containers[plan.matched], &cursor))
        plan.matched++;
    bool has_all = plan.matched == state->depth;
    if (has_all && state->leaf == MD_LEAF_FENCE) {
        plan_code(state, &cursor, &plan);
        *ret_plan = plan;
        return;
    }
    bool is_in_paragraph = state->leaf == MD_LEAF_PARAGRAPH;
    add_containers(&cursor, plan.matched, is_in_paragraph && has_all, &plan);
    plan.kind = kind_of(&cursor, is_in_paragraph && plan.added_count == 0, &plan);
    plan.text = cursor.at;
    plan.size = (size_t)(cursor.end - cursor.at);
    if (plan.kind == MD_LINE_HEADING)
        trim_heading(&plan);
    *ret_plan = plan;
}

bool md_plan_is_surely_text(const MdPlan *plan)
{
    if (plan->kind != MD_LINE_TEXT || plan->size < SURE_BYTES || strchr("|[", plan->text[0]))
        return false;
    for (size_t i = 0; i < plan->size; i++)
        if (!strchr("=-*_ :|", plan->text[i]))
            return true;
    return false;
}

unsigned md_setext_level(const char *text, size_t size)
{
    const char *end = text + size;
    while (end > text && end[-1] == ' ')
        end--;
    if (text == end || (*text != '=' && *text != '-') ||
        run_of(text, end, *text) < (size_t)(end - text))
        return 0;
    return *text == '=' ? 1 : 2;
}

unsigned md_delimiter_columns(const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    while (end > at && end[-1] == ' ')
        end--;
    bool has_bar = at < end && *at == '|';
    at += has_bar;
    unsigned columns = 0;
    while (at < end) {
        while (at < end && *at == ' ')
            at++;
        at += at < end && *at == ':';
        size_t dashes = run_of(at, end, '-');
        at += dashes;
        at += at < end && *at == ':';
        while (at < end && *at == ' ')
            at++;
        if (dashes == 0 || (at < end && *at != '|'))
            return 0;
        has_bar |= at < end;
        at += at < end;
        columns++;
    }
    return has_bar && columns <= MD_TABLE_COLUMNS ? columns : 0;
}

// ---- definitions ----

static size_t destination_size(const char *text, const char *end)
{
    size_t size = 0;
    if (text < end && *text == '<') {
        const char *close = memchr(text, '>', (size_t)(end - text));
        return close ? (size_t)(close + 1 - text) : 0;
    }
    while (text + size < end && text[size] != ' ')
        size++;
    return size;
}

static bool is_title(const char *text, const char *end)
{
    if (end - text < 2 || !strchr("\"'(", *text))
        return false;
    return end[-1] == (*text == '(' ? ')' : *text);
}

bool md_definition(const char *text, size_t size, const char **ret_label, size_t *ret_size)
{
    const char *end = text + size;
    while (end > text && end[-1] == ' ')
        end--;
    const char *close = memchr(text, ']', (size_t)(end - text));
    if (text == end || *text != '[' || !close || close - text > MAX_LABEL || close == text + 1 ||
        text[1] == '^' || memchr(text + 1, '[', (size_t)(close - text - 1)) || close + 1 >= end ||
        close[1] != ':')
        return false;
    const char *at = close + 2;
    while (at < end && *at == ' ')
        at++;
    size_t destination = destination_size(at, end);
    at += destination;
    bool has_blank = at < end && *at == ' ';
    while (at < end && *at == ' ')
        at++;
    if (destination == 0 || (at < end && !(has_blank && is_title(at, end))))
        return false;
    *ret_label = text + 1;
    *ret_size = (size_t)(close - text - 1);
    return true;
}
