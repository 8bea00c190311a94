/*
 * The operation comment-extract: its envelope, its options, what it says of itself (agent-tools-cli
 * §7.1, §7.2); row G-13 of agent-tools-cli §10. The scopes are in test-comment-scope.c.
 */
#include "unit.h"

#include "git_fixture.h"
#include "operation_fixture.h"

#include "agenttools/agenttools.h"
#include "base/path.h"

static int setup(void **state)
{
    ToolFixture *fixture = tool_fixture_new(NULL, false);
    g_autofree char *config = g_build_filename(fixture->root, "gitconfig", NULL);
    assert_true(g_file_set_contents(config, "[init]\n\tdefaultBranch = main\n", -1, NULL));
    g_setenv("GIT_CONFIG_GLOBAL", config, TRUE);
    git_do(fixture->cwd, "init", "--quiet", NULL);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    tool_fixture_free(*state);
    g_unsetenv("GIT_CONFIG_GLOBAL");
    return 0;
}

static json_t *call(const ToolFixture *fixture, const char *arguments)
{
    return operation_call(fixture, &operation_comment_extract, json_of(arguments));
}

static json_t *data_of(const ToolFixture *fixture, const char *arguments)
{
    return operation_data(fixture, &operation_comment_extract, arguments);
}

static void expect_error(const ToolFixture *fixture, const char *arguments, const char *want)
{
    g_autofree char *got =
        operation_error(fixture, &operation_comment_extract, arguments, "validation");
    assert_text(arguments, got, want);
}

/* Contents of the comments, joined with "|". Caller frees. */
static char *contents(const json_t *data)
{
    GString *out = g_string_new(NULL);
    size_t i;
    const json_t *item;
    json_array_foreach (json_get_array(data, "comments"), i, item)
        g_string_append_printf(out, "%s%s", i > 0 ? "|" : "", json_get_text(item, "content"));
    return g_string_free(out, FALSE);
}

static void expect_contents(const ToolFixture *fixture, const char *arguments, const char *want)
{
    g_autoptr(json_t) data = data_of(fixture, arguments);
    g_autofree char *got = contents(data);
    assert_text(arguments, got, want);
}

/* The document of agent-tools-cli §7.2: keys in this order, the same twice (cli-A-12). */
static void test_envelope(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "src/auth.py",
                     "def validate_user(user):\n"
                     "    # Check if user is active\n"
                     "    if user.is_active:  \n"
                     "        return \"\xc3\xa9\"  # noqa\n");
    tool_fixture_put_bytes(fixture, "logo.png", "\0PNG", 4);
    static const char arguments[] =
        "{'scope':'files','base':'main','files':['src/auth.py','logo.png','src/auth.py']}";
    g_autoptr(json_t) envelope = call(fixture, arguments);
    g_autofree char *got = json_to_text(envelope);
    static const char want[] =
        "{\"success\":true,\"tool\":\"comment-extract\",\"data\":{\"scope\":\"files\","
        "\"base\":\"main\",\"filesScanned\":1,\"linesAdded\":0,\"lineScoped\":false,"
        "\"comments\":[{\"file\":\"src/auth.py\",\"line\":2,\"type\":\"single\","
        "\"content\":\"# Check if user is active\","
        "\"contextBefore\":\"def validate_user(user):\","
        "\"contextAfter\":\"    if user.is_active:\",\"endLine\":2,\"column\":5,"
        "\"kind\":\"line\",\"language\":\"python\",\"trailing\":false,\"directive\":false},"
        "{\"file\":\"src/auth.py\",\"line\":4,\"type\":\"single\",\"content\":\"# noqa\","
        "\"contextBefore\":\"    if user.is_active:\",\"contextAfter\":\"\",\"endLine\":4,"
        "\"column\":21,\"kind\":\"line\",\"language\":\"python\",\"trailing\":true,"
        "\"directive\":true}],"
        "\"filesSkipped\":[{\"file\":\"logo.png\",\"reason\":\"binary\"}]}}";
    assert_text("envelope", got, want);
    g_autoptr(json_t) again = call(fixture, arguments);
    assert_true(json_equal(envelope, again));
}

static void test_context(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "a.c", "1\n2 \n/* 3\n4 */\n5\n");
    static const struct {
        const char *arguments, *before, *after;
    } cases[] = {
        { "{'scope':'files','files':['a.c']}", "\"2\"", "\"5\"" },
        { "{'scope':'files','files':['a.c'],'context':0}", "[]", "[]" },
        { "{'scope':'files','files':['a.c'],'context':1}", "[\"2\"]", "[\"5\"]" },
        { "{'scope':'files','files':['a.c'],'context':10}", "[\"1\",\"2\"]", "[\"5\"]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) data = data_of(fixture, cases[i].arguments);
        const json_t *comment = json_array_get(json_get_array(data, "comments"), 0);
        g_autofree char *before = json_to_text(json_object_get(comment, "contextBefore"));
        g_autofree char *after = json_to_text(json_object_get(comment, "contextAfter"));
        assert_text(cases[i].arguments, before, cases[i].before);
        assert_text(cases[i].arguments, after, cases[i].after);
    }
    expect_error(fixture, "{'scope':'files','files':['a.c'],'context':11}",
                 "Validation failed: context must be an integer from 0 to 10");
}

static void test_merge(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "a.c", "int a;\n// 1\n// 2\n// 3\n// 4\n// 5\nint b;\n");
    g_autoptr(json_t) data = data_of(fixture, "{'scope':'files','files':['a.c'],'merge':true}");
    const json_t *comments = json_get_array(data, "comments");
    if (json_array_size(comments) != 1)
        fail_msg("cli-G-13: %zu comments", json_array_size(comments));
    const json_t *comment = json_array_get(comments, 0);
    assert_text("cli-G-13", json_get_text(comment, "content"), "// 1\n// 2\n// 3\n// 4\n// 5");
    assert_int_equal(json_get_int(comment, "line", 0), 2);
    assert_int_equal(json_get_int(comment, "endLine", 0), 6);
    assert_text("cli-G-13", json_get_text(comment, "type"), "single");
    assert_text("cli-G-13", json_get_text(comment, "contextAfter"), "int b;");
    expect_contents(fixture, "{'scope':'files','files':['a.c'],'merge':true,'lines':'4'}",
                    "// 1\n// 2\n// 3\n// 4\n// 5");
}

static void test_limits(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "a.c", "// 1\n// 2\n// 3\n");
    tool_fixture_put(fixture, "b.c", "int b;\n/* open\n");
    g_autoptr(json_t) envelope =
        call(fixture, "{'scope':'files','files':['b.c','a.c'],'maxComments':2}");
    g_autofree char *got = contents(json_object_get(envelope, "data"));
    assert_text("maxComments", got, "// 1|// 2");
    g_autofree char *warnings = json_to_text(json_get_array(envelope, "warnings"));
    assert_text("warnings", warnings,
                "[\"Unterminated comment in b.c at line 2\","
                "\"Only the first 2 of 4 comments are listed\"]");
    expect_error(fixture, "{'scope':'files','files':['a.c'],'maxComments':0}",
                 "Validation failed: maxComments must be an integer from 1 to 200000");
}

static void test_languages(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "a.py", "\"\"\"doc\"\"\"\n# py\n");
    tool_fixture_put(fixture, "b.c", "// c\n");
    tool_fixture_put(fixture, "b.h", "namespace a {} // cpp\n");
    tool_fixture_put(fixture, "c.unknown", "// no\n");
    tool_fixture_put(fixture, "run", "#!/usr/bin/python3\n# script\n");
    git_do(fixture->cwd, "add", "--all", NULL);
    expect_contents(fixture, "{'scope':'all'}", "# py|// c|// cpp|# script");
    expect_contents(fixture, "{'scope':'all','docstrings':true,'include':['*.py']}",
                    "\"\"\"doc\"\"\"|# py");
    expect_contents(fixture, "{'scope':'all','language':'cpp'}", "// cpp");
    expect_contents(fixture, "{'scope':'all','language':'py'}", "# py|# script");
    g_autoptr(json_t) data = data_of(fixture, "{'scope':'all','language':'python'}");
    g_autofree char *got = contents(data);
    assert_text("language", got, "# py|# script");
    assert_int_equal(json_array_size(json_get_array(data, "filesSkipped")), 0);
    assert_int_equal(json_get_int(data, "filesScanned", 0), 2);
    expect_error(fixture, "{'scope':'all','language':'pyton'}",
                 "Unknown language \"pyton\"; did you mean \"python\"?");
    expect_error(fixture, "{'scope':'all','language':'x'}", "Unknown language \"x\"");
}

static void test_globs(void **state)
{
    const ToolFixture *fixture = *state;
    static const char *const names[] = { "a.c", "src/a.c", "src/x/a.c", "src/x/b.h", "lib/a.c" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *text = g_strdup_printf("// %s\n", names[i]);
        tool_fixture_put(fixture, names[i], text);
    }
    git_do(fixture->cwd, "add", "--all", NULL);
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'scope':'all','include':['*.c']}", "// a.c|// lib/a.c|// src/a.c|// src/x/a.c" },
        { "{'scope':'all','include':['/*.c']}", "// a.c" },
        { "{'scope':'all','include':['src/*.c']}", "// src/a.c" },
        { "{'scope':'all','include':['src/']}", "// src/a.c|// src/x/a.c|// src/x/b.h" },
        { "{'scope':'all','include':['**/x/*','lib/**']}", "// lib/a.c|// src/x/a.c|// src/x/b.h" },
        { "{'scope':'all','include':['*.{c,h}'],'exclude':['src/x/','a.c']}", "" },
        { "{'scope':'all','exclude':['*.c']}", "// src/x/b.h" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_contents(fixture, cases[i].arguments, cases[i].want);
    expect_contents(fixture, "{'scope':'staged','include':['b.h']}", "// src/x/b.h");
    g_autoptr(json_t) data = data_of(fixture, "{'scope':'staged','include':['src/']}");
    assert_int_equal(json_get_int(data, "linesAdded", 0), 3);
}

static void test_arguments(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "a.c", "// a\n");
    expect_error(fixture, "{}",
                 "Validation failed: scope is required and must be a non-empty string");
    expect_error(fixture, "{'scope':'all','lines':'1'}",
                 "Validation failed: lines needs scope \"files\"");
    expect_error(fixture, "{'scope':'unstaged','files':['a.c']}",
                 "Validation failed: files needs scope \"files\"");
    expect_error(fixture, "{'scope':'files','files':['a.c'],'lineScoped':true}",
                 "--line-scoped needs a scope with a diff");
    g_autoptr(json_t) envelope = call(fixture, "{'scope':'staged','untracked':true}");
    g_autofree char *warnings = json_to_text(json_get_array(envelope, "warnings"));
    assert_text("untracked", warnings, "[\"Untracked files are no part of scope \\\"staged\\\"\"]");
    g_autoptr(json_t) data = data_of(fixture, "{'scope':'files','files':['a.c'],'lines':'1'}");
    assert_true(json_get_bool(data, "lineScoped", false));
    assert_true(json_is_null(json_object_get(data, "base")));
}

/* What a lone CR is, and what git makes of it. */
static void test_changed_lines_with_lone_cr(void **state)
{
    const ToolFixture *fixture = *state;
    tool_fixture_put(fixture, "a.c", "int a;\r// two\nint b;\n");
    git_do(fixture->cwd, "add", "--all", NULL);
    tool_fixture_put(fixture, "a.c", "int a;\r// two\nint b; // changed\n");
    g_autoptr(json_t) data = data_of(fixture, "{'scope':'unstaged','lineScoped':true}");
    g_autofree char *got = contents(data);
    assert_text("cli-G-12", got, "// changed");
    const json_t *comment = json_array_get(json_get_array(data, "comments"), 0);
    assert_int_equal(json_get_int(comment, "line", 0), 3);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_envelope),  TEST(test_context),
        TEST(test_merge),     TEST(test_limits),
        TEST(test_languages), TEST(test_globs),
        TEST(test_arguments), TEST(test_changed_lines_with_lone_cr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
