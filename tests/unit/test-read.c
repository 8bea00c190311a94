/*
 * read: selectors, text, directories, images, artifacts (agent-tools §3.1).
 */
#include "base/str.h"
#include "url_fixture.h"

#include "base/limits.h"
#include "tools/tools.h"

#include <sys/stat.h>
#include <sys/time.h>

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *read_error(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static void put_lines(const ToolFixture *fixture, const char *name, int count)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 1; i <= count; i++)
        g_string_append_printf(text, "%sl%d", i > 1 ? "\n" : "", i);
    tool_fixture_put(fixture, name, text->str);
}

static void test_text(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *path, *want;
    } cases[] = {
        { "tools-T21", "alpha\nbeta\ngamma\n", "a.txt", "alpha\nbeta\ngamma\n" },
        { "tools-T23", "alpha\nbeta\n", "a.txt:raw", "alpha\nbeta\n" },
        { "tools-T24", "alpha\nbeta\ngamma\n", "a.txt:99",
          "Line 99 is beyond end of file (4 lines total). Use :1 to read from the start, or :4 to "
          "read the "
          "last line." },
        { "no final newline", "a\nb", "a.txt", "a\nb" },
        { "empty", "", "a.txt", "" },
        { "empty, past its end", "", "a.txt:2",
          "Line 2 is beyond end of file (1 lines total). Use :1 to read from the start, or :1 to "
          "read the "
          "last line." },
        { "tools-T175: CRLF", "a\r\nb\r\n", "a.txt", "a\nb\n" },
        { "tools-T175: CRLF, raw", "a\r\nb\r\n", "a.txt:raw", "a\nb\n" },
        { "tools-T175: BOM",
          "\xef\xbb\xbf"
          "a\nb\n",
          "a.txt", "a\nb\n" },
        { "tools-T175: a lone CR", "a\rb\nc\n", "a.txt", "ab\nc\n" },
        { "invalid UTF-8",
          "a\xff\xe9"
          "b\n",
          "a.txt",
          "a\xef\xbf\xbd\xef\xbf\xbd"
          "b\n" },
        { "escape sequences do not get out", "a\x1b[2Jb\n", "a.txt", "ab\n" },
        { "the last line, with context", "1\n2\n3\n4\n5\n", "a.txt:6", "3\n4\n5\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "a.txt", cases[i].file);
        g_autofree char *text = read_text(fixture, cases[i].path);
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_ranges(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path, *want;
    } cases[] = {
        // of 20 lines
        { "tools-T22: clipped at the top", "f:2-2",
          "l1\nl2\nl3\nl4\nl5\n\n[Showing lines 1-5 of 20. Use :6 to continue]" },
        { "start and count", "f:10+2",
          "l7\nl8\nl9\nl10\nl11\nl12\nl13\nl14\n\n[Showing lines 7-14 of 20. Use :15 to "
          "continue]" },
        { "with L", "f:L19-L19", "l16\nl17\nl18\nl19\nl20" },
        { "small l", "f:l19", "l16\nl17\nl18\nl19\nl20" },
        { "open", "f:18", "l15\nl16\nl17\nl18\nl19\nl20" },
        { "raw behind", "f:20-20:raw", "l17\nl18\nl19\nl20" },
        { "raw before, any case", "f:RAW:20-20", "l17\nl18\nl19\nl20" },
        { "end behind the end", "f:19-900", "l16\nl17\nl18\nl19\nl20" },
        { "huge numbers", "f:20-999999999999", "l17\nl18\nl19\nl20" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_lines(fixture, "f", 20);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = read_text(fixture, cases[i].path);
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_selector_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "a.txt:0", "Line selector 0 is invalid; lines are 1-indexed. Use :1." }, // tools-T25
        { "a.txt:5-2", "Invalid range 5-2: end must be >= start." },
        { "a.txt:5+0", "Invalid range 5+0: count must be >= 1." },
        { "a.txt:x", "Path 'a.txt:x' not found" },
        { "a.txt:3:4", "Path 'a.txt:3' not found" },
        { "nope", "Path 'nope' not found" }, // tools-T28
        { "../nope", "Path '../nope' not found" },
        { "https://example.com/x",
          "Unknown protocol: https://\nSupported: " URL_FIXTURE_SUPPORTED },
    };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.txt", "a\n");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = read_error(fixture, cases[i].path);
        assert_text(cases[i].path, text, cases[i].want);
    }
}

static void test_odd_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path;
    } cases[] = {
        { "x:5", "x:5" }, // tools-T26
        { "x:5", "x:5:raw" },
        { "with space", "with space" },
        { "with space", "  'with space' " },
        { "with space", "\"with space\":1" },
        { "with space", "with\\ space" },
        { "with space", "with\xc2\xa0space" },
        { "'quoted'", "'quoted'" },
        { " blank ", " blank " },
        { "at", "@at" },
        { "@only", "@only" },
        { "d/e", "./d/../d/e:1" },
        { "naïve", "naïve" },
        { "[a]*", "[a]*" },
        { "-rf", "-rf" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, cases[i].name, "found");
        g_autofree char *text = read_text(fixture, cases[i].path);
        assert_text(cases[i].path, text, "found");
    }
    g_autoptr(ToolFixture) both = tool_fixture_new(NULL, false);
    tool_fixture_put(both, "types/a.ts", "other");
    tool_fixture_put(both, "@types/a.ts", "literal");
    tool_fixture_put(both, "@only", "literal");
    tool_fixture_put(both, "only", "other");
    g_autofree char *literal = read_text(both, "@types/a.ts");
    assert_string_equal(literal, "literal");
    g_autofree char *at = read_text(both, "@only");
    assert_string_equal(at, "literal");
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a b", "found");
    g_autofree char *url = g_strdup_printf("file://%s/a%%20b:1", fixture->cwd);
    g_autofree char *by_url = read_text(fixture, url);
    assert_string_equal(by_url, "found");
    g_autofree char *absolute = g_build_filename(fixture->cwd, "a b", NULL);
    g_autofree char *by_path = read_text(fixture, absolute);
    assert_string_equal(by_path, "found");
}

static void test_legacy_arguments(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'path':'f','offset':19}", "l16\nl17\nl18\nl19\nl20" },
        { "{'path':'f','offset':2,'limit':1}",
          "l1\nl2\nl3\nl4\nl5\n\n[Showing lines 1-5 of 20. Use :6 to continue]" },
        { "{'path':'f','limit':1}",
          "l1\nl2\nl3\nl4\n\n[Showing lines 1-4 of 20. Use :5 to continue]" },
        { "{'path':'f','lines':'20-20'}", "l17\nl18\nl19\nl20" },
        { "{'path':'f:20-20','offset':2,'limit':1}", "l17\nl18\nl19\nl20" }, // the path has its own
        { "{'path':'f:raw','lines':'20'}", "l17\nl18\nl19\nl20" },
        { "{'path':'f','offset':0,'limit':0,'lines':''}", NULL },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_lines(fixture, "f", 20);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = tool_fixture_text(fixture, &tool_read, json_of(cases[i].arguments));
        if (cases[i].want)
            assert_text(cases[i].arguments, text, cases[i].want);
        else
            assert_true(g_str_has_suffix(text, "\nl20"));
    }
    g_autofree char *error =
        tool_fixture_error(fixture, &tool_read, json_of("{'path':'f','lines':'first ten'}"));
    assert_string_equal(error, "Invalid lines: first ten");
}

static void test_pages(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_lines(fixture, "f", 4000);
    g_autofree char *page = read_text(fixture, "f");
    assert_true(
        g_str_has_suffix(page, "\nl500\n\n[Showing lines 1-500 of 4000. Use :501 to continue]"));
    g_autofree char *bounded = read_text(fixture, "f:1-4000");
    assert_true(g_str_has_suffix(
        bounded, "\nl3000\n\n[Showing lines 1-3000 of 4000. Use :3001 to continue]")); // tools-T176
    g_autofree char *open = read_text(fixture, "f:501");
    assert_true(str_has_prefix(open, "l498\n"));
    assert_true(g_str_has_suffix(
        open, "\nl1000\n\n[Showing lines 498-1000 of 4000. Use :1001 to continue]"));

    g_autoptr(ToolFixture) numbered =
        tool_fixture_new("{'readLineNumbers':true,'read':{'defaultLimit':2}}", false);
    put_lines(numbered, "f", 4);
    g_autofree char *two = read_text(numbered, "f");
    assert_string_equal(two, "1|l1\n2|l2\n\n[Showing lines 1-2 of 4. Use :3 to continue]");
    g_autofree char *raw = read_text(numbered, "f:raw");
    assert_string_equal(raw, "l1\nl2\n\n[Showing lines 1-2 of 4. Use :3 to continue]");
}

static void test_byte_budget(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *kib = g_strnfill(1023, 'x');
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 60; i++)
        g_string_append_printf(text, "%s\n", kib);
    tool_fixture_put(fixture, "f", text->str);
    g_autofree char *page = read_text(fixture, "f:1-60");
    assert_contains("whole lines only", page,
                    "x\n\n[Showing lines 1-50 of 61 (50.0KB limit). Use :51 to continue]");
    g_autofree char *whole = read_text(fixture, "f"); // 500 lines may have 250 KiB
    assert_null(strstr(whole, "limit"));
    assert_int_equal(strlen(whole), 60 * KIB);

    g_autofree char *wide = g_strnfill(60000, 'y');
    g_autofree char *three = g_strconcat("first\n", wide, "\nthird\n", NULL);
    tool_fixture_put(fixture, "w", three);
    g_autofree char *first = read_text(fixture, "w:1-3"); // tools-T177
    assert_text("tools-T177", first,
                "first\n\n[Showing lines 1-1 of 4 (50.0KB limit). Use :2 to continue]");
    g_autofree char *second = read_text(fixture, "w:2-3");
    assert_int_equal(strspn(second, "y"), 51200);
    assert_contains("tools-T177: the next line", second, "Use :3 to continue]");
}

static void test_one_huge_line(void **state G_GNUC_UNUSED)
{
    enum { BUDGET = 500 * 512, BUDGET_WITH_CONTEXT = 502 * 512 };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    size_t size = 30 * MIB;
    g_autofree char *data = g_strnfill(size, 'x');
    tool_fixture_put_bytes(fixture, "huge", data, size);
    g_autofree char *text = read_text(fixture, "huge");
    assert_int_equal(strspn(text, "x"), BUDGET);
    assert_string_equal(text + BUDGET, "\n\n[Showing lines 1-1 of 1 (250.0KB limit)]");

    // asked for, it is shown although the context before it would fit alone; and does not hide what
    // follows
    memcpy(data, "a\nb\n", 4);
    memcpy(data + size - 3, "\nz\n", 3);
    tool_fixture_put_bytes(fixture, "huge", data, size);
    g_autofree char *third = read_text(fixture, "huge:3");
    assert_int_equal(strspn(third, "x"), BUDGET_WITH_CONTEXT);
    assert_string_equal(third + BUDGET_WITH_CONTEXT,
                        "\n\n[Showing lines 3-3 of 5 (251.0KB limit). Use :4 to continue]");
    g_autofree char *fourth = read_text(fixture, "huge:4");
    assert_string_equal(fourth, "z\n");

    memset(data, 0x80, BUDGET); // no character to show
    tool_fixture_put_bytes(fixture, "huge", data, size);
    g_autofree char *broken = read_text(fixture, "huge");
    assert_true(g_utf8_validate(broken, -1, NULL));
    assert_true(strlen(broken) < 252 * KIB);
}

static void test_binary(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put_bytes(fixture, "b", "ab\0c\n", 5);
    g_autofree char *text = read_text(fixture, "b");
    assert_string_equal(text, "[Binary file: 5B]\nabc\n");
    g_autofree char *raw = read_text(fixture, "b:raw");
    assert_string_equal(raw, text);
}

static void test_suffix_match(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "src/lib/util.c", "int x;\n");
    tool_fixture_put(fixture, "src/a.c", "1\n");
    tool_fixture_put(fixture, "test/a.c", "2\n");
    tool_fixture_put(fixture, "out/only.c", "3\n");
    tool_fixture_put(fixture, ".gitignore", "out/\n");
    g_autofree char *text = read_text(fixture, "lib/util.c"); // tools-T27
    assert_text(
        "tools-T27", text,
        "[Path 'lib/util.c' not found; resolved to 'src/lib/util.c' via suffix match]\nint x;\n");
    g_autofree char *with_range = read_text(fixture, "./lib/util.c:1-1");
    assert_contains("with a range", with_range, "resolved to 'src/lib/util.c'");
    g_autofree char *two = read_error(fixture, "a.c");
    assert_string_equal(two, "Path 'a.c' not found");
    g_autofree char *ignored = read_error(fixture, "only.c");
    assert_string_equal(ignored, "Path 'only.c' not found");
    g_autofree char *part = read_error(fixture, "til.c");
    assert_string_equal(part, "Path 'til.c' not found");
    static const char *const dirs[] = { "lib", "./lib", "lib/" };
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_autofree char *dir = read_text(fixture, dirs[i]);
        assert_contains("a folder", dir,
                        "' not found; resolved to 'src/lib' via suffix match]\n.\n");
        assert_contains("its entries", dir, "- util.c");
    }
    tool_fixture_put(fixture, "test/lib/x", "");
    g_autofree char *two_dirs = read_error(fixture, "lib");
    assert_string_equal(two_dirs, "Path 'lib' not found");
    tool_fixture_put(fixture, "out/gen/x", "");
    g_autofree char *ignored_dir = read_error(fixture, "gen");
    assert_string_equal(ignored_dir, "Path 'gen' not found");
}

static int64_t later(void *user_data)
{
    return *(int64_t *)user_data;
}

static void set_time(const ToolFixture *fixture, const char *name, int64_t seconds)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    const struct timeval times[] = { { .tv_sec = seconds }, { .tv_sec = seconds } };
    assert_int_equal(utimes(path, times), 0);
}

static void test_directory(void **state G_GNUC_UNUSED)
{
    enum { NOW = 1700000000 };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    int64_t now_ms = (int64_t)NOW * 1000;
    const ToolClock clock = { .now_ms = later, .user_data = &now_ms };
    tool_context_set_clock(fixture->context, &clock);
    tool_fixture_put(fixture, "new.c", "12345");
    tool_fixture_put(fixture, "bytes.bin", "12345678901");
    tool_fixture_put(fixture, "d/inner", "1");
    tool_fixture_put(fixture, "d/e/deep", "1");
    tool_fixture_put(fixture, "node_modules/hidden", "1");
    tool_fixture_put(fixture, ".dot", "1");
    set_time(fixture, "d/inner", NOW - 59);
    set_time(fixture, "d/e", NOW - 3600 * 24 * 7);
    set_time(fixture, "new.c", NOW);
    set_time(fixture, "d", NOW - 60);
    set_time(fixture, "bytes.bin", NOW - 7200);
    set_time(fixture, "node_modules", NOW - 86400 * 2);
    set_time(fixture, ".dot", NOW - 86400 * 61);
    g_autofree char *text = read_text(fixture, ".");
    assert_text("tree", text,
                ".\n"
                "  - new.c\n"
                "  - d/                   1m ago\n"
                "    - inner    1B        just now\n"
                "    - e/                 1w ago\n"
                "  - bytes.bin  11B       2h ago\n"
                "  - .dot       1B        2mo ago");
    g_autofree char *capped = read_text(fixture, ".:1-6");
    assert_true(g_str_has_suffix(capped, "\n… 1 not listed"));
    assert_null(strstr(capped, "e/  "));
    g_autofree char *root_stays = read_text(fixture, ".:1-1");
    assert_contains("the root's children stay", root_stays, "- .dot");
    assert_contains("all of the rest goes", root_stays, "\n… 2 not listed");
    g_autofree char *modules = read_text(fixture, "node_modules"); // tools-T29
    assert_contains("asked for by name", modules, "- hidden");
    tool_fixture_put(fixture, "node_modules/m/node_modules/n/i.js", "1");
    g_autofree char *inner = read_text(fixture, "node_modules/m");
    assert_contains("and what is below it", inner, "- node_modules/");
}

static void test_directory_over_the_cap(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false); // tools-T29
    int64_t now_ms = 0; // before every file: nothing on the right
    const ToolClock clock = { .now_ms = later, .user_data = &now_ms };
    tool_context_set_clock(fixture->context, &clock);
    for (int i = 1; i <= 15; i++) {
        g_autofree char *name = g_strdup_printf("d/f%02d", i);
        tool_fixture_put(fixture, name, "");
        set_time(fixture, name, 1000000000 + i);
    }
    g_autofree char *text = read_text(fixture, ".");
    assert_text(
        "tools-T29", text,
        ".\n  - d/\n    - f15\n    - f14\n    - f13\n    - f12\n    - f11\n    - f10\n    - f09\n"
        "    - f08\n    - f07\n    - f06\n    - f05\n    - … 3 not listed\n    - f01");
    g_autofree char *few = read_text(fixture, ".:1-5"); // 10 lines go, and 3 entries were no line
    assert_true(str_has_prefix(few, ".\n  - d/\n    - f15"));
    assert_true(g_str_has_suffix(few, "\n    - f13\n… 12 not listed"));
    g_autofree char *itself =
        read_text(fixture, "d"); // the directory that was asked for is not capped
    assert_contains("all", itself, "- f02");
}

static void test_directory_edges(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *empty = g_build_filename(fixture->cwd, "empty", NULL);
    g_autofree char *loop = g_build_filename(fixture->cwd, "loop", NULL);
    g_autofree char *fifo = g_build_filename(fixture->cwd, "fifo", NULL);
    g_autofree char *gone = g_build_filename(fixture->cwd, "gone", NULL);
    g_autofree char *bad = g_build_filename(fixture->cwd, "bad\xff", NULL);
    assert_true(file_make_dirs(empty, 0700, NULL) && file_make_dirs(bad, 0700, NULL));
    tool_fixture_put(fixture, "bad\xff/in\nside", "1");
    assert_int_equal(symlink("loop", loop) | symlink("nowhere", gone) | mkfifo(fifo, 0600), 0);

    g_autofree char *nothing = read_text(fixture, "empty");
    assert_string_equal(nothing, "(empty directory)");
    g_autofree char *tree = read_text(fixture, ".");
    assert_contains("odd names are made text", tree, "- bad\xef\xbf\xbd/");
    assert_contains("and cannot forge lines", tree, "    - in?side");
    assert_contains("links are not followed", tree, "- loop");
    g_autofree char *from_loop = read_error(fixture, "loop");
    assert_contains("a loop", from_loop, "Too many levels of symbolic links");
    g_autofree char *from_fifo = read_error(fixture, "fifo");
    assert_string_equal(from_fifo, "Not a regular file: fifo (fifo)"); // tools-T158
    g_autofree char *from_gone = read_error(fixture, "gone");
    assert_contains("a dangling link", from_gone, "Path 'gone' not found");
    if (geteuid() == 0)
        return; // root reads everything
    assert_int_equal(chmod(empty, 0), 0);
    g_autofree char *closed = read_error(fixture, "empty");
    assert_string_equal(closed, "Cannot read directory: Permission denied");
    assert_int_equal(chmod(empty, 0700), 0);
}

/* What would never end, what would wait for ever, and what is none of a model's business. */
static void test_special_files(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path, *want;
    } cases[] = {
        { "tools-T158: /dev/zero", "/dev/zero",
          "Not a regular file: /dev/zero (character device)" },
        { "tools-T158: a socket", "socket", "Not a regular file: socket (socket)" },
        { "tools-T157: environ", "/proc/1/environ",
          "Refused: /proc/1/environ can hold secrets of other programs." },
        { "tools-T157: own command line", "/proc/self/cmdline",
          "Refused: /proc/self/cmdline can hold secrets of other programs." },
        { "tools-T157: a thread's", "/proc/thread-self/environ",
          "Refused: /proc/thread-self/environ can hold secrets of other programs." },
        { "tools-T157: a link", "memory", "Refused: memory can hold secrets of other programs." },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *link = g_build_filename(fixture->cwd, "memory", NULL);
    g_autofree char *socket = g_build_filename(fixture->cwd, "socket", NULL);
    assert_int_equal(symlink("/proc/self/mem", link), 0);
    assert_int_equal(mknod(socket, S_IFSOCK | 0600, 0), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = read_error(fixture, cases[i].path);
        assert_text(cases[i].name, text, cases[i].want);
    }
    g_autofree char *status = read_text(fixture, "/proc/self/status");
    assert_contains("other files of /proc are files", status, "Name:");
}

/* tools-T156: a range of a file of any size, without holding it. */
static void test_large_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "large", "one\ntwo\nthree\nfour\n");
    g_autofree char *path = g_build_filename(fixture->cwd, "large", NULL);
    assert_int_equal(truncate(path, (off_t)3 * 1024 * 1024 * 1024), 0); // a hole
    g_autofree char *text = read_text(fixture, "large:1-1");
    assert_text("a range", text,
                "[Binary file: 3.0GB]\none\ntwo\nthree\nfour\n\n"
                "[Showing lines 1-4 of at least 5. Use :5 to continue]");
}

static void test_images(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *data, *type;
        size_t size;
    } cases[] = {
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01", "image/png", 24 },
        { "\xff\xd8\xff\xc0\0\x11\x08\0\x01\0\x01\x03", "image/jpeg", 12 },
        { "GIF89a\x01\0\x01\0", "image/gif", 10 },
        { "RIFF1234WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x01\0\x01\0", "image/webp", 30 },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        tool_fixture_put_bytes(fixture, "picture.txt", cases[i].data, cases[i].size);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_read, json_of("{'path':'picture.txt'}"), &result);
        g_autofree char *want = g_strdup_printf("Read image file [%s]", cases[i].type);
        g_autofree char *text = tool_result_text(&result);
        assert_string_equal(text, want);
        const json_t *block = json_array_get(result.content, 1);
        assert_string_equal(json_get_text(block, "type"), "image");
        assert_string_equal(json_get_text(block, "mimeType"), cases[i].type);
        g_autofree char *data = g_base64_encode((const guchar *)cases[i].data, cases[i].size);
        assert_string_equal(json_get_text(block, "data"), data);
    }
    g_autofree char *big = g_malloc0(20 * MIB + 1);
    memcpy(big, "GIF89a", 6);
    tool_fixture_put_bytes(fixture, "big", big, 20 * MIB + 1);
    g_autofree char *text = read_text(fixture, "big");
    assert_string_equal(text, "Image file too large: 20.0MB exceeds 20.0MB limit.");
    tool_fixture_put(fixture, "svg", "RIFFWEBP GIF8 png");
    g_autofree char *plain = read_text(fixture, "svg");
    assert_string_equal(plain, "RIFFWEBP GIF8 png");
}

static void test_artifacts(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autoptr(GString) text = g_string_new("l1");
    for (int i = 2; i <= 1000; i++)
        g_string_append_printf(text, "\nl%d", i);
    g_autofree char *id = NULL;
    assert_true(artifacts_save(tool_context_artifacts(fixture->context), "bash", text->str,
                               text->len, &id, NULL));
    tool_fixture_put(fixture, "artifact:/0", "a file of the project's");
    static const struct {
        const char *path, *want; // the end
    } cases[] = {
        { "artifact://0", "\nl500\n\n[Showing lines 1-500 of 1000. Use :501 to continue]" },
        { "Artifact://0:999", "l996\nl997\nl998\nl999\nl1000" },
        { "artifact://0:1-1",
          "l1\nl2\nl3\nl4\n\n[996 more lines in resource. Use :5 to continue]" },
        { "artifact://0:2000",
          "Line 2000 is beyond end of resource (1000 lines total). Use :1 to read from "
          "the start, or :1000 to read the last line." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = read_text(fixture, cases[i].path);
        if (!g_str_has_suffix(got, cases[i].want))
            fail_msg("%s: %s", cases[i].path, got);
    }
    static const struct {
        const char *path, *want;
    } errors[] = {
        { "artifact://7", "Artifact 7 not found. Available: 0" },
        { "artifact://", "artifact:// URL requires a numeric ID: artifact://0" },
        { "artifact://x", "artifact:// ID must be numeric, got: x" },
        { "artifact://../../etc/passwd", "artifact:// ID must be numeric, got: ../../etc/passwd" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        g_autofree char *got = read_error(fixture, errors[i].path);
        assert_text(errors[i].path, got, errors[i].want);
    }
    g_autoptr(ToolFixture) none = url_fixture_new(NULL, false);
    g_autofree char *got = read_error(none, "artifact://0");
    assert_string_equal(got, "No session - artifacts unavailable");
}

static void test_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "src/a.c", "x");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_read, json_of("{'path':'a.c'}"), &result);
    g_autofree char *path = g_build_filename(fixture->cwd, "src/a.c", NULL);
    assert_string_equal(json_get_text(result.details, "resolvedPath"), path);
    assert_string_equal(json_string_value(json_get_path(result.details, "suffixResolution.to")),
                        "src/a.c");
    assert_string_equal(json_string_value(json_get_path(result.details, "meta.source.value")),
                        path);
    g_auto(ToolResult) dir = { 0 };
    tool_fixture_call(fixture, &tool_read, json_of("{'path':'src'}"), &dir);
    assert_true(json_get_bool(dir.details, "isDirectory", false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_selector_errors),
        cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_legacy_arguments),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_byte_budget),
        cmocka_unit_test(test_one_huge_line),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_suffix_match),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_directory_over_the_cap),
        cmocka_unit_test(test_directory_edges),
        cmocka_unit_test(test_special_files),
        cmocka_unit_test(test_large_file),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_artifacts),
        cmocka_unit_test(test_details),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
