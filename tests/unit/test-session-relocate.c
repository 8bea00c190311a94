/*
 * A session that goes to another directory: whole, or not at all.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "session/session_relocate.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER                                                                                     \
    "{\"type\":\"session\",\"version\":3,\"id\":\"abc\",\"cwd\":\"/old\",\"title\":\"One\"}\n"
#define NAME "2026-01-01T00-00-00-000Z_abc"

typedef struct Fixture {
    char *root, *from, *artifacts; // the session file, and the directory beside it
    SessionPlace to;
    char *target, *artifacts_target;
} Fixture;

static char *entries_text(void)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < 3000; i++) // more than is copied at once
        g_string_append_printf(text, "{\"type\":\"message\",\"id\":\"%d\",\"text\":\"line\"}\n", i);
    g_string_append(text, "{\"type\":\"torn"); // as it stands
    return g_string_free(text, FALSE);
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-relocate-XXXXXX", NULL);
    self->to = (SessionPlace) { .agent_dir = self->root, .cwd = "/new/place" };
    self->from = g_build_filename(self->root, "old", NAME ".jsonl", NULL);
    self->artifacts = g_build_filename(self->root, "old", NAME, NULL);
    g_autofree char *log = g_build_filename(self->artifacts, "1.bash.log", NULL);
    g_autofree char *entries = entries_text(), *text = g_strconcat(HEADER, entries, NULL);
    g_autofree char *dir = session_place_dir(&self->to);
    assert_true(file_make_dirs(self->artifacts, 0700, NULL));
    assert_true(g_file_set_contents(self->from, text, -1, NULL));
    assert_true(g_file_set_contents(log, "kept", -1, NULL));
    self->target = g_build_filename(dir, NAME ".jsonl", NULL);
    self->artifacts_target = g_build_filename(dir, NAME, NULL);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->root);
    g_free(self->from);
    g_free(self->artifacts);
    g_free(self->target);
    g_free(self->artifacts_target);
    g_free(self);
    return 0;
}

static void check_content(const char *path, const char *cwd)
{
    g_autofree char *text = NULL, *entries = entries_text();
    struct stat info;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    const char *rest = strchr(text, '\n') + 1;
    g_autofree char *header = g_strndup(text, (gsize)(rest - text));
    g_autofree char *want = g_strdup_printf("\"cwd\":\"%s\"", cwd);
    assert_string_equal(rest, entries);
    assert_true(strstr(header, want) && strstr(header, "\"title\":\"One\""));
    assert_int_equal(stat(path, &info), 0);
}

static void test_it_moves(void **state)
{
    const Fixture *self = *state;
    g_autofree char *path = NULL;
    g_autofree char *log = g_build_filename(self->artifacts_target, "1.bash.log", NULL);
    assert_true(session_relocate(self->from, &self->to, &path, NULL));
    assert_string_equal(path, self->target);
    check_content(path, "/new/place");
    assert_true(file_exists(log));
    assert_false(file_exists(self->from) || file_exists(self->artifacts));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* --session-dir: the file stays where it is. */
static void test_one_directory_for_all(void **state)
{
    const Fixture *self = *state;
    g_autofree char *dir = g_path_get_dirname(self->from), *path = NULL;
    const SessionPlace to = { self->root, "/new/place", dir };
    assert_true(session_relocate(self->from, &to, &path, NULL));
    assert_string_equal(path, self->from);
    check_content(path, "/new/place");
    assert_true(file_exists(self->artifacts));
}

/* What is refused changes nothing, and leaves nothing. */
static void check_refused(const Fixture *self, const char *want)
{
    g_autoptr(GError) error = NULL;
    char *path = NULL;
    assert_false(session_relocate(self->from, &self->to, &path, &error));
    assert_non_null(strstr(error->message, want));
    check_content(self->from, "/old");
    assert_true(file_exists(self->artifacts));
    g_autofree char *dir = g_path_get_dirname(self->target);
    g_autoptr(GDir) names = g_dir_open(dir, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));)
        assert_true(str_has_prefix(name, NAME)); // and no copy beside it
}

static void test_it_is_open(void **state)
{
    const Fixture *self = *state;
    int fd = open(self->from, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    check_refused(self, "another process is in this session");
    close(fd);
}

static void test_the_place_is_taken(void **state)
{
    const Fixture *self = *state;
    g_autofree char *dir = g_path_get_dirname(self->target);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(g_file_set_contents(self->target, "other", -1, NULL));
    check_refused(self, "is there already");
    unlink(self->target);
    assert_true(file_make_dirs(self->artifacts_target, 0700, NULL));
    check_refused(self, "is there already");
    rmdir(self->artifacts_target);
    rmdir(dir);
    assert_true(g_file_set_contents(dir, "a file", -1, NULL));
    check_refused(self, dir);
}

static void test_no_session(void **state)
{
    const Fixture *self = *state;
    g_autoptr(GError) error = NULL;
    char *path = NULL;
    assert_true(g_file_set_contents(self->from, "nothing\n", -1, NULL));
    assert_false(session_relocate(self->from, &self->to, &path, &error));
    assert_non_null(strstr(error->message, "Not a session file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_directory_for_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_it_is_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_place_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_session, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
