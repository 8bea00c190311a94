/*
 * Rows of the drawn interface as text, for tests.
 */
#pragma once

#include "unit.h"

#include "tui/text/row.h"

#include <string.h>

/* Rows joined with LF. Caller frees. */
static inline char *rows_text(const GPtrArray *rows)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < rows->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "",
                               ((const Row *)rows->pdata[i])->text);
    return g_string_free(text, FALSE);
}

/* Fails when one is wider than `width`. */
static inline void assert_rows_fit(const char *name, const GPtrArray *rows, int width)
{
    for (unsigned i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        if (row->cells > width)
            fail_msg("%s: row %u has %d cells, at most %d are wanted: '%s'", name, i, row->cells,
                     width, row->text);
    }
}

static inline void assert_rows(const char *name, const GPtrArray *rows, int width, const char *want)
{
    g_autofree char *got = rows_text(rows);
    assert_rows_fit(name, rows, width);
    if (strcmp(got, want) != 0)
        fail_msg("%s, %d columns:\n%s\nis wanted, got\n%s", name, width, want, got);
}

/* The foreground of the first run that `part` begins in; fails when there is none. */
static inline Style row_style_of(const Row *row, const char *part)
{
    const char *found = strstr(row->text, part);
    size_t at = 0;
    if (!found)
        fail_msg("'%s' is not in '%s'", part, row->text);
    for (uint32_t i = 0; i < row->run_count; i++) {
        at += row->runs[i].size;
        if ((size_t)(found - row->text) < at)
            return row->runs[i].style;
    }
    return (Style) { 0 };
}
