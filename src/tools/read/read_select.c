/*
 * Line selectors (read_select.h): `:N`, `:A-B`, `:A+C`, with an optional L before each number, and
 * `:raw`.
 */
#include "tools/read/read_select.h"

#include "base/str.h"

void read_select_clear(ReadSelect *self)
{
    g_clear_pointer(&self->path, g_free);
}

/* Digits behind an optional L; moves *text behind them. */
static bool take_number(const char **text, int64_t *ret_number)
{
    const char *start = *text;
    if (*start == 'L' || *start == 'l')
        start++;
    size_t size = strspn(start, "0123456789");
    if (size == 0 || size > 12)
        return false;
    g_autofree char *digits = g_strndup(start, size);
    *text = start + size;
    return str_parse_int(digits, ret_number);
}

typedef struct Range {
    bool is_range; // looks like one
    int64_t start, end;
    char separator; // '\0', '-' or '+'
    int64_t second;
} Range;

static Range parse_range(const char *text)
{
    Range range = { 0 };
    if (!take_number(&text, &range.start))
        return range;
    if (*text == '-' || *text == '+') {
        range.separator = *text++;
        if (!take_number(&text, &range.second))
            return (Range) { 0 };
    }
    range.is_range = *text == '\0';
    return range;
}

static bool apply_range(const Range *range, ReadSelect *select, GError **error)
{
    if (range->start < 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Line selector 0 is invalid; lines are 1-indexed. Use :1.");
    if (range->separator == '+' && range->second < 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid range %" G_GINT64_FORMAT "+%" G_GINT64_FORMAT
                         ": count must be >= 1.",
                         range->start, range->second);
    if (range->separator == '-' && range->second < range->start)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid range %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT
                         ": end must be >= start.",
                         range->start, range->second);
    select->has_range = true;
    select->start = range->start;
    select->end = range->separator == '+'   ? range->start + range->second - 1
                  : range->separator == '-' ? range->second
                                            : 0;
    return true;
}

/* Takes one `:part` off the end of the path when it is a selector part not seen yet. */
static bool take_part(ReadSelect *select, bool *ret_taken, GError **error)
{
    *ret_taken = false;
    char *colon = strrchr(select->path, ':');
    if (!colon || colon == select->path)
        return true;
    if (select->wants_conflicts)
        return true;
    if (!select->is_raw && g_ascii_strcasecmp(colon + 1, "raw") == 0) {
        select->is_raw = true;
    } else if (!select->is_raw && !select->has_range &&
               g_ascii_strcasecmp(colon + 1, "conflicts") == 0) {
        select->wants_conflicts = true;
    } else {
        Range range = parse_range(colon + 1);
        if (!range.is_range || select->has_range)
            return true;
        if (!apply_range(&range, select, error))
            return false;
    }
    *colon = '\0';
    *ret_taken = true;
    return true;
}

bool read_select_parse(const char *asked, int max_parts, ReadSelect *ret_select, GError **error)
{
    g_auto(ReadSelect) select = { .path = g_strdup(asked), .start = 1 };
    bool is_taken = true;
    for (int parts = 0; parts < max_parts && is_taken; parts++)
        if (!take_part(&select, &is_taken, error))
            return false;
    *ret_select = select;
    select = (ReadSelect) { 0 };
    return true;
}
