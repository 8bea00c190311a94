/*
 * Mentions of an agent's text, in text, in code and in addresses.
 */
#include "base/str.h"
#include "unit.h"

#include "wm/task/mentions.h"

static void test_quote(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "hi @ann!", "hi `@ann`!" },
        { "@ann", "`@ann`" },
        { "(@ann, @Bob-2.)", "(`@ann`, `@Bob-2`.)" },
        { "@org/team-a please", "`@org/team-a` please" },
        { "mail a@b.example", "mail a@b.example" },
        { "@ alone, @-x", "@ alone, @-x" },
        { "`@ann` and ``a @bob``", "`@ann` and ``a @bob``" },
        { "an open ` @ann", "an open ` `@ann`" },
        { "```\n@ann\n```\n@bob", "```\n@ann\n```\n`@bob`" },
        { "    @ann\n\n@bob", "    @ann\n\n`@bob`" },
        { "**@ann** [@bob](https://x.example)", "**`@ann`** [`@bob`](https://x.example)" },
        { "https://x.example/@ann/post", "https://x.example/@ann/post" },
        { "<https://x.example/@ann>", "<https://x.example/@ann>" },
        { "https://@ann", "https://`@ann`" },
        { "x://a/@ann", "x://a/`@ann`" },
        { "\\@ann", "`\\@ann`" },
        { "\\\\@ann", "\\\\`@ann`" },
        { "<div>\n@ann\n</div>", "<div>\n<code>@ann</code>\n</div>" },
        { "| a | b |\n|---|---|\n| @ann | x |", "| a | b |\n|---|---|\n| `@ann` | x |" },
        { "- [ ] @ann", "- [ ] `@ann`" },
        { "> @ann", "> `@ann`" },
        { "ä@ann @ä", "ä`@ann` @ä" },
        { "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = wm_mentions_quote(cases[i].text);
        if (strcmp(got, cases[i].expected) != 0)
            fail_msg("%s\nbecame %s\nwanted %s", cases[i].text, got, cases[i].expected);
    }
}

/* A text that is nothing but beginnings ends all the same. */
static void test_long(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    while (text->len < 1024 * 1024)
        g_string_append(text, "@a.");
    g_autofree char *got = wm_mentions_quote(text->str);
    assert_true(str_has_prefix(got, "`@a`."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quote),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
