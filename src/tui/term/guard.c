/*
 * The guardian (guard.h).
 *
 * The one fork() of kedge: a started program would be 6 MB and 3 ms. The copy gives its memory back
 * at once, for two reasons. What it holds would stay as it was at the fork: secrets, in a process
 * that outlives them. And every page that kedge changes later would be kept for it a second time.
 */
#include "tui/term/guard.h"

#include "base/fd.h"
#include "base/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#undef fork // base/banned.h: children are started by base/proc.h; this is no program but a copy

#define TTY_FD       0
#define PIPE_FD      1
#define SPARE_FD     16           // above both
#define PATIENCE_MS  (30 * 1000)  // for a terminal that takes nothing
#define BUFFER_BYTES 4096         // of the list of mappings, read in pieces
#define KEPT_BYTES   (64 * 1024)  // on each side of what is kept; a multiple of every page size
#define LARGE_BYTES  (128 * 1024) // from here on malloc() has a mapping for one block

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS_MEMORY 1 // the sanitizers have theirs in it
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define KEEPS_MEMORY 1
#endif
#endif

// ---- in the guardian: no allocation, no lock ----

#ifndef KEEPS_MEMORY
/* One mapping. The kernel joins neighbours, so that a large block may be one with what the loader
   allocated for this thread: that stays, with what is near it. */
static void forget_range(uintptr_t start, uintptr_t end)
{
    const uintptr_t kept[] = { (uintptr_t)pthread_self(), (uintptr_t)&errno };
    uintptr_t low = end, high = end; // what stays
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) {
        if (kept[i] < start || kept[i] >= end)
            continue;
        high = low == end ? kept[i] : MAX(high, kept[i]);
        low = MIN(low, kept[i]);
    }
    if (low < end) {
        low = MAX((low & ~(uintptr_t)(KEPT_BYTES - 1)) - KEPT_BYTES, start);
        high = MIN((high & ~(uintptr_t)(KEPT_BYTES - 1)) + (uintptr_t)2 * KEPT_BYTES, end);
    }
    // NOLINTBEGIN(performance-no-int-to-ptr): addresses that the kernel named
    if (low > start)
        madvise((void *)start, low - start, MADV_DONTNEED);
    if (end > high)
        madvise((void *)high, end - high, MADV_DONTNEED);
    // NOLINTEND
}

/* One line of /proc/self/maps: "START-END rw-p OFFSET DEVICE INODE  NAME". What is kept whole has a
   name (the stack, libraries) or is small (the loader's). */
static void forget_mapping(const char *line)
{
    char *at = NULL;
    uintptr_t start = (uintptr_t)g_ascii_strtoull(line, &at, 16);
    uintptr_t end = *at == '-' ? (uintptr_t)g_ascii_strtoull(at + 1, &at, 16) : 0;
    bool is_heap = strstr(line, " [heap]") != NULL;
    bool is_unnamed = strstr(line, " 00:00 0") != NULL &&
                      (strpbrk(at, "[/") == NULL || strstr(line, " [anon") != NULL);
    if (end > start && strncmp(at, " rw-p ", 6) == 0 &&
        (is_heap || (is_unnamed && end - start >= LARGE_BYTES)))
        forget_range(start, end);
}

static void forget_memory(void)
{
    char buffer[BUFFER_BYTES];
    size_t size = 0;
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (;;) {
        ssize_t count = maps < 0 ? 0 : read(maps, buffer + size, sizeof(buffer) - 1 - size);
        if (count <= 0)
            break;
        size += (size_t)count;
        buffer[size] = '\0';
        char *line = buffer, *end;
        while ((end = strchr(line, '\n'))) {
            *end = '\0';
            forget_mapping(line);
            line = end + 1;
        }
        size -= (size_t)(line - buffer);
        memmove(buffer, line, size);
        if (size == sizeof(buffer) - 1)
            size = 0; // no line is that long
    }
    fd_close(maps);
}
#endif

/* Nothing but the terminal and the pipe. */
static bool keep_two(int tty, int pipe)
{
    int spare_tty = fcntl(tty, F_DUPFD, SPARE_FD);
    int spare_pipe = fcntl(pipe, F_DUPFD, SPARE_FD);
    return spare_tty >= 0 && spare_pipe >= 0 && dup2(spare_tty, TTY_FD) == TTY_FD &&
           dup2(spare_pipe, PIPE_FD) == PIPE_FD && close_range(PIPE_FD + 1, ~0U, 0) == 0;
}

static void G_GNUC_NORETURN guard_watch(int tty, int pipe)
{
    UndoPlan plan = { 0 }, next;
    prctl(PR_SET_NAME, "kedge-guard");
    if (!keep_two(tty, pipe) || chdir("/") < 0)
        _exit(1);
    secrets_drop_copy();
#ifndef KEEPS_MEMORY
    forget_memory();
#endif
    for (;;) {
        ssize_t count = read(PIPE_FD, &next, sizeof(next));
        if (count == (ssize_t)sizeof(next)) {
            plan = next;
            continue;
        }
        if (plan.is_on)
            undo_all(TTY_FD, &plan, PATIENCE_MS);
        _exit(0);
    }
}

// ---- in kedge ----

/* Twice, so that init is its parent. All signals are blocked in it: none stops it, and a terminal
   takes what a process in the background sends that has SIGTTOU blocked. */
static pid_t fork_twice(int tty, int pipe)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        pid_t guardian = fork();
        if (guardian == 0)
            guard_watch(tty, pipe);
        _exit(guardian > 0 && setpgid(guardian, guardian) == 0 ? 0 : 1);
    }
    int failure = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return pid;
}

bool guard_start(int tty, int *ret_fd, GError **error)
{
    int fds[2];
    if (!fd_pipe(fds, error))
        return false;
    g_auto(Fd) ours = fds[1];
    g_auto(Fd) theirs = fds[0];
    if (!fd_set_nonblocking(ours, error))
        return false;
    int status = 0;
    pid_t pid = fork_twice(tty, theirs);
    if (pid < 0)
        return fail_with_errno(error, errno, "cannot start the guardian of the terminal");
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "cannot start the guardian of the terminal");
    *ret_fd = fd_steal(&ours);
    return true;
}

void guard_tell(int fd, const UndoPlan *plan)
{
    G_STATIC_ASSERT(sizeof(UndoPlan) <= 4096); // PIPE_BUF: in one piece, or not at all
    if (fd >= 0)
        (void)!write(fd, plan, sizeof(*plan));
}

void guard_end(int fd)
{
    fd_close(fd);
}
