/*
 * Conflict markers in read and write (agent-tools §3.1.8, §3.2 step 2).
 */
#include "tool_fixture.h"

#include "base/secrets.h"
#include "tools/conflict/conflict.h"
#include "tools/tools.h"

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *write_text(const ToolFixture *fixture, const char *path, const char *content)
{
    return tool_fixture_text(fixture, &tool_write,
                             json_pack("{s:s, s:s}", "path", path, "content", content));
}

static char *write_error(const ToolFixture *fixture, const char *path, const char *content)
{
    return tool_fixture_error(fixture, &tool_write,
                              json_pack("{s:s, s:s}", "path", path, "content", content));
}

static void assert_file(const ToolFixture *fixture, const char *name, const char *want)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    g_autofree char *data = NULL;
    size_t size = 0;
    assert_true(file_read(path, 1 << 20, &data, &size, NULL));
    assert_text(name, data, want);
}

#define TWO_BLOCKS                                                                                 \
    "a\n<<<<<<< HEAD\nours\n||||||| base\nbase\n=======\ntheirs\n>>>>>>> x\nmid\n"                 \
    "<<<<<<< HEAD\no2\n=======\nt2\n>>>>>>> x\nend\n"

static void test_blocks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        unsigned blocks;
    } cases[] = {
        { TWO_BLOCKS, 2 },
        { "<<<<<<<\n=======\n>>>>>>>", 1 },
        { "<<<<<<< a\r\nx\r\n=======\r\ny\r\n>>>>>>> b\r\n", 1 },
        { "<<<<<<<< a\n=======\n>>>>>>> b\n", 0 },
        { " <<<<<<< a\n=======\n>>>>>>> b\n", 0 },
        { "<<<<<<<a\n=======\n>>>>>>> b\n", 0 },
        { "<<<<<<< a\n======= x\n>>>>>>> b\n", 0 },
        { "<<<<<<< a\n>>>>>>> b\n", 0 },
        { "<<<<<<< a\n=======\n", 0 },
        { "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n", 1 },
        { "=======\n>>>>>>> c\n||||||| d\n", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) lines = g_strsplit(cases[i].text, "\n", -1);
        g_autoptr(GPtrArray) blocks = conflict_blocks(lines);
        if (blocks->len != cases[i].blocks)
            fail_msg("%s: %u blocks", cases[i].text, blocks->len);
    }
}

/* tools-T34 */
static void test_resolve(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 1; i < 10; i++)
        g_string_append_printf(text, "l%d\n", i);
    g_string_append(text, "<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> feature/x\nlast\n");
    tool_fixture_put(fixture, "m.c", text->str);
    g_autofree char *shown = read_text(fixture, "m.c");
    assert_contains("footer", shown,
                    "\n⚠ 1 unresolved conflict detected\n- ours = HEAD\n- theirs = feature/x\n"
                    "NOTICE: ");
    assert_contains("footer", shown, "\n──── #1  L10-14 ────\n<<< ours\nmine\n>>> theirs\nyours");
    g_autofree char *block = read_text(fixture, "conflict://1");
    assert_text("block", block,
                "10|<<<<<<< HEAD\n11|mine\n12|=======\n13|yours\n14|>>>>>>> feature/x");
    g_autofree char *theirs = read_text(fixture, "conflict://1/theirs");
    assert_text("side", theirs, "13|yours");
    g_autofree char *done = write_text(fixture, "conflict://1", "@ours");
    assert_text("done", done, "Resolved conflict #1 at lines 10–14 in m.c.");
    assert_file(fixture, "m.c", "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nmine\nlast\n");
    g_autofree char *none = read_text(fixture, "m.c:conflicts");
    assert_text("none", none, "No unresolved git merge conflicts in m.c.");
    g_autofree char *gone = write_error(fixture, "conflict://1", "@ours");
    assert_contains("gone", gone, "Conflict #1 not found.");
}

static void test_contents(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *content, *want;
    } cases[] = {
        { "@theirs", "a\ntheirs\n" },
        { "@base\n", "a\nbase\n" },
        { "@both", "a\nours\ntheirs\n" },
        { "x\n@ours\n@theirs\ny", "a\nx\nours\ntheirs\ny\n" },
        { " @ours", "a\n @ours\n" },
        { "x\n\n", "a\nx\n\n" },
        { "", "a\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "m.c", TWO_BLOCKS);
        g_free(read_text(fixture, "m.c:conflicts"));
        g_free(write_text(fixture, "conflict://1", cases[i].content));
        g_autofree char *want = g_strconcat(
            cases[i].want, "mid\n<<<<<<< HEAD\no2\n=======\nt2\n>>>>>>> x\nend\n", NULL);
        assert_file(fixture, "m.c", want);
        // the other block keeps its number where it is now
        g_autofree char *list = read_text(fixture, "m.c:conflicts");
        assert_contains(cases[i].content, list, "#2  L");
    }
}

static void test_bulk(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "m.c", TWO_BLOCKS);
    tool_fixture_put(fixture, "n.c", "<<<<<<< A\r\nx\r\n=======\r\ny\r\n>>>>>>> B");
    g_autofree char *list = read_text(fixture, "m.c:conflicts");
    assert_contains("list", list, "\n\n#1  L2-8  (3-way)\n#2  L10-14");
    g_free(read_text(fixture, "n.c"));
    g_autofree char *none = write_error(fixture, "conflict://*", "@base");
    assert_contains("all fail", none, "Failed to resolve 2 files — registered entries left intact");
    assert_file(fixture, "m.c", TWO_BLOCKS);
    g_autofree char *done = write_text(fixture, "conflict://*", "@theirs");
    assert_text("all", done,
                "Resolved 3 conflicts across 2 files:\n  m.c: 2 conflicts\n  n.c: 1 conflict");
    assert_file(fixture, "m.c", "a\ntheirs\nmid\nt2\nend\n");
    assert_file(fixture, "n.c", "y\r");
    g_autofree char *left = write_error(fixture, "conflict://*", "@ours");
    assert_contains("nothing", left, "has nothing to resolve");
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *content, *want;
    } cases[] = {
        { "conflict://7", "x", "Conflict #7 not found." },
        { "conflict://1/ours", "x", "Conflict URI scope '/ours' is read-only" },
        { "conflict://x", "x", "Invalid conflict URI 'conflict://x'" },
        { "conflict://1/x", "x", "Invalid conflict URI" },
        { "conflict://", "x", "Invalid conflict URI" },
        { "conflict://2", "@base", "Conflict #2 has no base section (2-way merge). `@base`" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "m.c", TWO_BLOCKS);
    g_free(read_text(fixture, "m.c"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = write_error(fixture, cases[i].url, cases[i].content);
        assert_contains(cases[i].url, text, cases[i].want);
    }
    tool_fixture_put(fixture, "m.c", "nothing left\n");
    g_autofree char *gone = write_error(fixture, "conflict://2", "@ours");
    assert_contains("gone", gone, "Conflict #2 no longer present in 'm.c'");
    g_autofree char *star =
        tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", "conflict://*"));
    assert_contains("star", star, "wildcards are write-only");
}

/* A block is found where it is now. */
static void test_moved(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "m.c", TWO_BLOCKS);
    g_free(read_text(fixture, "m.c"));
    tool_fixture_put(fixture, "m.c", "// top\n" TWO_BLOCKS);
    g_autofree char *block = read_text(fixture, "conflict://2/theirs");
    assert_text("moved", block, "14|t2");
    g_autofree char *done = write_text(fixture, "conflict://2", "@ours");
    assert_text("done", done, "Resolved conflict #2 at lines 10–14 in m.c.");
    assert_file(fixture, "m.c",
                "// top\na\n<<<<<<< HEAD\nours\n||||||| base\nbase\n=======\ntheirs\n>>>>>>> x\n"
                "mid\no2\nend\n");
}

/* What was read masked is not written back as its mask. */
static void test_masks(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    secrets_register("tide-key-90d3b7ee");
    const char *text = "<<<<<<< HEAD\nTOKEN=tide-key-90d3b7ee\n=======\nTOKEN=x\n>>>>>>> y\n";
    tool_fixture_put(fixture, "f.env", text);
    g_free(read_text(fixture, "f.env"));
    g_autofree char *refused = write_error(fixture, "conflict://1", "TOKEN=[REDACTED]");
    assert_contains("masks", refused, "which stands for a masked secret");
    assert_file(fixture, "f.env", text);
    g_free(write_text(fixture, "conflict://1", "@ours"));
    assert_file(fixture, "f.env", "TOKEN=tide-key-90d3b7ee\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),   cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_contents), cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_moved),
        cmocka_unit_test(test_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
