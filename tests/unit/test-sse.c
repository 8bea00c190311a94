/*
 * base/sse.c: line ends, fields, chunk borders, limits.
 */
#include "unit.h"

#include "base/limits.h"
#include "base/sse.h"

static bool note(const char *event, const char *data, size_t size, void *out, GError **error)
{
    if (strlen(data) != size)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "size");
    if (strcmp(data, "stop") == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "told to stop");
    g_string_append_printf(out, "<%s|%s>", event, data);
    return true;
}

/* Pushed `chunk` bytes at a time. */
static char *decode(const char *in, size_t size, size_t chunk)
{
    GString *out = g_string_new(NULL);
    g_autoptr(SseParser) parser = sse_parser_new(note, out);
    for (size_t at = 0; at < size; at += chunk)
        assert_true(sse_parser_push(parser, in + at, MIN(chunk, size - at), NULL));
    assert_true(sse_parser_finish(parser, NULL));
    return g_string_free(out, FALSE);
}

static void test_events(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "one event", "event: a\ndata: x\n\n", "<a|x>" },
        { "no name", "data: x\n\n", "<|x>" },
        { "several lines", "data: x\ndata: y\n\ndata: z\n\n", "<|x\ny><|z>" },
        { "the name lasts for one event", "event: a\ndata: x\n\ndata: y\n\n", "<a|x><|y>" },
        { "a name without data is no event", "event: a\n\ndata: y\n\n", "<|y>" },
        { "CRLF", "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", "<a|x><|y>" },
        { "CR", "event: a\rdata: x\r\rdata: y\r\r", "<a|x><|y>" },
        { "mixed", "data: x\r\ndata: y\n\rdata: z\r\r\n", "<|x\ny><|z>" },
        { "comments", ": hi\n\n:\ndata: x\n: more\n\n", "<|x>" },
        { "byte order mark",
          "\xef\xbb\xbf"
          "data: x\n\n",
          "<|x>" },
        { "a mark later is part of a field",
          "data: x\n\xef\xbb\xbf"
          "data: y\n\n",
          "<|x>" },
        { "one space is dropped", "data:x\ndata:  y\n\n", "<|x\n y>" },
        { "empty data", "data:\n\ndata\n\n", "<|><|>" },
        { "unknown fields", "id: 1\nretry: 5\ndatax: q\nfoo\ndata: x\n\n", "<|x>" },
        { "end without blank line", "data: x\n\ndata: y\n", "<|x><|y>" },
        { "end inside a line", "data: x\n\ndata: y", "<|x><|y>" },
        { "colons in data", "data: {\"a\":1}\n\n", "<|{\"a\":1}>" },
        { "multi-byte", "data: 漢字 🔍\n\n", "<|漢字 🔍>" },
        { "nothing", "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (size_t chunk = 1; chunk < 40; chunk++) {
            g_autofree char *got = decode(cases[i].in, strlen(cases[i].in), chunk);
            if (strcmp(got, cases[i].want) != 0)
                fail_msg("%s, chunks of %zu: got '%s', want '%s'", cases[i].name, chunk, got,
                         cases[i].want);
        }
    }
}

static void test_stop(void **state G_GNUC_UNUSED)
{
    GString *out = g_string_new(NULL);
    g_autoptr(SseParser) parser = sse_parser_new(note, out);
    g_autoptr(GError) error = NULL;
    static const char in[] = "data: x\n\ndata: stop\n\ndata: y\n\n";
    assert_false(sse_parser_push(parser, in, strlen(in), &error));
    assert_string_equal(error->message, "told to stop");
    assert_string_equal(out->str, "<|x>");
    g_string_free(out, TRUE);
}

static void test_limit(void **state G_GNUC_UNUSED)
{
    g_autofree char *block = g_strnfill(MIB, 'x');
    static const char *const lines[] = { "",
                                         "\ndata: " }; // one endless line; many lines of one event
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autoptr(SseParser) parser = sse_parser_new(note, NULL);
        g_autoptr(GError) error = NULL;
        bool is_ok = sse_parser_push(parser, "data: ", 6, NULL);
        size_t pushed = 0;
        while (is_ok && pushed < 2 * LIMIT_SSE_EVENT_BYTES) {
            is_ok = sse_parser_push(parser, block, MIB, &error) &&
                    sse_parser_push(parser, lines[i], strlen(lines[i]), &error);
            pushed += MIB;
        }
        assert_false(is_ok);
        assert_true(error_is(error, KEDGE_ERROR_LIMIT));
        assert_true(pushed <= LIMIT_SSE_EVENT_BYTES + MIB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
