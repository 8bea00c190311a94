/* See path.h. */
#include "base/path.h"

char *path_absolute(const char *path, const char *base)
{
    g_autofree char *absolute = g_canonicalize_filename(path, base);
    // two leading slashes are special to POSIX and kept by GLib, but mean nothing on Linux
    return g_strdup(g_str_has_prefix(absolute, "//") ? absolute + 1 : absolute);
}

char *path_real(const char *path)
{
    return realpath(path, NULL); // g_free() is free()
}

/* What follows `dir` in `path`, without its slash; "" when they are equal; NULL when outside. */
static const char *inner_part(const char *path, const char *dir)
{
    size_t length = strlen(dir);
    if (strcmp(dir, "/") == 0)
        return path + 1;
    if (strncmp(path, dir, length) != 0)
        return NULL;
    if (path[length] == '\0')
        return path + length;
    return path[length] == '/' ? path + length + 1 : NULL;
}

bool path_is_inside(const char *path, const char *dir)
{
    // in text first: /a/../b begins with /a and is not inside
    g_autofree char *whole = path_absolute(path, "/");
    g_autofree char *outer = path_absolute(dir, "/");
    return inner_part(whole, outer) != NULL;
}

char *path_display(const char *path, const char *cwd)
{
    g_autofree char *whole = path_absolute(path, cwd);
    g_autofree char *outer = path_absolute(cwd, "/");
    const char *inner = inner_part(whole, outer);
    if (!inner)
        return g_steal_pointer(&whole);
    return g_strdup(inner[0] != '\0' ? inner : ".");
}

bool path_has_extension(const char *path, const char *extensions)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (!dot || !dot[1] || strchr(dot, ' '))
        return false;
    size_t size = strlen(dot + 1);
    for (const char *p = extensions; (p = strstr(p, dot + 1)); p += size)
        if (p > extensions && p[-1] == ' ' && p[size] == ' ')
            return true;
    return false;
}
