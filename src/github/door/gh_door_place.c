/* See gh_door_place.h. */
#include "github/door/gh_door_place.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/own_program.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "github/door/gh_door_link.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/socket.h>

#define PREFIX        "kedge-gh-"
#define NAME_DIGITS   32
#define UNHEARD       GH_DOOR_SOCKET ".new" // the socket, before it is listened on
#define BACKLOG       64
#define SWEPT_NAMES   20000 // of a folder, that are looked at for what others have left
#define SWEPT_FOLDERS 256   // of these
#define YOUNG_S       60

/* For a host of libkedge, which is no kedge, and for when the folder has gone. */
static const char refusing[] =
    "#!/bin/sh\n"
    "echo 'gh: refused: no conversation can be asked whether it may run: the one of this command "
    "has ended, its folder was removed, or there is no kedge of its version on PATH; nothing was "
    "run' >&2\n"
    "exit 77\n";

static void remove_folder(const char *dir)
{
    static const char *const names[] = { "gh", GH_DOOR_SOCKET, UNHEARD };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);
        unlink(path);
    }
    rmdir(dir);
}

static bool is_name(const char *name)
{
    static const char hex[] = "0123456789abcdef";
    return str_has_prefix(name, PREFIX) && strlen(name) == strlen(PREFIX) + NAME_DIGITS &&
           strspn(name + strlen(PREFIX), hex) == NAME_DIGITS;
}

/* Does no one listen there any more? One that is being made is young. */
static bool is_left_over(const char *dir)
{
    struct stat info;
    struct sockaddr_un address;
    if (lstat(dir, &info) < 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
        !gh_door_link_address(dir, GH_DOOR_SOCKET, &address))
        return false;
    g_auto(Fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return false;
    bool is_old = time_now_ms() / 1000 - info.st_mtime > YOUNG_S;
    return errno == ECONNREFUSED || (errno == ENOENT && is_old);
}

void gh_door_place_sweep(const GhDoorPlace *self)
{
    g_autofree char *base = g_path_get_dirname(self->dir);
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

static bool make_client(const char *dir, const char *program, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "gh", NULL);
    if (!program && !file_write_atomic(path, refusing, strlen(refusing), 0700, error))
        return false;
    if (program && symlink(program, path) < 0)
        return fail_with_errno(error, errno, "cannot make the link %s", path);
    // where nothing may be run, a shell looks further on PATH
    return access(path, X_OK) == 0 || fail_with_errno(error, errno, "cannot run %s", path);
}

/* NULL: there is none, which matters only when the folder has gone. Caller frees. */
static char *make_rest(void)
{
    g_autofree char *cache = dirs_cache();
    g_autofree char *dir = g_build_filename(cache, GH_DOOR_REST, NULL);
    g_autofree char *path = g_build_filename(dir, "gh", NULL);
    bool is_made = access(path, X_OK) == 0 ||
                   (file_make_dirs(dir, 0700, NULL) && make_client(dir, NULL, NULL));
    return is_made && !strchr(dir, ':') ? g_steal_pointer(&dir) : NULL;
}

static bool make_socket(const char *dir, Fd *ret_listener, GError **error)
{
    struct sockaddr_un address;
    if (!gh_door_link_address(dir, UNHEARD, &address))
        return fail_with(error, KEDGE_ERROR_IO, "the name of the folder is too long: %s", dir);
    g_autofree char *path = g_build_filename(dir, GH_DOOR_SOCKET, NULL);
    g_auto(Fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // the mode before anybody can connect, though the folder is private as well; the name when it
    // is listened on, since another kedge removes what refuses
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        chmod(address.sun_path, 0600) < 0 || listen(fd, BACKLOG) < 0 ||
        rename(address.sun_path, path) < 0)
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
    if (mkdir(dir, 0700) < 0)
        return fail_with_errno(error, errno, "cannot make %s", dir);
    Fd listener = -1;
    g_autofree char *program = own_program_find();
    if (!make_client(dir, program, error) || !make_socket(dir, &listener, error)) {
        remove_folder(dir);
        return false;
    }
    ret_place->dir = g_steal_pointer(&dir);
    ret_place->listener = listener;
    return true;
}

static bool make_folder(GhDoorPlace *ret_place, GError **error)
{
    const char *const bases[] = { env_get_raw("XDG_RUNTIME_DIR"), dirs_temp(), "/tmp", "/dev/shm" };
    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        g_clear_error(error);
        // a colon would end the folder's place in PATH
        if (bases[i] && g_path_is_absolute(bases[i]) && !strchr(bases[i], ':') &&
            make_below(bases[i], ret_place, error))
            return true;
    }
    return false;
}

bool gh_door_place_make(GhDoorPlace *ret_place, GError **error)
{
    *ret_place = (GhDoorPlace) { .listener = -1 };
    g_autofree char *rest = make_rest();
    bool is_made = make_folder(ret_place, error);
    const char *dir = ret_place->dir;
    ret_place->path = g_strconcat(dir ? dir : "", dir && rest ? ":" : "", rest ? rest : "", NULL);
    return is_made;
}

void gh_door_place_close(GhDoorPlace *self)
{
    if (self->dir)
        remove_folder(self->dir);
    fd_close(self->listener);
    g_clear_pointer(&self->dir, g_free);
    self->listener = -1;
}

void gh_door_place_clear(GhDoorPlace *self)
{
    gh_door_place_close(self);
    g_clear_pointer(&self->path, g_free);
}
