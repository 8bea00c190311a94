/*
 * The tree of a session: moves, branches, labels, names.
 */
#include "unit.h"

#include "base/file.h"
#include "session/session_tree.h"

typedef struct Fixture {
    char *root, *dir;
    Session *session;
    const char *u1, *a1, *u2, *a2; // ids
} Fixture;

static const char *append(Session *session, const char *role, const char *text)
{
    g_autoptr(json_t) message = json_object();
    json_set_text(message, "role", role);
    json_set_text(message, "content", text);
    return session_append_message(session, message);
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-tree-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "sessions", NULL);
    g_setenv("KEDGE_AGENT_DIR", self->root, TRUE);
    self->session = session_new(self->dir, "/w");
    self->u1 = append(self->session, "user", "one");
    self->a1 = append(self->session, "assistant", "first");
    self->u2 = append(self->session, "user", "two");
    self->a2 = append(self->session, "assistant", "second");
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    session_free(self->session);
    file_remove_tree(self->root, NULL);
    g_free(self->dir);
    g_free(self->root);
    g_free(self);
    return 0;
}

static char *texts(const Session *session)
{
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    GString *out = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (context.messages, i, message)
        g_string_append_printf(out, "%s%s", i ? " " : "", json_get_text(message, "content"));
    return g_string_free(out, FALSE);
}

static void assert_texts(const Session *session, const char *want)
{
    g_autofree char *got = texts(session);
    assert_string_equal(got, want);
}

static void test_targets(void **state)
{
    Fixture *self = *state;
    const char *note = session_append_fields(
        self->session, "custom_message",
        json_pack("{s:s, s:s, s:b}", "customType", "note", "content", "remember", "display", 1));
    const struct {
        const char *target, *leaf, *text;
        unsigned left;
    } cases[] = {
        { self->u1, NULL, "one", 4 },
        { self->a1, self->a1, NULL, 3 },
        { self->u2, self->a1, "two", 2 },
        { note, self->a2, "remember", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(SessionTarget) target = { 0 };
        assert_true(session_find_target(self->session, cases[i].target, &target, NULL));
        assert_true(g_strcmp0(target.leaf, cases[i].leaf) == 0);
        assert_true(g_strcmp0(target.text, cases[i].text) == 0);
        assert_int_equal(target.left->len, cases[i].left);
    }
    g_auto(SessionTarget) none = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(session_find_target(self->session, "nope", &none, &error));
    assert_string_equal(error->message, "Entry ID not found: nope");
}

/* core-68 */
static void test_move(void **state)
{
    Fixture *self = *state;
    assert_true(session_move(self->session, self->a1, NULL));
    assert_texts(self->session, "one first");
    const char *other = append(self->session, "user", "other");
    assert_texts(self->session, "one first other");

    g_autoptr(json_t) tree = session_tree(self->session);
    const json_t *entries = json_get_array(tree, "entries");
    assert_int_equal(json_array_size(entries), 5); // both branches
    assert_string_equal(json_get_text(json_array_get(entries, 4), "parentId"), self->a1);
    assert_string_equal(json_get_text(json_array_get(entries, 2), "parentId"), self->a1);
    assert_string_equal(json_get_text(tree, "leafId"), other);

    assert_true(session_move(self->session, NULL, NULL));
    assert_null(session_leaf_id(self->session));
    assert_texts(self->session, "");
    const char *root = append(self->session, "user", "anew");
    g_autoptr(json_t) entry = session_entry(self->session, root);
    assert_null(json_get_text(entry, "parentId"));
    assert_false(session_move(self->session, "nope", NULL));
    assert_string_equal(session_leaf_id(self->session), root);

    // what was left is still in the file, and its last entry is the leaf
    assert_true(session_flush(self->session, NULL));
    g_autofree char *path = g_strdup(session_path(self->session));
    session_free(g_steal_pointer(&self->session));
    assert_true(session_open(path, "/w", &self->session, NULL, NULL));
    assert_texts(self->session, "anew");
    g_autoptr(json_t) again = session_tree(self->session);
    assert_int_equal(json_array_size(json_get_array(again, "entries")), 6);
}

/* core-67 */
static void test_branch(void **state)
{
    Fixture *self = *state;
    assert_true(session_set_label(self->session, self->u1, "start", NULL));
    assert_true(session_set_label(self->session, self->a2, "end", NULL));
    assert_true(session_flush(self->session, NULL));
    g_autofree char *before = NULL;
    assert_true(file_read(session_path(self->session), 100000, &before, NULL, NULL));

    g_autoptr(Session) branch = NULL;
    g_autofree char *text = NULL;
    assert_true(session_branch(self->session, self->u2, &branch, &text, NULL));
    assert_string_equal(text, "two");
    assert_texts(branch, "one first");
    assert_string_equal(json_get_text(session_header(branch), "parentSession"),
                        session_id(self->session));
    g_autoptr(json_t) tree = session_tree(branch);
    const json_t *labels = json_get_object(tree, "labels");
    assert_int_equal(json_object_size(labels), 1); // of the entry that is here
    assert_string_equal(json_get_text(labels, self->u1), "start");

    append(branch, "user", "other");
    append(branch, "assistant", "fine");
    assert_true(session_flush(branch, NULL));
    assert_string_not_equal(session_path(branch), session_path(self->session));
    g_autofree char *after = NULL;
    assert_true(file_read(session_path(self->session), 100000, &after, NULL, NULL));
    assert_string_equal(before, after);

    g_autoptr(Session) root = NULL;
    g_autofree char *first = NULL;
    assert_true(session_branch(self->session, self->u1, &root, &first, NULL));
    assert_string_equal(first, "one");
    assert_texts(root, "");
    g_autoptr(Session) none = NULL;
    g_autofree char *no_text = NULL;
    assert_false(session_branch(self->session, self->a1, &none, &no_text, NULL));
}

static void test_labels(void **state)
{
    Fixture *self = *state;
    assert_true(session_set_label(self->session, self->u1, "good", NULL));
    assert_true(session_set_label(self->session, self->a1, "bad", NULL));
    assert_true(session_set_label(self->session, self->u1, "better", NULL));
    assert_true(session_set_label(self->session, self->a1, NULL, NULL));
    assert_false(session_set_label(self->session, "nope", "x", NULL));
    g_autoptr(json_t) tree = session_tree(self->session);
    g_autofree char *labels = json_to_text(json_get_object(tree, "labels"));
    g_autofree char *want = g_strdup_printf("{\"%s\":\"better\"}", self->u1);
    assert_string_equal(labels, want);
    assert_texts(self->session, "one first two second"); // they add nothing
}

static char *title_on_disk(const Session *session, const char **ret_source)
{
    g_autofree char *text = NULL;
    assert_true(file_read(session_path(session), 100000, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
    g_autoptr(json_t) header = NULL;
    assert_true(json_parse_text(lines[0], &header, NULL));
    const char *source = json_get_text(header, "titleSource");
    *ret_source = g_intern_string(source ? source : "");
    return g_strdup(json_get_text(header, "title"));
}

static void test_titles(void **state)
{
    Fixture *self = *state;
    const struct {
        const char *title;
        bool is_automatic;
        const char *want, *want_source;
    } cases[] = {
        { "made up", true, "made up", "auto" },
        { "made up again", true, "made up again", "auto" },
        { "a person's", false, "a person's", "user" },
        { "made up late", true, "a person's", "user" },
        { "another", false, "another", "user" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        session_set_title(self->session, cases[i].title, cases[i].is_automatic);
        assert_true(session_flush(self->session, NULL));
        const char *source = NULL;
        g_autofree char *title = title_on_disk(self->session, &source);
        assert_string_equal(title, cases[i].want);
        assert_string_equal(source, cases[i].want_source);
    }
    // before either is written
    session_set_title(self->session, "mine", false);
    session_set_title(self->session, "made up", true);
    assert_true(session_flush(self->session, NULL));
    assert_string_equal(json_get_text(session_header(self->session), "title"), "mine");

    append(self->session, "user", "three"); // the lines behind the header are whole
    assert_true(session_flush(self->session, NULL));
    g_autofree char *path = g_strdup(session_path(self->session));
    session_free(g_steal_pointer(&self->session));
    assert_true(session_open(path, "/w", &self->session, NULL, NULL));
    assert_texts(self->session, "one first two second three");
}

/* agent-core §6.9: files of other programs */
static void test_foreign_entries(void **state)
{
    Fixture *self = *state;
    session_append_fields(self->session, "model_change",
                          json_pack("{s:s, s:s}", "provider", "lab", "modelId", "coder"));
    session_append_fields(self->session, "session_info", json_pack("{s:s}", "name", "old"));
    session_append_fields(self->session, "session_info", json_pack("{s:s}", "name", "parser fix"));
    assert_true(session_flush(self->session, NULL));
    g_autofree char *path = g_strdup(session_path(self->session));
    session_free(g_steal_pointer(&self->session));
    assert_true(session_open(path, "/w", &self->session, NULL, NULL));
    assert_string_equal(json_get_text(session_header(self->session), "title"), "parser fix");
    g_auto(SessionContext) context = { 0 };
    session_build_context(self->session, &context);
    assert_string_equal(json_get_text(context.models, "default"), "lab/coder");
}

static void test_clean_title(void **state G_GNUC_UNUSED)
{
    static const char *const cases[][2] = {
        { "  parser \n\t fix  ", "parser fix" },
        { "a\001b\033c", "abc" },
        { " \n ", NULL },
        { "", NULL },
        { "Zähler reparieren", "Zähler reparieren" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = session_clean_title(cases[i][0]);
        assert_true(g_strcmp0(got, cases[i][1]) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_targets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_move, setup, teardown),
        cmocka_unit_test_setup_teardown(test_branch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_titles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign_entries, setup, teardown),
        cmocka_unit_test(test_clean_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
