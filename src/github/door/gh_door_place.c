/* See gh_door_place.h. */
#include "github/door/gh_door_place.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/own_program.h"
#include "base/timefmt.h"
#include "github/door/gh_door_link.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/socket.h>

#define PREFIX        "kedge-gh-"
#define NAME_DIGITS   32
#define BACKLOG       64
#define SWEPT_NAMES   20000 // of a folder, that are looked at for what others have left
#define SWEPT_FOLDERS 256   // of these
#define YOUNG_S       60

/* A host of libkedge is no kedge: its commands have no gh at all. */
static const char refusing[] =
    "#!/bin/sh\n"
    "echo 'gh: refused: there is no kedge on PATH, of the version of this program, that could ask "
    "whether it may run; use the tools gh and github' >&2\n"
    "exit 77\n";

static void remove_folder(const char *dir)
{
    static const char *const names[] = { "gh", GH_DOOR_SOCKET };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);
        unlink(path);
    }
    rmdir(dir);
}

static bool is_name(const char *name)
{
    static const char hex[] = "0123456789abcdef";
    return g_str_has_prefix(name, PREFIX) && strlen(name) == strlen(PREFIX) + NAME_DIGITS &&
           strspn(name + strlen(PREFIX), hex) == NAME_DIGITS;
}

/* Does no one listen there any more? One that is being made is young. */
static bool is_left_over(const char *dir)
{
    struct stat info;
    struct sockaddr_un address;
    if (lstat(dir, &info) < 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
        !gh_door_link_address(dir, &address))
        return false;
    g_auto(Fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return false;
    bool is_old = time_now_ms() / 1000 - info.st_mtime > YOUNG_S;
    return errno == ECONNREFUSED || (errno == ENOENT && is_old);
}

static void sweep_left_over(const char *base)
{
    GDir *dir = g_dir_open(base, 0, NULL);
    const char *name = NULL;
    for (int i = 0, found = 0; dir && i < SWEPT_NAMES && found < SWEPT_FOLDERS; i++) {
        if (!(name = g_dir_read_name(dir)))
            break;
        if (!is_name(name))
            continue;
        g_autofree char *path = g_build_filename(base, name, NULL);
        found++;
        if (is_left_over(path))
            remove_folder(path);
    }
    if (dir)
        g_dir_close(dir);
}

static bool make_client(const char *dir, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "gh", NULL);
    g_autofree char *program = own_program_find();
    if (!program)
        return file_write_atomic(path, refusing, strlen(refusing), 0700, error);
    return symlink(program, path) == 0 ||
           fail_with_errno(error, errno, "cannot make the link %s", path);
}

static bool make_socket(const char *dir, Fd *ret_listener, GError **error)
{
    struct sockaddr_un address;
    if (!gh_door_link_address(dir, &address))
        return fail_with(error, KEDGE_ERROR_IO, "the name of the folder is too long: %s", dir);
    g_auto(Fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // before anybody can connect; the folder is private as well
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        chmod(address.sun_path, 0600) < 0 || listen(fd, BACKLOG) < 0)
        return fail_with_errno(error, errno, "cannot listen at %s", address.sun_path);
    *ret_listener = fd_steal(&fd);
    return true;
}

static bool make_below(const char *base, GhDoorPlace *ret_place, GError **error)
{
    guint64 chance[2];
    if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance)
        return fail_with_errno(error, errno, "cannot make a name that no one guesses");
    g_autofree char *dir =
        g_strdup_printf("%s/" PREFIX "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", base,
                        chance[0], chance[1]);
    sweep_left_over(base);
    if (mkdir(dir, 0700) < 0)
        return fail_with_errno(error, errno, "cannot make %s", dir);
    Fd listener = -1;
    if (!make_client(dir, error) || !make_socket(dir, &listener, error)) {
        remove_folder(dir);
        return false;
    }
    *ret_place = (GhDoorPlace) { .dir = g_steal_pointer(&dir), .listener = listener };
    return true;
}

bool gh_door_place_make(GhDoorPlace *ret_place, GError **error)
{
    const char *const bases[] = { env_get_raw("XDG_RUNTIME_DIR"), dirs_temp(), "/tmp" };
    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        g_clear_error(error);
        // a colon would end the folder's place in PATH
        if (bases[i] && g_path_is_absolute(bases[i]) && !strchr(bases[i], ':') &&
            make_below(bases[i], ret_place, error))
            return true;
    }
    return (error && *error) ||
           fail_with(error, KEDGE_ERROR_IO, "there is no place for the socket of gh");
}

void gh_door_place_clear(GhDoorPlace *self)
{
    if (self->dir)
        remove_folder(self->dir);
    fd_close(self->listener);
    g_free(self->dir);
    *self = (GhDoorPlace) { .listener = -1 };
}
