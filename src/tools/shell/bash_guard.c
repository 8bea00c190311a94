/* See bash_guard.h. */
#include "tools/shell/bash_guard.h"

#include "base/proc_marked.h"

#include <glib.h>

#define MARK_NAME "KEDGE_SHELL_ID"

char **bash_guard_begin(BashGuard *self, char **env)
{
    if (!self->family) {
        g_autofree char *uuid = g_uuid_string_random();
        self->family = g_strconcat(MARK_NAME "=", uuid, ".", NULL);
    }
    proc_guard_begin(&self->guard, self->family);
    g_free(self->mark);
    self->mark = g_strdup_printf("%s%u.", self->family, ++self->count);
    return g_environ_setenv(g_strdupv(env), MARK_NAME, strchr(self->mark, '=') + 1, TRUE);
}

void bash_guard_end(BashGuard *self, int64_t grace_ms)
{
    if (self->mark)
        proc_end_marked(self->mark, grace_ms);
    g_clear_pointer(&self->mark, g_free);
}

void bash_guard_clear(BashGuard *self, int64_t grace_ms)
{
    proc_guard_end(&self->guard, grace_ms);
    g_free(self->family);
    g_free(self->mark);
    *self = (BashGuard) { 0 };
}
