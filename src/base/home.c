/*
 * The home directory (dirs.h), and ~ in paths (path.h).
 */
#include "base/dirs.h"
#include "base/env.h"
#include "base/path.h"

#include <pwd.h>
#include <sys/types.h>

#define PASSWORD_ENTRY_BYTES ((size_t)16 * 1024)

char *dirs_home(void)
{
    const char *home = env_get_raw("HOME");
    if (home && g_path_is_absolute(home))
        return g_strdup(home);

    // not g_get_home_dir(), which remembers its first answer
    g_autofree char *buffer = g_malloc(PASSWORD_ENTRY_BYTES);
    struct passwd entry, *found = NULL;
    getpwuid_r(getuid(), &entry, buffer, PASSWORD_ENTRY_BYTES, &found);
    return g_strdup(found != NULL && g_path_is_absolute(found->pw_dir) ? found->pw_dir : "/");
}

char *path_expand_home(const char *path)
{
    if (path[0] != '~' || (path[1] != '\0' && path[1] != '/'))
        return g_strdup(path); // ~user stays as it is
    g_autofree char *home = dirs_home();
    return path[1] == '\0' ? g_steal_pointer(&home) : g_build_filename(home, path + 2, NULL);
}

char *path_shorten_home(const char *path)
{
    g_autofree char *home = dirs_home();
    if (strcmp(home, "/") == 0 || !g_path_is_absolute(path) || !path_is_inside(path, home))
        return g_strdup(path);
    g_autofree char *inner = path_display(path, home);
    return strcmp(inner, ".") == 0 ? g_strdup("~") : g_build_filename("~", inner, NULL);
}
