/*
 * Where sessions lie, the newest one, one by its id, and what a terminal remembers.
 */
#include "unit.h"

#include "base/file.h"
#include "base/path.h"
#include "session/session_find.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Fixture {
    char *root; // links resolved
    char *home, *agent_dir, *work, *other;
    SessionPlace place;
} Fixture;

static const char *const terminal_variables[] = { "KITTY_WINDOW_ID", "TMUX_PANE", "TERM_SESSION_ID",
                                                  "WT_SESSION" };

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    g_autofree char *made = g_dir_make_tmp("kedge-find-XXXXXX", NULL);
    self->root = path_real(made);
    self->home = g_build_filename(self->root, "home", NULL);
    self->agent_dir = g_build_filename(self->home, ".kedge", "agent", NULL);
    self->work = g_build_filename(self->home, "code", "app", NULL);
    self->other = g_build_filename(self->home, "code", "lib", NULL);
    assert_true(file_make_dirs(self->work, 0700, NULL));
    assert_true(file_make_dirs(self->other, 0700, NULL));
    g_setenv("HOME", self->home, TRUE);
    g_unsetenv("TMPDIR");
    for (size_t i = 0; i < G_N_ELEMENTS(terminal_variables); i++)
        g_unsetenv(terminal_variables[i]);
    self->place = (SessionPlace) { .agent_dir = self->agent_dir, .cwd = self->work };
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->other);
    g_free(self->work);
    g_free(self->agent_dir);
    g_free(self->home);
    g_free(self->root);
    g_free(self);
    return 0;
}

/* A session file of `cwd`, `age` seconds old, in `dir`. */
static char *put_session(const char *dir, const char *id, const char *cwd, int age)
{
    assert_true(file_make_dirs(dir, 0700, NULL));
    char *path = g_strdup_printf("%s/2026-03-04T05-06-07-089Z_%s.jsonl", dir, id);
    g_autofree char *text = g_strdup_printf(
        "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"cwd\":\"%s\"}\n", id, cwd);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    const struct timespec times[2] = { { .tv_sec = 2000000 - age }, { .tv_sec = 2000000 - age } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

static char *put_here(Fixture *self, const char *id, const char *cwd, int age)
{
    g_autofree char *dir = session_place_dir(&self->place);
    return put_session(dir, id, cwd, age);
}

static void test_directory_names(void **state)
{
    Fixture *self = *state;
    g_autofree char *link = g_build_filename(self->root, "link", NULL);
    assert_int_equal(symlink(self->work, link), 0);
    g_autofree char *sibling = g_strconcat(self->home, "2", NULL);
    g_autofree char *outside = g_strdup_printf("/r/-tmp%s", sibling + strlen("/tmp"));
    g_strdelimit(outside + strlen("/r/"), "/", '-');

    const struct {
        const char *cwd, *want;
    } cases[] = {
        { self->home, "/r/-" },
        { self->work, "/r/-code-app" },
        { link, "/r/-code-app" },
        { "/tmp", "/r/-tmp" },
        { sibling, outside },
        { "/", "/r/----" },
        { "/srv/app", "/r/--srv-app--" },
        { "/srv/a:b", "/r/--srv-a-b--" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = session_dir_for_cwd("/r", cases[i].cwd);
        if (!g_str_equal(got, cases[i].want))
            fail_msg("%s: got %s, want %s", cases[i].cwd, got, cases[i].want);
    }
}

static void test_recent(void **state)
{
    Fixture *self = *state;
    assert_null(session_find_recent(&self->place));

    g_autofree char *old G_GNUC_UNUSED = put_here(self, "old", self->work, 50);
    g_autofree char *newer = put_here(self, "newer", self->work, 20);
    g_autofree char *foreign G_GNUC_UNUSED =
        put_here(self, "foreign", "/somewhere/else", 10); // a name collision
    g_autofree char *dir = session_place_dir(&self->place);
    g_autofree char *junk = g_build_filename(dir, "junk.jsonl", NULL);
    assert_true(file_write_atomic(junk, "junk\n", 5, 0600, NULL));
    g_autofree char *got = session_find_recent(&self->place);
    assert_string_equal(got, newer);

    SessionPlace elsewhere = self->place;
    elsewhere.session_dir = "mine";
    assert_null(session_find_recent(&elsewhere));
    g_autofree char *mine_dir = g_build_filename(self->work, "mine", NULL);
    g_autofree char *mine = put_session(mine_dir, "mine", self->work, 90);
    g_autofree char *got_mine = session_find_recent(&elsewhere);
    assert_string_equal(got_mine, mine);
}

#define SESSION_HEADER "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n"

static void test_find(void **state)
{
    Fixture *self = *state;
    g_autofree char *first = put_here(self, "0195aaaa-1", self->work, 50);
    g_autofree char *second = put_here(self, "0195aaaa-2", self->work, 20);
    g_autofree char *sessions = g_build_filename(self->agent_dir, "sessions", NULL);
    g_autofree char *other_dir = session_dir_for_cwd(sessions, self->other);
    g_autofree char *other = put_session(other_dir, "0195bbbb-3", self->other, 5);
    g_autofree char *named = g_build_filename(self->work, "x.jsonl", NULL);
    assert_true(file_write_atomic(named, SESSION_HEADER, strlen(SESSION_HEADER), 0600, NULL));

    const struct {
        const char *value, *want; // NULL: not found
        bool is_elsewhere;
    } cases[] = {
        { "0195AAAA-1", first },
        { "0195", second }, // newest here, though there is a newer one elsewhere
        { "2026-03-04T05-06-07-089Z_0195aaaa-1", first },
        { "0195b", other, true },
        { "x.jsonl", named },
        { "./x.jsonl", named },
        { first, first },
        { "0195c", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autofree char *cwd = NULL;
        g_autoptr(GError) error = NULL;
        bool is_elsewhere = false;
        bool is_found =
            session_find(&self->place, cases[i].value, &got, &is_elsewhere, &cwd, &error);
        if (g_strcmp0(got, cases[i].want) != 0 || is_elsewhere != cases[i].is_elsewhere)
            fail_msg("%s: got %s, want %s", cases[i].value, got, cases[i].want);
        g_autofree char *text = g_strdup_printf("Session \"%s\" not found.", cases[i].value);
        if (!is_found)
            assert_string_equal(error->message, text);
        if (is_elsewhere)
            assert_string_equal(cwd, self->other);
    }

    // core-65: a path must name a session
    g_autofree char *notes = g_build_filename(self->work, "notes", NULL);
    assert_true(file_write_atomic(notes, "mine\n", 5, 0600, NULL));
    static const struct {
        const char *value, *error;
    } wrong[] = {
        { "./notes", "Not a session file: %s/notes" },
        { "./", "Not a session file: %s" },
        { "./none.jsonl", "Session file not found: %s/none.jsonl" },
        { "none/x.jsonl", "Session file not found: %s/none/x.jsonl" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *path = NULL, *where = NULL;
        g_autoptr(GError) error = NULL;
        bool is_far = false;
        assert_false(session_find(&self->place, wrong[i].value, &path, &is_far, &where, &error));
        g_auto(GStrv) parts = g_strsplit(wrong[i].error, "%s", 2);
        g_autofree char *want = g_strjoinv(self->work, parts);
        assert_string_equal(error->message, want);
    }

    SessionPlace alone = self->place;
    alone.session_dir = other_dir;
    g_autofree char *got = NULL;
    g_autofree char *cwd = NULL;
    bool is_elsewhere = false;
    assert_false(session_find(&alone, "0195aaaa", &got, &is_elsewhere, &cwd, NULL));
    assert_true(session_find(&alone, "0195b", &got, &is_elsewhere, &cwd, NULL));
    assert_true(is_elsewhere);
}

/* What is removed is never one of several, wherever they are. */
static void test_find_only(void **state)
{
    Fixture *self = *state;
    g_autofree char *first = put_here(self, "0195aaaa-1", self->work, 50);
    g_autofree char *second = put_here(self, "0195aaaa-2", self->work, 20);
    g_autofree char *sessions = g_build_filename(self->agent_dir, "sessions", NULL);
    g_autofree char *other_dir = session_dir_for_cwd(sessions, self->other);
    g_autofree char *other = put_session(other_dir, "0195aabb-3", self->other, 5);
    const struct {
        const char *value, *want; // NULL: fails
        const char *named[3];     // by the error
    } cases[] = {
        { "0195aaaa-1", first },
        { "0195AAB", other },
        { second, second },
        { "0195aaaa-", NULL, { first, second } },
        { "0195aa", NULL, { first, second, other } },
        { "0195c", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        bool is_found = session_find_only(&self->place, cases[i].value, &got, &error);
        if (g_strcmp0(got, cases[i].want) != 0 || is_found != (cases[i].want != NULL))
            fail_msg("%s: got %s, want %s", cases[i].value, got, cases[i].want);
        for (size_t k = 0; k < G_N_ELEMENTS(cases[i].named) && cases[i].named[k]; k++)
            if (!strstr(error->message, cases[i].named[k]))
                fail_msg("%s: %s does not name %s", cases[i].value, error->message,
                         cases[i].named[k]);
    }

    SessionPlace alone = self->place;
    alone.session_dir = other_dir;
    g_autofree char *got = NULL;
    assert_true(session_find_only(&alone, "0195a", &got, NULL));
    assert_string_equal(got, other);
}

/* core-74: each terminal has its own; a pseudo-terminal on stdin stands for one. */
static void test_breadcrumbs(void **state)
{
    Fixture *self = *state;
    g_autofree char *a = put_here(self, "a", self->work, 50);
    g_autofree char *b = put_here(self, "b", self->work, 20);
    g_autofree char *newest = put_here(self, "c", self->work, 10);
    const char *const sessions[] = { a, b };

    int saved = dup(0);
    int masters[2], slaves[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(openpty(&masters[i], &slaves[i], NULL, NULL, NULL), 0);
        assert_int_equal(dup2(slaves[i], 0), 0);
        session_write_breadcrumb(&self->place, sessions[i]);
    }
    for (int i = 0; i < 2; i++) {
        dup2(slaves[i], 0);
        g_autofree char *got = session_find_recent(&self->place);
        assert_string_equal(got, sessions[i]);
    }

    SessionPlace other = self->place; // another directory: the breadcrumb does not count
    other.cwd = self->other;
    assert_null(session_find_recent(&other));
    unlink(b); // a session that is gone neither
    g_autofree char *got = session_find_recent(&self->place);
    assert_string_equal(got, newest);

    dup2(saved, 0);
    close(saved);
    for (int i = 0; i < 2; i++) {
        close(slaves[i]);
        close(masters[i]);
    }
}

static void test_breadcrumb_by_variable(void **state)
{
    Fixture *self = *state;
    for (int fd = 0; fd <= 2; fd++)
        if (isatty(fd))
            skip(); // this terminal's own name wins
    g_autofree char *path = put_here(self, "a", self->work, 50);
    g_autofree char *newest G_GNUC_UNUSED = put_here(self, "b", self->work, 10);
    g_setenv("TMUX_PANE", "../%3", TRUE);
    session_write_breadcrumb(&self->place, path);
    g_autofree char *file =
        g_build_filename(self->agent_dir, "terminal-sessions", "tmux-..-%3", NULL);
    assert_true(file_exists(file));
    g_autofree char *got = session_find_recent(&self->place);
    assert_string_equal(got, path);
    g_unsetenv("TMUX_PANE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_directory_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find_only, setup, teardown),
        cmocka_unit_test_setup_teardown(test_breadcrumbs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_breadcrumb_by_variable, setup, teardown),
    };
    return cmocka_run_group_tests_name("session-find", tests, NULL, NULL);
}
