/*
 * Prompt history (agent-core §4.11).
 */
#include "unit.h"

#include "base/db.h"
#include "base/file.h"
#include "session/prompt_history.h"

static int setup(void **state)
{
    *state = g_dir_make_tmp("kedge-history-XXXXXX", NULL);
    return 0;
}

static int teardown(void **state)
{
    assert_true(file_remove_tree(*state, NULL));
    g_free(*state);
    return 0;
}

/* The prompts, joined with '|'; takes the list. */
static void expect(json_t *list_, const char *want)
{
    g_autoptr(json_t) list = list_;
    g_autoptr(GString) out = g_string_new(NULL);
    size_t i;
    const json_t *each;
    json_array_foreach (list, i, each)
        g_string_append_printf(out, "%s%s", i > 0 ? "|" : "", json_get_text(each, "prompt"));
    assert_string_equal(out->str, want);
}

static void test_add_and_search(void **state)
{
    const char *dir = *state;
    expect(prompt_history_recent(dir, 10), "");
    g_autofree char *path = g_build_filename(dir, "history.db", NULL);
    assert_false(file_exists(path)); // a look makes nothing
    prompt_history_add(dir, "a", "/w");
    prompt_history_add(dir, "  a\n", "/w");
    prompt_history_add(dir, "b", NULL);
    prompt_history_add(dir, "  ", NULL);
    expect(prompt_history_recent(dir, 10), "b|a"); // core-76
    expect(prompt_history_search(dir, "B", 10), "b");
    prompt_history_add(dir, "a", "/w");
    expect(prompt_history_recent(dir, 10), "a|b|a");
    expect(prompt_history_recent(dir, 1), "a");
    expect(prompt_history_recent(dir, -5), "");
    expect(prompt_history_recent(dir, 1000000), "a|b|a");
    g_autoptr(json_t) newest = prompt_history_recent(dir, 1);
    const json_t *row = json_array_get(newest, 0);
    assert_string_equal(json_get_text(row, "cwd"), "/w");
    assert_true(json_get_int(row, "created", 0) > 1700000000);
}

static void test_words(void **state)
{
    const char *dir = *state;
    prompt_history_add(dir, "fix the parser", NULL);
    prompt_history_add(dir, "reparse 50% of it", NULL);
    prompt_history_add(dir, "Parser: again", NULL);
    static const struct {
        const char *query, *want;
    } cases[] = {
        { "pars", "Parser: again|fix the parser|reparse 50% of it" }, // words first, then parts
        { "parser THE", "fix the parser" },
        { "50%", "reparse 50% of it" },
        { "%", "" },
        { "_", "" },
        { "\" OR 1", "" },
        { "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect(prompt_history_search(dir, cases[i].query, 10), cases[i].want);
    expect(prompt_history_search(dir, "pars", 2), "Parser: again|fix the parser");
}

static void test_files_that_are_not_ours(void **state)
{
    const char *dir = *state;
    g_autofree char *path = g_build_filename(dir, "history.db", NULL);
    // of another program of the family: a table without an index, and a trigger that may not run
    static const char *const theirs[] = {
        "CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL,"
        " created_at INTEGER NOT NULL DEFAULT 5, cwd TEXT);"
        "INSERT INTO history (prompt) VALUES ('old one');"
        "CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN"
        " INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt); END;",
        NULL
    };
    g_autoptr(Db) db = NULL;
    assert_true(db_open(path, theirs, NULL, &db, NULL, NULL));
    assert_true(db_exec(db, "PRAGMA user_version = 0", NULL));
    db_close(g_steal_pointer(&db));
    prompt_history_add(dir, "new one", NULL);
    expect(prompt_history_search(dir, "one", 10), "new one|old one");

    assert_true(file_write_atomic(path, "this is no database, and long enough", 36, 0600, NULL));
    prompt_history_add(dir, "x", NULL);
    expect(prompt_history_recent(dir, 10), "");
    expect(prompt_history_search(dir, "x", 10), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_add_and_search, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_that_are_not_ours, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
