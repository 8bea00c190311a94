/* See proc_guard.h. */
#include "base/proc_guard.h"

#include "base/proc_marked.h"

#include <glib.h>

/* Of the watcher; its argument is the mark. Its input is a pipe that no one writes to: that ends
   with kedge. No one reads its output when it has something to do. */
static const char watcher_script[] =
    "exec >/dev/null 2>&1\n"
    "read -r nothing\n"
    "for signal in TERM KILL; do\n"
    "  for place in $(grep -lzsF -e \"$1\" /proc/[0-9]*/environ); do\n"
    "    pid=${place#/proc/}\n"
    "    kill -$signal \"${pid%/environ}\"\n"
    "  done\n"
    "  [ $signal = KILL ] || sleep 2\n"
    "done\n";

void proc_guard_begin(ProcGuard *self, const char *mark)
{
    if (!self->mark)
        self->mark = g_strdup(mark);
    const ProcChildSpec spec = {
        .argv = (const char *const[]) { "sh", "-c", watcher_script, "sh", self->mark, NULL },
        .profile = PROC_PROFILE_FREE,
        .has_input = true,
    };
    if (self->watcher.pid <= 0 && !proc_start(&spec, &self->watcher, NULL))
        self->watcher.pid = 0;
}

void proc_guard_end(ProcGuard *self, int64_t grace_ms)
{
    if (self->watcher.pid > 0)
        proc_child_end(&self->watcher, 0);
    if (self->mark)
        proc_end_marked(self->mark, grace_ms);
    g_free(self->mark);
    *self = (ProcGuard) { 0 };
}
