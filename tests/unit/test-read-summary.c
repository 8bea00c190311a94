/*
 * read of long source files (agent-tools §3.1.4): a ctags of ours says where the functions are, or
 * does not; then Universal Ctags itself, where it is installed.
 */
#include "base/str.h"
#include "url_fixture.h"

#include "tools/edit/edit_mode.h"
#include "tools/read/source_tags.h"

#include <unistd.h>

#define COMPLETED "{\"_type\":\"completed\"}"
#define TAG       "{\"_type\":\"tag\",\"line\":1,\"end\":8}"
// settings, with more of read's, and of its summaries
#define SHORT           "'read':{'summarize':{'minTotalLines':1}}"
#define SHORT_AND(more) "'read':{'summarize':{'minTotalLines':1}," more "}"
#define SUMMARIZE(with) "{'readHashLines':false,'read':{'summarize':{" with "}}}"
#define ADD                                                                                        \
    "int add(int a, int b) {\n\tint c = a;\n\tc += b;\n\tc++;\n\tc--;\n\tlog(c);\n\treturn "       \
    "c;\n}\n"
#define ADD_SUMMARY "1ug-8cf|int add(int a, int b) { .. }\n9co|"
#define NOTE                                                                                       \
    "\n\n[6 lines in 1 body are left out here. Use a range, such as :2-7, to see them, or :1 for " \
    "the file as it is]"

/* A ctags that ends as `script` says, alone on PATH but for the system's programs. */
typedef struct Ctags {
    char *path_before;
} Ctags;

static void ctags_clear(Ctags *self)
{
    assert_true(g_setenv("PATH", self->path_before, TRUE));
    g_free(self->path_before);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Ctags, ctags_clear)

static Ctags ctags_put(const ToolFixture *fixture, const char *script)
{
    Ctags self = { g_strdup(g_getenv("PATH")) };
    g_autofree char *dir = g_build_filename(fixture->root, "bin", NULL);
    g_autofree char *program = g_build_filename(dir, "ctags-universal", NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\n%s\n", script);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(program, text, strlen(text), 0700, NULL));
    g_autofree char *path = g_strconcat(dir, ":/usr/bin:/bin", NULL);
    assert_true(g_setenv("PATH", path, TRUE));
    return self;
}

/* `words`: printed for any text. */
static char *script_of(const char *const *words)
{
    g_autoptr(GString) script = g_string_new("cat >/dev/null\n");
    for (; *words; words++)
        g_string_append_printf(script, "echo '%s'\n", *words);
    return g_string_free(g_steal_pointer(&script), FALSE);
}

/* Beside an edit tool that takes anchors. */
static ToolFixture *anchored_fixture(const char *settings)
{
    static const ToolDef *const table[] = { &tool_read, &tool_edit_hashline, NULL };
    ToolFixture *self = tool_fixture_new(settings, false);
    self->tools = tool_set_new(table);
    return self;
}

/* With no other tool. */
static ToolFixture *plain_fixture(const char *settings)
{
    static const ToolDef *const table[] = { &tool_read, NULL };
    ToolFixture *self = tool_fixture_new(settings, false);
    self->tools = tool_set_new(table);
    return self;
}

static json_t *path_of(const char *path)
{
    return json_pack("{s:s}", "path", path);
}

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, path_of(path));
}

/* On a machine that is so busy that ctags takes too long the file is shown as it is: another try.
 */
static char *read_summary(const ToolFixture *fixture, const char *path)
{
    char *text = NULL;
    for (int i = 0; i < 30 && !(text && strstr(text, " left out here.")); i++) {
        g_free(text);
        text = read_text(fixture, path);
    }
    return text;
}

static void test_prefixes(void **state G_GNUC_UNUSED)
{
    static const char *const said[] = { TAG, COMPLETED, NULL };
    static const struct {
        const char *name, *settings, *want;
    } cases[] = {
        { "anchors", "{" SHORT "}", ADD_SUMMARY NOTE },
        { "numbers", "{" SHORT ",'readHashLines':false,'readLineNumbers':true}",
          "1-8|int add(int a, int b) { .. }\n9|" NOTE },
        { "neither", "{" SHORT ",'readHashLines':false}", "int add(int a, int b) { .. }\n" NOTE },
        { "at most so long", SUMMARIZE("'minTotalLines':1,'minBodyLines':7"), ADD },
        { "just so long", SUMMARIZE("'minTotalLines':1,'minBodyLines':6"),
          "int add(int a, int b) { .. }\n" NOTE },
        { "off", SUMMARIZE("'minTotalLines':1,'enabled':false"), ADD },
        { "a short file", "{'readHashLines':false}", ADD },
        { "a little too short", SUMMARIZE("'minTotalLines':10"), ADD },
        { "just long enough", SUMMARIZE("'minTotalLines':9"),
          "int add(int a, int b) { .. }\n" NOTE },
    };
    g_autofree char *script = script_of(said);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = anchored_fixture(cases[i].settings);
        g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
        tool_fixture_put(fixture, "m.c", ADD);
        bool is_summary = strstr(cases[i].want, " left out here.");
        g_autofree char *text =
            is_summary ? read_summary(fixture, "m.c") : read_text(fixture, "m.c");
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_details(void **state G_GNUC_UNUSED)
{
    static const char *const said[] = { TAG, COMPLETED, NULL };
    g_autofree char *script = script_of(said);
    g_autoptr(ToolFixture) fixture = anchored_fixture("{" SHORT "}");
    g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
    tool_fixture_put(fixture, "m.c", ADD);
    g_autofree char *text G_GNUC_UNUSED = read_summary(fixture, "m.c");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_read, path_of("m.c"), &result);
    const json_t *summary = json_get_object(result.details, "summary");
    assert_int_equal(json_get_int(summary, "lines", 0), 2);
    assert_int_equal(json_get_int(summary, "elidedSpans", 0), 1);
    assert_null(json_get_object(result.meta, "truncation"));

    g_auto(ToolResult) plain = { 0 };
    tool_fixture_call(fixture, &tool_read, path_of("m.c:1"), &plain);
    assert_null(json_get_object(plain.details, "summary"));
}

/* What the rows look like. */
static void test_rows(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *tags, *want;
    } cases[] = {
        { "a brace in a line of its own", "f()\n{\na\nb\nc\nd\n}\nx\n", "1-7", "f()\n{ .. }\nx\n" },
        { "closed with more", "f({\na\nb\nc\nd\n});\n", "1", "f({\na\nb\nc\nd\n});\n" },
        { "closers", "f = {\na\nb\nc\nd\n});\n", "1-6", "f = { .. });\n" },
        { "words behind the closing brace", "f() {\na\nb\nc\nd\n} // f\nx\n", "1-6",
          "f() {\n...\n} // f\nx\n" },
        { "words behind the opening brace", "f() { // f\na\nb\nc\nd\n}\n", "1-6",
          "f() { // f\n...\n}\n" },
        { "blanks around", "f() {  \na\nb\nc\nd\n}  \n", "1-6", "f() { .. }\n" },
        { "CRLF", "f() {\r\na\r\nb\r\nc\r\nd\r\n}\r\nx\r\n", "1-6", "f() { .. }\nx\n" },
        { "BOM", "\ufefff() {\na\nb\nc\nd\n}\n", "1-6", "f() { .. }\n" },
        { "two that touch", "f() {\na\nb\nc\nd\n}\ng() {\na\nb\nc\nd\n}\n", "1-6 7-12",
          "f() { .. }\ng() { .. }\n" },
        { "no final newline", "f() {\na\nb\nc\nd\n}", "1-6", "f() { .. }" },
        { "invalid UTF-8", "f(\xff) {\na\nb\nc\nd\n}\n", "1-6", "f(\ufffd) { .. }\n" },
        { "a conflict of git", "f() {\n<<<<<<< HEAD\nb\n=======\nd\n}\n", "1-6",
          "f() {\n<<<<<<< HEAD\nb\n=======\nd\n}\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) script = g_string_new("cat >/dev/null\n");
        g_auto(GStrv) tags = g_strsplit(cases[i].tags, " ", -1);
        for (char **tag = tags; *tag; tag++) {
            g_auto(GStrv) ends = g_strsplit(*tag, "-", 2);
            g_string_append_printf(script, "echo '{\"_type\":\"tag\",\"line\":%s,\"end\":%s}'\n",
                                   ends[0], ends[1] ? ends[1] : "0");
        }
        g_string_append(script, "echo '" COMPLETED "'\n");
        g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT "}");
        g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script->str);
        tool_fixture_put(fixture, "m.c", cases[i].file);
        bool is_summary = strstr(cases[i].want, "...") || strstr(cases[i].want, " .. ");
        g_autofree char *text =
            is_summary ? read_summary(fixture, "m.c") : read_text(fixture, "m.c");
        char *note = strstr(text, "\n\n[");
        if (note)
            *note = '\0';
        assert_text(cases[i].name, text, cases[i].want);
    }
}

/* No more than read shows otherwise, and where to go on. */
static void test_pages(void **state G_GNUC_UNUSED)
{
    static const char *const said[] = { TAG, COMPLETED, NULL };
    static const struct {
        const char *settings, *want;
    } cases[] = {
        { "{" SHORT_AND("'defaultLimit':3") "}",
          "int add(int a, int b) { .. }\nx0\nx1\n\n[Showing lines 1-10 of 59. Use :11 to continue]"
          "\n[6 lines in 1 body" },
        { "{" SHORT_AND("'defaultLimit':1") "}",
          "int add(int a, int b) { .. }\n\n[Showing lines 1-8 of 59. Use :9 to continue]" },
    };
    g_autofree char *script = script_of(said);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = plain_fixture(cases[i].settings);
        g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
        g_autoptr(GString) file = g_string_new(ADD);
        for (int j = 0; j < 50; j++)
            g_string_append_printf(file, "x%d\n", j);
        tool_fixture_put(fixture, "m.c", file->str);
        g_autofree char *text = read_summary(fixture, "m.c");
        assert_contains("page", text, cases[i].want);
        assert_true(str_has_prefix(text, cases[i].want));
    }

    // a function that begins behind what is shown: the plain page
    g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT_AND("'defaultLimit':2") "}");
    g_auto(Ctags) ctags G_GNUC_UNUSED =
        ctags_put(fixture, "cat >/dev/null\necho '{\"_type\":\"tag\",\"line\":4,\"end\":11}'\n"
                           "echo '" COMPLETED "'");
    tool_fixture_put(fixture, "m.c", "x\ny\nz\n" ADD);
    g_autofree char *text = read_text(fixture, "m.c");
    assert_text("behind the page", text, "x\ny\n\n[Showing lines 1-2 of 12. Use :3 to continue]");

    // a line that is too long for a page
    g_autofree char *line = g_strnfill(60000, 'y');
    g_autofree char *file = g_strconcat(line, "\n", ADD, NULL);
    tool_fixture_put(fixture, "long.c", file);
    g_autofree char *long_text = read_text(fixture, "long.c");
    assert_contains("long", long_text, "yyyy\n\n[Showing lines 1-1 of 10");
}

/* Whatever ctags does: the file is shown. */
static void test_trouble(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script;
    } cases[] = {
        { "says nothing", "exit 0" },
        { "says something else", "echo hello; echo '" COMPLETED "'" },
        { "breaks off", "echo '" TAG "'" },
        { "fails behind it", "echo '" TAG "'; echo '" COMPLETED "'; exit 1" },
        { "is killed", "echo '" TAG "'; echo '" COMPLETED "'; kill -9 $$" },
        { "names an error", "echo '{\"_type\":\"error\"}'; echo '" COMPLETED "'" },
        { "hangs", "echo '" TAG "'; echo '" COMPLETED "'; exec sleep 1000" },
        { "never ends", "while :; do echo '" TAG "'; done" },
        { "lines beyond the file", "echo '{\"_type\":\"tag\",\"line\":70,\"end\":80}'\n"
                                   "echo '{\"_type\":\"tag\",\"line\":1,\"end\":80}'\n"
                                   "echo '" COMPLETED "'" },
        { "ends before it begins", "echo '{\"_type\":\"tag\",\"line\":3,\"end\":1}'\n"
                                   "echo '{\"_type\":\"tag\",\"line\":-3,\"end\":-1}'\n"
                                   "echo '" COMPLETED "'" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT "}");
        g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, cases[i].script);
        tool_fixture_put(fixture, "m.c", ADD);
        g_autofree char *text = read_text(fixture, "m.c");
        assert_text(cases[i].name, text, ADD);
    }
    g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT "}");
    g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, "exit 0");
    assert_true(g_setenv("PATH", fixture->cwd, TRUE));
    tool_fixture_put(fixture, "m.c", ADD);
    g_autofree char *text = read_text(fixture, "m.c");
    assert_text("is not there", text, ADD);
}

/* Where it is not asked at all. */
static void test_not_started(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path;
        bool is_started;
    } cases[] = {
        { "long", "long.c", true },
        { "short", "short.c", false },
        { "a range", "long.c:1", false },
        { "a bounded range", "long.c:1-3", false },
        { "raw", "long.c:raw", false },
        { "Markdown", "long.md", false },
        { "text", "long.txt", false },
        { "a NUL", "nul.c", false },
        { "too many lines", "lines.c", false },
        { "too large", "large.c", false },
        { "not a file of the workspace", "local://long.c", false },
    };
    static const ToolDef *const table[] = { &tool_read, NULL };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    fixture->tools = tool_set_new(table);
    g_autofree char *mark = g_build_filename(fixture->root, "started", NULL);
    g_autofree char *script = g_strdup_printf("cat >/dev/null; : >'%s'", mark);
    g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 198; i++)
        g_string_append(text, "x\n");
    tool_fixture_put(fixture, "short.c",
                     text->str); // 199 lines with the one behind the last newline
    g_string_append(text, "x\n");
    tool_fixture_put(fixture, "long.c", text->str);
    tool_fixture_put(fixture, "long.md", text->str);
    tool_fixture_put(fixture, "long.txt", text->str);
    g_autofree char *local = g_build_filename(fixture->root, "session", "local", NULL);
    assert_true(file_make_dirs(local, 0700, NULL));
    g_autofree char *local_file = g_build_filename(local, "long.c", NULL);
    assert_true(file_write_atomic(local_file, text->str, text->len, 0600, NULL));
    g_string_append_c(text, '\0');
    tool_fixture_put_bytes(fixture, "nul.c", text->str, text->len);
    g_autofree char *newlines = g_strnfill(20000, '\n');
    tool_fixture_put(fixture, "lines.c", newlines);
    g_autofree char *large = g_strnfill(2 * 1024 * 1024 + 1, 'x');
    for (size_t i = 0; i < 2 * 1024 * 1024; i += 1000)
        large[i] = '\n';
    tool_fixture_put(fixture, "large.c", large);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got G_GNUC_UNUSED = read_text(fixture, cases[i].path);
        if (file_exists(mark) != cases[i].is_started)
            fail_msg("%s: %sstarted", cases[i].name, cases[i].is_started ? "not " : "");
        unlink(mark);
    }
}

/* Who changes a text and writes it back has all of it: code that eval runs (a call without tools
   of its own), and a script around the command line. */
static void test_for_whom(void **state G_GNUC_UNUSED)
{
    static const char *const said[] = { TAG, COMPLETED, NULL };
    static const struct {
        const char *name, *via;
        bool has_tools, is_summary;
    } cases[] = {
        { "a model", NULL, true, true },
        { "a model behind MCP", "mcp", true, true },
        { "code of a cell", NULL, false, false },
        { "code of a cell behind MCP", "mcp", false, false },
        { "the command line", "cli", true, false },
    };
    g_autofree char *script = script_of(said);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT ",'readHashLines':false}");
        g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
        tool_fixture_put(fixture, "m.c", ADD);
        const ToolDoor door = { .kind = DOOR_AGENT, .via = cases[i].via };
        g_autoptr(json_t) arguments = path_of("m.c");
        const ToolCallSpec spec = {
            .tool = &tool_read,
            .arguments = arguments,
            .context = fixture->context,
            .door = &door,
            .tools = cases[i].has_tools ? fixture->tools : NULL,
        };
        g_autofree char *text = NULL;
        int tries = cases[i].is_summary ? 30 : 3; // a busy machine, as in read_summary()
        for (int k = 0; k < tries && !(text && strstr(text, " left out here.")); k++) {
            g_auto(ToolResult) result = { 0 };
            tool_call(&spec, &result);
            g_free(text);
            text = tool_result_text(&result);
        }
        assert_text(cases[i].name, text,
                    cases[i].is_summary ? "int add(int a, int b) { .. }\n" NOTE : ADD);
    }
}

/* It gets the text that is shown and nothing of the file's name or its directory. */
static void test_given(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT "}");
    g_autofree char *script = g_strdup_printf("printf '%%s\\n' \"$@\" >'%s/args'; pwd >>'%s/args'\n"
                                              "cat >'%s/input'",
                                              fixture->root, fixture->root, fixture->root);
    g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
    tool_fixture_put(fixture, "--option $(x).c", "\ufeffa\r\nb\n");
    g_autofree char *text G_GNUC_UNUSED = read_text(fixture, "--option $(x).c");
    g_autofree char *args_path = g_build_filename(fixture->root, "args", NULL);
    g_autofree char *input_path = g_build_filename(fixture->root, "input", NULL);
    g_autofree char *args = NULL, *input = NULL;
    assert_true(g_file_get_contents(args_path, &args, NULL, NULL));
    assert_true(g_file_get_contents(input_path, &input, NULL, NULL));
    assert_text("arguments", args,
                "--options=NONE\n--language-force=C\n--kinds-C=fv\n--fields=ne\n"
                "--_interactive=sandbox\n/\n");
    assert_text("input", input,
                "{\"command\":\"generate-tags\",\"filename\":\"text\",\"size\":4}\na\nb\n");
}

/* The anchors of both ends of a body are those of its lines; lines that were left out do not count
   as shown, so an edit around them that has become stale is refused (agent-tools §3.3.6, §3.3.7).
 */
static void test_edit(void **state G_GNUC_UNUSED)
{
    static const char *const said[] = { TAG, COMPLETED, NULL };
    static const struct {
        const char *name, *top, *input, *want; // NULL: it is refused
        bool is_unseen;                        // it is refused once, with the lines that would go
    } cases[] = {
        { "the whole body", "", "@@ m.c\n= 1ug..8cf\n~int add(int a, int b) { return a + b; }",
          "int add(int a, int b) { return a + b; }\n", true },
        { "behind it", "", "@@ m.c\n+ 8cf\n~// end", ADD "// end\n", false },
        { "the file changed", "// top\n", "@@ m.c\n= 1ug..8cf\n~int add(int a, int b);", NULL,
          false },
    };
    g_autofree char *script = script_of(said);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = anchored_fixture("{" SHORT "}");
        g_auto(Ctags) ctags G_GNUC_UNUSED = ctags_put(fixture, script);
        tool_fixture_put(fixture, "m.c", ADD);
        g_autofree char *shown = read_summary(fixture, "m.c");
        assert_contains(cases[i].name, shown, "1ug-8cf|");
        g_autofree char *now = g_strconcat(cases[i].top, ADD, NULL);
        if (*cases[i].top)
            tool_fixture_put(fixture, "m.c", now);
        json_t *arguments = json_pack("{s:s}", "input", cases[i].input);
        g_autofree char *path = g_build_filename(fixture->cwd, "m.c", NULL);
        g_autofree char *after = NULL;
        if (cases[i].is_unseen) {
            g_autofree char *refusal =
                tool_fixture_error(fixture, &tool_edit_hashline, json_incref(arguments));
            assert_contains(cases[i].name, refusal, "6 lines inside a range have not been shown");
            assert_contains(cases[i].name, refusal, "\n*2st|\tint c = a;");
        }
        if (cases[i].want) {
            g_autofree char *text G_GNUC_UNUSED =
                tool_fixture_text(fixture, &tool_edit_hashline, arguments);
        } else {
            g_autofree char *text G_GNUC_UNUSED =
                tool_fixture_error(fixture, &tool_edit_hashline, json_incref(arguments));
            g_autofree char *again = // the first refusal is for the change itself
                tool_fixture_error(fixture, &tool_edit_hashline, arguments);
            assert_contains(cases[i].name, again, "Edit rejected");
        }
        assert_true(g_file_get_contents(path, &after, NULL, NULL));
        assert_text(cases[i].name, after, cases[i].want ? cases[i].want : now);
    }
}

// ---- Universal Ctags itself ----

static const struct {
    const char *name, *file, *want;
} sources[] = {
    { "m.c",
      "#include <a.h>\n\nstruct s {\n\tint a;\n\tint b;\n\tint c;\n\tint d;\n};\n\n"
      "static int f(int a,\n\t     int b)\n{\n\ta;\n\tb;\n\tif (a) {\n\t}\n\tc;\n}\n\n"
      "static const int t[] = {\n\t1,\n\t2,\n\t3,\n\t4,\n};\nint g(void) { return 1; }\n",
      "#include <a.h>\n\nstruct s {\n\tint a;\n\tint b;\n\tint c;\n\tint d;\n};\n\n"
      "static int f(int a,\n\t     int b)\n{ .. }\n\nstatic const int t[] = { .. };\n"
      "int g(void) { return 1; }\n" },
    { "m.cpp",
      "class A {\npublic:\n    A(int x)\n        : a(1),\n          b{2}\n    {\n        f();\n    "
      "    "
      "f();\n        f();\n        f();\n    }\n    int b;\n};\n\nint A::g() const\n{\n    a;\n    "
      "b;\n   "
      " c;\n    d;\n}\n",
      "class A {\npublic:\n    A(int x)\n        : a(1),\n          b{2}\n    { .. }\n    int "
      "b;\n};\n"
      "\nint A::g() const\n{ .. }\n" },
    { "m.py",
      "import os\n\n\nclass A:\n    x = 1\n\n    def f(self,\n          b={}):\n        "
      "\"\"\"Does.\"\""
      "\"\n        a\n        b\n        c\n        d\n\n    @deco\n    async def g(self): return "
      "1\n\n\ndef "
      "h():\n    a\n    b\n    c\n    d\n",
      "import os\n\n\nclass A:\n    x = 1\n\n    def f(self,\n          b={}):\n        "
      "\"\"\"Does.\"\""
      "\"\n...\n\n    @deco\n    async def g(self): return 1\n\n\ndef h():\n...\n" },
    { "m.js",
      "const x = 1;\nfunction f({a,\n  b}) {\n  a;\n  b;\n  c;\n  d;\n}\nclass A {\n  m(a) {\n    "
      "a;\n  "
      "  b;\n    c;\n    d;\n  }\n  short() {\n    a;\n  }\n}\nconst g = async (a) => {\n  a;\n  "
      "b;\n  c;\n"
      "  d;\n};\n",
      "const x = 1;\nfunction f({a,\n  b}) { .. }\nclass A {\n  m(a) { .. }\n  short() {\n    a;\n "
      " }\n}\n"
      "const g = async (a) => { .. };\n" },
    { "m.ts",
      "export function f(s: S): number {\n  a;\n  b;\n  c;\n  d;\n}\nexport interface I {\n  a: "
      "x;\n  b: x;"
      "\n  c: x;\n  d: x;\n}\n",
      "export function f(s: S): number { .. }\nexport interface I {\n  a: x;\n  b: x;\n  c: x;\n  "
      "d: x;\n}"
      "\n" },
    { "m.go",
      "package m\n\nfunc (s *S) F(x interface{}) error {\n\ta()\n\tb()\n\tc()\n\treturn nil\n}\n",
      "package m\n\nfunc (s *S) F(x interface{}) error { .. }\n" },
    { "m.rs",
      "impl<T> A for B<T> {\n    fn f(&self) -> X\n    where\n        T: Y,\n    {\n        a;\n   "
      "     b;\n"
      "        c;\n        d\n    }\n}\n",
      "impl<T> A for B<T> {\n    fn f(&self) -> X\n    where\n        T: Y,\n    { .. }\n}\n" },
    { "M.java",
      "public class M {\n    @Override\n    public int f(int a,\n                 int b) throws E "
      "{\n       "
      " a();\n        b();\n        c();\n        return 1;\n    }\n    interface I { void c(); "
      "}\n}\n",
      "public class M {\n    @Override\n    public int f(int a,\n                 int b) throws E "
      "{ .. }\n"
      "    interface I { void c(); }\n}\n" },
    { "m.cs",
      "class M {\n    public async Task<int> F(int a)\n    {\n        a();\n        b();\n        "
      "c();\n      "
      "  return 1;\n    }\n}\n",
      "class M {\n    public async Task<int> F(int a)\n    { .. }\n}\n" },
    { "m.php",
      "<?php\nclass M {\n    public function f(): int\n    {\n        a();\n        b();\n        "
      "c();\n      "
      "  d();\n    }\n}\n",
      "<?php\nclass M {\n    public function f(): int\n    { .. }\n}\n" },
    { "m.rb",
      "class M < N\n  def f(a,\n        b)\n    a\n    if b then c end\n    d\n    e\n  end\n\n  "
      "def g = 1\nend\n",
      "class M < N\n  def f(a,\n        b)\n...\n  end\n\n  def g = 1\nend\n" },
    { "m.lua",
      "local M = {}\nfunction M.f(a)\n  a()\n  if b then c() end\n  d()\n  e()\nend\nfunction "
      "M.g() end\n",
      "local M = {}\nfunction M.f(a)\n...\nend\nfunction M.g() end\n" },
    { "m.sh", "set -e\nf() {\n\ta\n\tb\n\tc\n\td\n}\nf\n", "set -e\nf() { .. }\nf\n" },
    { "m.pl", "package M;\nsub f {\n    a();\n    b();\n    c();\n    d();\n}\n1;\n",
      "package M;\nsub f { .. }\n1;\n" },
};

static bool has_universal_ctags(void)
{
    const SourceLanguage *language = source_language("a.c");
    g_autoptr(GArray) tags = source_tags_read(language, "int f(void)\n{\n}\n", NULL);
    return tags && tags->len == 1;
}

static void test_real(void **state G_GNUC_UNUSED)
{
    if (!has_universal_ctags()) {
        print_message("Universal Ctags is not installed, or cannot lock itself in\n");
        skip();
    }
    g_autoptr(ToolFixture) fixture = plain_fixture("{" SHORT "}");
    tool_fixture_put(fixture, ".ctags.d/x.ctags", "--nonsense\n"); // it is not read
    for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
        tool_fixture_put(fixture, sources[i].name, sources[i].file);
        g_autofree char *text = read_summary(fixture, sources[i].name);
        char *note = strstr(text, "\n\n[");
        if (note)
            *note = '\0';
        assert_text(sources[i].name, text, sources[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes), cmocka_unit_test(test_details),
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_pages),
        cmocka_unit_test(test_trouble),  cmocka_unit_test(test_not_started),
        cmocka_unit_test(test_given),    cmocka_unit_test(test_edit),
        cmocka_unit_test(test_real),     cmocka_unit_test(test_for_whom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
