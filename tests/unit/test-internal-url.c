/*
 * Internal URLs: parsing, finding the scheme, and reading through the gate (agent-tools §4.1).
 */
#include "base/str.h"
#include "url_fixture.h"

#include "base/limits.h"

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *read_error(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static void test_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *scheme, *host, *raw_host, *raw_path, *query, *hash;
    } cases[] = {
        { "docs://", "docs", "", "", "", NULL, NULL },
        { "artifact://3", "artifact", "3", "3", "", NULL, NULL },
        { "Agent://0-A/items/1", "agent", "0-A", "0-A", "/items/1", NULL, NULL },
        { "skill://plug:name/a%20b", "skill", "plug:name", "plug:name", "/a%20b", NULL, NULL },
        { "skill://a%3Ab", "skill", "a%3Ab", "a:b", "", NULL, NULL },
        { "local://%zz/x", "local", "%zz", "%zz", "/x", NULL, NULL },
        { "local://a%00b", "local", "a%00b", "a%00b", "", NULL, NULL },
        { "local://%ff", "local", "%ff", "%ff", "", NULL, NULL },
        { "pr://ghe.example.com/o/r/7?comments=0#x?y", "pr", "ghe.example.com", "ghe.example.com",
          "/o/r/7", "comments=0", "x?y" },
        { "agent://a?q=.b/c", "agent", "a", "a", "", "q=.b/c", NULL },
        { "local:///etc/passwd", "local", "", "", "/etc/passwd", NULL, NULL },
        { "a+b-c.d://X", "a+b-c.d", "X", "X", "", NULL, NULL },
        { "x://?#", "x", "", "", "", "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(InternalUrl) url = NULL;
        assert_true(internal_url_parse(cases[i].text, &url, NULL));
        assert_text(cases[i].text, url->text, cases[i].text);
        assert_text(cases[i].text, url->scheme, cases[i].scheme);
        assert_text(cases[i].text, url->host, cases[i].host);
        assert_text(cases[i].text, url->raw_host, cases[i].raw_host);
        assert_text(cases[i].text, url->raw_path, cases[i].raw_path);
        if (g_strcmp0(url->query, cases[i].query) != 0 || g_strcmp0(url->hash, cases[i].hash) != 0)
            fail_msg("%s: query %s, hash %s", cases[i].text, url->query, url->hash);
    }
}

static void test_parse_errors(void **state G_GNUC_UNUSED)
{
    static const char *const cases[] = { "",     "x",      "artifact:3", "artifact:/3",
                                         "://x", "1a://x", " docs://",   "a b://c" };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(InternalUrl) url = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(internal_url_parse(cases[i], &url, &error));
        g_autofree char *want = g_strconcat("Invalid URL: ", cases[i], NULL);
        assert_text(cases[i], error->message, want);
    }
}

/* A megabyte of URL is refused in one line, wherever it comes in. */
static void test_long(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autofree char *tail = g_strnfill(MIB, 'a');
    g_autofree char *url = g_strconcat("artifact://", tail, NULL);
    g_autofree char *read = read_error(fixture, url);
    assert_true(str_has_prefix(read, "Invalid URL: artifact://aaaa"));
    assert_true(g_str_has_suffix(read, "… is 1048587 bytes long, and may be 16384"));
    g_autofree char *written = tool_fixture_error(
        fixture, &tool_write, json_pack("{s:s, s:s}", "path", url, "content", "x"));
    assert_text("write", written, read);
}

static void test_relative_path(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *want; // of the whole path
    } cases[] = {
        { "local://", "" },
        { "local:///", "" },
        { "local://a", "a" },
        { "local://a/b.md", "a/b.md" },
        { "local://A%20b/c%3Fd", "A b/c?d" },
        { "local://a%zz", "a%zz" },
        { "local://a%00b", "a%00b" },
        { "local://a..b/..c", "a..b/..c" },
        { "local:///etc/passwd", "Absolute paths are not allowed in local:// URLs" },
        { "local://%2Fetc/passwd", "Absolute paths are not allowed in local:// URLs" },
        { "local:////etc", "Absolute paths are not allowed in local:// URLs" },
        { "docs://..", "Path traversal (..) is not allowed in docs:// URLs" },
        { "docs://a/../../b", "Path traversal (..) is not allowed in docs:// URLs" },
        { "docs://%2e%2e/b", "Path traversal (..) is not allowed in docs:// URLs" },
        { "docs://a%2f..%2fb", "Path traversal (..) is not allowed in docs:// URLs" },
        { "local://a?b", "local:// URLs have no query or fragment: local://a?b (a name with ? or # "
                         "is written with %3F or %23)" },
        { "local://a#b", "local:// URLs have no query or fragment: local://a#b (a name with ? or # "
                         "is written with %3F or %23)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(InternalUrl) url = NULL;
        g_autofree char *path = NULL;
        g_autoptr(GError) error = NULL;
        assert_true(internal_url_parse(cases[i].url, &url, NULL));
        bool is_path = internal_url_whole_path(url, &path, &error);
        assert_text(cases[i].url, is_path ? path : error->message, cases[i].want);
    }
}

static void test_unknown(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autofree char *got = read_error(fixture, "nope://x"); // tools-T89
    assert_text("T89", got, "Unknown protocol: nope://\nSupported: " URL_FIXTURE_SUPPORTED);

    g_autoptr(ToolFixture) none = tool_fixture_new(NULL, false);
    g_autofree char *without = read_error(none, "Nope://x");
    assert_text("no schemes", without, "Unknown protocol: nope://\nSupported: none");
}

/* The last one of a name counts, and is named once. */
static void test_later_scheme(void **state G_GNUC_UNUSED)
{
    static const char *const aliases[] = { "pulls", NULL };
    static const UrlScheme other = { .name = "artifact",
                                     .aliases = aliases,
                                     .resolve = url_fixture_resolve };
    static const UrlScheme *const more[] = { &other, NULL };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    tool_context_add_schemes(fixture->context, more);
    g_autofree char *own = read_text(fixture, "artifact://x:1");
    assert_text("the last one", own, "content of artifact://x\n");
    g_autofree char *alias = read_text(fixture, "PULLS://x");
    assert_text("its alias", alias, "content of PULLS://x\n");
    g_autofree char *unknown = read_error(fixture, "nope://x");
    assert_text(
        "named once", unknown,
        "Unknown protocol: nope://\nSupported: docs://, agent://, memory://, local://, plan://, "
        "skill://, rule://, mcp://, jobs://, issue://, pr://, artifact://");
}

static Settings *settings_of(const ToolFixture *fixture, const char *text)
{
    g_autofree char *dir = g_build_filename(fixture->root, "agent", NULL);
    g_autofree char *path = g_build_filename(dir, "config.yml", NULL);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    Settings *settings = settings_load(dir, fixture->cwd, warnings);
    assert_int_equal(warnings->len, 0);
    return settings;
}

/* Reading a GitHub thing is bound by the policy for GitHub, as the github tool is. */
static void test_judged(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    g_autoptr(Settings) settings =
        settings_of(fixture, "gh:\n  hostPolicy:\n    ghe.example.com: {read: block}\n");
    tool_context_set_settings(fixture->context, settings);
    g_autofree char *free_host = read_text(fixture, "issue://1");
    assert_text("another host", free_host, "content of issue://1\n");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_read,
                      json_pack("{s:s}", "path", "issue://ghe.example.com/o/r/7:3"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_int_equal(result.failure, KEDGE_ERROR_DENIED);
    assert_contains("denied", text, "reads are disabled for ghe.example.com by gh.policy");
}

/* A read of other machines ends when it is stopped; one of this machine does not need to. */
static bool tell_stoppable(ToolCall *call, const InternalUrl *url G_GNUC_UNUSED,
                           UrlResource *ret_resource, GError **error G_GNUC_UNUSED)
{
    const char *text = tool_call_cancel(call) ? "can be stopped" : "goes on";
    url_resource_set_text(ret_resource, g_strdup(text), NULL);
    return true;
}

static void test_stopped(void **state G_GNUC_UNUSED)
{
    static const UrlScheme far = { .name = "far", .is_remote = true, .resolve = tell_stoppable };
    static const UrlScheme near = { .name = "near", .resolve = tell_stoppable };
    static const UrlScheme *const more[] = { &far, &near, NULL };
    static const char *const want[] = { "can be stopped", "goes on" };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    tool_context_add_schemes(fixture->context, more);
    for (size_t i = 0; more[i]; i++) {
        g_autoptr(Cancel) cancel = cancel_new(NULL);
        g_autofree char *url = g_strconcat(more[i]->name, "://x", NULL);
        g_autoptr(json_t) arguments = json_pack("{s:s}", "path", url);
        const ToolCallSpec spec = { .tool = &tool_read,
                                    .arguments = arguments,
                                    .context = fixture->context,
                                    .door = &agent_door,
                                    .cancel = cancel };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(url, text, want[i]);
    }
}

/* A resource is paged like a file, and its name in messages is "resource". */
static bool resolve_lines(ToolCall *call G_GNUC_UNUSED, const InternalUrl *url G_GNUC_UNUSED,
                          UrlResource *ret_resource, GError **error G_GNUC_UNUSED)
{
    GString *text = g_string_new("l1");
    for (int i = 2; i <= 1000; i++)
        g_string_append_printf(text, "\nl%d", i);
    url_resource_set_text(ret_resource, g_string_free(text, FALSE), "text/markdown");
    url_resource_add_note(ret_resource, "From far away");
    ret_resource->is_extract = *url->host == 'e';
    ret_resource->is_whole = *url->host == 'w';
    return true;
}

static void test_pages(void **state G_GNUC_UNUSED)
{
    static const UrlScheme lines = { .name = "lines", .resolve = resolve_lines };
    static const UrlScheme *const more[] = { &lines, NULL };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    tool_context_add_schemes(fixture->context, more);
    static const struct {
        const char *path, *want; // the end
    } cases[] = {
        { "lines://x",
          "\nl500\n\n[Showing lines 1-500 of 1000. Use :501 to continue]\n[From far away]" },
        { "lines://x:999", "l996\nl997\nl998\nl999\nl1000\n\n[From far away]" },
        { "lines://x:1-1",
          "l1\nl2\nl3\nl4\n\n[996 more lines in resource. Use :5 to continue]\n\n[From far away]" },
        { "lines://x:2000", "Line 2000 is beyond end of resource (1000 lines total). Use :1 to "
                            "read from the start, or :1000 to read the last line.\n\n[From far "
                            "away]" },
        { "lines://whole", "\nl999\nl1000\n\n[From far away]" },
        { "lines://extract", "\nl999\nl1000\n\n[From far away]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = read_text(fixture, cases[i].path);
        if (!g_str_has_suffix(got, cases[i].want))
            fail_msg("%s: %s", cases[i].path, got);
    }
    g_autofree char *both = read_error(fixture, "lines://extract:5");
    assert_text("a part of a part", both, "Cannot combine query extraction with offset/limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),   cmocka_unit_test(test_parse_errors),
        cmocka_unit_test(test_long),    cmocka_unit_test(test_relative_path),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_later_scheme),
        cmocka_unit_test(test_judged),  cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
