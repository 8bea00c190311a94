/*
 * GitHub URLs with a number (github-tool §5.4, §5.5), and the text primitives of github-tool §0.1.
 */
#include "unit.h"

#include "github/repo_ref.h"
#include "github/text.h"

static void test_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *kind, *host, *slug; // slug NULL: no such URL
        int64_t number;
    } cases[] = {
        { "https://github.com/o/r/pull/90", "pull", "github.com", "o/r", 90 },
        { "https://GitHub.com/O/R/pull/007/files", "pull", "github.com", "O/R", 7 },
        { "https://ghe:8443/o/r/issues/1?x=y", "issues", "ghe:8443", "o/r", 1 },
        { "https://github.com/o/r/issues/1#issuecomment-2", "issues", "github.com", "o/r", 1 },
        { "https://github.com/o/r/actions/runs/16045200311/job/5", "actions/runs", "github.com",
          "o/r", G_GINT64_CONSTANT(16045200311) },
        { NULL, "pull", NULL, NULL, 0 },
        { "", "pull", NULL, NULL, 0 },
        { "http://github.com/o/r/pull/90", "pull", NULL, NULL, 0 },
        { "https://github.com/o/r/issues/90", "pull", NULL, NULL, 0 },
        { "https://github.com/o/r/pulls/90", "pull", NULL, NULL, 0 },
        { "https://github.com/o/r/pull/", "pull", NULL, NULL, 0 },
        { "https://github.com/o/r/pull/0", "pull", NULL, NULL, 0 },
        { "https://github.com/o/r/pull/90x", "pull", NULL, NULL, 0 },
        { "https://github.com/o/r/pull/9007199254740992", "pull", NULL, NULL, 0 },
        { "https://github.com/o/../pull/90", "pull", NULL, NULL, 0 },
        { "https://github.com/-o/r/pull/90", "pull", NULL, NULL, 0 },
        { "https://u@github.com/o/r/pull/90", "pull", NULL, NULL, 0 },
        { "https:///o/r/pull/90", "pull", NULL, NULL, 0 },
        { "https://github.com/o/pull/90", "pull", NULL, NULL, 0 },
        { "55/", "actions/runs", NULL, NULL, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GithubUrl) url = { 0 };
        bool is_url = github_url_parse(cases[i].url, cases[i].kind, &url);
        if (is_url != (cases[i].slug != NULL) || g_strcmp0(url.slug, cases[i].slug) != 0 ||
            g_strcmp0(url.host, cases[i].host) != 0 || url.number != cases[i].number)
            fail_msg("%s", cases[i].url);
    }
}

static void test_repo_of_url(void **state G_GNUC_UNUSED)
{
    g_unsetenv("GH_HOST");
    g_autoptr(Settings) settings = settings_new(NULL);
    const GithubUrl usual = { .host = (char[]) { "github.com" }, .slug = (char[]) { "o/r" } };
    const GithubUrl other = { .host = (char[]) { "ghe" }, .slug = (char[]) { "o/r" } };
    g_autofree char *plain = github_url_repo(&usual, settings);
    assert_string_equal(plain, "o/r");
    g_autofree char *full = github_url_repo(&other, settings);
    assert_string_equal(full, "ghe/o/r");
}

/* What a body has literally as line breaks; `want` NULL: it stays as it is. */
static void test_body_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "Fixes it.\\n\\nCloses #12", "Fixes it.\n\nCloses #12" },
        { "## What\\n- a\\n- b", "## What\n- a\n- b" },
        { "one\\n2. two\\nthree", "one\n2. two\nthree" },
        { "a\\n\\n`b\\nc`\\nd", "a\n\n`b\\nc`\nd" },
        { "a\\\\n\\n- b", "a\\\\n\n- b" },
        { "see C:\\notes and C:\\new" },
        { "it prints `a\\n\\nb`" },
        { "real\nlines\\n\\nstay" },
        { "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = text_body_lines(cases[i].text);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].text, got);
    }
}

static void test_norm(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *text, *block;
    } cases[] = {
        { "\xef\xbb\xbf a\r\nb\rc\td \n\n", "a\nb\nc    d", "\xef\xbb\xbf a\nb\nc    d" },
        { "\t", "", "" },
        { "\xc2\xa0x\xe3\x80\x80", "x", "\xc2\xa0x" },
        { NULL, "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = text_norm(cases[i].in);
        assert_string_equal(text, cases[i].text);
        g_autofree char *block = text_norm_block(cases[i].in);
        assert_string_equal(block, cases[i].block);
    }
}

static void test_posint(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        int64_t want; // 0: refused
    } cases[] = {
        { "1", 1 },
        { "007", 7 },
        { "9007199254740991", G_GINT64_CONSTANT(9007199254740991) },
        { "0", 0 },
        { "", 0 },
        { NULL, 0 },
        { "1e3", 0 },
        { "0x10", 0 },
        { "+5", 0 },
        { "-5", 0 },
        { " 5", 0 },
        { "9007199254740992", 0 },
        { "99999999999999999999", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t value = 0;
        if (text_parse_posint(cases[i].text, &value) != (cases[i].want != 0) ||
            value != cases[i].want)
            fail_msg("'%s'", cases[i].text);
    }
}

static void test_percent(void **state G_GNUC_UNUSED)
{
    g_autofree char *got = text_percent_encode("feat/\xc3\xbc {a}:b~(c)'*!_.-9Z");
    assert_string_equal(got, "feat%2F%C3%BC%20%7Ba%7D%3Ab~(c)'*!_.-9Z");
}

/* What counts as missing, and how values print (github-tool §0.1). */
static void test_lines(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) object = NULL;
    assert_true(
        json_parse_text("{\"zero\":0,\"no\":false,\"empty\":\"\",\"null\":null,\"list\":[],"
                        "\"text\":\"x\",\"big\":16045200311,\"real\":1.5,"
                        "\"user\":{\"login\":\"\",\"name\":\"N\"},\"bot\":{\"login\":\"l\"},"
                        "\"labels\":[{\"name\":\"a\"},{},{\"name\":\"\"},{\"name\":\"b\"}]}",
                        &object, NULL));
    static const char *const keys[] = { "zero", "no",  "empty", "null", "list",
                                        "text", "big", "real",  "none" };
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        text_line_json(out, "  ", keys[i], object, keys[i]);
    text_line(out, "", "missing", NULL);
    assert_string_equal(out->str,
                        "  zero: 0\n  no: false\n  text: x\n  big: 16045200311\n  real: 1.5\n");

    g_autofree char *name = text_author(json_object_get(object, "user"));
    assert_string_equal(name, "N");
    g_autofree char *login = text_author(json_object_get(object, "bot"));
    assert_string_equal(login, "@l");
    assert_null(text_author(json_object_get(object, "null")));
    g_autofree char *labels = text_labels(json_object_get(object, "labels"));
    assert_string_equal(labels, "a, b");
    assert_null(text_labels(json_object_get(object, "list")));
    assert_null(text_labels(NULL));
    g_autofree char *sha = text_sha12("a1b2c3d4e5f60718");
    assert_string_equal(sha, "a1b2c3d4e5f6");
    g_autofree char *line = text_first_line("one\ntwo");
    assert_string_equal(line, "one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),      cmocka_unit_test(test_repo_of_url),
        cmocka_unit_test(test_body_lines), cmocka_unit_test(test_norm),
        cmocka_unit_test(test_posint),     cmocka_unit_test(test_percent),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
