/* Lines inside a range, which no anchor stands for: they go only as the model has seen them, or
   when it was told. */
#include "base/str.h"
#include "tool_fixture.h"

#include "tool/model_view.h"
#include "tools/edit/edit_mode.h"
#include "tools/file/hashline.h"
#include "tools/tools.h"

#define STALE  "Edit rejected: 1 line has changed since the last read (marked *)."
#define UNSEEN "inside a range have not been shown to you lately (marked *)."

static ToolFixture *inner_fixture(void)
{
    static const ToolDef *const table[] = { &tool_read, &tool_grep, &tool_write,
                                            &tool_edit_hashline, NULL };
    ToolFixture *self = tool_fixture_new(NULL, false);
    self->tools = tool_set_new(table);
    return self;
}

/* "row 1" to "row <count>", a line each. */
static char *rows(unsigned count)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 1; i <= count; i++)
        g_string_append_printf(text, "row %u\n", i);
    return g_string_free(text, FALSE);
}

static char *file_text(const ToolFixture *fixture)
{
    g_autofree char *path = g_build_filename(fixture->cwd, "f.txt", NULL);
    char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static json_t *argument(const char *key, const char *value)
{
    json_t *arguments = json_object();
    json_set_text(arguments, key, value);
    return arguments;
}

static void show(const ToolFixture *fixture, const char *path)
{
    g_free(tool_fixture_text(fixture, &tool_read, argument("path", path)));
}

/* A deletion of these lines of the file as it is now. */
static json_t *deletion(const ToolFixture *fixture, size_t first, size_t last)
{
    g_autofree char *text = file_text(fixture);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    char from[HASHLINE_LETTERS + 1], to[HASHLINE_LETTERS + 1];
    hashline_letters(first, lines[first - 1], strlen(lines[first - 1]), from);
    hashline_letters(last, lines[last - 1], strlen(lines[last - 1]), to);
    g_autofree char *input = g_strdup_printf("@@ f.txt\n- %zu%s..%zu%s", first, from, last, to);
    return argument("input", input);
}

static char *refuse(const ToolFixture *fixture, size_t first, size_t last)
{
    g_autofree char *before = file_text(fixture);
    char *text = tool_fixture_error(fixture, &tool_edit_hashline, deletion(fixture, first, last));
    g_autofree char *after = file_text(fixture);
    assert_text("untouched", after, before);
    return text;
}

static char *accept(const ToolFixture *fixture, size_t first, size_t last)
{
    return tool_fixture_text(fixture, &tool_edit_hashline, deletion(fixture, first, last));
}

/* Somebody changes a line between the two that are named: refused by what changed, and again by
   what is inside; the lines are shown, so the same call is made with open eyes then. */
static void test_changed(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *now, *error; // NULL: it is accepted
    } cases[] = {
        { "another line", "a\nb\nX\nd\ne\nf\n", STALE "\nThe edit was NOT applied, " },
        { "deeper: found again, as what goes needs no depth", "a\nb\n  c\nd\ne\nf\n", NULL },
        { "a letter", "a\nb\nC\nd\ne\nf\n", STALE },
        { "white space at the end", "a\nb\nc  \nd\ne\nf\n", NULL },
        { "a line that stays", "a\nb\nc\nd\nE\nf\n", NULL },
        { "line ends", "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\n", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = inner_fixture();
        tool_fixture_put(fixture, "f.txt", "a\nb\nc\nd\ne\nf\n");
        show(fixture, "f.txt");
        tool_fixture_put(fixture, "f.txt", cases[i].now);
        g_autofree char *first = refuse(fixture, 2, 4);
        assert_contains(cases[i].name, first, "changed on disk");
        if (cases[i].error) {
            g_autofree char *text = refuse(fixture, 2, 4);
            assert_contains(cases[i].name, text, cases[i].error);
            assert_contains(cases[i].name, text, "\n*3");
        }
        g_free(accept(fixture, 2, 4));
        g_autofree char *after = file_text(fixture);
        assert_true(str_has_prefix(after, "a\n") || str_has_prefix(after, "a\r\n"));
        assert_null(strstr(after, "b"));
        assert_null(strchr(after, 'd'));
        assert_non_null(strchr(after, 'f'));
    }
}

/* Only the lines that changed are forgotten: the rest of the range need not be shown again. */
static void test_changed_far(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autofree char *text = rows(60);
    tool_fixture_put(fixture, "f.txt", text);
    show(fixture, "f.txt");
    g_autoptr(GString) now = g_string_new(text);
    g_string_replace(now, "row 20\n", "other\n", 0);
    g_string_replace(now, "row 40\n", "different\n", 0);
    tool_fixture_put(fixture, "f.txt", now->str);
    g_free(refuse(fixture, 10, 50)); // changed on disk
    g_autofree char *error = refuse(fixture, 10, 50);
    assert_contains("both", error, "Edit rejected: 2 lines have changed since the last read");
    assert_contains("first", error, "|other\n");
    assert_contains("gap", error, "\n...\n");
    assert_null(strstr(error, "row 30"));
    g_free(accept(fixture, 10, 50));
}

/* Lines that were never shown are shown, once. */
static void test_unseen(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autofree char *text = rows(60);
    tool_fixture_put(fixture, "f.txt", text);
    show(fixture, "f.txt:1-2");   // and three behind
    show(fixture, "f.txt:40-41"); // and three on each side
    g_autofree char *error = refuse(fixture, 3, 38);
    assert_contains("many", error,
                    "Edit rejected: 31 lines " UNSEEN "\nThe edit was NOT applied: these lines "
                    "would go, too. If that is meant, make the same call again.\n 4");
    assert_contains("marked", error, "\n*6");
    assert_contains("shown", error, "|row 36\n 37");
    g_free(accept(fixture, 3, 38));
    g_autofree char *after = file_text(fixture);
    assert_true(str_has_prefix(after, "row 1\nrow 2\nrow 39\n"));

    g_autoptr(ToolFixture) other = inner_fixture();
    tool_fixture_put(other, "f.txt", "a\nb\nc\nd\n");
    g_autofree char *one = refuse(other, 1, 3);
    assert_contains("one", one, "Edit rejected: 1 line inside a range has not been shown to you");
    g_free(accept(other, 1, 3)); // it was shown by the error
    g_free(accept(other, 1, 1)); // no line is inside
}

/* More than an error shows: the same call goes through, of the same text only. */
static void test_unseen_long(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autofree char *text = rows(9000);
    tool_fixture_put(fixture, "f.txt", text);
    g_autofree char *error = refuse(fixture, 10, 8000);
    assert_contains("all", error, "Edit rejected: 7989 lines " UNSEEN);
    assert_true(strlen(error) < 40000 && g_str_has_suffix(error, "\n..."));
    g_autofree char *other = refuse(fixture, 10, 8001); // another range
    assert_contains("other", other, UNSEEN);
    g_autoptr(GString) now = g_string_new(text);
    g_string_replace(now, "row 7000\n", "other\n", 0);
    tool_fixture_put(fixture, "f.txt", now->str); // nothing of it that was shown
    g_autofree char *again = refuse(fixture, 10, 8001);
    assert_contains("another text", again, UNSEEN);
    g_free(accept(fixture, 10, 8001));
    g_autofree char *after = file_text(fixture);
    assert_contains("after", after, "row 9\nrow 8002\n");
}

/* Behind an edit of the model's own: what it saw moves along, what it did not see stays unseen,
   what the preview shows is seen. */
static void test_own_edit(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autofree char *text = rows(60);
    tool_fixture_put(fixture, "f.txt", text);
    show(fixture, "f.txt:1-12"); // and three behind
    g_free(tool_fixture_text(fixture, &tool_edit_hashline,
                             argument("input", "@@ f.txt\n+ BOF\n~new 1\n~new 2")));
    g_free(accept(fixture, 1, 17)); // row 15
    g_autofree char *error = refuse(fixture, 1, 11);
    assert_contains("unseen", error, "Edit rejected: 6 lines " UNSEEN);
    g_autofree char *after = file_text(fixture);
    assert_true(str_has_prefix(after, "row 16\n"));

    g_autoptr(ToolFixture) preview = inner_fixture();
    tool_fixture_put(preview, "f.txt", text);
    g_free(accept(preview, 20, 20)); // shows four lines on each side
    g_free(accept(preview, 15, 24));
    g_free(refuse(preview, 9, 20));
}

/* What `write` wrote is the model's own. */
static void test_write(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autofree char *text = rows(30);
    json_t *arguments = argument("path", "f.txt");
    json_set_text(arguments, "content", text);
    g_free(tool_fixture_text(fixture, &tool_write, arguments));
    g_free(accept(fixture, 3, 28));
    g_autofree char *after = file_text(fixture);
    assert_text("after", after, "row 1\nrow 2\nrow 29\nrow 30\n");
}

/* An edit that is carried over takes no line along that was not shown: here it is known from an
   edit before, which left it. */
static void test_recovery(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *shown, *want;
    } cases[] = {
        { "f.txt", "Recovered from stale anchors" },
        { "f.txt:1-4", "Edit rejected: " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = inner_fixture();
        g_autofree char *text = rows(30);
        tool_fixture_put(fixture, "f.txt", text);
        show(fixture, cases[i].shown);
        g_free(accept(fixture, 1, 1));
        g_autofree char *before = file_text(fixture);
        json_t *call = deletion(fixture, 10, 25);
        g_autofree char *now = g_strconcat("top\n", before, NULL);
        tool_fixture_put(fixture, "f.txt", now);
        g_free(tool_fixture_error(fixture, &tool_edit_hashline, json_incref(call)));
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_edit_hashline, call, &result);
        g_autofree char *said = tool_result_text(&result);
        assert_contains(cases[i].shown, said, cases[i].want);
        assert_int_equal(result.is_error, i == 1);
    }
}

/* A call on the command line has no calls before it; its answer shows what went. */
static void test_command_line(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    tool_fixture_put(fixture, "f.txt", "a\nb\nc\nd\n");
    static const ToolDoor door = { .kind = DOOR_DIRECT, .via = "cli", .allow_writes = true };
    g_autoptr(json_t) arguments = deletion(fixture, 1, 4);
    const ToolCallSpec spec = {
        .tool = &tool_edit_hashline,
        .arguments = arguments,
        .context = fixture->context,
        .door = &door,
        .tools = fixture->tools,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    g_autofree char *text = tool_result_text(&result);
    assert_false(result.is_error);
    assert_text("said", text, "f.txt:\n-1--|a\n-2--|b\n-3--|c\n-4--|d");
    g_autofree char *after = file_text(fixture);
    assert_text("after", after, "");
}

/* One refusal for a call, also of more files than are remembered. */
static void test_many_files(void **state G_GNUC_UNUSED)
{
    enum { FILES = 40 };
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autoptr(GString) input = g_string_new(NULL);
    for (int i = 0; i < FILES; i++) {
        g_autofree char *name = g_strdup_printf("%d.txt", i);
        g_autofree char *text = g_strdup_printf("a\n%d\nc\nd\n", i);
        tool_fixture_put(fixture, name, text);
        char from[HASHLINE_LETTERS + 1], to[HASHLINE_LETTERS + 1];
        hashline_letters(1, "a", 1, from);
        hashline_letters(3, "c", 1, to);
        g_string_append_printf(input, "@@ %s\n- 1%s..3%s\n", name, from, to);
    }
    show(fixture, "7.txt"); // there is nothing to say of it
    g_autofree char *error =
        tool_fixture_error(fixture, &tool_edit_hashline, argument("input", input->str));
    for (int i = 0; i < FILES; i++) {
        g_autofree char *said =
            g_strdup_printf("\n\n%d.txt: Edit rejected: 1 line inside a range has not been", i);
        bool is_there = strstr(error, i > 0 ? said : said + 2) != NULL;
        if (is_there != (i != 7))
            fail_msg("%d.txt: %s", i, error);
    }
    assert_contains("last", error, "|39\n");
    g_free(tool_fixture_text(fixture, &tool_edit_hashline, argument("input", input->str)));
    for (int i = 0; i < FILES; i++) {
        g_autofree char *path = g_strdup_printf("%s/%d.txt", fixture->cwd, i);
        g_autofree char *after = NULL;
        assert_true(g_file_get_contents(path, &after, NULL, NULL));
        assert_text(path, after, "d\n");
    }
}

/* What a refusal shows of several files has a bound; those behind it are named. */
static void test_many_long_files(void **state G_GNUC_UNUSED)
{
    enum { FILES = 3, ROWS = 3000 };
    g_autoptr(ToolFixture) fixture = inner_fixture();
    g_autoptr(GString) input = g_string_new(NULL);
    g_autofree char *text = rows(ROWS);
    char from[HASHLINE_LETTERS + 1], to[HASHLINE_LETTERS + 1];
    hashline_letters(1, "row 1", strlen("row 1"), from);
    hashline_letters(ROWS, "row 3000", strlen("row 3000"), to);
    for (int i = 0; i < FILES; i++) {
        g_autofree char *name = g_strdup_printf("%d.txt", i);
        tool_fixture_put(fixture, name, text);
        g_string_append_printf(input, "@@ %s\n- 1%s..%d%s\n", name, from, ROWS, to);
    }
    g_autofree char *error =
        tool_fixture_error(fixture, &tool_edit_hashline, argument("input", input->str));
    assert_true(strlen(error) < 36 * 1024);
    assert_contains("the last", error,
                    "\n\n2.txt: Edit rejected: 2998 lines inside a range have not been shown");
    g_free(tool_fixture_text(fixture, &tool_edit_hashline, argument("input", input->str)));
}

/* Where the conversation went elsewhere, its lines are not those that are shown there. */
static void test_elsewhere(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = inner_fixture();
    tool_fixture_put(fixture, "f.txt", "a\nb\nc\nd\n");
    show(fixture, "f.txt");
    model_view_forget(fixture->context);
    g_autofree char *error = refuse(fixture, 1, 3);
    assert_contains("read", error, "1 line inside a range has not been shown to you lately");
    model_view_forget(fixture->context);
    g_autofree char *again = refuse(fixture, 1, 3);
    assert_text("told", again, error);
    g_free(accept(fixture, 1, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed),    cmocka_unit_test(test_changed_far),
        cmocka_unit_test(test_unseen),     cmocka_unit_test(test_unseen_long),
        cmocka_unit_test(test_own_edit),   cmocka_unit_test(test_write),
        cmocka_unit_test(test_recovery),   cmocka_unit_test(test_command_line),
        cmocka_unit_test(test_many_files), cmocka_unit_test(test_many_long_files),
        cmocka_unit_test(test_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
