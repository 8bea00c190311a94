/*
 * Where in a path a file ends (inner_path.h).
 */
#include "tools/file/inner_path.h"

#include "base/file.h"
#include "base/path.h"
#include "tools/file/workspace_path.h"

#include <sys/stat.h>

enum { MAX_CANDIDATES = 16 };

void inner_path_clear(InnerPath *self)
{
    g_clear_pointer(&self->path, g_free);
    g_clear_pointer(&self->shown, g_free);
    g_clear_pointer(&self->asked, g_free);
    g_clear_pointer(&self->rest, g_free);
}

static bool ends_in_extension(const char *text, size_t size, const char *const *extensions)
{
    for (size_t i = 0; extensions[i]; i++) {
        size_t length = strlen(extensions[i]);
        if (size > length && text[size - length - 1] != '/' &&
            g_ascii_strncasecmp(text + size - length, extensions[i], length) == 0)
            return true;
    }
    return false;
}

GArray *inner_path_candidates(const char *asked, const char *const *extensions,
                              const char *separators)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(size_t));
    for (size_t size = strlen(asked); size > 0 && found->len < MAX_CANDIDATES; size--)
        if ((asked[size] == '\0' || strchr(separators, asked[size])) &&
            ends_in_extension(asked, size, extensions))
            g_array_append_val(found, size);
    return found;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static void set_inner(const char *asked, size_t size, const char *cwd, char *path,
                      InnerPath *ret_inner)
{
    *ret_inner = (InnerPath) {
        .path = path,
        .shown = path_display(path, cwd),
        .asked = g_strdup(asked),
        .rest = g_strdup(asked + size),
    };
}

static char *file_of(const char *asked, size_t size, const char *cwd)
{
    g_autofree char *part = g_strndup(asked, size);
    return workspace_path(part, cwd);
}

bool inner_path_find(const char *asked, const char *cwd, const char *const *extensions,
                     const char *separators, bool (*is_kind)(const char *path),
                     InnerPath *ret_inner)
{
    g_autofree char *cleaned = workspace_clean(asked);
    if (workspace_scheme_length(cleaned) > 0)
        return false;
    g_autofree char *whole = workspace_path(cleaned, cwd);
    bool is_whole = file_exists(whole);
    g_autoptr(GArray) sizes = inner_path_candidates(cleaned, extensions, separators);
    for (guint i = 0; i < sizes->len; i++) {
        size_t size = g_array_index(sizes, size_t, i);
        if (is_whole && cleaned[size] != '\0')
            return false;
        g_autofree char *path = file_of(cleaned, size, cwd);
        if (!is_regular(path) || !is_kind(path))
            continue;
        set_inner(cleaned, size, cwd, g_steal_pointer(&path), ret_inner);
        ret_inner->exists = true;
        return true;
    }
    return false;
}

bool inner_path_find_new(const char *asked, const char *cwd, const char *const *extensions,
                         const char *separators, InnerPath *ret_inner)
{
    g_autofree char *cleaned = workspace_clean(asked);
    if (workspace_scheme_length(cleaned) > 0)
        return false;
    g_autoptr(GArray) sizes = inner_path_candidates(cleaned, extensions, separators);
    for (guint i = 0; i < sizes->len; i++) {
        size_t size = g_array_index(sizes, size_t, i);
        g_autofree char *path = file_of(cleaned, size, cwd);
        if (cleaned[size] == '\0' || file_exists(path))
            continue;
        set_inner(cleaned, size, cwd, g_steal_pointer(&path), ret_inner);
        return true;
    }
    return false;
}
