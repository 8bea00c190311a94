/*
 * Text of others on its way to the screen: cleaned wherever it is cut, and wrapped. The first bytes
 * of an input choose where it is cut and how wide rows are.
 */
#include "tui/text/clean.h"
#include "tui/text/width.h"
#include "tui/text/wrap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* Caller frees. */
static char *clean(Cleaner *cleaner, const char *text, size_t size, size_t step)
{
    GString *out = g_string_new(NULL);
    for (size_t at = 0; at < size; at += step)
        cleaner_push(cleaner, text + at, MIN(step, size - at), out);
    cleaner_finish(cleaner, out);
    return g_string_free(out, FALSE);
}

static void check_clean(const char *text)
{
    check(g_utf8_validate(text, -1, NULL));
    for (const char *p = text; *p; p = g_utf8_next_char(p))
        check(*p == '\n' || !g_unichar_iscntrl(g_utf8_get_char(p)));
    g_autofree char *again = clean_text(text, 4);
    check(strcmp(again, text) == 0);
}

/* Forwards and backwards the clusters are the same. */
static void check_clusters(const char *text, size_t size)
{
    int sum = 0;
    for (size_t i = 0, step; i < size; i += step) {
        int cells;
        step = cluster_size(text + i, size - i, &cells);
        check(step > 0 && step <= size - i && cells >= 0 && cells <= 2);
        check(cluster_start(text, i + step) == i);
        sum += cells;
    }
    check(text_cells(text, size) == sum);
}

static void append_unblank(GString *out, const char *text)
{
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            g_string_append_c(out, *text);
}

static void check_rows(const char *text, const WrapSpec *spec, const GPtrArray *rows)
{
    g_autoptr(GString) want = g_string_new(NULL);
    g_autoptr(GString) got = g_string_new(NULL);
    append_unblank(want, text);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        check(row->cells <= spec->width && row->cells == text_cells(row->text, row->size));
        append_unblank(got, row->text);
    }
    check(spec->width == 1 || strcmp(got->str, want->str) == 0);
}

static void check_wrap(const char *text, size_t cut, const WrapSpec *spec)
{
    g_autoptr(GPtrArray) rows = rows_new();
    wrap_text(text, (Style) { 0 }, spec, rows);
    check_rows(text, spec, rows);

    // the rows of a prefix are a prefix of the rows, but for the last one
    cut = MIN(cut, strlen(text));
    while (cut > 0 && ((uint8_t)text[cut] & 0xc0) == 0x80)
        cut--;
    g_autofree char *prefix = g_strndup(text, cut);
    g_autoptr(GPtrArray) some = rows_new();
    wrap_text(prefix, (Style) { 0 }, spec, some);
    check(some->len <= rows->len);
    for (guint i = 0; i + 1 < some->len; i++)
        check(row_equal(some->pdata[i], rows->pdata[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICES)
        return 0;
    const char *text = (const char *)data + CHOICES;
    size_t text_size = size - CHOICES;
    bool is_flowing = data[3] & 1;
    g_autoptr(Cleaner) cleaner = is_flowing ? cleaner_new_flowing(4) : cleaner_new(4);
    g_autofree char *whole = clean(cleaner, text, text_size, MAX(text_size, 1));
    g_autofree char *pieces = clean(cleaner, text, text_size, data[0] % 16 + 1);
    check(strcmp(whole, pieces) == 0);
    check_clean(whole);
    check_clusters(whole, strlen(whole));

    g_autoptr(Row) head = row_of("  ", (Style) { 0 });
    WrapSpec spec = {
        .width = data[1] % 100 + 1,
        .first = data[3] & 2 ? head : NULL,
        .rest = data[3] & 4 ? head : NULL,
        .is_code = data[3] & 8,
    };
    check_wrap(whole, data[2] * (size_t)2, &spec);
    g_autofree char *line = clean_line(whole, spec.width);
    check(text_cells(line, strlen(line)) <= spec.width && !strchr(line, '\n'));
    return 0;
}
