/*
 * Preloaded into kedge: the process is killed, or its disk becomes full, at its Nth write.
 *
 * Built with _FILE_OFFSET_BITS=64 like kedge itself, so that open() here is open64() of the linker.
 *
 * A write is every call that changes what is on disk: content, names, sizes. KEDGE_FAULT is
 * "N MODE": killed `before` the Nth, after `half` of its bytes, `after` it; or `full`: from the Nth
 * on there is no space, which gives half of that one. KEDGE_FAULT_COUNT names a file of eight bytes
 * in which the calls are counted. Children of the process are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { FAULT_NONE, FAULT_BEFORE, FAULT_HALF, FAULT_AFTER, FAULT_FULL } Fault;

typedef struct State {
    _Atomic uint64_t *count;
    uint64_t at; // 0: never
    Fault mode;
    pid_t pid;
} State;

static State state;

// The program's own functions of these names; what follows replaces them.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    static const char *const modes[] = { "none", "before", "half", "after", "full" };
    const char *path = getenv("KEDGE_FAULT_COUNT");
    int fd = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
    void *page = fd < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    const char *fault = getenv("KEDGE_FAULT");
    unsetenv("LD_PRELOAD");
    if (page == MAP_FAILED)
        return;
    char *end = NULL;
    state.at = fault ? strtoul(fault, &end, 10) : 0;
    for (Fault i = FAULT_BEFORE; end && i <= FAULT_FULL; i++) {
        if (strcmp(end + 1, modes[i]) == 0)
            state.mode = i;
    }
    state.pid = getpid();
    state.count = page;
}

static void end_here(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Counts a write; what is to become of it. */
static Fault next_fault(void)
{
    if (!state.count || getpid() != state.pid)
        return FAULT_NONE;
    uint64_t number = atomic_fetch_add(state.count, 1) + 1;
    if (state.mode == FAULT_FULL && state.at > 0 && number > state.at)
        return FAULT_BEFORE; // no half of a later one
    if (number != state.at)
        return FAULT_NONE;
    if (state.mode == FAULT_BEFORE)
        end_here();
    return state.mode;
}

static bool is_file(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

static ssize_t no_space(void)
{
    errno = ENOSPC;
    return -1;
}

/* `put` writes the first of `size` bytes. */
#define WRITE(size, put)                                                                           \
    Fault fault = is_file(fd) ? next_fault() : FAULT_NONE;                                         \
    bool is_full = state.mode == FAULT_FULL;                                                       \
    if (fault == FAULT_BEFORE || (fault == FAULT_FULL && (size) < 2))                              \
        return no_space();                                                                         \
    size_t part = fault == FAULT_HALF || fault == FAULT_FULL ? (size) / 2 : (size);                \
    ssize_t done = put;                                                                            \
    if (fault != FAULT_NONE && !is_full)                                                           \
        end_here();                                                                                \
    return done

ssize_t write(int fd, const void *data, size_t size)
{
    WRITE(size, REAL(write)(fd, data, part));
}

ssize_t sendfile(int fd, int from, off_t *at, size_t size)
{
    WRITE(size, REAL(sendfile)(fd, from, at, part));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    WRITE(size, REAL(pwrite)(fd, data, part, at));
}

/* A change of names or sizes is whole or not there. `needs_space`: it fails on a full disk. */
#define CHANGE(needs_space, change)                                                                \
    Fault fault = next_fault();                                                                    \
    bool is_full = state.mode == FAULT_FULL;                                                       \
    if (fault != FAULT_NONE && is_full && (needs_space))                                           \
        return (int)no_space();                                                                    \
    int result = change;                                                                           \
    if (fault != FAULT_NONE && !is_full)                                                           \
        end_here();                                                                                \
    return result

int rename(const char *from, const char *to)
{
    CHANGE(false, REAL(rename)(from, to));
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    CHANGE(false, REAL(renameat)(from_dir, from, to_dir, to));
}

int link(const char *from, const char *to)
{
    CHANGE(true, REAL(link)(from, to));
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    CHANGE(true, REAL(linkat)(from_dir, from, to_dir, to, flags));
}

int unlink(const char *path)
{
    CHANGE(false, REAL(unlink)(path));
}

int unlinkat(int dir, const char *path, int flags)
{
    CHANGE(false, REAL(unlinkat)(dir, path, flags));
}

int mkdir(const char *path, mode_t mode)
{
    CHANGE(true, REAL(mkdir)(path, mode));
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    CHANGE(true, REAL(mkdirat)(dir, path, mode));
}

int ftruncate(int fd, off_t size)
{
    CHANGE(false, REAL(ftruncate)(fd, size));
}

int fallocate(int fd, int mode, off_t at, off_t size)
{
    CHANGE(true, REAL(fallocate)(fd, mode, at, size));
}

int fsync(int fd)
{
    CHANGE(false, REAL(fsync)(fd));
}

int fdatasync(int fd)
{
    CHANGE(false, REAL(fdatasync)(fd));
}

/* Opening counts when it makes the file. */
#define OPEN(is_there, call)                                                                       \
    mode_t mode = 0;                                                                               \
    bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;                       \
    if (makes) {                                                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }                                                                                              \
    if (!makes || is_there)                                                                        \
        return call;                                                                               \
    CHANGE(true, call)

int open(const char *path, int flags, ...)
{
    OPEN(access(path, F_OK) == 0, REAL(open)(path, flags, mode));
}

int openat(int dir, const char *path, int flags, ...)
{
    OPEN(faccessat(dir, path, F_OK, 0) == 0, REAL(openat)(dir, path, flags, mode));
}
