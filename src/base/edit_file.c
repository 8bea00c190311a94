/*
 * The person's editor (edit_file.h): in the foreground, with our terminal, as a shell would start
 * it.
 */
#include "base/edit_file.h"

#include "base/env.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a process group of its own in the foreground, where we are in it ourselves. */
static void set_attributes(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions)
{
    bool is_ours = tcgetpgrp(STDIN_FILENO) == getpgrp();
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    sigset_t usual, none;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGTSTP);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setsigmask(attributes, &none);
    if (is_ours) {
        posix_spawnattr_setpgroup(attributes, 0);
        posix_spawn_file_actions_addtcsetpgrp_np(actions, STDIN_FILENO);
    }
    posix_spawnattr_setflags(attributes, is_ours ? flags | POSIX_SPAWN_SETPGROUP : flags);
}

/* The editor may be words ("code --wait"): a shell splits them, the path is an argument. */
static bool start(const char *editor, const char *path, pid_t *ret_pid, GError **error)
{
    g_autofree char *script = g_strconcat(editor, " \"$1\"", NULL);
    const char *const argv[] = { "sh", "-c", script, "sh", path, NULL };
    g_auto(GStrv) env = env_for_child(NULL);
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    set_attributes(&attributes, &actions);
    int failure = posix_spawnp(ret_pid, "sh", &actions, &attributes, (char *const *)argv, env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure == 0 || fail_with_errno(error, failure, "cannot start the editor %s", editor);
}

/* An editor that is stopped (Ctrl+Z) would be waited for for ever: it goes on at once. */
static int wait_for(pid_t pid, int *running)
{
    int status = 0;
    siginfo_t info;
    // not reaped before no one would send it a signal any more
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) == 0 || errno == EINTR) {
        if (running && info.si_code != CLD_STOPPED)
            g_atomic_int_set(running, 0);
        if (waitpid(pid, &status, WUNTRACED) < 0)
            continue;
        if (WIFSTOPPED(status))
            kill(-pid, SIGCONT);
        else if (WIFEXITED(status) || WIFSIGNALED(status))
            break;
    }
    return status;
}

/* A process in the background may not take the terminal, unless it does not hear of that. */
static void take_terminal_back(void)
{
    sigset_t output, before;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &output, &before);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool edit_file(const char *path, GError **error)
{
    return edit_file_running(path, NULL, error);
}

bool edit_file_running(const char *path, int *running, GError **error)
{
    const char *visual = env_get_raw("VISUAL");
    const char *plain = env_get_raw("EDITOR");
    const char *editor = visual ? visual : plain ? plain : "vi";
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return fail_with(error, KEDGE_ERROR_FAILED, "no terminal for an editor; the file is %s",
                         path);
    bool is_ours = tcgetpgrp(STDIN_FILENO) == getpgrp();
    pid_t pid = 0;
    if (!start(editor, path, &pid, error))
        return false;
    if (running && is_ours)
        g_atomic_int_set(running, pid);
    int status = wait_for(pid, running);
    if (is_ours)
        take_terminal_back();
    return status == 0 || fail_with(error, KEDGE_ERROR_FAILED, "the editor %s ended with status %d",
                                    editor, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}
