/* The modes patch and apply_patch: what happens to files, what is left alone, and what is said. */
#include "tool_fixture.h"

#include "tools/edit/edit_mode.h"
#include "tools/file/seen_files.h"
#include "tools/tools.h"

#include <sys/stat.h>
#include <unistd.h>

/* What the file holds; "-" when there is none. Caller frees. */
static char *file_text(const ToolFixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("-");
}

static void assert_file(const ToolFixture *fixture, const char *name, const char *want)
{
    g_autofree char *got = file_text(fixture, name);
    assert_text(name, got, want);
}

static json_t *patch_of(const char *path, const char *edits)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "path", path);
    json_set_take(arguments, "edits", json_of(edits));
    return arguments;
}

/* The body of a patch, without its first and last line. */
static json_t *input_of(const char *body)
{
    json_t *arguments = json_object();
    g_autofree char *input = g_strconcat("*** Begin Patch\n", body, "*** End Patch\n", NULL);
    json_set_text(arguments, "input", input);
    return arguments;
}

static void put_three(const ToolFixture *fixture)
{
    tool_fixture_put(fixture, "a", "one\ntwo\n");
    tool_fixture_put(fixture, "b", "three\nfour\n");
    tool_fixture_put(fixture, "c", "five\nsix\n");
}

typedef struct Files { // after the call; NULL: as before
    const char *a, *b, *c, *d;
} Files;

static void check_files(const ToolFixture *fixture, const Files *want)
{
    assert_file(fixture, "a", want->a ? want->a : "one\ntwo\n");
    assert_file(fixture, "b", want->b ? want->b : "three\nfour\n");
    assert_file(fixture, "c", want->c ? want->c : "five\nsix\n");
    assert_file(fixture, "d", want->d ? want->d : "-");
}

static void check_call(const char *name, const ToolDef *tool, const char *settings,
                       json_t *arguments, bool is_error, const char *want, const Files *files)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(settings, false);
    g_auto(ToolResult) result = { 0 };
    put_three(fixture);
    tool_fixture_call(fixture, tool, arguments, &result);
    g_autofree char *text = tool_result_text(&result);
    assert_text(name, text, want);
    if (result.is_error != is_error)
        fail_msg("%s: is_error %d", name, result.is_error);
    check_files(fixture, files);
}

static void test_patch(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path, *edits;
        bool is_error;
        const char *text;
        Files after;
    } cases[] = {
        { "tools-T54: create",
          "d",
          "[{'op':'create','diff':'+x\\n+\\n+  y'}]",
          false,
          "Created d",
          { .d = "x\n\n  y\n" } },
        { "tools-T54: delete", "a", "[{'op':'delete'}]", false, "Deleted a", { .a = "-" } },
        { "tools-T54: move",
          "a",
          "[{'rename':'d','diff':'@@\\n-one\\n+ONE'}]",
          false,
          "Updated and moved a to d",
          { .a = "-", .d = "ONE\ntwo\n" } },
        { "create with a blank behind every mark",
          "d",
          "[{'op':'create','diff':'+ x\\n+\\n+   y'}]",
          false,
          "Created d",
          { .d = "x\n\n  y\n" } },
        { "create without marks",
          "d",
          "[{'op':'create','diff':'x\\n+y'}]",
          false,
          "Created d",
          { .d = "x\n+y\n" } },
        { "create over a file",
          "a",
          "[{'op':'create','diff':'new'}]",
          false,
          "Replaced all of a",
          { .a = "new\n" } },
        { "create without content",
          "d",
          "[{'op':'create'}]",
          true,
          "Create operation requires diff (file content)",
          { 0 } },
        { "create and rename",
          "d",
          "[{'op':'create','diff':'x','rename':'e'}]",
          true,
          "A file that is created cannot be renamed: create e",
          { 0 } },
        { "delete and rename",
          "a",
          "[{'op':'delete','rename':'e'}]",
          true,
          "A file cannot be deleted and renamed at once",
          { 0 } },
        { "delete what is not there", "d", "[{'op':'delete'}]", true, "File not found: d", { 0 } },
        { "update what is not there",
          "d",
          "[{'diff':'@@\\n-a\\n+b'}]",
          true,
          "File not found: d",
          { 0 } },
        { "no diff",
          "a",
          "[{'op':'update'}]",
          true,
          "Update operation requires diff (hunks)",
          { 0 } },
        { "only a new name",
          "a",
          "[{'rename':'d'}]",
          true,
          "Update operation requires diff (hunks)",
          { 0 } },
        { "the same name",
          "a",
          "[{'rename':'./a','diff':'@@\\n-one\\n+ONE'}]",
          true,
          "rename path is the same as source path",
          { 0 } },
        { "onto a file",
          "a",
          "[{'rename':'b','diff':'@@\\n-one\\n+ONE'}]",
          true,
          "Cannot move a to b: b already exists. Delete it first, or choose another name.",
          { 0 } },
        { "a name that is a URL",
          "a",
          "[{'rename':'issue://1','diff':'@@\\n-one\\n+ONE'}]",
          true,
          "Unknown protocol: issue://\nSupported: none",
          { 0 } },
        { "nothing changes",
          "a",
          "[{'diff':'@@\\n one\\n two'}]",
          false,
          "Edits to a resulted in no changes being made.",
          { 0 } },
        { "several",
          "a",
          "[{'diff':'@@\\n-one\\n+ONE'},{'diff':'@@\\n-two\\n+TWO\\n+three'}]",
          false,
          "Updated a\nUpdated a",
          { .a = "ONE\nTWO\nthree\n" } },
        { "several, one fails",
          "a",
          "[{'diff':'@@\\n-one\\n+ONE'},{'diff':'@@ no\\n-two\\n+TWO'},{'op':'delete'}]",
          true,
          "Edit 2 of 3: Failed to find context 'no' in a\nNone of the 3 edits was made.",
          { 0 } },
        { "changed, then deleted",
          "a",
          "[{'diff':'@@\\n-one\\n+ONE'},{'op':'delete'}]",
          false,
          "Updated a\nDeleted a",
          { .a = "-" } },
        { "deleted, then made anew",
          "a",
          "[{'op':'delete'},{'op':'create','diff':'x'}]",
          false,
          "Deleted a\nCreated a",
          { .a = "x\n" } },
        { "made, then deleted",
          "d",
          "[{'op':'create','diff':'x'},{'op':'delete'}]",
          false,
          "Created d\nDeleted d",
          { 0 } },
        { "moved, then looked for",
          "a",
          "[{'rename':'d','diff':'@@\\n-one\\n+ONE'},{'diff':'@@\\n-two\\n+TWO'}]",
          true,
          "Edit 2 of 2: File not found: a\nNone of the 2 edits was made.",
          { 0 } },
        { "made, changed, and moved",
          "d",
          "[{'op':'create','diff':'x'},{'diff':'@@\\n-x\\n+y'},{'rename':'sub/"
          "e','diff':'@@\\n-y\\n+z'}]",
          false,
          "Created d\nUpdated d\nUpdated and moved d to sub/e",
          { 0 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_call(cases[i].name, &tool_edit_patch, NULL, patch_of(cases[i].path, cases[i].edits),
                   cases[i].is_error, cases[i].text, &cases[i].after);
}

#define UPDATE_A "*** Update File: a\n@@\n-one\n+ONE\n"
#define UPDATE_C "*** Update File: c\n@@\n-five\n+FIVE\n"
#define BAD_B    "*** Update File: b\n@@ none\n-x\n+y\n"

static void test_apply(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings, *body;
        bool is_error;
        const char *text;
        Files after;
    } cases[] = {
        { "three",
          NULL,
          UPDATE_A "*** Add File: d\n+x\n*** Delete File: b\n",
          false,
          "Updated a\nCreated d\nDeleted b",
          { .a = "ONE\ntwo\n", .b = "-", .d = "x\n" } },
        { "one of three fails",
          NULL,
          UPDATE_A BAD_B UPDATE_C,
          true,
          "Error editing b: Failed to find context 'none' in b\nNone of the 3 changes was made.",
          { 0 } },
        { "each for itself",
          "{'edit':{'atomic':false}}",
          UPDATE_A BAD_B UPDATE_C,
          true,
          "Updated a\nError editing b: Failed to find context 'none' in b\nUpdated c",
          { .a = "ONE\ntwo\n", .c = "FIVE\nsix\n" } },
        { "each for itself, but those of one file",
          "{'edit':{'atomic':false}}",
          UPDATE_A BAD_B "*** Update File: b\n@@\n-three\n+3\n",
          true,
          "Updated a\nError editing b: Failed to find context 'none' in b\n"
          "Error editing b: left as it was, because of b",
          { .a = "ONE\ntwo\n" } },
        { "each for itself, but what a move connects",
          "{'edit':{'atomic':false}}",
          "*** Update File: a\n*** Move to: d\n@@\n-one\n+ONE\n*** Update File: ./d\n@@ none\n-x\n"
          "+y\n" UPDATE_C,
          true,
          "Error editing a: left as it was, because of ./d\n"
          "Error editing ./d: Failed to find context 'none' in d\nUpdated c",
          { .c = "FIVE\nsix\n" } },
        { "each for itself, and none",
          "{'edit':{'atomic':false}}",
          BAD_B "*** Delete File: d\n",
          true,
          "Error editing b: Failed to find context 'none' in b\nError editing d: File not found: "
          "d\n"
          "None of the 2 changes was made.",
          { 0 } },
        { "one fails alone", NULL, BAD_B, true, "Failed to find context 'none' in b", { 0 } },
        { "the same file twice",
          NULL,
          UPDATE_A "*** Update File: a\n@@\n-two\n+TWO\n",
          false,
          "Updated a\nUpdated a",
          { .a = "ONE\nTWO\n" } },
        { "moved, then changed",
          NULL,
          "*** Update File: a\n*** Move to: d\n@@\n-one\n+ONE\n*** Update File: "
          "d\n@@\n-two\n+TWO\n",
          false,
          "Updated and moved a to d\nUpdated d",
          { .a = "-", .d = "ONE\nTWO\n" } },
        { "moved as it is, then changed",
          NULL,
          "*** Update File: a\n*** Move to: d\n@@\n one\n*** Update File: d\n@@\n-two\n+TWO\n",
          false,
          "Updated and moved a to d\nUpdated d",
          { .a = "-", .d = "one\nTWO\n" } },
        { "moved as it is, and another in its place",
          NULL,
          "*** Update File: a\n*** Move to: d\n@@\n one\n*** Add File: a\n+new\n",
          false,
          "Updated and moved a to d\nCreated a",
          { .a = "new\n", .d = "one\ntwo\n" } },
        { "moved, and another in its place",
          NULL,
          "*** Update File: a\n*** Move to: d\n@@\n-one\n+ONE\n*** Add File: a\n+new\n",
          false,
          "Updated and moved a to d\nCreated a",
          { .a = "new\n", .d = "ONE\ntwo\n" } },
        { "onto what is deleted before",
          NULL,
          "*** Delete File: b\n*** Update File: a\n*** Move to: b\n@@\n-one\n+ONE\n",
          false,
          "Deleted b\nUpdated and moved a to b",
          { .a = "-", .b = "ONE\ntwo\n" } },
        { "onto what is deleted behind",
          NULL,
          "*** Update File: a\n*** Move to: b\n@@\n-one\n+ONE\n*** Delete File: b\n",
          true,
          "Error editing a: Cannot move a to b: b already exists. Delete it first, or choose "
          "another "
          "name.\nNone of the 2 changes was made.",
          { 0 } },
        { "onto what is made before",
          NULL,
          "*** Add File: d\n+x\n*** Update File: a\n*** Move to: d\n@@\n-one\n+ONE\n",
          true,
          "Error editing a: Cannot move a to d: d already exists. Delete it first, or choose "
          "another "
          "name.\nNone of the 2 changes was made.",
          { 0 } },
        { "an exchange of names",
          NULL,
          "*** Update File: a\n*** Move to: d\n@@\n-one\n+ONE\n*** Update File: b\n*** Move to: "
          "a\n@@\n"
          "-three\n+3\n*** Update File: d\n*** Move to: b\n@@\n-two\n+TWO\n",
          false,
          "Updated and moved a to d\nUpdated and moved b to a\nUpdated and moved d to b",
          { .a = "3\nfour\n", .b = "ONE\nTWO\n" } },
        { "a new file in full, of lines with a plus",
          NULL,
          "*** Add File: d\n++x\n+ y\n",
          false,
          "Created d",
          { .d = "+x\n y\n" } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_call(cases[i].name, &tool_edit_apply_patch, cases[i].settings,
                   input_of(cases[i].body), cases[i].is_error, cases[i].text, &cases[i].after);
}

/* Bytes that no hunk names stay as they are. */
static void test_bytes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *before, *after;
    } cases[] = {
        { "CRLF", "a\r\none\r\nb\r\n", "a\r\nTWO\r\nb\r\n" },
        { "CRLF, no newline at the end", "a\r\none", "a\r\nTWO" },
        { "BOM", "\xef\xbb\xbfone\nb\n", "\xef\xbb\xbfTWO\nb\n" },
        { "no newline at the end", "a\none", "a\nTWO" },
        { "invalid UTF-8", "\xff\none\n", "\xff\nTWO\n" },
        { "a lone CR", "a\rb\none\n", "a\rb\nTWO\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "f", cases[i].before);
        g_autofree char *text = tool_fixture_text(fixture, &tool_edit_patch,
                                                  patch_of("f", "[{'diff':'@@\\n-one\\n+TWO'}]"));
        assert_text(cases[i].name, text, "Updated f");
        assert_file(fixture, "f", cases[i].after);
    }
}

static void test_binary(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put_bytes(fixture, "f", "a\0b\n", 4);
    g_autofree char *update =
        tool_fixture_error(fixture, &tool_edit_patch, patch_of("f", "[{'diff':'@@\\n-a\\n+b'}]"));
    assert_string_equal(update, "Cannot edit binary file: f");
    g_autofree char *text =
        tool_fixture_text(fixture, &tool_edit_patch, patch_of("f", "[{'op':'delete'}]"));
    assert_string_equal(text, "Deleted f");
    assert_file(fixture, "f", "-");
}

/* A move keeps what the file is. */
static void test_mode_stays(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f", "one\n");
    g_autofree char *from = g_build_filename(fixture->cwd, "f", NULL);
    g_autofree char *to = g_build_filename(fixture->cwd, "x", "y", "g", NULL);
    assert_int_equal(chmod(from, 0751), 0);
    g_autofree char *text = tool_fixture_text(
        fixture, &tool_edit_patch, patch_of("f", "[{'rename':'x/y/g','diff':'@@\\n-one\\n+two'}]"));
    assert_string_equal(text, "Updated and moved f to x/y/g");
    struct stat info;
    assert_int_equal(stat(to, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0751);
    assert_int_equal(access(from, F_OK), -1);
}

static void test_links(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_three(fixture);
    g_autofree char *link = g_build_filename(fixture->cwd, "link", NULL);
    assert_int_equal(symlink("a", link), 0);
    g_autofree char *moved = tool_fixture_error(
        fixture, &tool_edit_patch, patch_of("link", "[{'rename':'d','diff':'@@\\n-one\\n+ONE'}]"));
    assert_string_equal(moved,
                        "Cannot move link: it is a symbolic link. Edit the file that it leads to.");
    // two names of one file: the second change works on what the first has made
    g_autofree char *both = tool_fixture_text(
        fixture, &tool_edit_apply_patch,
        input_of(UPDATE_A "*** Update File: link\n@@\n-two\n+TWO\n*** Delete File: link\n"));
    assert_string_equal(both, "Updated a\nUpdated link\nDeleted link");
    assert_file(fixture, "a", "ONE\nTWO\n");
    assert_false(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
}

/* A link that the call replaces leads nowhere any more. */
static void test_replaced_link(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *body, *text, *link, *leads_to;
    } cases[] = {
        { "by what is moved",
          "*** Delete File: link\n*** Update File: b\n*** Move to: link\n@@\n-three\n+3\n" UPDATE_A,
          "Deleted link\nUpdated and moved b to link\nUpdated a", "3\nfour\n", "ONE\ntwo\n" },
        { "by what is new",
          "*** Delete File: link\n*** Add File: link\n+x\n*** Update File: link\n@@\n-x\n+y\n"
          "*** Update File: a\n@@\n-two\n+TWO\n",
          "Deleted link\nCreated link\nUpdated link\nUpdated a", "y\n", "one\nTWO\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        put_three(fixture);
        g_autofree char *link = g_build_filename(fixture->cwd, "link", NULL);
        assert_int_equal(symlink("a", link), 0);
        g_autofree char *text =
            tool_fixture_text(fixture, &tool_edit_apply_patch, input_of(cases[i].body));
        assert_text(cases[i].name, text, cases[i].text);
        assert_false(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
        assert_file(fixture, "link", cases[i].link);
        assert_file(fixture, "a", cases[i].leads_to);
    }
}

static void test_guards(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f.go", "// Code generated by stringer\na\n");
    static const char *const edits[] = { "[{'diff':'@@\\n-a\\n+b'}]", "[{'op':'delete'}]",
                                         "[{'op':'create','diff':'x'}]",
                                         "[{'rename':'g','diff':'@@\\n-a\\n+b'}]" };
    for (size_t i = 0; i < G_N_ELEMENTS(edits); i++) {
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_edit_patch, patch_of("f.go", edits[i]));
        assert_contains(edits[i], text, "Cannot modify auto-generated file: f.go\n");
    }
    assert_file(fixture, "f.go", "// Code generated by stringer\na\n");
    g_autofree char *directory =
        tool_fixture_error(fixture, &tool_edit_patch, patch_of(".", "[{'op':'delete'}]"));
    assert_string_equal(directory, "Not a regular file: . (directory)");
    g_autofree char *secret = tool_fixture_error(
        fixture, &tool_edit_patch, patch_of("/proc/self/environ", "[{'op':'delete'}]"));
    assert_string_equal(secret, "Refused: /proc/self/environ can hold secrets of other programs.");
    g_autofree char *url = tool_fixture_error(
        fixture, &tool_edit_patch, patch_of("issue://1", "[{'op':'create','diff':'x'}]"));
    assert_string_equal(url, "Unknown protocol: issue://\nSupported: none");
}

/* Refused once, whatever is to be done to it; the other files of the call stay as they are. */
static void test_changed_meanwhile(void **state G_GNUC_UNUSED)
{
    static const char *const bodies[] = { UPDATE_C UPDATE_A, UPDATE_C "*** Delete File: a\n",
                                          UPDATE_C "*** Add File: a\n+x\n",
                                          UPDATE_C
                                          "*** Update File: a\n*** Move to: d\n@@\n-two\n+TWO\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        put_three(fixture);
        json_t *arguments = json_object();
        json_set_text(arguments, "path", "a");
        g_autofree char *seen = tool_fixture_text(fixture, &tool_read, arguments);
        assert_contains(bodies[i], seen, "two");
        tool_fixture_put(fixture, "a", "one\ntwo\nthree\n");
        g_autofree char *refused =
            tool_fixture_error(fixture, &tool_edit_apply_patch, input_of(bodies[i]));
        assert_string_equal(refused,
                            "Error editing a: Refused: a changed on disk since you last read or "
                            "wrote it. Read it again, then repeat the call.\n"
                            "None of the 2 changes was made.");
        const Files untouched = { .a = "one\ntwo\nthree\n" };
        check_files(fixture, &untouched);
        g_autofree char *again =
            tool_fixture_text(fixture, &tool_edit_apply_patch, input_of(bodies[i]));
        assert_contains(bodies[i], again, "Updated c\n");
        assert_file(fixture, "c", "FIVE\nsix\n");
    }
}

/* What cannot be written is said, with what was and what was not. */
static void test_broken_off(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_three(fixture);
    tool_fixture_put(fixture, "file", "x\n");
    g_autofree char *text = tool_fixture_error(
        fixture, &tool_edit_apply_patch,
        input_of(UPDATE_A "*** Delete File: b\n*** Add File: file/below\n+x\n" UPDATE_C));
    assert_contains("broken off", text, "file");
    assert_contains("broken off", text,
                    "\nDone before that: wrote a, deleted b\nNot done: write file/below, write c");
    const Files after = { .a = "ONE\ntwo\n", .b = "-" };
    check_files(fixture, &after);
}

static void test_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new("{'edit':{'atomic':false}}", false);
    put_three(fixture);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_edit_apply_patch,
                      input_of(UPDATE_A BAD_B "*** Update File: c\n*** Move to: d\n@@\n-six\n+6\n"),
                      &result);
    g_autoptr(json_t) want =
        json_of("{'diff':'@@ -1,2 +1,2 @@\\n-1|one\\n+1|ONE\\n 2|two\\n@@ -1,2 +1,2 @@\\n "
                "1|five\\n-2|six\\n"
                "+2|6','firstChangedLine':1,'perFileResults':[{'path':'a','op':'update','"
                "firstChangedLine':1,"
                "'diff':'@@ -1,2 +1,2 @@\\n-1|one\\n+1|ONE\\n 2|two'},{'path':'b','isError':true},"
                "{'path':'c','op':'update','move':'d','firstChangedLine':2,"
                "'diff':'@@ -1,2 +1,2 @@\\n 1|five\\n-2|six\\n+2|6'}]}");
    if (!json_equal(result.details, want))
        fail_msg("%s", json_to_text(result.details));
}

/* What a new file replaces is seen. */
static void test_replaced_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_three(fixture);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_edit_patch,
                      patch_of("a", "[{'op':'create','diff':'one\\n2'}]"), &result);
    g_autoptr(json_t) want = json_of("{'op':'update','firstChangedLine':2,"
                                     "'diff':'@@ -1,2 +1,2 @@\\n 1|one\\n-2|two\\n+2|2'}");
    if (!json_equal(result.details, want))
        fail_msg("%s", json_to_text(result.details));
}

/* A lenient reading of a name may be changed, but not replaced or deleted. */
static void test_other_names(void **state G_GNUC_UNUSED)
{
    static const char *const bodies[] = { "*** Add File: @a\n+new\n", "*** Delete File: @a\n",
                                          "*** Add File: \"a\"\n+new\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        put_three(fixture);
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_edit_apply_patch, input_of(bodies[i]));
        assert_contains(bodies[i], text, "is not replaced under another name");
        check_files(fixture, &(Files) { 0 });
    }
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_three(fixture);
    g_autofree char *text G_GNUC_UNUSED = tool_fixture_text(
        fixture, &tool_edit_apply_patch, input_of("*** Update File: @a\n@@\n-two\n+TWO\n"));
    check_files(fixture, &(Files) { .a = "one\nTWO\n" });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_mode_stays),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_replaced_link),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_changed_meanwhile),
        cmocka_unit_test(test_broken_off),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_replaced_details),
        cmocka_unit_test(test_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
