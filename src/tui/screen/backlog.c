/* See backlog.h. */
#include "tui/screen/backlog.h"

#include "tui/screen/picture_bytes.h"

enum {
    ROW_BYTES = 64,      // around a row: wiping, marks, a line end
    STYLE_BYTES = 128,   // of a run: colours and attributes, on and off
    LINK_BYTES = 2 * 64, // around an address
    TEXT_FACTOR = 3,     // clusters after which the cursor is put right
};

static size_t bytes_at_most(const Row *row)
{
    size_t bytes = ROW_BYTES + (size_t)row->size * TEXT_FACTOR;
    for (uint32_t i = 0; i < row->run_count; i++) {
        const char *link = row->runs[i].link;
        bytes += STYLE_BYTES + (link ? LINK_BYTES + strlen(link) : 0);
    }
    return bytes;
}

/* Rows from `start` on that stay together. */
static guint count_together(const GPtrArray *rows, guint start)
{
    const Row *first = rows->pdata[start];
    guint end = start + 1;
    while (first->picture && end < rows->len &&
           ((const Row *)rows->pdata[end])->picture == first->picture)
        end++;
    return end - start;
}

GPtrArray *backlog_take(GPtrArray *rows, size_t max_bytes)
{
    GPtrArray *taken = rows_new();
    size_t bytes = 0;
    guint next = 0;
    while (next < rows->len) {
        const Row *first = rows->pdata[next];
        guint count = count_together(rows, next);
        size_t more = first->picture ? picture_bytes_limit(first->picture) : 0;
        for (guint i = next; i < next + count; i++)
            more += bytes_at_most(rows->pdata[i]);
        if (next > 0 && bytes + more > max_bytes)
            break;
        bytes += more;
        next += count;
    }
    for (guint i = 0; i < next; i++)
        g_ptr_array_add(taken, row_ref(rows->pdata[i]));
    if (next > 0)
        g_ptr_array_remove_range(rows, 0, next);
    return taken;
}
