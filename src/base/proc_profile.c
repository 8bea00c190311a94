/*
 * The table of profiles (proc_profile.h).
 *
 * Memory is RLIMIT_DATA: what a process can write to and has for itself. RLIMIT_AS would also count
 * files that are only mapped, and the address space that node, Go and Rust reserve and never use.
 * posix_spawn() knows no limits, so they are set from here once the child runs: it may have begun
 * to allocate, but cannot go on.
 */
#include "base/proc_profile.h"

#include "base/limits.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define LEAST_MEMORY_BYTES ((guint64)1024 * MIB) // also where the machine has little

typedef struct Profile {
    guint64 memory_bytes; // 0: no limit; else at most half of what the machine has
    guint64 file_bytes;   // of a file that it writes; 0: no limit
    int end_signal;
    bool has_core; // may leave a core dump behind
} Profile;

static const Profile profiles[] = {
    [PROC_PROFILE_FREE] = { .has_core = true },
    [PROC_PROFILE_RUN] = { .end_signal = SIGKILL, .has_core = true },
    [PROC_PROFILE_CHANGER] = { .end_signal = SIGTERM },
    [PROC_PROFILE_TOOL] = { .memory_bytes = LIMIT_TOOL_MEMORY_BYTES, .end_signal = SIGTERM },
    [PROC_PROFILE_READER] = { .memory_bytes = LIMIT_READER_MEMORY_BYTES,
                              .file_bytes = LIMIT_READER_FILE_BYTES,
                              .end_signal = SIGKILL },
};

int proc_profile_end_signal(ProcProfile profile)
{
    return profiles[profile].end_signal;
}

static void lower_limit(pid_t pid, int resource, guint64 max)
{
    struct rlimit limit;
    if (prlimit(pid, resource, NULL, &limit) < 0)
        return; // it has ended already
    limit.rlim_cur = MIN(limit.rlim_cur, (rlim_t)max);
    limit.rlim_max = MIN(limit.rlim_max, (rlim_t)max);
    (void)prlimit(pid, resource, &limit, NULL);
}

static guint64 memory_limit(guint64 wanted)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0)
        return wanted;
    guint64 half = (guint64)pages * (guint64)page_bytes / 2;
    return MIN(wanted, MAX(half, LEAST_MEMORY_BYTES));
}

void proc_profile_limit(ProcProfile profile, pid_t pid)
{
    const Profile *limits = &profiles[profile];
    if (!limits->has_core)
        lower_limit(pid, RLIMIT_CORE, 0);
    if (limits->memory_bytes > 0)
        lower_limit(pid, RLIMIT_DATA, memory_limit(limits->memory_bytes));
    if (limits->file_bytes > 0)
        lower_limit(pid, RLIMIT_FSIZE, limits->file_bytes);
}
