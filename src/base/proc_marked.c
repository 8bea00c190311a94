/*
 * Ending processes by their mark (proc_marked.h). A process is held by a pidfd before its
 * environment is read, so that the signal goes to the one that was looked at.
 */
#include "base/proc_marked.h"

#include "base/cancel.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#define ENVIRONMENT_MAX (8 * MIB) // the kernel's own bound is 6 MiB
#define KILL_MS         500       // how long SIGKILL may take
#define PAUSE_MS        20

static bool has_mark(const char *pid, const char *mark)
{
    g_autofree char *path = g_build_filename("/proc", pid, "environ", NULL);
    g_auto(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    g_autoptr(GString) environment = g_string_new(NULL);
    if (fd < 0 || !fd_read_all(fd, ENVIRONMENT_MAX, path, environment, NULL))
        return false; // somebody else's, or gone
    const char *end = environment->str + environment->len;
    for (const char *entry = environment->str; entry < end; entry += strlen(entry) + 1) {
        if (str_has_prefix(entry, mark))
            return true;
    }
    return false;
}

/* How many there are; each gets the signal (0: none). */
static unsigned signal_marked(const char *mark, int signal_number)
{
    g_autoptr(GDir) processes = g_dir_open("/proc", 0, NULL);
    unsigned count = 0;
    const char *name = NULL;
    while (processes && (name = g_dir_read_name(processes))) {
        int64_t pid = 0;
        if (!str_parse_int(name, &pid) || pid <= 1 || pid == getpid())
            continue;
        g_auto(Fd) pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
        if (pidfd < 0 || !has_mark(name, mark))
            continue;
        count++;
        if (signal_number != 0)
            (void)syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
    }
    return count;
}

void proc_end_marked(const char *mark, int64_t grace_ms)
{
    int64_t kill_at = time_monotonic_ms() + grace_ms;
    unsigned count = signal_marked(mark, SIGTERM);
    while (count > 0) {
        int64_t now = time_monotonic_ms();
        if (now > kill_at + KILL_MS)
            return; // in uninterruptible sleep: it ends with the signal that waits for it
        cancel_sleep(NULL, PAUSE_MS, NULL);
        count = signal_marked(mark, now >= kill_at ? SIGKILL : 0);
    }
}
