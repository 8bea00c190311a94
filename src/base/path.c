/* See path.h. */
#include "base/path.h"

#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

char *path_absolute(const char *path, const char *base)
{
    g_autofree char *absolute = g_canonicalize_filename(path, base);
    // two leading slashes are special to POSIX and kept by GLib, but mean nothing on Linux
    return g_strdup(str_has_prefix(absolute, "//") ? absolute + 1 : absolute);
}

char *path_real(const char *path)
{
    return realpath(path, NULL); // g_free() is free()
}

/* Puts what a link says before the parts that are left to walk. */
static void push_parts(GQueue *parts, const char *target)
{
    g_auto(GStrv) each = g_strsplit(target, "/", -1);
    for (unsigned i = g_strv_length(each); i > 0; i--)
        g_queue_push_head(parts, g_strdup(each[i - 1]));
}

/* What the link at `path` says; NULL: it is none. *ret_is_missing: nothing is there at all. Caller
   frees. */
static char *link_target(const char *path, bool *ret_is_missing)
{
    char target[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target);
    *ret_is_missing = size < 0 && (errno == ENOENT || errno == ENOTDIR);
    return size < 0 ? NULL : g_strndup(target, (size_t)size);
}

/* Goes from `real_dir`, which has no links, along `rest`. */
static char *resolve_from(const char *real_dir, const char *rest, bool follows)
{
    enum { MAX_LINKS = 40 }; // as the kernel counts
    g_autoptr(GString) done = g_string_new(strcmp(real_dir, "/") == 0 ? "" : real_dir);
    GQueue parts = G_QUEUE_INIT;
    push_parts(&parts, rest);
    int links = 0;
    bool is_missing = false; // what is below nothing is no link
    while (parts.length > 0 && links <= MAX_LINKS) {
        g_autofree char *part = g_queue_pop_head(&parts);
        size_t before = done->len;
        is_missing = is_missing && strcmp(part, "..") != 0;
        const char *slash = strrchr(done->str, '/');
        if (strcmp(part, "..") == 0)
            g_string_truncate(done, slash ? (size_t)(slash - done->str) : 0);
        if (!*part || strcmp(part, ".") == 0 || strcmp(part, "..") == 0)
            continue;
        g_string_append_printf(done, "/%s", part);
        bool is_asked = !is_missing && (follows || parts.length > 0);
        g_autofree char *link = is_asked ? link_target(done->str, &is_missing) : NULL;
        if (!link)
            continue;
        links++;
        g_string_truncate(done, *link == '/' ? 0 : before);
        push_parts(&parts, link);
    }
    g_queue_clear_full(&parts, g_free);
    return links > MAX_LINKS ? NULL : g_strdup(done->len > 0 ? done->str : "/");
}

char *path_resolved(const char *path, bool follows)
{
    g_autofree char *whole = path_absolute(path, "/");
    return resolve_from("/", whole, follows);
}

char *path_resolved_below(const char *real_dir, const char *rest)
{
    return resolve_from(real_dir, rest, true);
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

/* Is it absolute, and as path_absolute() would leave it? */
static bool is_canonical(const char *path)
{
    if (*path != '/')
        return false;
    for (const char *at = path; (at = strchr(at, '/')); at++) {
        size_t size = strcspn(at + 1, "/");
        bool is_dots = size <= 2 && strncmp(at + 1, "..", size) == 0; // or nothing
        if (is_dots && path[1] != '\0')
            return false;
    }
    return true;
}

bool path_is_inside(const char *path, const char *dir)
{
    // in text first: /a/../b begins with /a and is not inside
    g_autofree char *whole = is_canonical(path) ? NULL : path_absolute(path, "/");
    g_autofree char *outer = is_canonical(dir) ? NULL : path_absolute(dir, "/");
    return inner_part(whole ? whole : path, outer ? outer : dir) != NULL;
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

#define DELETED " (deleted)" // what the kernel appends once the file was replaced

char *path_of_program(void)
{
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
    if (!path)
        return g_strdup("/proc/self/exe"); // a child that is being started still has it
    if (g_str_has_suffix(path, DELETED) && !g_file_test(path, G_FILE_TEST_EXISTS))
        path[strlen(path) - strlen(DELETED)] = '\0';
    return g_steal_pointer(&path);
}
