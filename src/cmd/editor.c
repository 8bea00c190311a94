/*
 * The person's editor (editor.h): in the foreground, with our terminal, as a shell would start it.
 */
#include "cmd/editor.h"

#include "base/env.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The editor may be words ("code --wait"): a shell splits them, the path is an argument. */
static bool start(const char *editor, const char *path, pid_t *ret_pid, GError **error)
{
    g_autofree char *script = g_strconcat(editor, " \"$1\"", NULL);
    const char *const argv[] = { "sh", "-c", script, "sh", path, NULL };
    g_auto(GStrv) env = env_for_child(NULL);
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int failure = posix_spawnp(ret_pid, "sh", NULL, &attributes, (char *const *)argv, env);
    posix_spawnattr_destroy(&attributes);
    return failure == 0 || fail_with_errno(error, failure, "cannot start the editor %s", editor);
}

bool cmd_edit_file(const char *path, GError **error)
{
    const char *visual = env_get_raw("VISUAL");
    const char *plain = env_get_raw("EDITOR");
    const char *editor = visual ? visual : plain ? plain : "vi";
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return fail_with(error, KEDGE_ERROR_FAILED, "no terminal for an editor; the file is %s",
                         path);
    // Ctrl+C is the editor's while it runs
    struct sigaction ignored = { .sa_handler = SIG_IGN };
    struct sigaction before;
    sigaction(SIGINT, &ignored, &before);
    pid_t pid = 0;
    int status = 0;
    bool is_started = start(editor, path, &pid, error);
    while (is_started && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    sigaction(SIGINT, &before, NULL);
    if (!is_started)
        return false;
    return status == 0 || fail_with(error, KEDGE_ERROR_FAILED, "the editor %s ended with status %d",
                                    editor, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}
