/*
 * Fuzz target: Markdown that streams (tui/text/md_stream.h). The first three bytes say the width
 * and where the text is cut: the rows are those of the whole, none is wider than asked, and what
 * was looked at is in proportion to the text.
 */
#include "base/utf8.h"
#include "tui/text/md_stream.h"

#include <stdint.h>
#include <string.h>

#define MAX_INPUT_BYTES 16384
#define HEAD_BYTES      3
#define MOST_LOOKS      64   // at a byte
#define SMALL_BYTES     8192 // that may be looked at whatever the size

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const GPtrArray *rows, int width)
{
    for (unsigned i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        g_assert_cmpint(row->cells, <=, width);
        g_assert_true(g_utf8_validate(row->text, (gssize)row->size, NULL));
        for (uint32_t j = 0; j < row->size; j++)
            g_assert_true((unsigned char)row->text[j] >= ' ' && row->text[j] != 0x7f);
    }
}

static void push(MdStream *stream, const char *text, size_t size, int width, GPtrArray *rows)
{
    g_autoptr(GPtrArray) open = rows_new();
    md_stream_push(stream, text, size);
    md_stream_take_settled(stream, rows);
    md_stream_open_rows(stream, open);
    check_rows(open, width);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES || size > MAX_INPUT_BYTES)
        return 0;
    const MdSpec spec = { .width = 1 + data[0] % 200, .has_links = data[0] >= 200 };
    g_autofree char *text = utf8_from_bytes((const char *)data + HEAD_BYTES, size - HEAD_BYTES);
    size_t length = strlen(text);
    size_t first = length * data[1] / 256, second = length * data[2] / 256;
    size_t low = MIN(first, second), high = MAX(first, second);

    g_autoptr(GPtrArray) whole = rows_new();
    md_rows(text, &spec, whole);
    check_rows(whole, spec.width);

    g_autoptr(MdStream) stream = md_stream_new(&spec);
    g_autoptr(GPtrArray) rows = rows_new();
    push(stream, text, low, spec.width, rows);
    push(stream, text + low, high - low, spec.width, rows);
    push(stream, text + high, length - high, spec.width, rows);
    md_stream_finish(stream);
    md_stream_take_settled(stream, rows);
    g_assert_cmpuint(rows->len, ==, whole->len);
    for (unsigned i = 0; i < rows->len; i++)
        g_assert_true(row_equal(rows->pdata[i], whole->pdata[i]));
    g_assert_cmpuint(md_stream_parsed_bytes(stream), <=, MOST_LOOKS * length + SMALL_BYTES);
    return 0;
}
