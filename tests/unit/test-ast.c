/* ast_grep, ast_edit and resolve. With the real ast-grep where the person has it (else that is
   skipped and said), and with programs that play one in trouble. */
#include "tool_fixture.h"

#include "tool/pending_action.h"
#include "tool/tool_set.h"
#include "tools/ast/ast_search.h"
#include "tools/tools.h"

#include <sys/stat.h>
#include <unistd.h>

#define A_TS "foo(1);\nconst x = foo(a, b);\nclass A {\n  m() {\n    return foo(2);\n  }\n}\n"
#define B_TS "bar();\n"

static bool has_ast_grep(void)
{
    g_autofree char *program = ast_program("/");
    if (!program)
        print_message("SKIP: ast-grep is not on PATH\n");
    return program != NULL;
}

static ToolFixture *make_fixture(const char *settings)
{
    ToolFixture *fixture = tool_fixture_new(settings, false);
    tool_fixture_put(fixture, "a.ts", A_TS);
    tool_fixture_put(fixture, "b.ts", B_TS);
    return fixture;
}

static void assert_file(const ToolFixture *fixture, const char *name, const char *want)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    assert_text(name, text, want);
}

/* What the recorded program answers to the same, as far as the specification has it so. */
static void test_search(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "call", "{'pat':'foo($$$ARGS)','paths':['.']}",
          "# a.ts\n*1|foo(1)\n  meta: ARGS=[1]\n*2|foo(a, b)\n  meta: ARGS=[a, ,, b]\n*5|foo(2)\n"
          "  meta: ARGS=[2]" },
        { "one node", "{'pat':'foo($A)','paths':['.']}",
          "# a.ts\n*1|foo(1)\n  meta: A=1\n*5|foo(2)\n  meta: A=2" },
        { "one file", "{'pat':'foo($A)','paths':['a.ts']}",
          "*1|foo(1)\n  meta: A=1\n*5|foo(2)\n  meta: A=2" },
        { "several lines", "{'pat':'class $N { $$$B }','paths':['.']}",
          "# a.ts\n*3|class A {\n 4|  m() {\n 5|    return foo(2);\n 6|  }\n 7|}\n"
          "  meta: B=[m() {\n    return foo(2);\n  }], N=A" },
        { "none", "{'pat':'baz($A)','paths':['.']}", "No matches found" },
        { "next page", "{'pat':'foo($A)','paths':['a.ts'],'skip':1}", "*5|foo(2)\n  meta: A=2" },
        { "behind the last", "{'pat':'foo($A)','paths':['a.ts'],'skip':9}", "No matches found" },
        { "a missing path beside others", "{'pat':'bar()','paths':['b.ts','nope']}",
          "*1|bar()\n\nSkipped missing paths: nope" },
        { "a pattern that looks like a flag", "{'pat':'--help','paths':['.']}",
          "No matches found" },
    };
    if (!has_ast_grep())
        skip();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = make_fixture(NULL);
        g_autofree char *text =
            tool_fixture_text(fixture, &tool_ast_grep, json_of(cases[i].arguments));
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_search_details(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = make_fixture(NULL);
    tool_fixture_put(fixture, "c.ts", "foo(3);\nclass {{{\n");
    tool_fixture_put(fixture, ".gitignore", "ignored.ts\n");
    tool_fixture_put(fixture, "ignored.ts", "foo(4);\n");
    tool_fixture_put(fixture, "notes.txt", "foo(5);\n");
    // would be loaded from the directory that ast-grep runs in
    tool_fixture_put(fixture, "sgconfig.yml", "languageGlobs:\n  html: [\"*.ts\"]\n");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_ast_grep, json_of("{'pat':'foo($A)','paths':['.']}"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_text("broken", text,
                "# a.ts\n*1|foo(1)\n  meta: A=1\n*5|foo(2)\n  meta: A=2\n\n# c.ts\n*1|foo(3)\n"
                "  meta: A=3\n\nParse issues:\n"
                "- c.ts: parse error (syntax tree contains error nodes)");
    g_autofree char *details = json_to_text(result.details);
    static const char *const parts[] = { "\"matchCount\":3", "\"fileCount\":2",
                                         "\"filesSearched\":4", "\"limitReached\":false",
                                         "{\"path\":\"a.ts\",\"count\":2}" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        assert_contains("details", details, parts[i]);
    g_autofree char *none =
        tool_fixture_text(fixture, &tool_ast_grep, json_of("{'pat':'zzz($A)','paths':['c.ts']}"));
    assert_text("none", none,
                "No matches found. Parse issues mean the query may be mis-scoped; narrow paths "
                "before concluding absence.\n\nParse issues:\n"
                "- c.ts: parse error (syntax tree contains error nodes)");
}

/* Pages that follow one another show each match once, however long the matches are. */
static void test_pages(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    enum { FILES = 3, CALLS = 60 };
    g_autofree char *filler = g_strnfill(900, 'x');
    for (int file = 0; file < FILES; file++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int i = 0; i < CALLS; i++)
            g_string_append_printf(text, "foo(n%d_%d, \"%s\");\n", file, i,
                                   file == 1 ? filler : "");
        g_autofree char *name = g_strdup_printf("f%d.ts", file);
        tool_fixture_put(fixture, name, text->str);
    }
    g_autoptr(GString) all = g_string_new(NULL);
    unsigned skip_count = 0, pages = 0;
    for (bool has_more = true; has_more; pages++) {
        g_autoptr(json_t) arguments = json_pack("{s:s, s:[s], s:i}", "pat", "foo($A, $B)", "paths",
                                                ".", "skip", (int)skip_count);
        g_autofree char *text = tool_fixture_text(fixture, &tool_ast_grep, json_incref(arguments));
        g_string_append(all, text);
        const char *more = strstr(text, "use skip=");
        has_more = more != NULL;
        if (more)
            skip_count = (unsigned)g_ascii_strtoull(more + strlen("use skip="), NULL, 10);
        assert_true(strlen(text) < 60000 && pages < 20);
    }
    assert_true(pages > 4);
    for (int file = 0; file < FILES; file++)
        for (int i = 0; i < CALLS; i++) {
            g_autofree char *part = g_strdup_printf("|foo(n%d_%d,", file, i);
            const char *found = strstr(all->str, part);
            assert_true(found && !strstr(found + 1, part));
        }
}

/* tools-T81, and what applying writes. */
static void test_edit(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = make_fixture(NULL);
    const char *edit = "{'ops':[{'pat':'foo($A)','out':'bar($A)'},{'pat':'bar()','out':''}],"
                       "'paths':['.']}";
    const char *preview = "# a.ts (2 replacements)\n-1|foo(1)\n+1|bar(1)\n-5|foo(2)\n+5|bar(2)\n\n"
                          "# b.ts (1 replacement)\n-1|bar()\n+1|";
    g_autofree char *shown = tool_fixture_text(fixture, &tool_ast_edit, json_of(edit));
    assert_text("preview", shown, preview);
    assert_file(fixture, "a.ts", A_TS);
    g_autofree char *discarded = tool_fixture_text(
        fixture, &tool_resolve, json_of("{'action':'discard','reason':'because'}"));
    assert_text("discard", discarded,
                "Discarded: AST Edit: 3 replacements in 2 files. Reason: because");
    assert_file(fixture, "a.ts", A_TS);
    g_autofree char *none = tool_fixture_error(fixture, &tool_resolve,
                                               json_of("{'action':'discard','reason':'again'}"));
    assert_text("none", none, "No pending action to resolve. Nothing to apply or discard.");

    g_free(tool_fixture_text(fixture, &tool_ast_edit, json_of(edit)));
    g_auto(ToolResult) applied = { 0 };
    tool_fixture_call(fixture, &tool_resolve, json_of("{'action':'apply','reason':'fine'}"),
                      &applied);
    g_autofree char *text = tool_result_text(&applied);
    assert_text("apply", text, "Applied 3 replacements in 2 files.");
    assert_file(fixture, "a.ts",
                "bar(1);\nconst x = foo(a, b);\nclass A {\n  m() {\n    return bar(2);\n  }\n}\n");
    assert_file(fixture, "b.ts", ";\n");
    g_autofree char *details = json_to_text(applied.details);
    assert_contains("details", details, "\"sourceToolName\":\"ast_edit\"");
    assert_contains("details", details, "\"applied\":true");
}

/* The files and the arguments of one refusal, when it is shown or when it is applied. */
typedef struct Refusal {
    const char *name, *settings, *file, *text, *edit, *want;
} Refusal;

static void test_edit_is_refused(void **state G_GNUC_UNUSED)
{
    static const Refusal cases[] = {
        { "overlap", NULL, "n.ts", "foo(foo(1));\n",
          "{'ops':[{'pat':'foo($A)','out':'z($A)'}],'paths':['n.ts']}",
          "Overlapping replacements detected; refine pattern to avoid ambiguous edits" },
        { "two languages", NULL, "n.py", "foo(1)\n",
          "{'ops':[{'pat':'foo($A)','out':'z($A)'}],'paths':['.']}",
          "The files to change are of several languages" },
        { "twice the same", NULL, "n.ts", "",
          "{'ops':[{'pat':'a','out':'b'},{'pat':'a','out':'c'}],'paths':['.']}",
          "Duplicate rewrite pattern: a" },
        { "no pattern", NULL, "n.ts", "", "{'ops':[{'pat':' ','out':'b'}],'paths':['.']}",
          "Pattern must not be empty" },
        { "no path", NULL, "n.ts", "", "{'ops':[{'pat':'a','out':'b'}],'paths':['nope']}",
          "Path not found: nope" },
    };
    if (!has_ast_grep())
        skip();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = make_fixture(cases[i].settings);
        tool_fixture_put(fixture, cases[i].file, cases[i].text);
        g_autofree char *text = tool_fixture_error(fixture, &tool_ast_edit, json_of(cases[i].edit));
        assert_contains(cases[i].name, text, cases[i].want);
        g_autofree char *label = pending_action_label(fixture->context);
        assert_null(label);
    }
}

/* Line ends and a BOM stay; generated files and those with errors are left out. */
static void test_edit_keeps(void **state G_GNUC_UNUSED)
{
    if (!has_ast_grep())
        skip();
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "crlf.ts", "\xef\xbb\xbfx = 1;\r\nfoo(1);\r\n");
    tool_fixture_put(fixture, "api.gen.ts", "foo(1);\n");
    tool_fixture_put(fixture, "broken.ts", "foo(1);\nclass {{{\n");
    g_autofree char *shown =
        tool_fixture_text(fixture, &tool_ast_edit,
                          json_of("{'ops':[{'pat':'foo($A)','out':'b(\\n$A)'}],"
                                  "'paths':['.']}"));
    assert_text("preview", shown,
                "# crlf.ts (1 replacement)\n-2|foo(1)\n+2|b(\n\nLeft out, because a program has "
                "written them: api.gen.ts\n\nParse issues:\n"
                "- broken.ts: parse error (syntax tree contains error nodes)");
    g_free(tool_fixture_text(fixture, &tool_resolve, json_of("{'action':'apply','reason':'x'}")));
    assert_file(fixture, "crlf.ts", "\xef\xbb\xbfx = 1;\r\nb(\r\n1);\r\n");
    assert_file(fixture, "api.gen.ts", "foo(1);\n");
    assert_file(fixture, "broken.ts", "foo(1);\nclass {{{\n");
}

/* What has changed since it was shown is not written, nothing of it. */
static void test_edit_is_stale(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *text;
    } cases[] = {
        { "a match is gone", "a.ts", "foo(1);\n" },
        { "other text around it", "a.ts", "// new\n" A_TS },
        { "another file has one", "c.ts", "foo(1);\n" },
    };
    if (!has_ast_grep())
        skip();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = make_fixture(NULL);
        const char *edit = "{'ops':[{'pat':'foo($A)','out':'bar($A)'}],'paths':['.']}";
        g_free(tool_fixture_text(fixture, &tool_ast_edit, json_of(edit)));
        tool_fixture_put(fixture, cases[i].file, cases[i].text);
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_resolve, json_of("{'action':'apply','reason':'x'}"));
        assert_text(cases[i].name, text,
                    "Preview is stale / no longer matches; no replacements were applied. Preview "
                    "expected 2 replacements in 1 file.");
        assert_file(fixture, cases[i].file, cases[i].text);
    }
}

/* Applying is asked about, with what it would do; a preview and dropping it are not. */
static bool refuse(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED, bool *ret_approved,
                   void *user_data, GError **error G_GNUC_UNUSED)
{
    g_string_append_printf(user_data, "%s: %s;", question->tool->name, question->summary);
    *ret_approved = false;
    return true;
}

static bool apply_nothing(ToolCall *call G_GNUC_UNUSED, void *data, ToolResult *result,
                          GError **error G_GNUC_UNUSED)
{
    *(bool *)data = true;
    tool_result_add_text(result, "applied");
    return true;
}

static PendingAction *stage(const ToolFixture *fixture, const char *label, bool *has_run)
{
    PendingAction *action = g_new0(PendingAction, 1);
    action->label = g_strdup(label);
    action->source = "test";
    action->apply = apply_nothing;
    action->data = has_run;
    pending_action_set(fixture->context, action);
    return action;
}

static Likeness count_actions(const GPtrArray *actions, char **ret_earlier G_GNUC_UNUSED,
                              void *user_data)
{
    *(unsigned *)user_data = actions->len;
    return LIKENESS_NONE;
}

static void test_gate(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GString) asked = g_string_new(NULL);
    const ToolDoor door = { .kind = DOOR_DIRECT, .ask = refuse, .user_data = asked };
    bool has_run = false;
    stage(fixture, "first", &has_run);
    stage(fixture, "second", &has_run); // in its place
    static const char *const arguments[] = { "{'action':'apply','reason':'x'}",
                                             "{'action':'discard','reason':'x'}" };
    static const char *const wants[] = { "declined: ", "Discarded: second. Reason: x" };
    for (size_t i = 0; i < G_N_ELEMENTS(arguments); i++) {
        g_autoptr(json_t) decoded = json_of(arguments[i]);
        const ToolCallSpec spec = {
            .tool = &tool_resolve,
            .arguments = decoded,
            .context = fixture->context,
            .door = &door,
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_contains("said", text, wants[i]);
    }
    assert_text("asked", asked->str, "resolve: applies second;");
    assert_false(has_run);
    stage(fixture, "third", &has_run);
    g_autofree char *text =
        tool_fixture_text(fixture, &tool_resolve, json_of("{'action':'apply','reason':'x'}"));
    assert_text("applied", text, "applied");
    assert_true(has_run);
}

/* The files are named, and judged one by one. */
static void test_gate_names_files(void **state G_GNUC_UNUSED)
{
    static const struct {
        unsigned files;
        const char *want;
    } cases[] = {
        { 2, "resolve: applies it: f0, f1;" },
        { 12, "resolve: applies it: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more;" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autoptr(GString) asked = g_string_new(NULL);
        const ToolDoor door = { .kind = DOOR_DIRECT, .ask = refuse, .user_data = asked };
        bool has_run = false;
        PendingAction *action = stage(fixture, "it", &has_run);
        action->paths = g_ptr_array_new_with_free_func(g_free);
        for (unsigned file = 0; file < cases[i].files; file++)
            g_ptr_array_add(action->paths, g_strdup_printf("f%u", file));
        g_autoptr(json_t) arguments = json_of("{'action':'apply','reason':'x'}");
        const ToolCallSpec spec = {
            .tool = &tool_resolve,
            .arguments = arguments,
            .context = fixture->context,
            .door = &door,
            .was_refused = count_actions,
            .user_data = &(unsigned) { 0 },
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        assert_text("asked", asked->str, cases[i].want);
        assert_int_equal(*(unsigned *)spec.user_data, cases[i].files);
    }
}

// ---- a program in trouble, and a stranger's ----

static void put_program(const ToolFixture *fixture, const char *name, const char *script)
{
    tool_fixture_put(fixture, name, script);
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    assert_int_equal(chmod(path, 0700), 0);
}

typedef struct Trouble {
    const char *name, *script, *want;
} Trouble;

static void test_trouble(void **state G_GNUC_UNUSED)
{
    static const Trouble cases[] = {
        { "not JSON", "echo hello", "ast-grep answered with something else than matches" },
        { "JSON of another kind", "echo '{}'", "ast-grep answered with something else" },
        { "it fails", "echo broken >&2; exit 2", "ast-grep failed (exit code 2): broken" },
        { "it is killed", "kill -9 $$", "ast-grep was ended by signal 9" },
        { "too much", "while :; do head -c 1000000 /dev/zero | tr '\\0' x; done",
          "too long to be shown" },
    };
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = make_fixture(NULL);
        g_autofree char *dir = g_build_filename(fixture->root, "bin", NULL);
        g_autofree char *path = g_strdup_printf("%s:%s", dir, path_before);
        g_autofree char *script = g_strdup_printf("#!/bin/sh\n%s\n", cases[i].script);
        put_program(fixture, "../bin/ast-grep", script);
        g_setenv("PATH", path, TRUE);
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_ast_grep, json_of("{'pat':'a','paths':['.']}"));
        g_setenv("PATH", path_before, TRUE);
        assert_contains(cases[i].name, text, cases[i].want);
    }
}

/* Matches in places that the file does not have, or in files that nobody asked about. */
static void test_liar(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = make_fixture(NULL);
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    g_autofree char *dir = g_build_filename(fixture->root, "bin", NULL);
    g_autofree char *path = g_strdup_printf("%s:%s", dir, path_before);
    put_program(
        fixture, "../bin/ast-grep",
        "#!/bin/sh\ncase \"$*\" in *ERROR*) exit 1;; esac\n"
        "for each; do :; done\n"
        "echo '{\"file\":\"/etc/passwd\",\"text\":\"root\",\"replacement\":\"x\","
        "\"range\":{\"byteOffset\":{\"start\":0,\"end\":4},\"start\":{\"line\":0}}}'\n"
        "echo \"{\\\"file\\\":\\\"$each\\\",\\\"text\\\":\\\"bar\\\",\\\"replacement\\\":\\\"x\\\","
        "\\\"range\\\":{\\\"byteOffset\\\":{\\\"start\\\":0,\\\"end\\\":9999},"
        "\\\"start\\\":{\\\"line\\\":0}}}\"\n");
    g_setenv("PATH", path, TRUE);
    g_autofree char *text = tool_fixture_error(
        fixture, &tool_ast_edit, json_of("{'ops':[{'pat':'a','out':'b'}],'paths':['b.ts']}"));
    g_setenv("PATH", path_before, TRUE);
    assert_text("liar", text, "b.ts changed while it was looked at; call ast_edit again");
}

/* Two names of one file: what is written by the one is not undone by the other. */
static void test_hard_links(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = make_fixture(NULL);
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    g_autofree char *dir = g_build_filename(fixture->root, "bin", NULL);
    g_autofree char *path = g_strdup_printf("%s:%s", dir, path_before);
    g_autofree char *b = g_build_filename(fixture->cwd, "b.ts", NULL);
    g_autofree char *c = g_build_filename(fixture->cwd, "c.ts", NULL);
    assert_int_equal(link(b, c), 0);
    put_program(
        fixture, "../bin/ast-grep",
        "#!/bin/sh\ncase \"$*\" in *ERROR*) exit 1;; esac\n"
        "for each; do case $each in *[bc].ts)\n"
        "echo \"{\\\"file\\\":\\\"$each\\\",\\\"text\\\":\\\"bar\\\",\\\"replacement\\\":\\\"x\\\","
        "\\\"range\\\":{\\\"byteOffset\\\":{\\\"start\\\":0,\\\"end\\\":3},"
        "\\\"start\\\":{\\\"line\\\":0}}}\";; esac; done\n");
    g_setenv("PATH", path, TRUE);
    g_free(tool_fixture_text(fixture, &tool_ast_edit,
                             json_of("{'ops':[{'pat':'a','out':'b'}],'paths':['b.ts','c.ts']}")));
    g_autoptr(GPtrArray) paths = pending_action_paths(fixture->context);
    g_autofree char *text =
        tool_fixture_error(fixture, &tool_resolve, json_of("{'action':'apply','reason':'x'}"));
    g_setenv("PATH", path_before, TRUE);
    assert_int_equal(paths->len, 2);
    assert_string_equal(paths->pdata[1], "c.ts");
    assert_contains("refused", text,
                    "1 of 2 files are written, the others are as they were: Refused: c.ts changed "
                    "on disk");
    assert_file(fixture, "c.ts", "x();\n");
}

/* The repository's own program is not run, though PATH leads to it; without another one there is no
   such tool. */
static void test_stranger(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = make_fixture(NULL);
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    put_program(fixture, "node_modules/.bin/ast-grep", "#!/bin/sh\ntouch ran\n");
    g_autofree char *dir = g_build_filename(fixture->cwd, "node_modules", ".bin", NULL);
    g_setenv("PATH", dir, TRUE);
    g_autofree char *text =
        tool_fixture_error(fixture, &tool_ast_grep, json_of("{'pat':'a','paths':['.']}"));
    g_autofree char *from_elsewhere = ast_program("/");
    g_setenv("PATH", path_before, TRUE);
    assert_contains("refused", text, "ast-grep is not installed");
    assert_non_null(from_elsewhere); // it is there, and somebody's own from another directory
    g_autofree char *ran = g_build_filename(fixture->cwd, "ran", NULL);
    assert_false(file_exists(ran));
}

/* tools-T1, tools-T2, tools-T3: what comes with the names that are given. resolve is not of every
   list: whoever asks for no tool, or for one, gets no other (core-14, core-15). It comes with the
   tool that shows previews. */
static void test_selection(void **state G_GNUC_UNUSED)
{
    static const ToolDef ast = { .name = "ast_grep", .summary = "x" };
    static const ToolDef ast_edit = { .name = "ast_edit", .summary = "x" };
    static const ToolDef puppeteer = { .name = "puppeteer", .summary = "x" };
    static const ToolDef *const table[] = { &tool_read,    &tool_grep, &tool_write, &ast,
                                            &ast_edit,     &puppeteer, &tool_find,  &tool_edit,
                                            &tool_resolve, NULL };
    static const struct {
        const char *settings;
        const char *names[4];
        const char *want;
    } cases[] = {
        { "{'grep':{'enabled':false}}", { "read", "GREP", "task" }, "read" },
        { NULL, { "search", "puppeteer" }, "grep puppeteer ast_grep" },
        { NULL, { "edit", "read" }, "edit read ast_edit resolve" },
        { NULL, { "resolve", "find" }, "resolve find" },
        { NULL, { NULL }, "read grep write ast_grep ast_edit puppeteer find edit resolve" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) overrides = cases[i].settings ? json_of(cases[i].settings) : NULL;
        g_autoptr(Settings) settings = settings_new(overrides);
        g_autoptr(ToolSet) all = tool_set_new(table);
        g_autoptr(ToolSet) set =
            tool_set_select(all, settings, (const char *const *)cases[i].names, NULL);
        g_autoptr(GString) names = g_string_new(NULL);
        for (size_t j = 0; j < tool_set_count(set); j++)
            g_string_append_printf(names, "%s%s", j > 0 ? " " : "", tool_set_at(set, j)->name);
        assert_text("names", names->str, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_search_details),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_edit),
        cmocka_unit_test(test_edit_is_refused),
        cmocka_unit_test(test_edit_keeps),
        cmocka_unit_test(test_edit_is_stale),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_gate_names_files),
        cmocka_unit_test(test_trouble),
        cmocka_unit_test(test_liar),
        cmocka_unit_test(test_hard_links),
        cmocka_unit_test(test_stranger),
        cmocka_unit_test(test_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
