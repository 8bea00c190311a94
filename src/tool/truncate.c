/*
 * Cutting text to whole lines within limits (truncate.h).
 */
#include "tool/truncate.h"

#include "base/str.h"
#include "base/utf8.h"

void truncated_clear(Truncated *self)
{
    g_clear_pointer(&self->content, g_free);
}

/* Fills the totals and the limits; true when the whole content fits. */
static bool begin(const char *content, size_t *max_lines, size_t *max_bytes, Truncated *result)
{
    if (*max_lines == 0)
        *max_lines = TRUNCATE_MAX_LINES;
    if (*max_bytes == 0)
        *max_bytes = TRUNCATE_MAX_BYTES;
    result->max_bytes = *max_bytes;
    result->total_bytes = strlen(content);
    result->total_lines = str_count_lines(content, result->total_bytes);
    if (result->total_lines > *max_lines || result->total_bytes > *max_bytes) {
        result->is_truncated = true;
        return false;
    }
    result->content = g_strdup(content);
    result->output_lines = result->total_lines;
    result->output_bytes = result->total_bytes;
    return true;
}

Truncated truncate_head(const char *content, size_t max_lines, size_t max_bytes)
{
    Truncated result = { 0 };
    if (begin(content, &max_lines, &max_bytes, &result))
        return result;

    size_t end = 0;
    while (result.output_lines < max_lines) {
        const char *start = content + end + (result.output_lines > 0 ? 1 : 0);
        const char *newline = strchrnul(start, '\n');
        size_t line_end = (size_t)(newline - content);
        if (line_end > max_bytes)
            break;
        end = line_end;
        result.output_lines++;
        if (*newline == '\0')
            break;
    }
    result.first_line_exceeds = result.output_lines == 0;
    result.by_lines = result.output_lines >= max_lines;
    result.output_bytes = end;
    result.content = g_strndup(content, end);
    return result;
}

Truncated truncate_tail(const char *content, size_t max_lines, size_t max_bytes)
{
    Truncated result = { 0 };
    if (begin(content, &max_lines, &max_bytes, &result))
        return result;

    size_t size = result.total_bytes;
    size_t start = size; // of what is kept
    while (result.output_lines < max_lines) {
        if (result.output_lines > 0 && start == 0)
            break;
        size_t line_end = result.output_lines > 0 ? start - 1 : size;
        const char *newline = memrchr(content, '\n', line_end);
        size_t line_start = newline ? (size_t)(newline - content) + 1 : 0;
        if (size - line_start > max_bytes)
            break;
        start = line_start;
        result.output_lines++;
    }
    if (result.output_lines == 0) {
        start = utf8_boundary_after(content, size, size - max_bytes);
        result.last_line_partial = true;
        result.output_lines = 1;
    } else {
        result.by_lines = result.output_lines >= max_lines;
    }
    result.output_bytes = size - start;
    result.content = g_strdup(content + start);
    return result;
}
