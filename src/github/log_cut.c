/* See log_cut.h. */
#include "github/log_cut.h"

#include "base/ansi.h"
#include "base/str.h"
#include "base/utf8.h"

#define ERROR_MARK         "##[error]"
#define SECONDS_LENGTH     (sizeof("2026-01-01T00:00:00") - 1)
#define LINES_AFTER        2 // the error, when there is room
#define MIN_LINES_FOR_THEM 5
#define LINE_MAX_BYTES     300

void log_tail_clear(LogTail *self)
{
    g_free(self->text);
    *self = (LogTail) { 0 };
}

/* The length of a leading "YYYY-MM-DDTHH:MM:SS[.fraction]Z ", 0 for none. */
static size_t timestamp_length(const char *line)
{
    static const char form[] = "0000-00-00T00:00:00";
    for (size_t i = 0; i < SECONDS_LENGTH; i++) {
        bool is_right = form[i] == '0' ? g_ascii_isdigit(line[i]) : line[i] == form[i];
        if (!is_right) // the end of the text is not right either
            return 0;
    }
    size_t at = SECONDS_LENGTH;
    if (line[at] == '.')
        at += 1 + strspn(line + at + 1, "0123456789");
    return line[at] == 'Z' && line[at + 1] == ' ' ? at + 2 : 0;
}

static bool is_in_span(const char *line, const LogStep *span)
{
    if (timestamp_length(line) == 0)
        return false;
    if (span->from && strncmp(line, span->from, SECONDS_LENGTH) < 0)
        return false;
    int order = span->to != NULL ? strncmp(line, span->to, SECONDS_LENGTH) : -1;
    return order < 0 || (order == 0 && line[SECONDS_LENGTH] == 'Z');
}

/* As a person reads it. Caller frees. */
static char *plain_line(const char *line)
{
    g_autofree char *plain = ansi_strip(line);
    return g_strdup(plain + timestamp_length(plain));
}

static bool is_error_line(const char *line)
{
    if (!strstr(line, ERROR_MARK))
        return false;
    g_autofree char *plain = plain_line(line);
    return str_has_prefix(plain, ERROR_MARK);
}

/* The index of the line to end with. */
static size_t find_error(char *const *lines, size_t count, const LogStep *step, bool *ret_is_found)
{
    bool has_step = step->from != NULL || step->to != NULL;
    size_t last = 0;
    *ret_is_found = false;
    for (size_t i = count; i > 0; i--) {
        if (!is_error_line(lines[i - 1]))
            continue;
        if (!has_step || is_in_span(lines[i - 1], step)) {
            *ret_is_found = true;
            return i - 1;
        }
        if (last == 0)
            last = i;
    }
    *ret_is_found = last > 0; // none in the step: the last of the whole log
    return last > 0 ? last - 1 : 0;
}

void log_tail_cut(const char *log, const LogStep *step, int64_t lines, LogTail *ret_tail)
{
    g_autofree char *whole = utf8_trim_end(log);
    g_auto(GStrv) all = g_strsplit(whole, "\n", -1);
    size_t count = g_strv_length(all);
    bool is_found = false;
    size_t error_line = find_error(all, count, step, &is_found);
    size_t after = lines >= MIN_LINES_FOR_THEM ? LINES_AFTER : 0;
    size_t end = is_found ? MIN(error_line + after + 1, count) : count; // exclusive
    size_t start = end > (size_t)lines ? end - (size_t)lines : 0;
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = start; i < end; i++) {
        g_autofree char *plain = plain_line(all[i]);
        g_string_append_printf(text, "%s%s", i > start ? "\n" : "", plain);
    }
    *ret_tail = (LogTail) {
        .text = utf8_trim_end(text->str),
        .first = start + 1,
        .last = end,
        .total = count,
        .is_around_an_error = end < count,
    };
}

char *log_tail_fit(const char *text, size_t max_bytes, size_t *ret_dropped)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    size_t count = g_strv_length(lines), used = 0, first = count;
    for (size_t i = 0; i < count; i++) {
        if (strlen(lines[i]) <= LINE_MAX_BYTES)
            continue;
        g_autofree char *whole = lines[i];
        g_autofree char *head = str_truncate(whole, LINE_MAX_BYTES);
        lines[i] = g_strconcat(head, "…", NULL);
    }
    while (first > 0 && used + strlen(lines[first - 1]) + 1 <= max_bytes)
        used += strlen(lines[--first]) + 1;
    *ret_dropped = first;
    return g_strjoinv("\n", lines + first);
}
