/* The prompts of before, by Up and Down; agent-core §7.4. */
#include "unit.h"

#include "base/file.h"
#include "session/prompt_history.h"
#include "tui/edit/first_draft.h"
#include "tui/edit/recall.h"

#include <utime.h>

typedef struct Fixture {
    char *dir;
    Loop *loop;
    Recall *recall;
} Fixture;

static void stop(void *loop)
{
    loop_quit(loop);
}

static int setup(void **state)
{
    Fixture *fixture = g_new0(Fixture, 1);
    fixture->dir = g_dir_make_tmp("kedge-recall-XXXXXX", NULL);
    fixture->loop = loop_new();
    fixture->recall = recall_new(fixture->loop, fixture->dir, stop, fixture->loop);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    recall_free(fixture->recall);
    loop_free(fixture->loop);
    assert_true(file_remove_tree(fixture->dir, NULL));
    g_free(fixture->dir);
    g_free(fixture);
    return 0;
}

/* The first wish starts the reading. */
static void wait_until_read(Fixture *fixture)
{
    assert_null(recall_previous(fixture->recall, ""));
    loop_run(fixture->loop);
}

static void test_up_and_down(void **state)
{
    Fixture *fixture = *state;
    Recall *recall = fixture->recall;
    prompt_history_add(fixture->dir, "first", NULL);
    prompt_history_add(fixture->dir, "second", NULL);
    wait_until_read(fixture);
    assert_null(recall_next(recall, "draft"));
    assert_string_equal(recall_previous(recall, "draft"), "second");
    assert_string_equal(recall_previous(recall, "second"), "first");
    assert_null(recall_previous(recall, "first"));
    assert_string_equal(recall_next(recall, "first"), "second");
    assert_string_equal(recall_next(recall, "second"), "draft");
    assert_null(recall_next(recall, "draft"));
}

static void test_editing_leaves(void **state)
{
    Fixture *fixture = *state;
    Recall *recall = fixture->recall;
    prompt_history_add(fixture->dir, "first", NULL);
    prompt_history_add(fixture->dir, "second", NULL);
    wait_until_read(fixture);
    recall_previous(recall, "");
    recall_previous(recall, "second");
    recall_leave(recall);
    assert_null(recall_next(recall, "first!"));
    assert_string_equal(recall_previous(recall, "first!"), "second");
    assert_string_equal(recall_next(recall, "second"), "first!");
}

static void test_what_was_sent(void **state)
{
    Fixture *fixture = *state;
    Recall *recall = fixture->recall;
    prompt_history_add(fixture->dir, "stored", NULL);
    recall_add(recall, "one", "/w", false);
    recall_add(recall, "one", "/w", false);
    recall_add(recall, "for me", "/w", true);
    recall_add(recall, " \n", "/w", false);
    wait_until_read(fixture);
    assert_string_equal(recall_previous(recall, ""), "for me");
    assert_string_equal(recall_previous(recall, "for me"), "one");
    assert_string_equal(recall_previous(recall, "one"), "stored");
    assert_null(recall_previous(recall, "stored"));
    recall_add(recall, "two", "/w", false);
    assert_string_equal(recall_previous(recall, "two"), "for me"); // not what is there already

    recall_free(g_steal_pointer(&fixture->recall)); // writes what waits
    g_autoptr(json_t) list = prompt_history_recent(fixture->dir, 10);
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(json_get_text(json_array_get(list, 0), "prompt"), "two");
    assert_string_equal(json_get_text(json_array_get(list, 1), "prompt"), "one");
}

static void test_freed_while_reading(void **state)
{
    Fixture *fixture = *state;
    assert_null(recall_previous(fixture->recall, ""));
    recall_free(g_steal_pointer(&fixture->recall));
    loop_quit(fixture->loop);
    loop_run(fixture->loop); // nothing of it is called
}

/* What `write` has left, as the next program finds it. */
static void check_left(const Fixture *fixture, const char *cwd, const char *want)
{
    FirstDraft *own = NULL;
    g_autofree char *text = first_draft_take(fixture->dir, cwd, 1024, &own);
    assert_true((own != NULL) == (want != NULL));
    assert_int_equal(g_strcmp0(text, want), 0);
    first_draft_leave(own);
}

/* The only file of the drafts; caller frees. */
static char *draft_file(const Fixture *fixture)
{
    g_autofree char *dir = g_build_filename(fixture->dir, "drafts", NULL);
    g_autoptr(GDir) list = g_dir_open(dir, 0, NULL);
    const char *name = g_dir_read_name(list);
    return name ? g_build_filename(dir, name, NULL) : NULL;
}

static void test_first_draft(void **state)
{
    const Fixture *fixture = *state;
    static const char *const texts[] = { "a longer text\nof two lines", "short", "\xc3\xa9\n\n" };
    check_left(fixture, "/w", NULL);
    FirstDraft *draft = first_draft_open(fixture->dir, "/w", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        assert_true(first_draft_write(draft, texts[i], NULL));
        check_left(fixture, "/w", NULL); // its program lives
    }
    first_draft_leave(draft);
    check_left(fixture, "/elsewhere", NULL);
    check_left(fixture, "/w", texts[2]);

    static const struct {
        const char *name, *data, *want;
    } files[] = {
        { "cut off", "{\"cwd\":\"/w\",\"size\":100}\nhalf of", "half of" },
        { "an older end", "{\"cwd\":\"/w\",\"size\":3}\nnew of before", "new" },
        { "empty", "", NULL },
        { "no head", "text", NULL },
        { "a false size", "{\"cwd\":\"/w\",\"size\":-1}\nx", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = draft_file(fixture);
        assert_true(g_file_set_contents(path, files[i].data, -1, NULL));
        check_left(fixture, "/w", files[i].want);
    }
    g_autofree char *path = draft_file(fixture);
    g_file_set_contents(path, files[0].data, -1, NULL);
    const struct utimbuf long_ago = { 1, 1 };
    assert_int_equal(utime(path, &long_ago), 0);
    check_left(fixture, "/w", NULL);
    assert_null(draft_file(fixture));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_up_and_down, setup, teardown),
        cmocka_unit_test_setup_teardown(test_editing_leaves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_sent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_freed_while_reading, setup, teardown),
        cmocka_unit_test_setup_teardown(test_first_draft, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
