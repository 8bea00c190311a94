/*
 * grep: patterns, scopes, layout, pages (agent-tools §3.8).
 */
#include "base/str.h"
#include "tool_fixture.h"

#include "base/limits.h"
#include "tools/search/grep_search.h"
#include "tools/tools.h"

#include <sys/stat.h>

static char *grep_text(const ToolFixture *fixture, const char *arguments)
{
    return tool_fixture_text(fixture, &tool_grep, json_of(arguments));
}

static char *grep_error(const ToolFixture *fixture, const char *arguments)
{
    return tool_fixture_error(fixture, &tool_grep, json_of(arguments));
}

/* With the context of the settings switched off, so that the cases show matches only. */
static ToolFixture *bare_fixture(void)
{
    return tool_fixture_new("{'grep':{'contextBefore':0,'contextAfter':0}}", false);
}

static void put_numbered(const ToolFixture *fixture, const char *name, int count, const char *word)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 1; i <= count; i++)
        g_string_append_printf(text, "%s %d\n", word, i);
    tool_fixture_put(fixture, name, text->str);
}

static void test_layout(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "src/main.c",
                     "1\n2\n3\n4\n5\n6\n7\n8\n9\nint rc = 0;\nrc = parse(argv);\n}\n13\n14\n15\n");
    tool_fixture_put(fixture, "src/util.c", "a\nb\nc\nparse(x);\n");
    tool_fixture_put(fixture, "README", "parse\nmore\n");
    tool_fixture_put(fixture, "a/deep/x", "parse");
    g_autofree char *text = grep_text(fixture, "{'pattern':'parse'}");
    assert_text(
        "tools-T78", text,
        "# README\n*1|parse\n 2|more\n"
        "\n# a/deep/\n## x\n*1|parse\n"
        "\n# src/\n## main.c\n 10|int rc = 0;\n*11|rc = parse(argv);\n 12|}\n 13|13\n 14|14\n"
        "## util.c\n 3|c\n*4|parse(x);");
    g_autofree char *one = grep_text(fixture, "{'pattern':'parse','path':'src/util.c'}");
    assert_text("one file prints only lines", one, " 3|c\n*4|parse(x);");
    g_autofree char *wide =
        grep_text(fixture, "{'pattern':'parse','path':'src/util.c','pre':2,'post':0}");
    assert_text("pre and post", wide, " 2|b\n 3|c\n*4|parse(x);");
    g_autofree char *none = grep_text(fixture, "{'pattern':'nothing of the kind'}");
    assert_string_equal(none, "No matches found");
}

static void test_context_is_not_repeated(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f", "a\nhit\nb\nhit\nc\nd\ne\nf\ng\nhit\n");
    g_autofree char *text = grep_text(fixture, "{'pattern':'hit','path':'f'}");
    assert_string_equal(text, " 1|a\n*2|hit\n 3|b\n*4|hit\n 5|c\n 6|d\n 7|e\n 9|g\n*10|hit");
}

static void test_patterns(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *arguments, *want;
    } cases[] = {
        { "tools-T77", "foo(x)\nbar\n", "{'pattern':'foo('}", "*1|foo(x)" },
        { "unopened", "foo)x\n", "{'pattern':'foo)'}", "*1|foo)x" },
        { "groups stay groups", "abab\nab(\n", "{'pattern':'^(ab)+$'}", "*1|abab" },
        { "tools-T170", "a ${name} b\nname\n", "{'pattern':'${name}'}", "*1|a ${name} b" },
        { "tools-T170: a quantifier", "aa\na\n", "{'pattern':'a{2}'}", "*1|aa" },
        { "tools-T170: braces", "f{x}\nfx\n", "{'pattern':'f{x}'}", "*1|f{x}" },
        { "an anchor all the same", "ab\nba\n", "{'pattern':'b$'}", "*1|ab" },
        { "escaped dollar", "a ${x} b\n", "{'pattern':'[$]{x}'}", "*1|a ${x} b" },
        { "a function body", "int f() { x\n", "{'pattern':'f\\\\(\\\\) {'}", "*1|int f() { x" },
        { "quantifiers work", "aaa\naa\n", "{'pattern':'^a{3}$'}", "*1|aaa" },
        { "open quantifiers too", "aaa\na\n", "{'pattern':'^a{2,}$'}", "*1|aaa" },
        { "classes", "a1\nb\n", "{'pattern':'\\\\w\\\\d'}", "*1|a1" },
        { "braces in a class", "x{\n", "{'pattern':'x[{}]'}", "*1|x{" },
        { "named characters", "é\n", "{'pattern':'\\\\p{L}'}", "*1|é" },
        { "inline flags", "ABC\n", "{'pattern':'(?i)abc'}", "*1|ABC" },
        { "i", "ABC\n", "{'pattern':'abc','i':true}", "*1|ABC" },
        { "case counts", "ABC\n", "{'pattern':'abc'}", "No matches found" },
        { "trimmed", "abc\n", "{'pattern':'  abc '}", "*1|abc" },
        { "begins with a dash", "-x y\n", "{'pattern':'-x'}", "*1|-x y" },
        { "tools-T80", "x\na\nb\ny\n", "{'pattern':'a\\\\nb'}", "*2|a\n*3|b" },
        { "a newline itself", "x\na\nb\ny\n", "{'pattern':'a\\nb'}", "*2|a\n*3|b" },
        { "multi-line off", "x\na\nb\n", "{'pattern':'a$','multiline':false}", "*2|a" },
        { "multi-line on", "x\na\n\nb\n", "{'pattern':'a\\\\s+b','multiline':true}",
          "*2|a\n*3|\n*4|b" },
        { "dot is not the newline", "a\nb\n", "{'pattern':'a.b','multiline':true}",
          "No matches found" },
        { "unless asked", "a\nb\n", "{'pattern':'(?s)a.b','multiline':true}", "*1|a\n*2|b" },
        { "no final newline", "x\nend", "{'pattern':'end'}", "*2|end" },
        { "CRLF", "one\r\ntwo\r\n", "{'pattern':'two'}", "*2|two" },
        { "invalid UTF-8", "caf\xe9 x\n", "{'pattern':'caf'}", "*1|caf\xef\xbf\xbd x" },
        { "an empty line", "a\n\nb\n", "{'pattern':'^$'}", "*2|" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = bare_fixture();
        tool_fixture_put(fixture, "f", cases[i].file);
        g_autoptr(json_t) arguments = json_of(cases[i].arguments);
        json_set_text(arguments, "path", "f");
        g_autofree char *text = tool_fixture_text(fixture, &tool_grep, json_incref(arguments));
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'pattern':'  '}", "Pattern must not be empty" },
        { "{'pattern':'a','limit':-1}",
          "Limit must be a non-negative number, not -1; leave it out for the default" },
        { "{'pattern':'a','offset':-1}",
          "Offset must be a non-negative number, not -1; leave it out for the default" },
        { "{'pattern':'a','skip':-1}",
          "Offset must be a non-negative number, not -1; leave it out for the default" },
        { "{'pattern':'a','paths':['f','']}", "`paths` must contain non-empty paths or globs" },
        { "{'pattern':'a','path':'nope'}", "Path not found: nope" },
        { "{'pattern':'a','paths':['nope','*.zig']}", "Path not found: nope, *.zig" },
        { "{'pattern':'a','type':'cobol'}", "Unknown file type: cobol" },
        { "{'pattern':'a','glob':'{x'}", "invalid glob: {x (a { is not closed)" },
        { "{'pattern':'a[b'}", "regex parse error: unclosed character class" },
        { "{'pattern':'(a)\\\\1'}", "regex parse error: backreferences are not supported" },
    };
    g_autoptr(ToolFixture) fixture = bare_fixture();
    tool_fixture_put(fixture, "f", "a\n");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = grep_error(fixture, cases[i].arguments);
        assert_text(cases[i].arguments, text, cases[i].want);
    }
    g_autofree char *spanning = grep_error(fixture, "{'pattern':'a\\nb','multiline':false}");
    // ripgrep 14 leaves the inner quotes out
    assert_true(str_has_prefix(spanning, "regex parse error: the literal "));
    assert_non_null(strstr(spanning, "\"\\n\""));
    assert_true(g_str_has_suffix(spanning, " is not allowed in a regex"));
}

static void test_scopes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "everything: hidden, not ignored", "{'pattern':'hit'}",
          "# .h/\n## x.py\n*1|hit\n\n# a.c\n*1|hit\n\n# src/\n## b.c\n*1|hit\n## c.h\n*1|hit\n\n"
          "# src/deep/\n## d.c\n*1|hit" },
        { "ignored files too", "{'pattern':'hit','gitignore':false,'glob':'*.o'}",
          "# out/\n## e.o\n*1|hit" },
        { "node_modules when ignore files are off",
          "{'pattern':'hit','gitignore':false,'path':'node_modules'}",
          "# node_modules/\n## f.js\n*1|hit" },
        { "what is named is searched", "{'pattern':'hit','path':'node_modules'}",
          "# node_modules/\n## f.js\n*1|hit" },
        { "a glob on names", "{'pattern':'hit','glob':'*.h'}", "# src/\n## c.h\n*1|hit" },
        { "a glob on paths", "{'pattern':'hit','glob':'src/**/*.c'}",
          "# src/\n## b.c\n*1|hit\n\n# src/deep/\n## d.c\n*1|hit" },
        { "a glob below the path", "{'pattern':'hit','path':'src','glob':'deep/*'}",
          "# src/deep/\n## d.c\n*1|hit" },
        { "a type", "{'pattern':'hit','type':'py'}", "# .h/\n## x.py\n*1|hit" },
        { "a type with a glob", "{'pattern':'hit','type':'c','glob':'c.*'}",
          "# src/\n## c.h\n*1|hit" },
        { "comma-separated", "{'pattern':'hit','path':'a.c, src/deep'}",
          "# a.c\n*1|hit\n\n# src/deep/\n## d.c\n*1|hit" },
        { "paths, one missing", "{'pattern':'hit','paths':['a.c','nope']}",
          "*1|hit\n\nSkipped missing paths: nope" },
        { "nothing found, one missing", "{'pattern':'zzz','paths':['a.c','nope']}",
          "No matches found\nSkipped missing paths: nope" },
        { "paths that are globs", "{'pattern':'hit','paths':['src/*.{c,h}']}",
          "# src/\n## b.c\n*1|hit\n## c.h\n*1|hit" },
        { "a glob for one file has a heading", "{'pattern':'hit','path':'src/*.h'}",
          "# src/\n## c.h\n*1|hit" },
        { "globs leave ignored files out", "{'pattern':'hit','paths':['*/e.o','a.c']}",
          "# a.c\n*1|hit\n\nSkipped missing paths: */e.o" },
    };
    g_autoptr(ToolFixture) fixture = bare_fixture();
    static const char *const names[] = { "a.c",     "src/b.c", "src/c.h",           "src/deep/d.c",
                                         ".h/x.py", "out/e.o", "node_modules/f.js", ".git/config" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        tool_fixture_put(fixture, names[i], "hit\n");
    tool_fixture_put(fixture, ".gitignore", "out/\n");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = grep_text(fixture, cases[i].arguments);
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_pages(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture(); // tools-T79
    put_numbered(fixture, "a", 50, "hit");
    put_numbered(fixture, "b", 50, "hit");
    put_numbered(fixture, "c", 50, "hit");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_grep, json_of("{'pattern':'hit'}"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_true(g_str_has_suffix(text, "\n\nResult limit reached; narrow paths or use skip=100."));
    assert_contains("34 of the first", text, "*34|hit 34\n\n# b\n");
    assert_contains("33 of the second", text, "*33|hit 33\n\n# c\n");
    assert_contains("33 of the third", text, "*33|hit 33\n\nResult limit");
    assert_int_equal(json_get_int(result.details, "matchCount", 0), 100);
    assert_int_equal(json_get_int(result.details, "fileCount", 0), 3);
    assert_int_equal(
        json_get_int(json_array_get(json_get_array(result.details, "fileMatches"), 0), "count", 0),
        34);
    assert_true(json_get_bool(result.details, "truncated", false));

    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'pattern':'hit','path':'a','limit':2}",
          "*1|hit 1\n*2|hit 2\n\nResult limit reached; narrow paths or use skip=2." },
        { "{'pattern':'hit','path':'a','limit':2,'skip':48}", "*49|hit 49\n*50|hit 50" },
        { "{'pattern':'hit','path':'a','limit':2,'offset':47}",
          "*48|hit 48\n*49|hit 49\n\nResult limit reached; narrow paths or use skip=49." },
        { "{'pattern':'hit','skip':149}", "# c\n*50|hit 50" },
        { "{'pattern':'hit','skip':150}", "No matches found" },
        { "{'pattern':'hit','skip':5000000000}", "No matches found" },
        { "{'pattern':'hit','path':'a','limit':1,'skip':10,'pre':2,'post':1}",
          " 9|hit 9\n 10|hit 10\n*11|hit 11\n 12|hit 12\n\nResult limit reached; narrow paths or "
          "use "
          "skip=11." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *page = grep_text(fixture, cases[i].arguments);
        assert_text(cases[i].arguments, page, cases[i].want);
    }
}

static void test_pages_of_spanning_matches(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 1; i <= 5; i++)
        g_string_append_printf(text, "a%d\nb\n-\n", i);
    tool_fixture_put(fixture, "f", text->str);
    g_autofree char *first = grep_text(fixture, "{'pattern':'a.\\\\nb','path':'f','limit':2}");
    assert_text("two matches, four lines", first,
                "*1|a1\n*2|b\n*4|a2\n*5|b\n\nResult limit reached; narrow paths or use skip=2.");
    g_autofree char *second =
        grep_text(fixture, "{'pattern':'a.\\\\nb','path':'f','limit':9,'skip':2}");
    assert_text("none is lost", second, "*7|a3\n*8|b\n*10|a4\n*11|b\n*13|a5\n*14|b");
}

static void test_long_lines(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    size_t size = 30 * MIB; // one line, and a match in it
    g_autofree char *data = g_strnfill(size, 'x');
    memcpy(data + size / 2, "needle", 6);
    tool_fixture_put_bytes(fixture, "huge", data, size);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_grep, json_of("{'pattern':'needle'}"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_true(str_has_prefix(text, "# huge\n*1|xxx"));
    assert_true(g_str_has_suffix(text, "x…\n\n[Some lines truncated to 1024 chars]"));
    assert_int_equal(strspn(text + 10, "x"), 1024);
    assert_true(json_get_bool(result.details, "linesTruncated", false));
}

/* Follows the last lines of pages to the end; how often each line was shown as a match. */
static GHashTable *read_pages(const ToolFixture *fixture, const unsigned *limits,
                              unsigned *ret_pages)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    int64_t skip = 0;
    bool has_more = true;
    for (*ret_pages = 0; has_more && *ret_pages < 200; (*ret_pages)++) {
        json_t *arguments = json_pack("{s:s, s:I}", "pattern", "hit", "skip", (json_int_t)skip);
        if (limits && *limits > 0)
            json_set_int(arguments, "limit", *limits++);
        g_autofree char *text = tool_fixture_text(fixture, &tool_grep, arguments);
        if (strlen(text) > 51200 || strstr(text, "[Showing"))
            fail_msg("a page of %zu bytes", strlen(text));
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        g_autofree char *file = g_strdup("");
        for (char **line = lines; *line; line++) {
            if (str_has_prefix(*line, "# ")) {
                g_free(file);
                file = g_strdup(*line);
            }
            if (**line != '*')
                continue;
            char *key = g_strconcat(file, *line, NULL);
            unsigned count = GPOINTER_TO_UINT(g_hash_table_lookup(seen, key));
            g_hash_table_replace(seen, key, GUINT_TO_POINTER(count + 1));
        }
        const char *next = strstr(text, "use skip=");
        has_more = next != NULL;
        skip = has_more ? g_ascii_strtoll(next + strlen("use skip="), NULL, 10) : 0;
    }
    return seen;
}

static void assert_each_once(const char *name, GHashTable *seen, unsigned count)
{
    if (g_hash_table_size(seen) != count)
        fail_msg("%s: %u lines, not %u", name, g_hash_table_size(seen), count);
    GHashTableIter iter;
    void *key = NULL, *value = NULL;
    g_hash_table_iter_init(&iter, seen);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (GPOINTER_TO_UINT(value) != 1)
            fail_msg("%s: %s is shown %u times", name, (char *)key, GPOINTER_TO_UINT(value));
}

static void test_pages_show_each_match_once(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture(); // tools-T79a
    put_numbered(fixture, "a", 300, "hit");
    put_numbered(fixture, "b", 20, "hit");
    put_numbered(fixture, "c", 5, "hit");
    g_autofree char *first = grep_text(fixture, "{'pattern':'hit','limit':50}");
    assert_contains("tools-T79a: all files on the first page", first, "# c\n*1|hit 1");
    static const unsigned limits[] = { 50, 7, 100, 0 };
    unsigned pages = 0;
    g_autoptr(GHashTable) seen = read_pages(fixture, limits, &pages);
    assert_each_once("tools-T79a", seen, 325);

    g_autoptr(ToolFixture) windows = bare_fixture(); // tools-T79b
    put_numbered(windows, "a", 4100, "hit");
    put_numbered(windows, "b", 10, "hit");
    g_autofree char *end = grep_text(windows, "{'pattern':'hit','skip':1950}");
    assert_contains("tools-T79b: the page ends with its window", end, "skip=2000.");
    assert_contains("tools-T79b", end, "*2000|hit 2000");
    g_autofree char *last = grep_text(windows, "{'pattern':'hit','skip':4000}");
    assert_contains("tools-T79b: a file", last, "# a\n*4001|hit 4001");
    assert_contains("tools-T79b: the other", last, "# b\n*1|hit 1");
    g_autoptr(GHashTable) all = read_pages(windows, NULL, &pages);
    assert_each_once("tools-T79b", all, 4110);

    g_autoptr(ToolFixture) wide = bare_fixture(); // tools-T79c
    g_autofree char *padding = g_strnfill(890, 'w');
    g_autofree char *word = g_strconcat("hit", padding, NULL);
    for (int i = 0; i < 3; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        put_numbered(wide, name, 100, word);
    }
    g_autoptr(GHashTable) long_lines = read_pages(wide, NULL, &pages);
    assert_each_once("tools-T79c", long_lines, 300);
    assert_true(pages >= 6);
}

static void test_byte_limit(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new("{'grep':{'contextAfter':0}}", true);
    g_autofree char *word = g_strnfill(1000, 'w');
    put_numbered(fixture, "f", 99, word);
    g_autofree char *text = grep_text(fixture, "{'pattern':'w','paths':['f','nope']}");
    assert_contains("whole matches", text,
                    "narrow paths or use skip=50.\n\nSkipped missing paths: nope");
    assert_true(strlen(text) <= 51200);
    // a page of one match, with more context than fits
    g_autofree char *one = grep_text(fixture, "{'pattern':'w 60','path':'f','pre':50,'post':39}");
    assert_contains("cut", one, " (50.0KB limit). Use :");
    g_autofree char *session = g_build_filename(fixture->root, "session", NULL);
    assert_false(file_exists(session));
}

static void test_binary_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    tool_fixture_put_bytes(fixture, "bin", "hit\n\0\nhit\n", 10);
    tool_fixture_put(fixture, "text", "hit\n");
    g_autofree char *big = g_strnfill(100000, '\n'); // a NUL behind the first buffer of ripgrep
    memcpy(big, "hit", 3);
    big[99999] = '\0';
    tool_fixture_put_bytes(fixture, "late", big, 100000);
    g_autofree char *text = grep_text(fixture, "{'pattern':'hit'}");
    assert_string_equal(text, "# late\n*1|hit\n\n# text\n*1|hit");
    g_autofree char *asked = grep_text(fixture, "{'pattern':'hit','path':'bin'}");
    assert_contains("asked for by name", asked, "*1|hit");
}

/* tools-T157, tools-T158 */
static void test_refused_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    g_autofree char *secret = grep_error(fixture, "{'pattern':'x','path':'/proc/self/environ'}");
    assert_string_equal(secret, "Refused: /proc/self/environ can hold secrets of other programs.");
    g_autofree char *device = grep_error(fixture, "{'pattern':'x','path':'/dev/zero'}");
    assert_string_equal(device, "Not a regular file: /dev/zero (character device)");
    g_autofree char *scan =
        grep_error(fixture, "{'pattern':'PATH=','path':'/proc/self','glob':'environ'}");
    assert_non_null(strstr(scan, "/proc/self holds the environments of processes"));
    g_autofree char *listed =
        tool_fixture_text(fixture, &tool_find, json_of("{'pattern':'/proc/self/[es]*'}"));
    assert_null(strstr(listed, "environ"));
    assert_non_null(strstr(listed, "/self/status"));
}

static void test_odd_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    g_autofree char *loop = g_build_filename(fixture->cwd, "loop", NULL);
    g_autofree char *fifo = g_build_filename(fixture->cwd, "fifo", NULL);
    assert_int_equal(symlink(".", loop) | mkfifo(fifo, 0600), 0);
    tool_fixture_put(fixture, "bad\xff", "hit\n");
    tool_fixture_put(fixture, "with space/q\"uote:5", "hit\n");
    tool_fixture_put(fixture, "empty", "");
    g_autofree char *text = grep_text(fixture, "{'pattern':'hit'}");
    assert_string_equal(text, "# bad\xef\xbf\xbd\n*1|hit\n\n# with space/\n## q\"uote:5\n*1|hit");
    g_autofree char *named = grep_text(fixture, "{'pattern':'hit','path':'with space'}");
    assert_string_equal(named, "# with space/\n## q\"uote:5\n*1|hit");
    g_autofree char *empty = grep_text(fixture, "{'pattern':'hit','path':'empty'}");
    assert_string_equal(empty, "No matches found");
}

static void test_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    tool_fixture_put(fixture, "src/a", "hit\n");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_grep, json_of("{'pattern':'hit','paths':['src','nope']}"),
                      &result);
    g_autofree char *details = json_to_text(result.details);
    assert_string_equal(
        details, "{\"scopePath\":\"src\",\"matchCount\":1,\"fileCount\":1,\"files\":[\"src/a\"],"
                 "\"fileMatches\":[{\"path\":\"src/a\",\"count\":1}],\"truncated\":false,"
                 "\"missingPaths\":[\"nope\"]}");
}

static void test_braces(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *pattern, *want;
    } cases[] = {
        { "a{3}", "a{3}" },       { "a{3,}b{1,2}", "a{3,}b{1,2}" },
        { "{3}", "\\{3\\}" },     { "${x}", "\\$\\{x\\}" },
        { "x${2}", "x${2}" },     { "a{,3}", "a\\{,3\\}" },
        { "f() {", "f() \\{" },   { "}", "\\}" },
        { "[{}]", "[{}]" },       { "\\{a\\}", "\\{a\\}" },
        { "\\p{Lu}", "\\p{Lu}" }, { "\\x{41}{2}", "\\x{41}{2}" },
        { "[]{]{", "[]{]\\{" },   { "a{3}}", "a{3}\\}" },
        { "\\", "\\" },           { "é{", "é\\{" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = grep_pattern_fix_braces(cases[i].pattern);
        assert_text(cases[i].pattern, got, cases[i].want);
    }
    g_autofree char *escaped = grep_pattern_escape_parentheses("(a[(]\\(b)");
    assert_string_equal(escaped, "\\(a[(]\\(b\\)");
}

static void test_types(void **state G_GNUC_UNUSED)
{
    g_auto(GStrv) names =
        g_strsplit("c cpp cs css go h html java js json kotlin lua md php py rb rust scala "
                   "sh sql swift toml ts xml yaml zig",
                   " ", -1);
    for (char **name = names; *name; name++)
        if (!grep_type_globs(*name))
            fail_msg("no type %s", *name);
    assert_string_equal(grep_type_globs("js"), "*.js,*.jsx,*.mjs,*.cjs");
    assert_string_equal(grep_type_globs("ts"), "*.ts,*.tsx,*.mts,*.cts");
    assert_null(grep_type_globs("nope"));
}

/* What finds nothing says what would have matched. */
static void test_notes(void **state G_GNUC_UNUSED)
{
#define NONE "No matches found\n"
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'pattern':'push','glob':'.github/workflows/*.yml'}",
          NONE "The glob **/.github/workflows/*.yml would match 1 file, such as "
               "repo1/.github/workflows/ci.yml" },
        { "{'pattern':'TODO','glob':'app/[id]/*.tsx'}",
          NONE "The glob app/\\[id\\]/*.tsx would match 1 file, such as app/[id]/page.tsx" },
        { "{'pattern':'TODO','glob':'[id]/*.tsx'}",
          NONE "The glob **/\\[id\\]/*.tsx would match 1 file, such as app/[id]/page.tsx" },
        { "{'pattern':'TODO\\\\|FIXME'}",
          NONE "The pattern TODO|FIXME would match 2 times, first in app/[id]/page.tsx" },
        { "{'pattern':'\\\\(TODO\\\\|push\\\\) x'}",
          NONE "The pattern (TODO|push) x would match 1 time, first in app/[id]/page.tsx" },
        { "{'pattern':'arr[0]'}",
          NONE "The pattern arr\\[0\\] (the text itself) would match 1 time, "
               "first in app/[id]/page.tsx" },
        { "{'pattern':'nope.*neither','glob':'app/*.tsx'}", "No matches found" },
        { "{'pattern':'nope[0]'}", "No matches found" },
        { "{'pattern':'TODO','glob':'nope/*.tsx'}", "No matches found" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "repo1/.github/workflows/ci.yml", "on: push\n");
    tool_fixture_put(fixture, "app/[id]/page.tsx", "TODO x\nFIXME arr[0]\n");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = grep_text(fixture, cases[i].arguments);
        assert_text(cases[i].arguments, text, cases[i].want);
    }
    g_autofree char *missing = tool_fixture_error(
        fixture, &tool_grep, json_of("{'pattern':'push','paths':['.github/workflows/*.yml']}"));
    assert_text(
        "no such path", missing,
        "Path not found: .github/workflows/*.yml\nThe glob **/.github/workflows/*.yml would "
        "match 1 file, such as repo1/.github/workflows/ci.yml");
#undef NONE
}

static void test_unreadable(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = bare_fixture();
    tool_fixture_put(fixture, "closed/a.c", "hit");
    tool_fixture_put(fixture, "b.c", "hit");
    g_autofree char *file = g_build_filename(fixture->cwd, "b.c", NULL);
    assert_int_equal(chmod(file, 0644), 0);
    uid_t user = tool_fixture_close(fixture, "closed");
    g_autofree char *some = grep_text(fixture, "{'pattern':'hit'}");
    g_autofree char *none = grep_text(fixture, "{'pattern':'miss'}");
    tool_fixture_open(fixture, "closed", user);
    assert_text("some", some, "# b.c\n*1|hit\n\nSkipped, because it cannot be read: closed");
    assert_text("none", none, "No matches found\nSkipped, because it cannot be read: closed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_context_is_not_repeated),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_pages_of_spanning_matches),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_pages_show_each_match_once),
        cmocka_unit_test(test_byte_limit),
        cmocka_unit_test(test_binary_files),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_odd_files),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_braces),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
