/*
 * Artifacts: numbering, names, lookup texts.
 */
#include "unit.h"

#include "base/file.h"
#include "session/artifact_writer.h"

#include <sys/stat.h>

typedef struct Fixture {
    char *root;
    char *dir; // not made yet
    Artifacts *artifacts;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-artifacts-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "2026_s", NULL);
    self->artifacts = artifacts_new(self->dir);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    artifacts_free(self->artifacts);
    file_remove_tree(self->root, NULL);
    g_free(self->dir);
    g_free(self->root);
    g_free(self);
    return 0;
}

static void put_file(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    assert_true(file_write_atomic(path, "x", 1, 0600, NULL));
}

static void test_first_use_makes_private_directory(void **state)
{
    Fixture *self = *state;
    assert_false(file_exists(self->dir));

    g_autofree char *id = NULL;
    assert_true(artifacts_save(self->artifacts, "bash", "all\n", 4, &id, NULL));
    assert_string_equal(id, "0");
    struct stat info;
    assert_int_equal(stat(self->dir, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);

    g_autofree char *path = g_build_filename(self->dir, "0.bash.log", NULL);
    g_autofree char *text = NULL;
    assert_true(file_read(path, 100, &text, NULL, NULL));
    assert_string_equal(text, "all\n");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* core-75 */
static void test_numbering_goes_on(void **state)
{
    Fixture *self = *state;
    assert_true(file_make_dirs(self->dir, 0700, NULL));
    static const char *const names[] = { "0.bash.log", "7.read.log", "99.txt",      "8x.bash.log",
                                         ".log",       "todos.json", "12..log.part" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        put_file(self->dir, names[i]);

    g_autofree char *path = NULL;
    g_autofree char *id = NULL;
    assert_true(artifacts_allocate(self->artifacts, "web/search", &path, &id, NULL));
    assert_string_equal(id, "8");
    g_autofree char *want = g_build_filename(self->dir, "8.web_search.log", NULL);
    assert_string_equal(path, want);
    assert_false(file_exists(path)); // allocating makes no file

    g_autofree char *next_id = NULL;
    assert_true(artifacts_save(self->artifacts, "bash", "", 0, &next_id, NULL));
    assert_string_equal(next_id, "9");
}

static void test_find(void **state)
{
    Fixture *self = *state;
    assert_true(file_make_dirs(self->dir, 0700, NULL));
    put_file(self->dir, "10.bash.log");
    put_file(self->dir, "0.bash.log");
    put_file(self->dir, "7.read.log");

    static const struct {
        const char *id, *want; // a file name, or an error text
        bool is_error, is_without_session;
    } cases[] = {
        { "7", "7.read.log" },
        { "10", "10.bash.log" },
        { "99", "Artifact 99 not found. Available: 0, 7, 10", true },
        { "1", "Artifact 1 not found. Available: 0, 7, 10", true },
        { "", "artifact:// URL requires a numeric ID: artifact://0", true },
        { "../7", "artifact:// ID must be numeric, got: ../7", true },
        { "-1", "artifact:// ID must be numeric, got: -1", true },
        { "7", "No session - artifacts unavailable", true, true },
        { "x", "artifact:// ID must be numeric, got: x", true, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = NULL;
        g_autoptr(GError) error = NULL;
        Artifacts *artifacts = cases[i].is_without_session ? NULL : self->artifacts;
        bool is_found = artifacts_find(artifacts, cases[i].id, &path, &error);
        g_autofree char *name = is_found ? g_path_get_basename(path) : g_strdup(error->message);
        if (is_found == cases[i].is_error || !g_str_equal(name, cases[i].want))
            fail_msg("artifact://%s: got '%s', want '%s'", cases[i].id, name, cases[i].want);
    }
}

static void test_find_without_directory(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(artifacts_find(self->artifacts, "0", &path, &error));
    assert_string_equal(error->message, "Artifact 0 not found. Available: none");
}

static void test_unwritable(void **state)
{
    Fixture *self = *state;
    put_file(self->root, "2026_s"); // a file where the directory should be
    g_autofree char *id = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(artifacts_save(self->artifacts, "bash", "x", 1, &id, &error));
    assert_non_null(error);
    assert_null(id);
}

/* Numbered lines of 10 bytes through a writer that keeps `max_bytes`; the file's text. */
static char *write_numbered(const char *dir, unsigned count, size_t chunk_bytes, uint64_t max_bytes,
                            bool *ret_is_cut)
{
    g_autoptr(Artifacts) artifacts = artifacts_new(dir);
    g_autoptr(ArtifactWriter) writer = artifact_writer_new(artifacts, "bash", max_bytes);
    assert_non_null(writer);
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 1; i <= count; i++)
        g_string_append_printf(text, "%09u\n", i);
    for (size_t at = 0; at < text->len; at += chunk_bytes)
        assert_true(
            artifact_writer_append(writer, text->str + at, MIN(chunk_bytes, text->len - at)));
    assert_true(artifact_writer_finish(writer, ret_is_cut));
    g_autofree char *path = NULL;
    assert_true(artifacts_find(artifacts, artifact_writer_id(writer), &path, NULL));
    char *whole = NULL;
    assert_true(g_file_get_contents(path, &whole, NULL, NULL));
    return whole;
}

/* tools-T154 (of full size: tests/stress/tool_stress.py): all of what fits, of more the beginning
 * and the end, by whole lines. */
static void test_writer_keeps_head_and_tail(void **state G_GNUC_UNUSED)
{
    g_autofree char *root = g_dir_make_tmp("kedge-artifacts-XXXXXX", NULL);
    static const size_t chunks[] = { 1, 7, 10, 64, 100000 };
    for (size_t i = 0; i < G_N_ELEMENTS(chunks); i++) {
        g_autofree char *dir = g_strdup_printf("%s/%zu", root, i);
        bool is_cut = true;
        g_autofree char *fits = write_numbered(dir, 10, chunks[i], 100, &is_cut);
        assert_false(is_cut);
        assert_int_equal(strlen(fits), 100);
        assert_true(g_str_has_suffix(fits, "000000010\n"));

        g_autofree char *cut = write_numbered(dir, 100, chunks[i], 106, &is_cut); // halves of 53
        assert_true(is_cut);
        assert_string_equal(cut, "000000001\n000000002\n000000003\n000000004\n000000005\n"
                                 "[900 bytes, lines 6-95, were cut here: an artifact keeps 0 MiB]\n"
                                 "000000096\n000000097\n000000098\n000000099\n000000100\n");
    }
    assert_true(file_remove_tree(root, NULL));
}

/* One line without an end, of characters of several bytes. */
static void test_writer_of_one_line(void **state G_GNUC_UNUSED)
{
    g_autofree char *root = g_dir_make_tmp("kedge-artifacts-XXXXXX", NULL);
    g_autoptr(Artifacts) artifacts = artifacts_new(root);
    g_autoptr(ArtifactWriter) writer = artifact_writer_new(artifacts, "bash", 100);
    bool is_cut = false;
    for (int i = 0; i < 1000; i++)
        assert_true(artifact_writer_append(writer, "\u20ac", 3));
    assert_true(artifact_writer_finish(writer, &is_cut));
    assert_true(is_cut);
    g_autofree char *path = NULL, *text = NULL;
    assert_true(artifacts_find(artifacts, artifact_writer_id(writer), &path, NULL));
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    assert_non_null(strstr(text, "\n[2902 bytes, lines 1-1, were cut here"));
    assert_true(g_utf8_validate(strstr(text, "]\n") + 2, -1, NULL));
    assert_true(file_remove_tree(root, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_first_use_makes_private_directory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_numbering_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find_without_directory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unwritable, setup, teardown),
        cmocka_unit_test(test_writer_keeps_head_and_tail),
        cmocka_unit_test(test_writer_of_one_line),
    };
    return cmocka_run_group_tests_name("artifacts", tests, NULL, NULL);
}
