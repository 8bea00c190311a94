/* edit by anchors (agent-tools §3.3.2 to §3.3.5), and the tools that show anchors. */
#include "base/str.h"
#include "tool_fixture.h"

#include "tools/edit/edit_mode.h"
#include "tools/file/hashline.h"
#include "tools/tools.h"

static ToolFixture *hashline_fixture(const char *settings)
{
    static const ToolDef *const table[] = { &tool_read, &tool_grep, &tool_write,
                                            &tool_edit_hashline, NULL };
    ToolFixture *self = tool_fixture_new(settings, false);
    self->tools = tool_set_new(table);
    return self;
}

static char *file_text(const ToolFixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("(missing)");
}

static json_t *input_of(const char *input)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "input", input);
    return arguments;
}

static json_t *path_of(const char *path)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "path", path);
    return arguments;
}

/* tools-T40 */
static void test_vectors(void **state G_GNUC_UNUSED)
{
    static const struct {
        size_t number;
        const char *line, *letters;
    } cases[] = {
        { 41, "def alpha():", "th" },
        { 1, "x", "ox" },
        { 99, "x", "ox" },
        { 1, "", "ch" },
        { 2, "", "lb" },
        { 7, "}", "pd" },
        { 8, "}", "cf" },
        { 7, "  }", "xt" },
        { 3, "---", "ji" },
        { 4, "---", "ue" },
        { 1, "_", "ij" },
        { 3, "\treturn x;", "qc" },
        { 3, "\treturn x; \t\u00a0\r", "qc" },
        { 3, "\tre\rturn x;", "qc" },
        { 5, "é", "jh" },
        { 5, "日本語", "ey" },
        { 10, "the quick brown fox jumps over the lazy dog", "dl" },
        { 1, "\ufeffx", "ox" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char letters[HASHLINE_LETTERS + 1];
        hashline_letters(cases[i].number, cases[i].line, strlen(cases[i].line), letters);
        assert_text(cases[i].line, letters, cases[i].letters);
    }
}

#define F_TXT         "alpha\nbeta\ngamma\n"
#define TWO_FUNCTIONS "function a() {\n\tone();\n\ttwo();\n}\n\nfunction b() {\n\tthree();\n}\n"

static void test_edits(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *ops, *text, *after;
    } cases[] = {
        { "tools-T41", F_TXT, "= 2id..2id\n~BETA",
          "f.txt:\n 1im|alpha\n-2--|beta\n+2ea|BETA\n 3uw|gamma", "alpha\nBETA\ngamma\n" },
        { "tools-T42", F_TXT, "+ 1im\n~one", "f.txt:\n 1im|alpha\n+2yc|one\n 3id|beta\n 4uw|gamma",
          "alpha\none\nbeta\ngamma\n" },
        { "tools-T43", F_TXT, "- 1im..2id", NULL, "gamma\n" },
        { "tools-T44", F_TXT, "< BOF\n~top\n+ EOF\n~end", NULL, "top\nalpha\nbeta\ngamma\nend\n" },
        { "tools-T49", TWO_FUNCTIONS, "= 3pm..3pm\n~function a() {\n~\tone();\n~\tTWO();",
          "f.txt:\n 1go|function a() {\n 2ro|\tone();\n-3--|\ttwo();\n+3yt|\tTWO();\n 4na|}\n "
          "5on|\n"
          " 6tx|function b() {\n 7vq|\tthree();\n...\n\nWarnings:\nAuto-absorbed 2 duplicate "
          "line(s) "
          "above replacement at line 1 (file lines 1..2 matched the payload's leading lines; "
          "widened "
          "the deletion to absorb them).",
          "function a() {\n\tone();\n\tTWO();\n}\n\nfunction b() {\n\tthree();\n}\n" },
        { "tools-T50", F_TXT, "= 2id..2id\n~beta",
          "Edits to f.txt resulted in no changes being made.", F_TXT },
        { "tools-T179", F_TXT, "+ 1im\n~one\n\n~two\n\n", NULL,
          "alpha\none\n\ntwo\nbeta\ngamma\n" },
        { "tools-T182", F_TXT, "= 2id..2id\n~BETA\n*** Abort\n- 1im..1im",
          "f.txt:\n 1im|alpha\n-2--|beta\n+2ea|BETA\n 3uw|gamma\n\nWarnings:\nTool stream "
          "truncated "
          "mid-call due to detected output corruption. Applied ops above are valid. Re-issue any "
          "remaining edits.",
          "alpha\nBETA\ngamma\n" },
        { "an operation that was cut is none", F_TXT, "- 1im..1im\n= 2id..2id\n*** Abort", NULL,
          "beta\ngamma\n" },
        { "no payload is an empty line", F_TXT, "= 1im..2id", NULL, "\ngamma\n" },
        { "at one place, in order", F_TXT, "= 2id..2id\n~B\n< 2id\n~x\n+ 1im\n~y", NULL,
          "alpha\nx\ny\nB\ngamma\n" },
        { "after what goes", F_TXT, "- 2id..2id\n+ 2id\n~x", NULL, "alpha\nx\ngamma\n" },
        { "no newline at the end stays so", "a\nb", "+ EOF\n~c\n+ 1hs\n~x", NULL, "a\nx\nb\nc" },
        { "behind the last line", "a\nb\n", "+ 3gx\n~c", NULL, "a\nb\nc\n" },
        { "all of it", "a\nb\n", "- 1hs..3gx", "f.txt:\n-1--|a\n-2--|b", "" },
        { "into an empty file", "", "+ BOF\n~one\n~two", NULL, "one\ntwo" },
        { "CRLF", "a\r\nb\r\nc\r\n", "= 2yo..2yo\n~B\n~B2", NULL, "a\r\nB\r\nB2\r\nc\r\n" },
        { "put in at the top: the lines below have new numbers", F_TXT, "+ BOF\n~zero",
          "f.txt:\n+1kr|zero\n 2im|alpha\n 3id|beta\n 4uw|gamma", "zero\nalpha\nbeta\ngamma\n" },
        { "mixed ends", "a\r\nb\nc\r\nd\n", "= 1hs..1hs\n~A", NULL, "A\r\nb\nc\r\nd\n" },
        { "mixed ends: the first of two lines that are alike goes", "}\r\n}\nc\n", "- 1nl..1nl",
          NULL, "}\nc\n" },
        { "mixed ends: what is put in ends as the line above", "a\r\nb\nc\r\nd\n",
          "+ 2yo\n~x\n+ 3ni\n~y\n+ BOF\n~z", NULL, "z\r\na\r\nb\nx\nc\r\ny\r\nd\n" },
        { "tools-T48", "\ufeffa\r\nb\r\nc\r\n", "= 2yo..2yo\n~B\n= 1hs..1hs\n~A", NULL,
          "\ufeffA\r\nB\r\nc\r\n" },
        { "input with CRLF", F_TXT, "= 2id..2id\r\n~BETA\r\n", NULL, "alpha\nBETA\ngamma\n" },
        { "no blank needed", F_TXT, "=2id..2id\n~BETA\n-1im..1im", NULL, "BETA\ngamma\n" },
        { "absorbed below", TWO_FUNCTIONS, "= 2ro..2ro\n~\tONE();\n~\ttwo();\n~}", NULL,
          "function a() {\n\tONE();\n\ttwo();\n}\n\nfunction b() {\n\tthree();\n}\n" },
        { "a stray bracket", TWO_FUNCTIONS, "= 3pm..3pm\n~\tTWO();\n~}", NULL,
          "function a() {\n\tone();\n\tTWO();\n}\n\nfunction b() {\n\tthree();\n}\n" },
        { "a bracket that closes one of the payload", TWO_FUNCTIONS,
          "= 3pm..3pm\n~\tif (x) {\n~\t\tTWO();\n~}", NULL,
          "function a() {\n\tone();\n\tif (x) {\n\t\tTWO();\n}\n}\n\nfunction b() "
          "{\n\tthree();\n}\n" },
        { "a bracket that was missing", "{\n{\nx\n}\n", "+ 4na\n~}", NULL, "{\n{\nx\n}\n}\n" },
        { "lines that another operation takes", TWO_FUNCTIONS,
          "= 2ro..2ro\n~\tONE();\n~\ttwo();\n~}\n- 3pm..3pm", NULL,
          "function a() {\n\tONE();\n\ttwo();\n}\n}\n\nfunction b() {\n\tthree();\n}\n" },
        { "a stray bracket inserted", TWO_FUNCTIONS, "+ 3pm\n~\tnew();\n~}", NULL,
          "function a() {\n\tone();\n\ttwo();\n\tnew();\n}\n\nfunction b() {\n\tthree();\n}\n" },
        { "runs of insertions stay", TWO_FUNCTIONS, "+ 3pm\n~\tone();\n~\ttwo();\n~\tnew();", NULL,
          "function a() {\n\tone();\n\ttwo();\n\tone();\n\ttwo();\n\tnew();\n}\n\nfunction b() {\n"
          "\tthree();\n}\n" },
        { "a file of two parts", F_TXT, "+ 1im\n~x\n@@ ./f.txt\n- 3uw..3uw", NULL,
          "alpha\nx\nbeta\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
        tool_fixture_put(fixture, "f.txt", cases[i].file);
        g_free(tool_fixture_text(fixture, &tool_read, path_of("f.txt")));
        g_autofree char *input = g_strconcat("@@ f.txt\n", cases[i].ops, NULL);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_edit_hashline, input_of(input), &result);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error)
            fail_msg("%s: %s", cases[i].name, text);
        if (cases[i].text)
            assert_text(cases[i].name, text, cases[i].text);
        g_autofree char *after = file_text(fixture, "f.txt");
        assert_text(cases[i].name, after, cases[i].after);
    }
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *input, *error; // all of it, or what it begins with
    } cases[] = {
        { "tools-T45", "@@ f.txt\n= 2zz..2zz\n~x",
          "Edit rejected: 1 line has changed since the last read (marked *).\nThe edit was NOT "
          "applied, please use the updated file content shown below, and issue another edit "
          "tool-call.\n 1im|alpha\n*2id|beta\n 3uw|gamma\n 4vt|" },
        { "tools-T47", "@@ f.txt\n= 2..2\n~x",
          "line 1: expected a full anchor such as \"119sr\", \"119ab\", \"119th\"; got \"2\"." },
        { "no anchor", "@@ f.txt\n+ 4\n~x", "line 1: expected a full anchor such as \"119sr\"" },
        { "with text", "@@ f.txt\n+ 1im|alpha beta\n~x", "line 1: unrecognized op. Use < ANCHOR" },
        { "one side", "@@ f.txt\n\n= 2id\n~x", "line 2: explicit ranges are required for" },
        { "three sides", "@@ f.txt\n- 1im..2id..3uw",
          "line 1: range must include exactly two full anchors separated by \"..\"." },
        { "backwards", "@@ f.txt\n- 3uw..2id", "line 1: range 3uw..2id ends before it starts." },
        { "two hashes", "@@ f.txt\n- 3uw..3id",
          "line 1: range 3uw..3id uses two different hashes for the same line." },
        { "nothing to insert", "@@ f.txt\n+ 1im\n- 2id..2id",
          "line 1: + and < operations require at least one ~TEXT payload line." },
        { "payload of nothing", "@@ f.txt\n~x",
          "line 1: payload line has no preceding +, <, or = operation." },
        { "payload of a deletion", "@@ f.txt\n- 2id..2id\n~x",
          "line 2: payload line has no preceding +, <, or = operation." },
        { "no operation", "@@ f.txt\n! 4no", "line 1: unrecognized op." },
        { "no header", "= 2id..2id\n~x",
          "input must begin with \"@@ PATH\" on the first non-blank line; got: \"= 2id..2id\"." },
        { "empty header", "@@ \n- 2id..2id", "Input header \"@\" is empty; provide a file path." },
        { "nothing to do", "@@ f.txt\n", "No operations for f.txt: " },
        { "no such line", "@@ f.txt\n- 40ab..40ab", "Line 40 does not exist (file has 4 lines)" },
        { "no line 0", "@@ f.txt\n- 0ab..1im", "line 1: expected a full anchor" },
        { "a number that no file has", "@@ f.txt\n- 99999999999999999999ab..1im",
          "line 1: expected a full anchor" },
        { "twice the same", "@@ f.txt\n- 1im..2id\n= 2id..3uw\n~x",
          "line 2: range 2id..3uw overlaps range 1im..2id of line 1." },
        { "no file", "@@ no.txt\n- 1im..1im", "File not found: no.txt" },
        { "no file, not only at its ends", "@@ no.txt\n+ BOF\n~x\n- 1im..1im",
          "File not found: no.txt" },
        { "tools-T46", "@@ f.txt\n- 1im..1im\n@@ g.txt\n- 1zz..1zz", "g.txt: Edit rejected: " },
        { "no change of one of two", "@@ f.txt\n- 1im..1im\n@@ g.txt\n= 1hs..1hs\n~a",
          "Edits to g.txt resulted in no changes being made." },
        { "generated", "@@ x.pb.go\n+ EOF\n~x", "Cannot modify auto-generated file: x.pb.go" },
        { "binary", "@@ b.bin\n+ EOF\n~x", "Cannot edit binary file: b.bin" },
        { "a directory", "@@ .\n+ EOF\n~x", "" },
        { "another's scheme", "@@ issue://1\n+ EOF\n~x", "Unknown protocol: issue://" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
        tool_fixture_put(fixture, "f.txt", F_TXT);
        tool_fixture_put(fixture, "g.txt", "a\n");
        tool_fixture_put(fixture, "x.pb.go", "package x\n");
        tool_fixture_put_bytes(fixture, "b.bin", "a\0b\n", 4);
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_edit_hashline, input_of(cases[i].input));
        if (!str_has_prefix(text, cases[i].error))
            assert_text(cases[i].name, text, cases[i].error);
        g_autofree char *after = file_text(fixture, "f.txt");
        assert_text(cases[i].name, after, F_TXT);
    }
}

static void test_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
    tool_fixture_put(fixture, "f.txt", F_TXT);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(
        fixture, &tool_edit_hashline,
        input_of("*** Begin Patch\n@ 'f.txt'\n- 1im..1im\n@@ d/new.txt @@\n+ BOF\n~x\n"
                 "*** End Patch\nanything"),
        &result);
    g_autofree char *text = tool_result_text(&result);
    assert_text("both", text, "f.txt:\n-1--|alpha\n 1id|beta\n 2uw|gamma\n\nd/new.txt:\n+1ox|x");
    g_autofree char *created = file_text(fixture, "d/new.txt");
    assert_text("tools-T180", created, "x\n");
    const json_t *files = json_get_array(result.details, "perFileResults");
    assert_int_equal(json_array_size(files), 2);
    assert_string_equal(json_get_text(json_array_get(files, 1), "op"), "create");
    assert_string_equal(json_get_text(json_array_get(files, 1), "path"), "d/new.txt");

    // one file by two names
    g_autofree char *target = g_build_filename(fixture->cwd, "link", NULL);
    assert_int_equal(symlink("f.txt", target), 0);
    g_autofree char *again G_GNUC_UNUSED = tool_fixture_text(
        fixture, &tool_edit_hashline, input_of("@@ link\n+ 1id\n~1\n@@ f.txt\n+ 2uw\n~2"));
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_text("one file", after, "beta\n1\ngamma\n2\n");

    json_t *arguments = input_of("- 1id..1id");
    json_set_text(arguments, "path", "f.txt");
    g_autofree char *by_path G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_hashline, arguments);
    g_autofree char *last = file_text(fixture, "f.txt");
    assert_text("a path in place of the header", last, "1\ngamma\n2\n");
}

/* tools-T181 */
static void test_gap(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
    g_autoptr(GString) content = g_string_new(NULL);
    for (int i = 1; i <= 20; i++)
        g_string_append_printf(content, "row %d\n", i);
    tool_fixture_put(fixture, "f.txt", content->str);
    char second[HASHLINE_LETTERS + 1], other[HASHLINE_LETTERS + 1];
    hashline_letters(2, "row 2", 5, second);
    hashline_letters(18, "row 18", 6, other);
    g_autofree char *input =
        g_strdup_printf("@@ f.txt\n- 2%s..2%s\n- 18%s..18%s", second, second, other, other);
    g_autofree char *text = tool_fixture_text(fixture, &tool_edit_hashline, input_of(input));
    assert_contains("tools-T181", text, "|row 6\n...\n 13");
}

/* What read shows, edit takes. */
static void test_shown(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *path, *settings, *text;
    } cases[] = {
        { "tools-T21", F_TXT, "f.txt", NULL, "1im|alpha\n2id|beta\n3uw|gamma\n4vt|" },
        { "tools-T23", F_TXT, "f.txt:raw", NULL, F_TXT },
        { "tools-T175: BOM", "\ufeffalpha\nbeta\n", "f.txt", NULL, "1im|alpha\n2id|beta\n3gx|" },
        { "tools-T175: raw", "\ufeffalpha\r\nbeta\n", "f.txt:raw", NULL, "alpha\nbeta\n" },
        { "tools-T175: CRLF", "alpha\r\nbeta\r\n", "f.txt", NULL, "1im|alpha\n2id|beta\n3gx|" },
        { "off", F_TXT, "f.txt", "{'readHashLines':false}", F_TXT },
        { "off, with numbers", F_TXT, "f.txt:3", "{'readHashLines':false,'readLineNumbers':true}",
          "1|alpha\n2|beta\n3|gamma\n4|" },
        { "greet.c",
          "#include <stdio.h>\n\nint main(void) {\n    puts(\"hi\");\n    return 0;\n}\n",
          "f.txt:4-4", NULL,
          "1tl|#include <stdio.h>\n2lb|\n3jr|int main(void) {\n4jr|    puts(\"hi\");\n"
          "5qa|    return 0;\n6qx|}\n7hu|" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = hashline_fixture(cases[i].settings);
        tool_fixture_put(fixture, "f.txt", cases[i].file);
        g_autofree char *text = tool_fixture_text(fixture, &tool_read, path_of(cases[i].path));
        assert_text(cases[i].name, text, cases[i].text);
    }
    g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
    tool_fixture_put(fixture, "f.txt", "\ufeffa\rb\r\nc\r\n"); // tools-T175
    g_autofree char *text = tool_fixture_text(fixture, &tool_read, path_of("f.txt"));
    g_autofree char *anchor = g_strndup(text, 3);
    g_autofree char *input = g_strdup_printf("@@ f.txt\n= %s..%s\n~x", anchor, anchor);
    g_autofree char *edited G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_hashline, input_of(input));
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_text("tools-T175: a lone CR", after, "\ufeffx\r\nc\r\n");

    // without an edit tool that takes them there are none
    static const ToolDef *const others[] = { &tool_read, &tool_edit_replace, NULL };
    tool_set_unref(fixture->tools);
    fixture->tools = tool_set_new(others);
    g_autofree char *plain = tool_fixture_text(fixture, &tool_read, path_of("f.txt"));
    assert_string_equal(plain, "x\nc\n");
}

/* tools-T177 */
static void test_long_line(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
    g_autofree char *line = g_strnfill(60000, 'y');
    g_autofree char *file = g_strdup_printf("first\n%s\nthird\n", line);
    tool_fixture_put(fixture, "f.txt", file);
    g_autofree char *text = tool_fixture_text(fixture, &tool_read, path_of("f.txt:2-3"));
    assert_contains("tools-T177", text,
                    "[Line 2 is 58.6KB, exceeds 50.0KB limit. Hashline output requires full lines; "
                    "cannot compute hashes for a truncated preview. Use :2-2:raw to see its "
                    "beginning.]");
    assert_contains("tools-T177: goes on", text, "Use :3 to continue");
    g_autofree char *raw = tool_fixture_text(fixture, &tool_read, path_of("f.txt:2-2:raw"));
    assert_contains("tools-T177: its beginning", raw, "yyyyyyyyyy");
}

static void test_grep(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
    g_autofree char *wide = g_strnfill(3000, 'w');
    g_autofree char *file = g_strdup_printf("\ufeffalpha\nbeta %s\ngamma\n", wide);
    tool_fixture_put(fixture, "f.txt", file);
    json_t *arguments = path_of("f.txt");
    json_set_text(arguments, "pattern", "beta");
    g_autofree char *text = tool_fixture_text(fixture, &tool_grep, arguments);
    assert_contains("context", text, "\n 3uw|gamma");
    // the anchor of a line that is shown cut is that of the whole
    char letters[HASHLINE_LETTERS + 1];
    g_autofree char *line = g_strconcat("beta ", wide, NULL);
    hashline_letters(2, line, strlen(line), letters);
    g_autofree char *match = g_strdup_printf("*2%s|beta www", letters);
    assert_contains("match", text, match);
    assert_contains("BOM", text, " 1im|");
    g_autofree char *input = g_strdup_printf("@@ f.txt\n- 2%s..2%s\n- 1im..1im", letters, letters);
    g_autofree char *edited G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_hashline, input_of(input));
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_string_equal(after, "\ufeffgamma\n");
}

static void test_write(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *content, *after;
    } cases[] = {
        { "tools-T36", "1im|alpha\n2id|beta\n", "alpha\nbeta\n" },
        { "as grep shows them, twice", "*1im|1im|alpha\n >>> + 2id:2id|beta\n\n",
          "alpha\nbeta\n\n" },
        { "a notice", "1im|alpha\n[Showing lines 1-1 of 2. Use :2 to continue]", "alpha" },
        { "one line without", "1im|alpha\nbeta\n", "1im|alpha\nbeta\n" },
        { "nothing of them", "alpha\n", "alpha\n" },
        { "blank", "\n\n", "\n\n" },
        { "times of day", "9am: standup\n10am: review\n", "9am: standup\n10am: review\n" },
        { "one", "12pm: lunch", "12pm: lunch" },
        { "ranks", "1st|Ann\n2nd|Bob\n", "1st|Ann\n2nd|Bob\n" },
        { "times without text", "9am:\n10am:\n", "9am:\n10am:\n" },
        { "anchors of times of day", "1oa|9am: standup\n2eu|10am: review\n",
          "9am: standup\n10am: review\n" },
        { "one of two was changed", "1im|alpha\n2id|bet\n", "alpha\nbet\n" },
        { "two of three are others", "1im|alpha\n2nd|Bob\n3rd|Eve\n",
          "1im|alpha\n2nd|Bob\n3rd|Eve\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
        json_t *arguments = path_of("f.txt");
        json_set_text(arguments, "content", cases[i].content);
        g_autofree char *text = tool_fixture_text(fixture, &tool_write, arguments);
        g_autofree char *after = file_text(fixture, "f.txt");
        assert_text(cases[i].name, after, cases[i].after);
        bool is_noted = strstr(text, "\nNote: auto-stripped hashline display prefixes from content "
                                     "before writing.") != NULL;
        assert_int_equal(is_noted, strcmp(cases[i].content, cases[i].after) != 0);
    }
}

static void test_notebook(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = hashline_fixture(NULL);
    tool_fixture_put(
        fixture, "n.ipynb",
        "{\"cells\":[{\"cell_type\":\"markdown\",\"metadata\":{},\"source\":[\"# T\\n\","
        "\"x\"]},{\"cell_type\":\"code\",\"execution_count\":1,\"metadata\":{\"a\":1},"
        "\"outputs\":[],\"source\":[\"x = 1\"]}],\"metadata\":{},\"nbformat\":4,"
        "\"nbformat_minor\":4}");
    g_autofree char *shown = tool_fixture_text(fixture, &tool_read, path_of("n.ipynb"));
    assert_text("shown", shown,
                "1jo|# %% [markdown] cell:0\n2uo|# T\n3ox|x\n4qx|# %% [code] cell:1\n5jl|x = 1");
    g_autofree char *text = tool_fixture_text(
        fixture, &tool_edit_hashline, input_of("@@ n.ipynb\n= 5jl..5jl\n~x = 2\n~print(x)"));
    assert_contains("preview", text, "-5--|x = 1\n+5gb|x = 2\n+6hx|print(x)");
    g_autofree char *after = file_text(fixture, "n.ipynb");
    assert_contains("source", after, "\"x = 2\\n\",");
    assert_contains("metadata", after, "\"a\": 1");
}

/* The setting for insertions, and another mark of payload lines. */
static void test_settings(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture =
        hashline_fixture("{'edit':{'hashlineAutoDropPureInsertDuplicates':true}}");
    tool_fixture_put(fixture, "f.txt", TWO_FUNCTIONS);
    g_autofree char *text = tool_fixture_text(
        fixture, &tool_edit_hashline, input_of("@@ f.txt\n+ 3pm\n~\tone();\n~\ttwo();\n~\tnew();"));
    assert_contains("dropped", text,
                    "Auto-dropped 2 duplicate line(s) at the start of insert at line 1 (file lines "
                    "2..3 already match the payload's leading lines).");
    g_setenv("KEDGE_HL_SEP", "|", true);
    g_autofree char *other G_GNUC_UNUSED = tool_fixture_text(
        fixture, &tool_edit_hashline, input_of("@@ f.txt\n= 3pm..3pm\n|\tTWO();"));
    g_autofree char *described = tool_edit_hashline.describe(fixture->tools);
    g_unsetenv("KEDGE_HL_SEP");
    assert_contains("described", described, "\n|TEXT");
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_contains("both", after, "\tTWO();\n\tnew();\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),   cmocka_unit_test(test_edits),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_files),
        cmocka_unit_test(test_gap),       cmocka_unit_test(test_shown),
        cmocka_unit_test(test_long_line), cmocka_unit_test(test_grep),
        cmocka_unit_test(test_write),     cmocka_unit_test(test_notebook),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
