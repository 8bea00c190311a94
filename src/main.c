/*
 * The program: finds the command that the arguments name, runs it, and ends with its exit code.
 */
#include "base/log.h"
#include "base/secrets.h"
#include "cmd/gh/gh_client.h"
#include "tables.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A file opened while 0, 1 or 2 is closed would get that number, and our output with it. */
static void open_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", O_RDONLY); // takes the lowest number; writing to it stays an error
}

/* libcurl brings GnuTLS along, for protocols that we do not use: it need not prepare itself when it
   is loaded (what its GNUTLS_SKIP_GLOBAL_INIT makes). Who does use it prepares it. */
int _gnutls_global_init_skip(void);
int _gnutls_global_init_skip(void)
{
    return 1;
}

int main(int argc, char **argv)
{
    if (gh_client_is_meant()) // all that comes is gh's: signals, environment, words
        return gh_client_main(argc, argv);
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error, reported where it happens
    signal(SIGCHLD, SIG_DFL); // an inherited SIG_IGN would eat exit statuses
    signal(SIGXFSZ, SIG_IGN); // a file at its size limit is a write error as well
    open_standard_descriptors();
    if (!secrets_close_process())
        log_warning(
            "KEDGE_ALLOW_DEBUG is set: other processes of yours can read the memory of this "
            "one, keys included");
    secrets_take_environment();
    secrets_take_arguments(argc, argv);
    g_autoptr(ToolSet) tools = tool_set_new(tool_table);
    const CommandEnv env = { .commands = command_table,
                             .tools = tools,
                             .tables = &context_tables,
                             .releases = KEDGE_RELEASES,
                             .run_shell = shell_for_users,
                             .run_python = python_for_users,
                             .console = console_for_users };
    return cmd_main(&env, argc, argv);
}
