/*
 * See gh_client.h. No door, no gh: a conversation that has ended can allow nothing, and the gh
 * after it on PATH would be one that no one judges.
 */
#include "cmd/gh/gh_client.h"

#include "base/git.h"
#include "base/log.h"
#include "base/path.h"
#include "cmd/cli/cmd.h"
#include "github/door/gh_door_link.h"
#include "github/safe/gh_exit.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

/* The path that the kernel was given. Borrowed. */
static const char *started_as(void)
{
    const char *path = (const char *)getauxval(AT_EXECFN);
    return path ? path : "";
}

bool gh_client_is_meant(void)
{
    return strcmp(started_as(), "gh") == 0 || g_str_has_suffix(started_as(), "/gh");
}

static int client_refuse(const char *reason)
{
    log_text("gh: refused: %s", reason);
    return GH_EXIT_REFUSED;
}

static bool client_connect(GhDoorLink *link)
{
    g_autofree char *dir = g_path_get_dirname(started_as());
    struct sockaddr_un address;
    link->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return link->fd >= 0 && gh_door_link_address(dir, GH_DOOR_SOCKET, &address) &&
           connect(link->fd, (struct sockaddr *)&address, sizeof address) == 0;
}

static json_t *request_of(int argc, char **argv)
{
    json_t *args = json_array();
    for (int i = 1; i < argc; i++)
        json_append_take(args, json_text(argv[i]));
    if (argc == 1) // gh alone shows its help
        json_append_take(args, json_text("--help"));
    g_autofree char *cwd = g_get_current_dir();
    return json_make("args:%p cwd:%s repo:%s host:%s own:%s", args, cwd, getenv("GH_REPO"),
                     getenv("GH_HOST"), getenv(GH_DOOR_OWN));
}

/* Does this folder of PATH have a gh that may be the next one? Not the one that only refuses. */
static bool has_gh(const char *dir)
{
    g_autofree char *name = g_path_get_basename(dir);
    g_autofree char *file = g_build_filename(dir, "gh", NULL);
    return g_path_is_absolute(dir) && strcmp(name, GH_DOOR_REST) != 0 && access(file, X_OK) == 0 &&
           g_file_test(file, G_FILE_TEST_IS_REGULAR);
}

/* The first gh of PATH after this one, which may be the door of another conversation that this one
   runs in; NULL: there is none. Caller frees. */
static char *next_gh(void)
{
    g_autofree char *started_in = g_path_get_dirname(started_as());
    g_autofree char *own = path_real(started_in);
    const char *path = getenv("PATH");
    g_auto(GStrv) dirs = g_strsplit(path ? path : "", ":", -1);
    char **first = dirs;
    for (char **dir = dirs; *dir; dir++) {
        g_autofree char *real = path_real(*dir);
        first = real && g_strcmp0(real, own) == 0 ? dir + 1 : first;
    }
    for (char **dir = first; *dir; dir++)
        if (has_gh(*dir))
            return g_build_filename(*dir, "gh", NULL);
    return NULL;
}

static void set_variable(const char *name, const char *value)
{
    if (value)
        g_setenv(name, value, true);
    else
        g_unsetenv(name);
}

/* What ends this process ends gh, which has what it needs to end well. Returns its status as
   waitpid() has it. */
static int wait_for_gh(pid_t pid, const sigset_t *signals)
{
    for (;;) {
        siginfo_t info;
        int status = 0;
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD)
            kill(pid, info.si_signo);
    }
}

static int report_end(GhDoorLink *link, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    g_autoptr(json_t) report = json_object();
    json_set_int(report, "status", code);
    json_set_int(report, "signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    gh_door_link_send(link, report, NULL, -1);
    if (WIFSIGNALED(status)) { // the shell is to see what happened
        signal(WTERMSIG(status), SIG_DFL);
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(WTERMSIG(status));
    }
    return code;
}

/* As it was allowed. */
static int run_allowed(GhDoorLink *link, const json_t *order)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_ptr_array_add(argv, (char *)json_get_text(order, "path"));
    json_each (json_object_get(order, "args"), i, arg) {
        g_ptr_array_add(argv, (char *)json_string_value(arg));
    }
    g_ptr_array_add(argv, NULL);
    for (size_t i = 0; git_misleading[i]; i++) // what was judged is the directory's repository
        g_unsetenv(git_misleading[i]);
    set_variable("GH_HOST", json_get_text(order, "host"));
    set_variable("GH_REPO", json_get_text(order, "repo"));
    set_variable("GH_PROMPT_DISABLED", "1"); // a question of gh's own would be another write

    static const int passed_on[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
    sigset_t signals, before;
    signal(SIGCHLD, SIG_DFL); // an inherited SIG_IGN would eat the exit status
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (size_t i = 0; i < G_N_ELEMENTS(passed_on); i++)
        sigaddset(&signals, passed_on[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &before);
    pid_t pid = 0;
    int failed =
        posix_spawn(&pid, argv->pdata[0], NULL, &attributes, (char **)argv->pdata, environ);
    posix_spawnattr_destroy(&attributes);
    if (failed == 0)
        return report_end(link, wait_for_gh(pid, &signals));
    log_text("gh: cannot start %s: %s", (char *)argv->pdata[0], g_strerror(failed));
    return report_end(link, GH_EXIT_MISSING << 8);
}

/* What is not the model's: a person's own command, git that asks for a login, `gh wm`. */
static int run_own(char **argv)
{
    g_autofree char *next = next_gh();
    if (!next) {
        log_text("gh: command not found");
        return GH_EXIT_MISSING;
    }
    execv(next, argv);
    log_text("gh: cannot start %s: %s", next, g_strerror(errno));
    return GH_EXIT_MISSING;
}

int gh_client_main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!g_utf8_validate(argv[i], -1, NULL))
            return client_refuse("every argument must be valid UTF-8");
    g_autoptr(GString) rest = g_string_new(NULL);
    GhDoorLink link = { .fd = -1, .rest = rest }; // open to the end of the process
    g_autoptr(json_t) answer = NULL;
    g_autoptr(json_t) request = request_of(argc, argv);
    // the answer comes when somebody has given it, which takes as long as it takes
    if (!client_connect(&link) || !gh_door_link_send(&link, request, NULL, -1) ||
        !gh_door_link_read(&link, NULL, -1, &answer, NULL) || !answer)
        return client_refuse("the conversation that this command belongs to has ended, or cannot "
                             "be reached from here; nothing was run");
    const char *text = json_get_text(answer, "text");
    if (text) {
        log_text("%s", text);
        return (int)json_get_int(answer, "status", GH_EXIT_REFUSED);
    }
    if (json_get_bool(answer, "own", false))
        return run_own(argv);
    return json_get_text(answer, "path") ? run_allowed(&link, answer) : client_refuse("no answer");
}
