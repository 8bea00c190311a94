/*
 * `kedge wm`: tasks of a repository, run by events of GitHub (task-engine §3). The list of its
 * commands; how they read their flags and say what went wrong is in wm_options.c.
 */
#include "cmd/wm/wm.h"

#include "base/log.h"
#include "base/str.h"
#include "cmd/wm/wm_pin.h"

#include <string.h>

static int version_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_auto(WmPin) build = { 0 };
    wm_pin_of_build(&build);
    g_autofree char *commit =
        build.commit ? g_strdup_printf("commit: %s\n", build.commit) : g_strdup("");
    g_autofree char *text = g_strconcat("kedge/" KEDGE_VERSION "\n", commit, NULL);
    return cmd_print(text) ? EXIT_OK : EXIT_FAILED;
}

static const Command command_version = {
    .name = "wm version",
    .summary = "Print the version",
    .usage = "",
    .run = version_run,
};

// one a line, so that two new ones do not meet
// clang-format off
static const Command *const subcommands[] = {
    &command_wm_init,
    &command_wm_compile,
    &command_wm_validate,
    &command_wm_list,
    &command_wm_upgrade,
    &command_wm_add,
    &command_wm_update,
    &command_wm_assign,
    &command_wm_resolve,
    &command_wm_run,
    &command_wm_process_outputs,
    &command_wm_emit,
    &command_wm_rehearse,
    &command_wm_enqueue,
    &command_wm_worker,
    &command_wm_status,
    &command_wm_logs,
    &command_version,
    NULL,
};
// clang-format on

static int wm_run_list(const CommandEnv *env, int argc, char *const *argv)
{
    if (argc == 0) {
        g_autofree char *help = cmd_help_text(&command_wm);
        return cmd_print(help) ? EXIT_OK : EXIT_FAILED;
    }
    const char *names[G_N_ELEMENTS(subcommands)] = { NULL };
    for (size_t i = 0; subcommands[i]; i++)
        names[i] = subcommands[i]->name + strlen("wm ");
    g_autofree char *hint = str_did_you_mean(argv[0], names);
    log_text("error: unknown command \"%s\" for \"kedge wm\"%s", argv[0], hint);
    log_text("Run 'kedge wm --help' for usage.");
    return EXIT_USAGE;
}

const Command command_wm = {
    .name = "wm",
    .summary = "Tasks of a repository, run by events of GitHub",
    .usage = "COMMAND …",
    .subcommands = subcommands,
    .help = "A task is a Markdown file .wm/tasks/NAME.md: its frontmatter says which events start "
            "it and "
            "what\nit may ask to be written, its body is the prompt.",
    .run = wm_run_list,
};
