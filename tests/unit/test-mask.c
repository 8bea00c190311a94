/* Known secrets out of text: forms, borders of chunks, broken lines, JSON (common §10 rule 4). */
#include "unit.h"

#include "base/mask.h"
#include "base/secrets.h"

#define VALUE "s3cr3t/value+\"quoted\"\\end"
#define PLAIN "ghp_0123456789abcdefghijABCDEFGHIJ012345"

static void setup_values(void)
{
    secrets_register(VALUE);
    secrets_register(PLAIN);
    secrets_register("nabcdefgh");
    secrets_register("abababab");
}

static void assert_masked(const char *name, const char *in, const char *want)
{
    g_autofree char *got = mask_text(in);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got, want);
    assert_int_equal(mask_finds(in, strlen(in)), strcmp(in, want) != 0);
}

static void test_texts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "nothing", "", "" },
        { "other text", "ghp_0123456789abcdefghij and so on",
          "ghp_0123456789abcdefghij and so on" },
        { "whole", PLAIN, "[REDACTED]" },
        { "within", "a" PLAIN "b", "a[REDACTED]b" },
        { "twice", PLAIN PLAIN " " PLAIN, "[REDACTED] [REDACTED]" },
        { "after a false start", "ghp_ghp_0123ghp_0" PLAIN, "ghp_ghp_0123ghp_0[REDACTED]" },
        { "overlapping itself", "xababababababy", "x[REDACTED]y" },
        { "a broken line", "ghp_0123456789\nabcdefghijABCDEF\r\nGHIJ012345.", "[REDACTED]." },
        { "an empty line parts", "ghp_0123456789\n\nabcdefghijABCDEFGHIJ012345",
          "ghp_0123456789\n\nabcdefghijABCDEFGHIJ012345" },
        { "JSON", "{\"k\":\"s3cr3t/value+\\\"quoted\\\"\\\\end\"}", "{\"k\":\"[REDACTED]\"}" },
        { "JSON with escaped slash", "\"s3cr3t\\/value+\\\"quoted\\\"\\\\end\"", "\"[REDACTED]\"" },
        { "URL", "?t=s3cr3t%2Fvalue%2B%22quoted%22%5Cend&x=1", "?t=[REDACTED]&x=1" },
        { "URL, small letters", "?t=s3cr3t%2fvalue%2b%22quoted%22%5cend", "?t=[REDACTED]" },
        { "an escape stays whole", "\"line\\nabcdefgh\"", "\"line\\n[REDACTED]\"" },
        { "no escape", "\\\\nabcdefgh", "\\\\[REDACTED]" },
        { "bytes", "\xff" PLAIN "\xfe", "\xff[REDACTED]\xfe" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_masked(cases[i].name, cases[i].in, cases[i].want);
}

static void test_encodings(void **state G_GNUC_UNUSED)
{
    static const char *const around[][2] = {
        { "", "" }, { "", "\n" }, { "a", "" }, { "ab", "c" }, { "abc", "de" }, { "user:", "@host" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(around); i++) {
        for (int which = 0; which < 2; which++) {
            const char *value = which ? VALUE : PLAIN;
            g_autofree char *text = g_strconcat(around[i][0], value, around[i][1], NULL);
            g_autofree char *base64 = g_base64_encode((const guchar *)text, strlen(text));
            g_autofree char *got = mask_text(base64);
            size_t middle = strlen(base64) / 2;
            if (!strstr(got, MASK_TEXT) || strlen(got) > strlen(around[i][0]) * 2 + 20)
                fail_msg("base64 of '%s': '%s'", text, got);
            g_autofree char *head = g_strndup(base64, middle);
            g_autofree char *broken = g_strconcat(head, "\n", base64 + middle, NULL);
            g_autofree char *again = mask_text(broken);
            assert_string_equal(again, got);
        }
    }
    g_autofree char *alone = g_base64_encode((const guchar *)PLAIN "\n", strlen(PLAIN) + 1);
    assert_masked("base64 of printenv", alone, "[REDACTED]");
    g_autoptr(GString) hex = g_string_new(NULL);
    for (const char *p = PLAIN; *p; p++)
        g_string_append_printf(hex, "%02x", (unsigned char)*p);
    assert_masked("hex", hex->str, "[REDACTED]");
    g_string_ascii_up(hex);
    assert_masked("HEX", hex->str, "[REDACTED]");
}

/* The same whatever the pieces are, down to single bytes. */
static void test_chunks(void **state G_GNUC_UNUSED)
{
    static const char in[] =
        "x" PLAIN "y\nghp_0123\nZ2hwXzAxMjM0NTY3ODlhYmNkZWZnaGlqQUJDREVGR0hJSj"
        "AxMjM0NQo=\n s3cr3t%2Fvalue%2B%22quoted%22%5Cend abababababab nabcdef";
    g_autofree char *want = mask_text(in);
    assert_string_equal(want, "x[REDACTED]y\nghp_0123\n[REDACTED]\n [REDACTED] [REDACTED] nabcdef");
    for (size_t step = 1; step < sizeof(in); step++) {
        g_autoptr(MaskFilter) filter = mask_filter_new();
        g_autoptr(GString) out = g_string_new(NULL);
        for (size_t at = 0; at < sizeof(in) - 1; at += step)
            mask_filter_push(filter, in + at, MIN(step, sizeof(in) - 1 - at), out);
        mask_filter_finish(filter, out);
        if (strcmp(out->str, want) != 0)
            fail_msg("pieces of %zu: '%s'", step, out->str);
    }
}

static void test_nothing_waits_for_long(void **state G_GNUC_UNUSED)
{
    g_autoptr(MaskFilter) filter = mask_filter_new();
    g_autoptr(GString) out = g_string_new(NULL);
    mask_filter_push(filter, "is it s\n", 8, out); // though "s" begins a value
    assert_string_equal(out->str, "is it s\n");
    g_string_truncate(out, 0);
    mask_filter_push(filter, "is it so??\n", 11, out);
    assert_string_equal(out->str, "is it so??\n");
    mask_filter_push(filter, "and more ghp_0123", 17, out);
    assert_string_equal(out->str, "is it so??\nand m"); // and what could be base64 before it
}

/* As fast as memory: what no value begins with is passed over. */
static void test_large_text(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    while (text->len < 4 * 1024 * 1024)
        g_string_append(text, "ghp_0123456789 abababa Z2hwXzAxMjM0 n");
    size_t size = text->len;
    g_string_append(text, PLAIN);
    g_autofree char *got = mask_text(text->str);
    assert_int_equal(strlen(got), size + strlen(MASK_TEXT));
}

static void test_json(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) value = NULL;
    assert_true(
        json_parse_text("{\"a\":[1,\"x " PLAIN "\",{\"b\":true}],\"c\":\"none\"}", &value, NULL));
    g_autoptr(json_t) masked = mask_json(value);
    g_autofree char *text = json_to_text(masked);
    assert_string_equal(text, "{\"a\":[1,\"x [REDACTED]\",{\"b\":true}],\"c\":\"none\"}");
    g_autofree char *before = json_to_text(value);
    assert_non_null(strstr(before, PLAIN)); // shared: never changed
    g_autoptr(json_t) same = mask_json(masked);
    assert_ptr_equal(same, masked);
}

int main(void)
{
    setup_values();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_chunks),     cmocka_unit_test(test_nothing_waits_for_long),
        cmocka_unit_test(test_large_text), cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
