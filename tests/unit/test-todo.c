/* Todo lists: what is made of a file's or a client's list, where it goes on, and when it goes. */
#include "unit.h"

#include "base/file.h"
#include "base/secrets.h"
#include "base/timefmt.h"
#include "tool/todo.h"

#define ONE "[{\"name\":\"P\",\"tasks\":[{\"content\":\"a\",\"status\":\"pending\"}]}]"

static void set(TodoList *list, const char *text)
{
    g_autoptr(json_t) value = NULL;
    assert_true(json_parse_text(text, &value, NULL));
    assert_true(todo_list_set(list, value, NULL, NULL));
}

static char *text_of(TodoList *list)
{
    g_autoptr(json_t) phases = todo_list_phases(list);
    return json_to_text(phases);
}

static void assert_list(TodoList *list, const char *want)
{
    g_autofree char *text = text_of(list);
    assert_string_equal(text, want);
}

static void test_forms(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *list, *want;
    } cases[] = {
        { "[]", "[]" },
        { "{}", "[]" },
        { "[{\"content\":\"a\",\"status\":\"pending\"},{\"content\":\"b\"}]",
          "[{\"name\":\"Todos\",\"tasks\":[{\"content\":\"a\",\"status\":\"pending\"},"
          "{\"content\":\"b\",\"status\":\"pending\"}]}]" },
        { "[{\"name\":\"P\",\"tasks\":[{\"content\":\"a\",\"status\":\"odd\"},7,{}]},8]", ONE },
        { "[{\"name\":\"P\",\"tasks\":[{\"content\":\"a\",\"notes\":[\"n\",7]}]}]",
          "[{\"name\":\"P\",\"tasks\":[{\"content\":\"a\",\"status\":\"pending\",\"notes\":[\"n\"]"
          "}]}]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(TodoList) list = todo_list_new(NULL);
        set(list, cases[i].list);
        assert_list(list, cases[i].want);
    }
    g_autoptr(TodoList) masked = todo_list_new(NULL);
    secrets_register("tide-key-4711-0815");
    set(masked, "[{\"content\":\"use tide-key-4711-0815\"}]");
    g_autofree char *text = text_of(masked);
    assert_null(strstr(text, "4711"));
    assert_non_null(strstr(text, "use [REDACTED]"));
}

static void test_places(void **state G_GNUC_UNUSED)
{
    g_autofree char *root = g_dir_make_tmp("kedge-todo-XXXXXX", NULL);
    g_autofree char *one = g_build_filename(root, "one", NULL);
    g_autofree char *two = g_build_filename(root, "two", NULL);
    g_autofree char *file = g_build_filename(two, "todos.json", NULL);

    g_autoptr(TodoList) list = todo_list_new(NULL);
    assert_false(todo_list_is_stored(list));
    todo_list_open(list, one);
    assert_list(list, "[]");
    set(list, ONE);
    todo_list_move(list, two); // a copy of the session
    assert_list(list, ONE);
    assert_false(file_exists(file));
    set(list, "[]");
    assert_true(file_exists(file));
    todo_list_open(list, one); // the other one has its own still
    assert_list(list, ONE);
    assert_true(file_write_atomic(file, "{broken", 7, 0600, NULL));
    todo_list_open(list, two);
    assert_list(list, "[]");
    todo_list_open(list, NULL);
    assert_false(todo_list_is_stored(list));
    assert_true(file_remove_tree(root, NULL));
}

static void test_finished(void **state G_GNUC_UNUSED)
{
    static const char done[] = "[{\"name\":\"P\",\"tasks\":[{\"content\":\"a\",\"status\":"
                               "\"completed\"},{\"content\":\"b\",\"status\":\"abandoned\"}]}]";
    g_autoptr(TodoList) list = todo_list_new(NULL);
    int64_t now_ms = time_now_ms();
    assert_false(todo_list_clear_finished(list, 0, now_ms));
    set(list, ONE);
    assert_false(todo_list_clear_finished(list, 0, now_ms + 1000000));
    set(list, done);
    assert_false(todo_list_clear_finished(list, 600000, now_ms + 1000));
    assert_list(list, done);
    assert_true(todo_list_clear_finished(list, 600000, now_ms + 1000000));
    assert_list(list, "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
