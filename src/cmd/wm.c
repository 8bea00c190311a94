/*
 * `kedge wm`: tasks of a repository, run by events of GitHub (task-engine §3). The list of its
 * commands, and how all of them read their flags and say what went wrong.
 */
#include "cmd/wm.h"

#include "base/log.h"

int wm_fail(const char *command, const GError *error)
{
    int code = cmd_exit_code(error->code);
    log_text("error: %s", error->message);
    if (error->domain == KEDGE_ERROR && error_is(error, KEDGE_ERROR_USAGE))
        log_text("Run 'kedge %s --help' for usage.", command);
    return error->domain == KEDGE_ERROR ? code : EXIT_FAILED;
}

bool wm_decode(const Command *command, int argc, char *const *argv, void *options,
               json_t **ret_kept, GPtrArray *words, size_t min_words, size_t max_words,
               GError **error)
{
    g_autoptr(GPtrArray) taken = g_ptr_array_new();
    if (!cmd_decode_options(command->options, argc, argv, options, ret_kept, taken, error))
        return false;
    if (taken->len < min_words || taken->len > max_words)
        return fail_with(error, KEDGE_ERROR_USAGE, "accepts %zu arg(s), received %u",
                         taken->len < min_words ? min_words : max_words, taken->len);
    for (unsigned i = 0; words && i < taken->len; i++)
        g_ptr_array_add(words, g_ptr_array_index(taken, i));
    return true;
}

static int version_run(const CommandEnv *env, int argc, char *const *argv)
{
    return cmd_print("kedge/" KEDGE_VERSION "\n") ? EXIT_OK : EXIT_FAILED;
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
    log_text("error: unknown command \"%s\" for \"kedge wm\"", argv[0]);
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
