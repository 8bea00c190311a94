/* The write tool: what ends up in the file, and which files are left alone. */
#include "url_fixture.h"

#include "tools/edit/edit_mode.h"
#include "tools/tools.h"

#include <sys/stat.h>
#include <sys/time.h>

static json_t *write_args(const char *path, const char *content)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "path", path);
    json_set_text(arguments, "content", content);
    return arguments;
}

static void test_write(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path, *content, *want, *file; // file: where it ends up
    } cases[] = {
        { "tools-T35: bytes, and parents made", "n/m/x.txt", "é\n",
          "Successfully wrote 3 bytes to n/m/x.txt", "n/m/x.txt" },
        { "replaced", "n/m/x.txt", "b", "Successfully wrote 1 bytes to n/m/x.txt", "n/m/x.txt" },
        { "empty", "e", "", "Successfully wrote 0 bytes to e", "e" },
        { "as it is", "crlf",
          "\xef\xbb\xbf"
          "a\r\nb\rc\n",
          "Successfully wrote 10 bytes to crlf", "crlf" },
        { "quoted", "'q f'", "a", "Successfully wrote 1 bytes to q f", "q f" },
        { "a name like the guard's, new", "new.pb.go", "a",
          "Successfully wrote 1 bytes to new.pb.go", "new.pb.go" },
        { "through a link", "link", "linked", "Successfully wrote 6 bytes to link", "e" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *link = g_build_filename(fixture->cwd, "link", NULL);
    assert_int_equal(symlink("e", link), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text =
            tool_fixture_text(fixture, &tool_write, write_args(cases[i].path, cases[i].content));
        assert_text(cases[i].name, text, cases[i].want);
        g_autofree char *path = g_build_filename(fixture->cwd, cases[i].file, NULL);
        g_autofree char *content = NULL;
        assert_true(g_file_get_contents(path, &content, NULL, NULL));
        assert_text(cases[i].name, content, cases[i].content);
    }
    assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
}

static void test_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const struct {
        const char *content, *op, *diff; // of what was replaced; a new file is in the call
    } writes[] = {
        { "a\nb\n", "create", NULL },
        { "a\nB\nc\n", "update", " 1|a\n-2|b\n+2|B\n+3|c" },
        { "a\nB\nc\n", "update", "" },
        { "", "update", "-1|a\n-2|B\n-3|c" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(writes); i++) {
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_write, write_args("f", writes[i].content), &result);
        assert_string_equal(json_get_text(result.details, "op"), writes[i].op);
        const char *diff = json_get_text(result.details, "diff");
        if (g_strcmp0(diff, writes[i].diff) != 0)
            fail_msg("%zu: got '%s', want '%s'", i, diff, writes[i].diff);
    }
    g_auto(ToolResult) binary = { 0 };
    g_autofree char *path = g_build_filename(fixture->cwd, "f", NULL);
    assert_true(g_file_set_contents(path, "\xff\x00", 2, NULL));
    tool_fixture_call(fixture, &tool_write, write_args("f", "a"), &binary);
    if (binary.details && json_get_text(binary.details, "op"))
        assert_null(json_get_text(binary.details, "diff"));
}

static void test_mode(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f", "a");
    g_autofree char *path = g_build_filename(fixture->cwd, "f", NULL);
    assert_int_equal(chmod(path, 0751), 0);
    g_autofree char *text G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("f", "b"));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0751); // tools-T35
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "api.pb.go", "old");
    tool_fixture_put(fixture, "d/f", "");
    g_autofree char *generated =
        tool_fixture_error(fixture, &tool_write, write_args("api.pb.go", "new"));
    assert_text(
        "tools-T37", generated,
        "Cannot modify auto-generated file: api.pb.go\n\n"
        "This file appears to be automatically generated (detected marker: \"api.pb.go\").\n"
        "Auto-generated files should not be edited directly. Instead:\n"
        "1. Find the source file or generator configuration\n"
        "2. Make changes to the source\n"
        "3. Regenerate the file");
    g_autofree char *directory = tool_fixture_error(fixture, &tool_write, write_args("d", "new"));
    assert_string_equal(directory, "Not a regular file: d (directory)");
    g_autofree char *below = tool_fixture_error(fixture, &tool_write, write_args("d/f/g", "new"));
    assert_contains("below a file", below, "Not a directory");

    g_autoptr(ToolFixture) open = tool_fixture_new("{'edit':{'blockAutoGenerated':false}}", false);
    tool_fixture_put(open, "api.pb.go", "old");
    g_autofree char *allowed = tool_fixture_text(open, &tool_write, write_args("api.pb.go", "new"));
    assert_text("allowed by the setting", allowed, "Successfully wrote 3 bytes to api.pb.go");
}

/* A URL is no path: nothing is made that is named like a scheme. */
/* What is the conversation's own is for its user alone, whatever the umask is. */
static void test_own_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    mode_t before = umask(0);
    g_autofree char *own G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("local://deep/notes.md", "b"));
    g_autofree char *plain G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("new/file", "b"));
    umask(before);
    const char *dir = artifacts_dir(tool_context_artifacts(fixture->context));
    g_autofree char *file = g_build_filename(dir, "local", "deep", "notes.md", NULL);
    g_autofree char *folder = g_path_get_dirname(file);
    g_autofree char *others = g_build_filename(fixture->cwd, "new", "file", NULL);
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(stat(others, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0666);
}

static void test_urls(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "artifact://1", "Cannot write artifact://1: artifact:// is read-only." },
        { "issue://1", "Cannot write issue://1: issue:// is read-only." },
        { "pr://1", "Cannot write pr://1: pr:// is read-only." },
        { "AGENT://0-A", "Cannot write AGENT://0-A: agent:// is read-only." },
        { "artifact:/1", "Invalid URL: artifact:/1 (it begins with artifact://)" },
        { "Local:", "Invalid URL: Local: (it begins with Local://)" },
        { "jobs://1", "Cannot write jobs://1: jobs:// is read-only." },
        { "docs://x", "Cannot write docs://x: docs:// is read-only." },
        { "memory://root/x", "Cannot write memory://root/x: memory:// is read-only." },
        { "https://example.com/x", "Cannot write https://example.com/x: https:// is read-only." },
        { " 'artifact://1'", "Cannot write artifact://1: artifact:// is read-only." },
        { "nope://x", "Unknown protocol: nope://\nSupported: " URL_FIXTURE_SUPPORTED },
        { "/dev/null", "Not a regular file: /dev/null (character device)" },
        { "/proc/self/mem", "Refused: /proc/self/mem can hold secrets of other programs." },
    };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) { // tools-T178
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_write, write_args(cases[i].path, "x"));
        assert_text(cases[i].path, text, cases[i].want);
        json_t *edits = json_pack("{s:s, s:[{s:s, s:s}]}", "path", cases[i].path, "edits",
                                  "old_text", "a", "new_text", "b");
        g_autofree char *edited = tool_fixture_error(fixture, &tool_edit_replace, edits);
        assert_text(cases[i].path, edited, cases[i].want);
    }
    g_autoptr(GDir) dir = g_dir_open(fixture->cwd, 0, NULL);
    assert_null(g_dir_read_name(dir));
    g_autofree char *uri = g_strdup_printf("file://%s/u.txt", fixture->cwd);
    g_autofree char *text = tool_fixture_text(fixture, &tool_write, write_args(uri, "x"));
    assert_string_equal(text, "Successfully wrote 1 bytes to u.txt");
}

static void test_changed_meanwhile(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.txt", "one\n");
    // what the conversation never saw is not compared
    g_autofree char *first G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("a.txt", "two\n"));
    tool_fixture_put(fixture, "a.txt", "somebody else's\n");
    g_autofree char *refused =
        tool_fixture_error(fixture, &tool_write, write_args("a.txt", "three\n")); // tools-T159
    assert_string_equal(refused, "Refused: a.txt changed on disk since you last read or wrote it. "
                                 "Read it again, then repeat the call.");
    g_autofree char *path = g_build_filename(fixture->cwd, "a.txt", NULL);
    g_autofree char *kept = NULL;
    assert_true(g_file_get_contents(path, &kept, NULL, NULL));
    assert_string_equal(kept, "somebody else's\n");
    g_autofree char *again G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("a.txt", "three\n"));
    assert_int_equal(utimes(path, NULL), 0); // tools-T160: touch
    g_autofree char *touched G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("a.txt", "four\n"));
    assert_int_equal(unlink(path), 0); // gone: nothing is lost by writing it
    g_autofree char *anew G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_write, write_args("a.txt", "five\n"));
}

/* A lenient reading of a name makes a new file, or says what is there: it replaces nothing. */
static void test_replaces_no_other_name(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *other; // what a lenient reading leads to
    } cases[] = {
        { "@types/a.ts", "types/a.ts" },
        { "@types/new.ts", "types/new.ts" },
        { "@b", "b" },
        { "'b'", "b" },
        { " b", "b" },
        { "c\\ d", "c d" },
        { "c\xc2\xa0"
          "d",
          "c d" },
        { "~/e", "e" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "@types/a.ts", "literal");
        tool_fixture_put(fixture, "~/e", "literal");
        tool_fixture_put(fixture, cases[i].other, "other");
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_write, write_args(cases[i].path, "new"), &result);
        g_autofree char *path = g_build_filename(fixture->cwd, cases[i].other, NULL);
        g_autofree char *kept = NULL;
        assert_true(g_file_get_contents(path, &kept, NULL, NULL));
        assert_text(cases[i].path, kept, "other");
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error)
            assert_contains(cases[i].path, text, "is not replaced under another name");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_mode),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_own_files),
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_changed_meanwhile),
        cmocka_unit_test(test_replaces_no_other_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
