/* What a save keeps of a file: line endings, byte-order mark, missing last newline (cli-E-07). */
#include "tool_fixture.h"

#include "agenttools/feedback/edit_text.h"

#define BOM "\xef\xbb\xbf"

static void test_decode(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *data;
        size_t size;
        const char *want; // NULL: cannot be edited
    } cases[] = {
        { "plain", "a\nb\n", 4, "a\nb\n" },
        { "CRLF", "a\r\nb\r\n", 6, "a\nb\n" },
        { "byte-order mark", BOM "a\n", 5, "a\n" },
        { "a byte-order mark further on is text", "a" BOM, 4, "a" BOM },
        { "a lone CR is text", "a\rb\r\r\n", 6, "a\rb\r\n" },
        { "empty", "", 0, "" },
        { "not UTF-8", "a\xff\n", 3, NULL },
        { "a NUL", "a\0b", 3, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = NULL;
        bool is_good = edit_text_decode(cases[i].data, cases[i].size, &text);
        if (is_good != (cases[i].want != NULL))
            fail_msg("%s: %s", cases[i].name, is_good ? "is taken" : "is refused");
        if (is_good)
            assert_text(cases[i].name, text, cases[i].want);
    }
    g_autofree char *shown = edit_text_show("a\xff\r\nb", 5);
    assert_text("shown all the same", shown, "a\xef\xbf\xbd\nb");
}

static void test_fit(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *base, *content, *want;
    } cases[] = {
        { "a missing last newline stays missing", "a\nb", "A\nb\n", "A\nb" },
        { "unless the last line changed", "a\nb", "a\nB\n", "a\nB\n" },
        { "or one was added", "a\nb", "a\nb\nc\n", "a\nb\nc\n" },
        { "a last newline that is taken away is gone", "a\nb\n", "a\nb", "a\nb" },
        { "CRLF of a client", "a\n", "a\r\nb\r\n", "a\nb\n" },
        { "byte-order mark of a client", "a\n", BOM "b\n", "b\n" },
        { "a first text", "", "a\n", "a\n" },
        { "emptied", "a", "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = edit_text_fit(cases[i].base, cases[i].content);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

static void test_encode(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *data, *text, *want;
    } cases[] = {
        { "LF", "a\nb\n", "a\nB\nc\n", "a\nB\nc\n" },
        { "CRLF", "a\r\nb\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n" },
        { "CRLF without a last newline", "a\r\nb", "A\nb", "A\r\nb" },
        { "CRLF, the last line changed", "a\r\nb", "a\nB\nc", "a\r\nB\r\nc" },
        { "byte-order mark", BOM "a\n", "A\n", BOM "A\n" },
        { "byte-order mark and CRLF", BOM "a\r\nb\r\n", "A\nb\n", BOM "A\r\nb\r\n" },
        { "mixed: lines that stay keep theirs", "a\nb\r\nc\r\nd\n", "a\nb\nX\nd\n",
          "a\nb\r\nX\nd\n" },
        { "mixed, mostly CRLF", "a\nb\r\nc\r\nd\r\n", "a\nX\nc\nd\ne\n",
          "a\nX\r\nc\r\nd\r\ne\r\n" },
        { "a lone CR before CRLF", "a\r\r\nb\r\n", "a\r\nB\n", "a\r\r\nB\r\n" },
        { "emptied", "a\r\n", "", "" },
        { "from nothing", "", "a\nb\n", "a\nb\n" },
        { "nothing changed", BOM "a\r\nb\nc", "a\nb\nc", BOM "a\r\nb\nc" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size = 0;
        g_autofree char *got =
            edit_text_encode(cases[i].data, strlen(cases[i].data), cases[i].text, &size);
        assert_text(cases[i].name, got, cases[i].want);
        assert_int_equal(size, strlen(got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_encode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
