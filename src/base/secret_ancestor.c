/* See secret_ancestor.h. */
#include "base/secret_ancestor.h"

#include "base/children.h"
#include "base/file.h"
#include "base/limits.h"

#include <string.h>
#include <unistd.h>

#define MAX_ANCESTORS   64
#define ENVIRONMENT_MAX (8 * MIB) // the kernel's own bound is 6 MiB

/* The name of the first variable with a value that is a secret; NULL: none. Caller frees. */
static char *find_name(const char *environment, size_t size)
{
    const char *end = environment + size;
    for (const char *entry = environment; entry < end; entry += strlen(entry) + 1) {
        const char *equals = strchr(entry, '=');
        g_autofree char *name = equals ? g_strndup(entry, (size_t)(equals - entry)) : NULL;
        if (name && equals[1] != '\0' && secret_kind(name) != SECRET_NONE)
            return g_steal_pointer(&name);
    }
    return NULL;
}

/* Another user's cannot be read, nor one that has closed itself, as kedge does: such are none. */
static char *secret_of(int64_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%" G_GINT64_FORMAT "/environ", pid);
    char *environment = NULL;
    size_t size = 0;
    if (!file_read(path, ENVIRONMENT_MAX, &environment, &size, NULL))
        return NULL;
    char *name = find_name(environment, size);
    explicit_bzero(environment, size);
    g_free(environment);
    return name;
}

char *secret_ancestor_find(void)
{
    int64_t pid = getppid();
    for (int i = 0; i < MAX_ANCESTORS && pid > 0; i++) {
        g_autofree char *name = secret_of(pid);
        g_autofree char *path = g_strdup_printf("/proc/%" G_GINT64_FORMAT "/comm", pid);
        g_autofree char *comm = NULL;
        if (name && file_read(path, KIB, &comm, NULL, NULL))
            return g_strdup_printf("%s (process %" G_GINT64_FORMAT ") has %s", g_strchomp(comm),
                                   pid, name);
        g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, pid);
        pid = children_parent_of(text);
    }
    return NULL;
}
