/*
 * What proc.c and proc_child.c share: starting a child in its own session and ending its group.
 * Internal to base; everybody else uses proc.h.
 *
 * The child leads its group, so its pid is the group's number. While the child is not reaped, and
 * as long as its group has a member, the kernel does not give that number to anybody else.
 */
#pragma once

#include "base/fd.h"
#include "base/proc.h"

#define PROC_STOP_GRACE_MS 2000 // between SIGTERM and SIGKILL (common §6)
#define PROC_DRAIN_MS      200  // for pipes and group members that outlive the child

/* A new terminal: our end of it, and the name of the child's. IO: there is none to be had. */
bool proc_open_terminal(const ProcTerminal *terminal, int *ret_fd, char **ret_name, GError **error);
typedef struct ProcStart { // what starting it is about; as in ProcSpec
    const char *const *argv;
    const char *cwd;
    const char *const *env;
    ProcProfile profile;
    bool has_go_between;
} ProcStart;

typedef struct ProcBorn { // a child that has been started
    pid_t pid;
    Fd pidfd;
    Fd life_fd; // as in ProcChild
} ProcBorn;

#define PROC_UNBORN ((ProcBorn) { .pid = -1, .pidfd = -1, .life_fd = -1 })

/* Closes the descriptors. */
void proc_born_clear(ProcBorn *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProcBorn, proc_born_clear)

/* As proc_spawn(), with descriptors 0 to 2 on a terminal, which becomes that of the child's
 * session.
 */
bool proc_spawn_on_terminal(const ProcStart *start, const char *terminal, ProcBorn *ret_born,
                            GError **error);

/* `child_fds[i]` becomes the child's descriptor i; -1, for standard input only: /dev/null. */
bool proc_spawn(const ProcStart *start, const int *child_fds, size_t child_fd_count,
                ProcBorn *ret_born, GError **error);

/* Says which program could not be started; returns false. */
bool proc_fail_start(const char *const *argv, GError **error);

/* Signals the whole group of a child that is not reaped yet. */
void proc_signal_group(pid_t pid, int signal_number);

/*
 * After a SIGTERM: waits for the child and its group until `kill_at` (time_monotonic_ms()), ends
 * what is left with SIGKILL, and reaps. Returns at once when nothing is left. Returns the exit
 * status as in ProcResult; `ret_signal` may be NULL.
 */
int proc_reap_group(pid_t pid, int pidfd, gint64 kill_at, int *ret_signal);

/* The two steps of it that do not wait, for a child that has exited: takes its status, and asks
   whether its group has no member left that lives. (A zombie, too, keeps the number from others;
   with none, that is over at once.) */
int proc_reap(pid_t pid, int *ret_signal);
bool proc_group_is_gone(pid_t pid);
