/* Anchors that ast_grep and ast_edit show: edit takes them. With the real ast-grep where the person
   has it (else that is skipped and said), and with a program that plays one. */
#include "tool_fixture.h"

#include "tool/tool_set.h"
#include "tools/ast/ast_search.h"
#include "tools/edit/edit_mode.h"
#include "tools/file/hashline.h"
#include "tools/file/read_cache.h"
#include "tools/tools.h"

#include <sys/stat.h>

static bool has_ast_grep(void)
{
    g_autofree char *program = ast_program("/");
    if (!program)
        print_message("SKIP: ast-grep is not on PATH\n");
    return program != NULL;
}

static ToolFixture *anchor_fixture(void)
{
    static const ToolDef *const table[] = { &tool_read,    &tool_ast_grep,      &tool_ast_edit,
                                            &tool_resolve, &tool_edit_hashline, NULL };
    ToolFixture *self = tool_fixture_new(NULL, false);
    self->tools = tool_set_new(table);
    return self;
}

static void assert_file(const ToolFixture *fixture, const char *name, const char *want)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    assert_text(name, text, want);
}

static char *anchor_of(size_t number, const char *line)
{
    char letters[HASHLINE_LETTERS + 1];
    hashline_letters(number, line, strlen(line), letters);
    return g_strdup_printf("%zu%s", number, letters);
}

/* An edit by the first anchor behind `mark` in a text, which is to be accepted. */
static void edit_by_anchor(const ToolFixture *fixture, const char *shown, const char *mark,
                           const char *file, const char *line)
{
    const char *at = strstr(shown, mark);
    assert_non_null(at);
    g_autofree char *anchor = g_strndup(at + strlen(mark), strcspn(at + strlen(mark), "|"));
    g_autofree char *input = g_strdup_printf("@@ %s\n= %s..%s\n~%s", file, anchor, anchor, line);
    json_t *arguments = json_object();
    json_set_text(arguments, "input", input);
    g_free(tool_fixture_text(fixture, &tool_edit_hashline, arguments));
}

/* tools-T183 */
static void test_search(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = anchor_fixture();
    tool_fixture_put(fixture, "a.ts", "foo(1);\nclass A {\n  m() {\n    return foo(2);\n  }\n}\n");
    g_autofree char *text =
        tool_fixture_text(fixture, &tool_ast_grep, json_of("{'pat':'foo($A)','paths':['.']}"));
    g_autofree char *first = anchor_of(1, "foo(1);");
    g_autofree char *second = anchor_of(4, "    return foo(2);");
    g_autofree char *want = g_strdup_printf("# a.ts\n*%s|foo(1);\n  meta: A=1\n*%s|    return "
                                            "foo(2);\n  meta: A=2",
                                            first, second);
    assert_text("whole lines", text, want);
    edit_by_anchor(fixture, text, "\n*", "a.ts", "bar(1);");
    assert_file(fixture, "a.ts", "bar(1);\nclass A {\n  m() {\n    return foo(2);\n  }\n}\n");
}

/* The lines that go are named as they are, those that come as they will be. */
static void test_rewrite(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = anchor_fixture();
    tool_fixture_put(fixture, "a.ts", "\xef\xbb\xbfx = 1;\r\n  foo(1);\r\nlet y = foo(2);\r\n");
    g_autofree char *text =
        tool_fixture_text(fixture, &tool_ast_edit,
                          json_of("{'ops':[{'pat':'foo($A)','out':'b(\\n$A)'}],'paths':['.']}"));
    g_autofree char *gone1 = anchor_of(2, "  foo(1);"), *comes1 = anchor_of(2, "  b(");
    g_autofree char *gone2 = anchor_of(3, "let y = foo(2);"), *comes2 = anchor_of(4, "let y = b(");
    g_autofree char *want = g_strdup_printf("# a.ts (2 replacements)\n-%s|  foo(1);\n+%s|  b(\n"
                                            "-%s|let y = foo(2);\n+%s|let y = b(",
                                            gone1, comes1, gone2, comes2);
    assert_text("preview", text, want);
    g_free(tool_fixture_text(fixture, &tool_resolve, json_of("{'action':'apply','reason':'x'}")));
    g_autofree char *there = NULL;
    g_autofree char *path = g_build_filename(fixture->cwd, "a.ts", NULL);
    assert_true(g_file_get_contents(path, &there, NULL, NULL));
    assert_contains("applied", there, "let y = b(\r\n");
    const char *second = strstr(text, "let y = b(");
    assert_non_null(second);
    edit_by_anchor(fixture, strstr(text, "foo(2)"), "\n+", "a.ts", "let z = b(");
    g_autofree char *after = NULL;
    assert_true(g_file_get_contents(path, &after, NULL, NULL));
    assert_contains("edited", after, "let z = b(\r\n");
}

/* What an applied rewrite has made is known: a range over it is no surprise. */
static void test_applied(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = anchor_fixture();
    tool_fixture_put(fixture, "a.ts", "a();\nfoo(1);\nb();\nc();\n");
    g_free(tool_fixture_text(fixture, &tool_read, json_of("{'path':'a.ts'}")));
    g_free(
        tool_fixture_text(fixture, &tool_ast_edit,
                          json_of("{'ops':[{'pat':'foo($A)','out':'bar($A)'}],'paths':['a.ts']}")));
    g_free(tool_fixture_text(fixture, &tool_resolve, json_of("{'action':'apply','reason':'x'}")));
    g_autofree char *first = anchor_of(1, "a();"), *last = anchor_of(3, "b();");
    g_autofree char *input = g_strdup_printf("@@ a.ts\n- %s..%s", first, last);
    json_t *arguments = json_object();
    json_set_text(arguments, "input", input);
    g_free(tool_fixture_text(fixture, &tool_edit_hashline, arguments));
    assert_file(fixture, "a.ts", "c();\n");
}

// ---- a program that finds what it is told ----

typedef struct Case {
    const char *name, *file, *found;
    size_t start;         // where it says that it is
    const char *shown[4]; // number|line, as they are named; NULL-terminated
    const char *want;     // with %1, %2, … in the place of their anchors
    unsigned noted;       // lines that the cache then has
} Case;

static char *expand(const Case *self)
{
    GString *out = g_string_new(self->want);
    for (unsigned i = 0; self->shown[i]; i++) {
        size_t number = (size_t)g_ascii_strtoull(self->shown[i], NULL, 10);
        g_autofree char *anchor = anchor_of(number, strchr(self->shown[i], '|') + 1);
        g_autofree char *mark = g_strdup_printf("%%%u", i + 1);
        g_string_replace(out, mark, anchor, 0);
    }
    return g_string_free(out, FALSE);
}

static void put_program(const ToolFixture *fixture, const char *name, const char *found,
                        size_t start)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    g_autoptr(json_t) answer = json_pack(
        "{s:s, s:s, s:{s:{s:I, s:I}, s:{s:i}}}", "file", path, "text", found, "range", "byteOffset",
        "start", (json_int_t)start, "end", (json_int_t)(start + strlen(found)), "start", "line", 6);
    g_autofree char *line = json_to_text(answer);
    g_autofree char *ended = g_strconcat(line, "\n", NULL);
    tool_fixture_put(fixture, "../bin/answer", ended);
    tool_fixture_put(fixture, "../bin/ast-grep",
                     "#!/bin/sh\ncase \"$*\" in *ERROR*) exit 1;; esac\n"
                     "cat \"${0%/*}/answer\"\n");
    g_autofree char *program = g_build_filename(fixture->root, "bin", "ast-grep", NULL);
    assert_int_equal(chmod(program, 0700), 0);
}

/* How many lines of f.ts the cache has. */
static bool look(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                 GError **error G_GNUC_UNUSED)
{
    const ToolFixture *fixture = tool_call_tool(call)->user_data;
    g_autofree char *path = g_build_filename(fixture->cwd, "f.ts", NULL);
    g_autoptr(ReadSnapshot) seen = read_cache_get(call, path);
    g_autofree char *text = g_strdup_printf("%u", seen ? g_hash_table_size(seen->lines) : 0);
    tool_result_add_text(result, text);
    return true;
}

#define X100                                                                                       \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
    "xxxxxxxx"
#define X500 X100 X100 X100 X100 X100

static void test_lines(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "a part of a line",
          "a\nlet x = f(1); // é\n",
          "f(1)",
          10,
          { "2|let x = f(1); // é" },
          "*%1|let x = f(1); // é",
          1 },
        { "several lines",
          "if (f(\n  1)) g();\nb\n",
          "f(\n  1)",
          4,
          { "1|if (f(", "2|  1)) g();" },
          "*%1|if (f(\n %2|  1)) g();",
          2 },
        { "CRLF and a BOM",
          "\xef\xbb\xbf"
          "f(1);\r\n",
          "f(1)",
          3,
          { "1|f(1);" },
          "*%1|f(1);",
          1 },
        { "what ends with its newline", "f(1);\ng\n", "f(1);\n", 0, { "1|f(1);" }, "*%1|f(1);", 1 },
        { "nothing at the end", "f(1);\n", "", 6, { "2|" }, "*%1|", 1 },
        { "it is not there any more", "a\nb\nc\n", "f(1)", 0, { NULL }, "*7|f(1)", 0 },
        { "it is behind the end", "f(1)\n", "f(1)", 4000, { NULL }, "*7|f(1)", 0 },
    };
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = anchor_fixture();
        tool_fixture_put(fixture, "f.ts", cases[i].file);
        put_program(fixture, "f.ts", cases[i].found, cases[i].start);
        g_autofree char *path = g_strdup_printf("%s/bin:%s", fixture->root, path_before);
        g_setenv("PATH", path, TRUE);
        g_autofree char *text =
            tool_fixture_text(fixture, &tool_ast_grep, json_of("{'pat':'a','paths':['f.ts']}"));
        g_setenv("PATH", path_before, TRUE);
        g_autofree char *want = expand(&cases[i]);
        assert_text(cases[i].name, text, want);
        static const FieldDef no_fields[] = { { 0 } };
        const ToolDef looker = { .name = "look",
                                 .summary = "Looks",
                                 .fields = no_fields,
                                 .run = look,
                                 .user_data = fixture };
        g_autofree char *noted = tool_fixture_text(fixture, &looker, json_object());
        g_autofree char *wanted = g_strdup_printf("%u", cases[i].noted);
        assert_text(cases[i].name, noted, wanted);
    }
}

/* A line that is shown cut has the anchor of the whole, and does not count as shown. */
static void test_long_line(void **state G_GNUC_UNUSED)
{
    static const char line[] = "f(1); // " X500 X500 X500;
    g_autoptr(ToolFixture) fixture = anchor_fixture();
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    tool_fixture_put(fixture, "f.ts", line);
    put_program(fixture, "f.ts", "f(1)", 0);
    g_autofree char *path = g_strdup_printf("%s/bin:%s", fixture->root, path_before);
    g_setenv("PATH", path, TRUE);
    g_autofree char *text =
        tool_fixture_text(fixture, &tool_ast_grep, json_of("{'pat':'a','paths':['f.ts']}"));
    g_setenv("PATH", path_before, TRUE);
    g_autofree char *anchor = anchor_of(1, line);
    g_autofree char *begin = g_strdup_printf("*%s|f(1); // xxx", anchor);
    assert_contains("anchor", text, begin);
    assert_contains("cut", text, "xxx…");
    static const FieldDef no_fields[] = { { 0 } };
    const ToolDef looker = {
        .name = "look", .summary = "Looks", .fields = no_fields, .run = look, .user_data = fixture
    };
    g_autofree char *noted = tool_fixture_text(fixture, &looker, json_object());
    assert_string_equal(noted, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),    cmocka_unit_test(test_rewrite),
        cmocka_unit_test(test_applied),   cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
