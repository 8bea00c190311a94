/*
 * github/door: the folder of a conversation, and what a hostile command can do over its socket.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/worker.h"
#include "github/door/gh_door_link.h"
#include "github/door/gh_door_place.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Place {
    char *root, *home, *temp;
} Place;

static void place_init(Place *self)
{
    self->root = g_dir_make_tmp("kedge-door-XXXXXX", NULL);
    self->home = g_build_filename(self->root, "home", NULL);
    self->temp = g_build_filename(self->root, "temp", NULL);
    assert_true(file_make_dirs(self->temp, 0700, NULL));
    g_setenv("HOME", self->home, true);
    g_setenv("TMPDIR", self->temp, true);
    g_unsetenv("XDG_RUNTIME_DIR");
}

static void place_clear(Place *self)
{
    g_autoptr(GError) error = NULL;
    assert_true(file_remove_tree(self->root, &error));
    g_free(self->root);
    g_free(self->home);
    g_free(self->temp);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Place, place_clear)

static unsigned count_files(const char *dir)
{
    unsigned count = 0;
    GDir *names = g_dir_open(dir, 0, NULL);
    while (names && g_dir_read_name(names))
        count++;
    if (names)
        g_dir_close(names);
    return count;
}

/* The gh that PATH has when the folder has gone. */
static void assert_rest_refuses(const GhDoorPlace *door, const char *home)
{
    g_autofree char *rest = g_strconcat(home, "/.kedge/cache/" GH_DOOR_REST, NULL);
    g_autofree char *gh = g_build_filename(rest, "gh", NULL);
    g_autofree char *said = NULL;
    int status = 0;
    char *argv[] = { gh, (char *)"issue", (char *)"list", NULL };
    assert_true(g_str_has_suffix(door->path, rest));
    assert_true(
        g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &said, &status, NULL));
    assert_int_equal(WEXITSTATUS(status), 77);
    assert_non_null(strstr(said, "gh: refused: "));
}

static void test_place(void **state G_GNUC_UNUSED)
{
    g_auto(Place) place = { 0 };
    place_init(&place);
    g_auto(GhDoorPlace) first = { .listener = -1 }, second = { .listener = -1 };
    assert_true(gh_door_place_make(&first, NULL));
    assert_true(str_has_prefix(first.dir, place.temp));
    assert_int_equal(count_files(first.dir), 2); // the link, and the socket by its last name
    assert_true(gh_door_place_make(&second, NULL));
    gh_door_place_sweep(&second);
    assert_true(file_exists(first.dir)); // it is listened on
    fd_close(first.listener);
    first.listener = -1;
    gh_door_place_sweep(&second);
    assert_false(file_exists(first.dir));
    assert_rest_refuses(&first, place.home);
    gh_door_place_close(&second);
    assert_int_equal(count_files(place.temp), 0);
    assert_rest_refuses(&second, place.home);
}

/* Too long for a socket, a colon, not there: the next one is taken, and nothing is left. */
static void test_places_that_do_not_do(void **state G_GNUC_UNUSED)
{
    g_auto(Place) place = { 0 };
    place_init(&place);
    g_autofree char *name = g_strnfill(100, 'x');
    g_autofree char *too_long = g_build_filename(place.root, name, NULL);
    g_autofree char *colon = g_build_filename(place.root, "a:b", NULL);
    g_autofree char *missing = g_build_filename(place.root, "missing", NULL);
    const char *const bad[] = { too_long, colon, missing };
    assert_true(file_make_dirs(too_long, 0700, NULL) && file_make_dirs(colon, 0700, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_setenv("TMPDIR", bad[i], true);
        g_auto(GhDoorPlace) door = { .listener = -1 };
        assert_true(gh_door_place_make(&door, NULL));
        assert_false(str_has_prefix(door.dir, place.root));
        assert_int_equal(count_files(bad[i]), 0);
    }
}

static void link_pair(GhDoorLink *ret_link, Fd *ret_other)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    *ret_link = (GhDoorLink) { .fd = ends[0], .rest = g_string_new(NULL) };
    *ret_other = ends[1];
}

static void link_clear(GhDoorLink *self)
{
    fd_close(self->fd);
    g_string_free(self->rest, true);
}

static void test_what_is_read(void **state G_GNUC_UNUSED)
{
    g_autofree char *endless = g_strnfill(GH_DOOR_LINE_BYTES + 8192, '[');
    const struct {
        const char *name, *sent;
        bool closes;
        int error; // -1: none
    } cases[] = {
        { "nothing", "", true, -1 },
        { "half a message", "{\"args\":[\"iss", true, -1 },
        { "half a message, and then silence", "{\"args\":[\"iss", false, KEDGE_ERROR_TIMEOUT },
        { "garbage", "\x01\xff\xfe garbage\n", false, KEDGE_ERROR_PROTOCOL },
        { "a line without an end", endless, false, KEDGE_ERROR_LIMIT },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GhDoorLink link;
        Fd other = -1;
        link_pair(&link, &other);
        g_autoptr(json_t) line = NULL;
        g_autoptr(GError) error = NULL;
        size_t size = strlen(cases[i].sent);
        link.rest = g_string_append_len(link.rest, cases[i].sent, MIN(size, GH_DOOR_LINE_BYTES));
        size -= MIN(size, GH_DOOR_LINE_BYTES);
        assert_true(send(other, cases[i].sent, size, MSG_DONTWAIT) >= 0);
        if (cases[i].closes)
            fd_close(other);
        bool is_read = gh_door_link_read(&link, NULL, 20, &line, &error);
        if (is_read != (cases[i].error < 0) || line ||
            (!is_read && !error_is(error, (KedgeError)cases[i].error)))
            fail_msg("%s: %s", cases[i].name, error ? error->message : "read");
        if (!cases[i].closes)
            fd_close(other);
        link_clear(&link);
    }
}

static void fire_later(void *cancel)
{
    g_usleep(1000);
    cancel_fire(cancel);
}

/* Who does not read holds up no end of a conversation. */
static void test_who_does_not_read(void **state G_GNUC_UNUSED)
{
    GhDoorLink link;
    Fd other = -1;
    link_pair(&link, &other);
    g_autofree char *much = g_strnfill(GH_DOOR_LINE_BYTES * 4, 'a');
    g_autoptr(json_t) text = json_text(much);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    assert_false(gh_door_link_send(&link, text, cancel, 1));
    assert_false(cancel_has_fired(cancel));
    Worker *worker = worker_start("fire", fire_later, cancel);
    assert_false(gh_door_link_send(&link, text, cancel, 3600 * 1000));
    worker_join(worker);
    fd_close(other);
    assert_false(gh_door_link_send(&link, text, NULL, -1)); // and no SIGPIPE
    link_clear(&link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_places_that_do_not_do),
        cmocka_unit_test(test_what_is_read),
        cmocka_unit_test(test_who_does_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
