/*
 * Starting children with posix_spawn, ending their groups, and children that live across calls.
 */
#include "base/proc_child.h"

#include "base/env.h"
#include "base/fd.h"
#include "base/proc_profile.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define DEFAULT_PATH        "/usr/local/bin:/usr/bin:/bin"
#define MAX_CHILD_FDS       5
#define UNKILLABLE_MS       2000 // how long SIGKILL may take before the child is left behind
#define MEMBERS_PAUSE_MS    50   // between two looks at what is left of a group
#define DISCARD_BYTES       ((size_t)16 * 1024)
#define MIN_COLUMNS         20
#define MAX_COLUMNS         400
#define MIN_ROWS            5
#define MAX_ROWS            200
#define TERMINAL_NAME_BYTES 64
#define FIRST_LIFTED_FD     24 // above every descriptor that a child is given

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(posix_spawn_file_actions_t, posix_spawn_file_actions_destroy)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(posix_spawnattr_t, posix_spawnattr_destroy)

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* Relative entries are skipped: what a directory holds must not decide which program runs. */
static char *find_on_path(const char *name, const char *path)
{
    g_auto(GStrv) entries = g_strsplit(path != NULL ? path : DEFAULT_PATH, ":", -1);
    for (char **entry = entries; *entry; entry++) {
        if (!g_path_is_absolute(*entry))
            continue;
        g_autofree char *program = g_build_filename(*entry, name, NULL);
        if (is_program(program))
            return g_steal_pointer(&program);
    }
    return NULL;
}

char *proc_find_program(const char *name)
{
    if (!strchr(name, '/'))
        return name[0] != '\0' ? find_on_path(name, g_getenv("PATH")) : NULL;
    return g_path_is_absolute(name) && is_program(name) ? g_strdup(name) : NULL;
}

/* With a slash the name is left to the kernel, relative to the child's directory. */
static bool resolve_program(const char *name, const char *const *env, char **ret_path,
                            GError **error)
{
    char *path = NULL;
    if (strchr(name, '/'))
        path = g_strdup(name);
    else if (name[0] != '\0')
        path = find_on_path(name, g_environ_getenv((char **)env, "PATH"));
    if (!path)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "program not found: %s", name);
    *ret_path = path;
    return true;
}

/* Own session, and signals as a program expects them at its start. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int failed = posix_spawnattr_setsigdefault(attributes, &all);
    if (failed == 0)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    if (failed == 0)
        failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                                          POSIX_SPAWN_SETSIGMASK);
    return failed;
}

/* What the child's descriptors are. */
typedef struct Ends {
    const int *fds; // the first `count`; -1: /dev/null
    size_t count;
    const char *terminal; // in place of them; NULL: none
    int life;             // becomes PROC_LIFE_FD; -1: none
} Ends;

/* A leader of a session without a terminal gets the first that it opens. */
static int open_terminal(posix_spawn_file_actions_t *actions, const char *terminal)
{
    int failed = posix_spawn_file_actions_addopen(actions, 0, terminal, O_RDWR, 0);
    for (int fd = 1; failed == 0 && fd <= 2; fd++)
        failed = posix_spawn_file_actions_adddup2(actions, 0, fd);
    return failed;
}

static int give_descriptors(posix_spawn_file_actions_t *actions, const Ends *ends)
{
    int failed = 0;
    for (size_t i = 0; failed == 0 && i < ends->count; i++)
        failed = ends->fds[i] >= 0
                     ? posix_spawn_file_actions_adddup2(actions, ends->fds[i], (int)i)
                     : posix_spawn_file_actions_addopen(actions, (int)i, "/dev/null", O_RDONLY, 0);
    return failed;
}

/* All but the first `count`, and the life descriptor: it takes the next number until the others are
   closed. */
static int close_others(posix_spawn_file_actions_t *actions, int count, int life)
{
    if (life < 0)
        return posix_spawn_file_actions_addclosefrom_np(actions, count);
    int failed = posix_spawn_file_actions_adddup2(actions, life, count);
    if (failed == 0)
        failed = posix_spawn_file_actions_addclosefrom_np(actions, count + 1);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(actions, count, PROC_LIFE_FD);
    return failed != 0 ? failed : posix_spawn_file_actions_addclose(actions, count);
}

static int set_actions(posix_spawn_file_actions_t *actions, const char *cwd, const Ends *ends)
{
    int failed = cwd != NULL ? posix_spawn_file_actions_addchdir_np(actions, cwd) : 0;
    if (failed == 0)
        failed = ends->terminal ? open_terminal(actions, ends->terminal)
                                : give_descriptors(actions, ends);
    size_t count = ends->terminal ? 3 : ends->count;
    return failed != 0 ? failed : close_others(actions, (int)count, ends->life);
}

/* Runs posix_spawn; returns its errno. */
static int proc_child_spawn(const char *program, const char *const *argv, const char *cwd,
                            const char *const *env, const Ends *ends, pid_t *ret_pid)
{
    g_auto(posix_spawn_file_actions_t) actions;
    g_auto(posix_spawnattr_t) attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failed = set_attributes(&attributes);
    if (failed == 0)
        failed = set_actions(&actions, cwd, ends);
    if (failed == 0)
        failed = posix_spawn(ret_pid, program, &actions, &attributes, (char *const *)argv,
                             (char *const *)env);
    return failed;
}

/* A copy that no number of the child's overwrites; -1 stays. Returns errno. */
static int lift_fd(int fd, int *ret_lifted)
{
    if (fd < 0)
        return 0;
    *ret_lifted = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_LIFTED_FD);
    return *ret_lifted < 0 ? errno : 0;
}

/*
 * A pipe may have got a low number when our own standard descriptors are closed. dup2() onto 1
 * could then overwrite the source of 2, so the sources move out of the way first.
 */
static int spawn_lifted(const char *program, const char *const *argv, const char *cwd,
                        const char *const *env, const Ends *ends, pid_t *ret_pid)
{
    int lifted[MAX_CHILD_FDS] = { -1, -1, -1, -1, -1 };
    Ends moved = { .fds = lifted, .count = ends->count, .terminal = ends->terminal, .life = -1 };
    int failed = lift_fd(ends->life, &moved.life);
    for (size_t i = 0; failed == 0 && i < ends->count; i++)
        failed = lift_fd(ends->fds[i], &lifted[i]);
    if (failed == 0)
        failed = proc_child_spawn(program, argv, cwd, env, &moved, ret_pid);
    for (size_t i = 0; i < ends->count; i++)
        fd_close(lifted[i]);
    fd_close(moved.life);
    return failed;
}

bool proc_fail_start(const char *const *argv, GError **error)
{
    g_prefix_error(error, "cannot run %s: ", argv[0]);
    return false;
}

void proc_born_clear(ProcBorn *self)
{
    fd_close(self->pidfd);
    fd_close(self->life_fd);
}

// ---- ending with us ----

/* A pipe that no one writes to. That our end closes, however we end, is news to its reader, and
   the reader's news are a signal to the group. */
typedef struct Life {
    Fd ours, theirs;
} Life;

static void life_clear(Life *self)
{
    fd_close(self->ours);
    fd_close(self->theirs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Life, life_clear)

static bool life_open(Life *self, ProcProfile profile, GError **error)
{
    int fds[2];
    if (proc_profile_end_signal(profile) == 0)
        return true;
    if (!fd_pipe(fds, error))
        return false;
    self->ours = fds[1];
    self->theirs = fds[0];
    return true;
}

static void life_bind(const Life *self, ProcProfile profile, pid_t pid)
{
    if (self->theirs >= 0 && fcntl(self->theirs, F_SETOWN, -pid) == 0 &&
        fcntl(self->theirs, F_SETSIG, proc_profile_end_signal(profile)) == 0)
        (void)fcntl(self->theirs, F_SETFL, O_ASYNC); // else it is as without
}

// ---- a parent of its own ----

/* `kill -9 $PPID` is to end no conversation. Signals to the group are left to the child, and what a
   shell says of the end of one is not the child's output. */
static const char go_between_script[] = "trap : HUP INT QUIT TERM USR1 USR2\n"
                                        "[ -z \"$BASH_VERSION\" ] || SHLVL=$((SHLVL - 1))\n"
                                        "exec 9>&2 2>/dev/null\n"
                                        "(exec \"$@\" 2>&9 9>&-)\n"
                                        "exit $?\n";

/* Names that /bin/sh may not hand on, such as those of bash's functions. */
static bool has_odd_name(const char *const *env)
{
    for (; *env; env++) {
        g_autofree char *name = g_strndup(*env, strcspn(*env, "="));
        if (!env_is_name(name))
            return true;
    }
    return false;
}

/* /bin/sh starts faster, bash hands on all of `env`. Caller frees both. */
static const char **go_between_argv(const char *program, const char *const *argv,
                                    const char *const *env, char **ret_bash)
{
    static const char *const bash[] = { "--norc", "--noprofile", "--posix" };
    *ret_bash = has_odd_name(env) ? proc_find_program("bash") : NULL;
    GPtrArray *out = g_ptr_array_new();
    g_ptr_array_add(out, *ret_bash ? *ret_bash : (char *)"/bin/sh");
    for (size_t i = 0; *ret_bash && i < G_N_ELEMENTS(bash); i++)
        g_ptr_array_add(out, (char *)bash[i]);
    g_ptr_array_add(out, (char *)"-c");
    g_ptr_array_add(out, (char *)go_between_script);
    g_ptr_array_add(out, (char *)"sh");
    g_ptr_array_add(out, (char *)program);
    for (const char *const *arg = argv + 1; *arg; arg++)
        g_ptr_array_add(out, (char *)*arg);
    g_ptr_array_add(out, NULL);
    return (const char **)g_ptr_array_free(out, FALSE);
}

/* The one way in which a child is started, and so the place where its profile is kept. */
static bool spawn_child(const ProcStart *start, const Ends *ends, ProcBorn *ret_born,
                        GError **error)
{
    const char *const *argv = start->argv;
    const char *cwd = start->cwd;
    g_assert(argv[0] && ends->count <= MAX_CHILD_FDS);
    g_auto(GStrv) own_env = start->env ? NULL : env_for_helper();
    const char *const *env = start->env ? start->env : (const char *const *)own_env;

    // asked first, because posix_spawn does not say which of the two is missing
    if (cwd && !g_file_test(cwd, G_FILE_TEST_IS_DIR))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "cannot run %s: no such directory: %s",
                         argv[0], cwd);
    g_autofree char *program = NULL;
    if (!resolve_program(argv[0], env, &program, error))
        return false;
    g_autofree char *shell = NULL;
    g_autofree const char **between =
        start->has_go_between ? go_between_argv(program, argv, env, &shell) : NULL;
    const char *const *started = between ? between : argv;
    if (between && !is_program(program))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "program not found: %s", argv[0]);
    g_auto(Life) life = { -1, -1 };
    if (!life_open(&life, start->profile, error))
        return proc_fail_start(argv, error);

    const Ends given = { ends->fds, ends->count, ends->terminal, life.theirs };
    pid_t pid;
    int failed = spawn_lifted(between ? between[0] : program, started, cwd, env, &given, &pid);
    if (failed == ENOENT)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "program not found: %s", argv[0]);
    if (failed != 0)
        return fail_with_errno(error, failed, "cannot run %s", argv[0]);
    proc_profile_limit(start->profile, pid);
    life_bind(&life, start->profile, pid);

    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0) {
        int saved_errno = errno;
        proc_signal_group(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return fail_with_errno(error, saved_errno, "cannot watch %s", argv[0]);
    }
    *ret_born = (ProcBorn) { .pid = pid, .pidfd = pidfd, .life_fd = fd_steal(&life.ours) };
    return true;
}

bool proc_spawn(const ProcStart *start, const int *child_fds, size_t child_fd_count,
                ProcBorn *ret_born, GError **error)
{
    const Ends ends = { .fds = child_fds, .count = child_fd_count };
    return spawn_child(start, &ends, ret_born, error);
}

bool proc_spawn_on_terminal(const ProcStart *start, const char *terminal, ProcBorn *ret_born,
                            GError **error)
{
    const Ends ends = { .terminal = terminal };
    return spawn_child(start, &ends, ret_born, error);
}

bool proc_open_terminal(const ProcTerminal *terminal, int *ret_fd, char **ret_name, GError **error)
{
    const struct winsize size = {
        .ws_col = (unsigned short)CLAMP(terminal->columns, MIN_COLUMNS, MAX_COLUMNS),
        .ws_row = (unsigned short)CLAMP(terminal->rows, MIN_ROWS, MAX_ROWS),
    };
    char name[TERMINAL_NAME_BYTES];
    g_auto(Fd) fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || ioctl(fd, TIOCSWINSZ, &size) < 0 ||
        ptsname_r(fd, name, sizeof(name)) != 0)
        return fail_with_errno(error, errno, "cannot open a pseudo-terminal");
    *ret_fd = fd_steal(&fd);
    *ret_name = g_strdup(name);
    return true;
}

void proc_signal_group(pid_t pid, int signal_number)
{
    g_assert(pid > 1);
    kill(-pid, signal_number);
}

/* "<pid> (<name>) <state> <parent> <group> …"; the name may hold anything. */
static bool is_live_member(const char *stat, pid_t group, const char *name)
{
    const char *end = strrchr(stat, ')'), *begin = strchr(stat, '(');
    if (!begin || !str_has_prefix(begin + 1, name))
        return false;
    g_auto(GStrv) words = end != NULL && end[1] != '\0' ? g_strsplit(end + 2, " ", 4) : NULL;
    return words != NULL && g_strv_length(words) == 4 && strchr("ZX", words[0][0]) == NULL &&
           g_ascii_strtoll(words[2], NULL, 10) == group;
}

/* Those that live and whose name begins so, the leader aside. */
static unsigned count_members(pid_t group, const char *beginning)
{
    g_autoptr(GDir) processes = g_dir_open("/proc", 0, NULL);
    g_autofree char *leader = g_strdup_printf("%d", (int)group);
    unsigned count = 0;
    const char *name;
    while (processes && (name = g_dir_read_name(processes))) {
        if (!g_ascii_isdigit(name[0]) || strcmp(name, leader) == 0)
            continue;
        g_autofree char *path = g_build_filename("/proc", name, "stat", NULL);
        g_autofree char *stat = NULL;
        if (g_file_get_contents(path, &stat, NULL, NULL) && is_live_member(stat, group, beginning))
            count++;
    }
    return count;
}

/* Orphans that have ended are members until process 1 reaps them. In a container it may take its
   time for that, or never do it. */
static bool is_only_of_zombies(pid_t group)
{
    return g_file_test("/proc/self/stat", G_FILE_TEST_EXISTS) && count_members(group, "") == 0;
}

bool proc_group_is_gone(pid_t pid)
{
    g_assert(pid > 1);
    return kill(-pid, 0) < 0 || is_only_of_zombies(pid);
}

static bool wait_for_exit(int pidfd, gint64 until)
{
    for (;;) {
        gint64 left = until - time_monotonic_ms();
        struct pollfd exited = { .fd = pidfd, .events = POLLIN };
        int count = poll(&exited, 1, (int)CLAMP(left, 0, G_MAXINT));
        if (count > 0 || (count == 0 && left <= 0))
            return count > 0;
    }
}

static int exit_status_of(int status, int *ret_signal)
{
    int term_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (ret_signal)
        *ret_signal = term_signal;
    return term_signal != 0 ? 128 + term_signal : WEXITSTATUS(status);
}

/* The child is reaped. Its number is still safe to use: while a member is left no one can get it.
 */
static void end_members(pid_t pid, gint64 kill_at)
{
    gint64 pause_ms = 1;
    while (kill(-pid, 0) == 0) {
        gint64 left = kill_at - time_monotonic_ms();
        if (left <= 0 || is_only_of_zombies(pid)) {
            kill(-pid, SIGKILL); // also one that was born while we looked
            return;
        }
        cancel_sleep(NULL, MIN(pause_ms, left), NULL);
        pause_ms = MIN(pause_ms * 2, MEMBERS_PAUSE_MS);
    }
}

int proc_reap(pid_t pid, int *ret_signal)
{
    int status = W_EXITCODE(255, 0); // stays when SIGCHLD is ignored and the kernel reaped first
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return exit_status_of(status, ret_signal);
}

int proc_reap_group(pid_t pid, int pidfd, gint64 kill_at, int *ret_signal)
{
    if (!wait_for_exit(pidfd, kill_at)) {
        proc_signal_group(pid, SIGKILL);
        // a child in uninterruptible sleep stays behind rather than hang us
        if (!wait_for_exit(pidfd, time_monotonic_ms() + UNKILLABLE_MS))
            return exit_status_of(SIGKILL, ret_signal);
    }
    int exit_status = proc_reap(pid, ret_signal);
    end_members(pid, kill_at);
    return exit_status;
}

typedef struct ChildPipe {
    Fd ours, theirs;
} ChildPipe;

static void child_pipe_clear(ChildPipe *self)
{
    fd_close(self->ours);
    fd_close(self->theirs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChildPipe, child_pipe_clear)

#define NO_PIPE ((ChildPipe) { .ours = -1, .theirs = -1 })

static bool make_pipe(ChildPipe *self, bool is_wanted, bool we_write, GError **error)
{
    int fds[2];
    if (!is_wanted)
        return true;
    if (!fd_pipe(fds, error))
        return false;
    self->ours = fds[we_write ? 1 : 0];
    self->theirs = fds[we_write ? 0 : 1];
    return true;
}

bool proc_start(const ProcChildSpec *spec, ProcChild *ret_child, GError **error)
{
    g_auto(ChildPipe) input = NO_PIPE, output = NO_PIPE, errors = NO_PIPE;
    g_auto(ChildPipe) extra_in = NO_PIPE, extra_out = NO_PIPE;
    if (!make_pipe(&input, spec->has_input, true, error) ||
        !make_pipe(&output, true, false, error) ||
        !make_pipe(&errors, spec->has_own_stderr, false, error) ||
        !make_pipe(&extra_in, spec->has_extra, true, error) ||
        !make_pipe(&extra_out, spec->has_extra, false, error))
        return proc_fail_start(spec->argv, error);

    const int child_fds[] = { input.theirs, output.theirs,
                              spec->has_own_stderr ? errors.theirs : output.theirs, extra_in.theirs,
                              extra_out.theirs };
    const ProcStart start = { spec->argv, spec->cwd, spec->env, spec->profile,
                              spec->has_go_between };
    g_auto(ProcBorn) born = PROC_UNBORN;
    if (!proc_spawn(&start, child_fds, spec->has_extra ? 5 : 3, &born, error))
        return false;
    ProcChild child = { .pid = born.pid };
    child.pidfd = fd_steal(&born.pidfd);
    child.life_fd = fd_steal(&born.life_fd);
    child.input_fd = fd_steal(&input.ours);
    child.output_fd = fd_steal(&output.ours);
    child.error_fd = fd_steal(&errors.ours);
    child.extra_in = fd_steal(&extra_in.ours);
    child.extra_out = fd_steal(&extra_out.ours);
    *ret_child = child;
    return true;
}

/* Throws output away until the child exits. A closed pipe would end it with SIGPIPE in the middle
   of its clean-up, and a full one would hold it. */
static void discard_output(ProcChild *self, gint64 until)
{
    g_autofree char *buffer = g_malloc(DISCARD_BYTES);
    int *const sources[] = { &self->output_fd, &self->error_fd, &self->extra_out };
    for (;;) {
        gint64 left = until - time_monotonic_ms();
        struct pollfd fds[] = {
            { .fd = self->output_fd, .events = POLLIN },
            { .fd = self->error_fd, .events = POLLIN },
            { .fd = self->extra_out, .events = POLLIN },
            { .fd = self->pidfd, .events = POLLIN },
        };
        int count = left > 0 ? poll(fds, G_N_ELEMENTS(fds), (int)MIN(left, G_MAXINT)) : 0;
        if (left <= 0 || (count > 0 && fds[3].revents != 0))
            return;
        for (size_t i = 0; count > 0 && i < G_N_ELEMENTS(sources); i++) {
            if (fds[i].revents != 0 && read(fds[i].fd, buffer, DISCARD_BYTES) <= 0)
                fd_close(fd_steal(sources[i]));
        }
    }
}

int proc_child_end(ProcChild *self, int64_t grace_ms)
{
    if (self->pid <= 0)
        return 0;
    gint64 kill_at = time_monotonic_ms() + grace_ms;
    proc_signal_group(self->pid, SIGTERM);
    fd_close(fd_steal(&self->input_fd));
    fd_close(fd_steal(&self->extra_in));
    discard_output(self, kill_at);
    int exit_status = proc_reap_group(self->pid, self->pidfd, kill_at, NULL);
    fd_close(self->output_fd);
    fd_close(self->error_fd);
    fd_close(self->extra_out);
    fd_close(self->life_fd);
    fd_close(self->pidfd);
    *self = (ProcChild) { -1, -1, -1, -1, -1, -1, -1, -1 };
    return exit_status;
}

unsigned proc_child_count_members(const ProcChild *self)
{
    return self->pid > 1 ? count_members(self->pid, "") : 0;
}

bool proc_child_has_member(const ProcChild *self, const char *name)
{
    return self->pid > 1 && count_members(self->pid, name) > 0;
}

int proc_child_leave(ProcChild *self, unsigned *ret_members)
{
    siginfo_t info = { 0 };
    while (waitid(P_PID, (id_t)self->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    fd_close(fd_steal(&self->extra_in));
    fd_close(fd_steal(&self->extra_out));
    *ret_members = proc_child_count_members(self);
    if (info.si_pid == 0)
        return 255; // SIGCHLD is ignored and the kernel has reaped it
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}
