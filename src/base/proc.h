/*
 * Child processes (common §6): posix_spawn, own session and so own process group, stdin
 * from /dev/null or a text, every other descriptor closed (but for one that ends the group with us:
 * PROC_LIFE_FD), signal dispositions reset.
 *
 * A timeout and an output maximum are mandatory; 0 is refused. Both are kept while reading. A stop
 * (timeout, cancel) sends SIGTERM to the group at once and SIGKILL 2 s later. A call ends when the
 * child has exited, not when its pipe closes: pipes that grandchildren hold are drained at most
 * 200 ms more. Then members of its group that are left get SIGTERM, and SIGKILL after at most
 * 200 ms. Thread safe; blocks the calling thread. SIGCHLD must not be ignored (exit_status would be
 * 255); main() sees to that.
 */
#pragma once

#include "base/cancel.h"

#include <sys/types.h>

#define PROC_LIFE_FD 20 // in a child whose profile is not PROC_PROFILE_FREE; never to be used there

typedef enum {
    PROC_KEEP_TAIL, // the last max_output_bytes
    PROC_KEEP_HEAD, // the first
} ProcKeep;

/* Called on the calling thread for every piece read, before it is cut. */
typedef void (*ProcOutputFunc)(const char *data, size_t size, void *user_data);

typedef enum { // why a child was ended before it ended by itself
    PROC_STOP_NONE,
    PROC_STOP_TIMEOUT,
    PROC_STOP_CANCELLED,
    PROC_STOP_FULL, // stops_when_full
} ProcStop;

/* A terminal of the child's own: what it reads is never answered, what it prints to it is `output`,
   as it comes, with control sequences. */
typedef struct ProcTerminal {
    unsigned columns, rows; // 20 to 400, 5 to 200
} ProcTerminal;

/* What a child may have, and how it ends when we end, however that happens; kept where it is
   started (proc_profile.c has the limits). Every start names one. */
typedef enum {
    PROC_PROFILE_FREE,    // whatever we may: it has a guard (proc_guard.h), or is to outlive us
    PROC_PROFILE_RUN,     // what a model or a person runs, and kedge itself: its group is killed
    PROC_PROFILE_CHANGER, // git that changes something, with its hooks: its group gets SIGTERM
    PROC_PROFILE_TOOL,    // git that looks, gh, ssh: the same, with a limit of memory
    PROC_PROFILE_READER,  // reads what strangers wrote: less memory, small files, killed
} ProcProfile;

typedef struct ProcSpec {
    const char *const *argv; // argv[0] is looked up on PATH unless it holds a slash
    const char *cwd;         // NULL: ours
    const char *const *env;  // NULL: env_for_helper()
    ProcProfile profile;
    const char *const *trees; // whose ignore files or git directory it opens unasked; NULL: none
    bool has_go_between;      // its parent is a process of its own, which waits for it, and not we
    const char *input;        // what standard input holds, a file in memory; NULL: /dev/null
    int64_t timeout_ms;
    size_t max_output_bytes; // per stream; what is beyond is dropped while reading, and counted
    size_t max_error_bytes;  // of a stderr of its own, when that differs; 0: max_output_bytes
    ProcKeep keep;
    bool has_own_stderr;   // false: stderr is merged into output, in order of arrival
    bool is_bytes;         // true: output is left as it came (size in output_size), not made UTF-8
    bool stops_when_full;  // PROC_KEEP_HEAD: after a byte too many, 200 ms to end, then stopped
    bool keeps_stopped;    // timeout and cancel are no errors: the result has what came, and `stop`
    ProcTerminal terminal; // zero: none; else no `input`, and no stderr of its own
    int64_t grace_ms;      // from SIGTERM to SIGKILL; 0: as above
    int64_t late_grace_ms; // the same when the time is over, or the token's; 0: grace_ms
    int64_t drain_ms;      // for pipes that others hold, also after SIGKILL; 0: as above
    ProcOutputFunc on_output; // stdout (and merged stderr); may be NULL
    const int64_t *end_at; // time_monotonic_ms(), 0: not yet; on_output may set it: a TIMEOUT then
    void *user_data;
} ProcSpec;

typedef struct ProcResult {
    char *output; // valid UTF-8 unless is_bytes; always NUL-terminated
    size_t output_size;
    char *error_output;   // NULL unless has_own_stderr; valid UTF-8
    size_t dropped_bytes; // of output
    size_t held_bytes;    // the most memory that output took while reading
    ProcStop stop;
    bool is_late;    // PROC_STOP_CANCELLED: the token's time was over
    int exit_status; // 128 + n when signal n ended it
    int term_signal; // 0, or n
    int64_t duration_ms;
} ProcResult;

void proc_result_clear(ProcResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProcResult, proc_result_clear)

/* Errors: NOT_FOUND (no such program or directory), IO (nothing to start it with: descriptors,
   processes), TIMEOUT, CANCELLED, PROTOCOL (it took long, and a file of `trees` is one that would
   hold it up or flood it: special_files.h). A non-zero exit status is no error. True means that
   there is a result: a child that was ended because of the time or the token is always an error,
   unless keeps_stopped. */
bool proc_run(const ProcSpec *spec, Cancel *cancel, ProcResult *ret_result, GError **error);

/* A child that lives across calls: a shell, a server. One that speaks lines: line_child.h. */
typedef struct ProcChildSpec {
    const char *const *argv; // as in ProcSpec
    const char *cwd;
    const char *const *env;
    ProcProfile profile;
    bool has_input;      // a pipe; else its standard input is /dev/null
    bool has_own_stderr; // false: stderr is merged into output
    bool has_extra;      // two more pipes, which appear in the child as descriptors 3 and 4
    bool has_go_between; // as in ProcSpec; `pid` is that process
} ProcChildSpec;

/* The descriptors are the caller's ends, close on exec; -1 where none was asked for. */
typedef struct ProcChild {
    pid_t pid;
    int pidfd;     // readable when the child has exited
    int input_fd;  // we write
    int output_fd; // we read
    int error_fd;  // we read
    int extra_in;  // we write, the child reads 3
    int extra_out; // the child writes 4, we read
    int life_fd;   // no one writes: that it is closed ends the group; -1 with PROC_PROFILE_FREE
} ProcChild;

/* Errors: NOT_FOUND (no such program or directory), IO. */
bool proc_start(const ProcChildSpec *spec, ProcChild *ret_child, GError **error);

/* SIGTERM to the group, SIGKILL after `grace_ms`; reaps; closes all descriptors. Returns the exit
   status as in ProcResult. Safe to call when the child has already exited. */
int proc_child_end(ProcChild *self, int64_t grace_ms);

/* For a child that has exited by itself: its exit status, and how many processes of its group live
   on. Those are left alone. The child stays unreaped and its output open until proc_child_end(), so
   that its number remains the group's and no one writes into a closed pipe. */
int proc_child_leave(ProcChild *self, unsigned *ret_members);

/* How many processes of the group live, the child itself aside. */
unsigned proc_child_count_members(const ProcChild *self);
/* Is there one whose name begins so? */
bool proc_child_has_member(const ProcChild *self, const char *name);

/* Absolute path of a program on PATH (absolute entries only), or NULL. Caller frees. */
char *proc_find_program(const char *name);
