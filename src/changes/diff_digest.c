/* See diff_digest.h. */
#include "changes/diff_digest.h"

#include "base/mask.h"
#include "base/utf8.h"

#include <string.h>

#define LEAST_OF_A_FILE 600 // bytes, however many files there are

/* The end of the file's part that begins at `at`. */
static const char *part_end(const char *at)
{
    const char *next = strstr(at, "\ndiff --git ");
    return next ? next + 1 : at + strlen(at);
}

static size_t count_parts(const char *diff)
{
    size_t count = 0;
    for (const char *at = diff; *at; at = part_end(at))
        count++;
    return count;
}

/* Up to the end of a line. */
static size_t cut_at(const char *text, size_t size, size_t max_bytes)
{
    const char *line_end = memrchr(text, '\n', MIN(size, max_bytes));
    return line_end ? (size_t)(line_end - text) + 1 : utf8_boundary_before(text, size, max_bytes);
}

char *diff_digest(const char *diff, size_t max_bytes)
{
    g_autofree char *masked = mask_text(diff);
    size_t size = strlen(masked);
    if (size <= max_bytes)
        return g_steal_pointer(&masked);
    size_t share = MAX(max_bytes / count_parts(masked), LEAST_OF_A_FILE);
    GString *out = g_string_new(NULL);
    for (const char *at = masked, *end; *at; at = end) {
        end = part_end(at);
        size_t part = (size_t)(end - at);
        size_t kept = part > share ? cut_at(at, part, share) : part;
        if (out->len > 2 * max_bytes) { // of very many files
            g_string_append(out, "[... more files left out]\n");
            break;
        }
        g_string_append_len(out, at, (gssize)kept);
        if (kept < part)
            g_string_append_printf(out, "[... %zu bytes of this file left out]\n", part - kept);
    }
    return g_string_free(out, FALSE);
}
