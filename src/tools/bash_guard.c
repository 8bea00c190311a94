/*
 * Guards of shells (bash_guard.h).
 */
#include "tools/bash_guard.h"

#include "base/proc_marked.h"

#include <glib.h>

#define MARK_NAME "KEDGE_SHELL_ID"

/* Of the watcher; its argument is the family. Its input is a pipe that nobody writes to: that ends
   with kedge. Nobody reads its output when it has something to do. */
static const char watcher_script[] =
    "exec >/dev/null 2>&1\n"
    "read -r nothing\n"
    "for signal in TERM KILL; do\n"
    "  for place in $(grep -lzs \"^$1\" /proc/[0-9]*/environ); do\n"
    "    pid=${place#/proc/}\n"
    "    kill -$signal \"${pid%/environ}\"\n"
    "  done\n"
    "  [ $signal = KILL ] || sleep 2\n"
    "done\n";

char **bash_guard_begin(BashGuard *self, char **env)
{
    if (!self->family) {
        g_autofree char *uuid = g_uuid_string_random();
        self->family = g_strconcat(MARK_NAME "=", uuid, ".", NULL);
    }
    g_free(self->mark);
    self->mark = g_strdup_printf("%s%u.", self->family, ++self->count);
    const ProcChildSpec spec = {
        .argv = (const char *const[]) { "sh", "-c", watcher_script, "sh", self->family, NULL },
        .has_input = true,
    };
    if (self->watcher.pid <= 0 && !proc_start(&spec, &self->watcher, NULL))
        self->watcher.pid = 0;
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
    if (self->watcher.pid > 0)
        proc_child_end(&self->watcher, 0);
    if (self->family)
        proc_end_marked(self->family, grace_ms);
    g_free(self->family);
    g_free(self->mark);
    *self = (BashGuard) { 0 };
}
