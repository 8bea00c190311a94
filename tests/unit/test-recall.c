/* The prompts of before, by Up and Down; agent-core §7.4. */
#include "unit.h"

#include "base/file.h"
#include "session/prompt_history.h"
#include "tui/edit/recall.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_up_and_down, setup, teardown),
        cmocka_unit_test_setup_teardown(test_editing_leaves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_sent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_freed_while_reading, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
