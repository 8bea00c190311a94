/*
 * `kedge gh …`: any gh command, judged before it runs; and what to ask before and after (gh-policy
 * §0).
 */
#include "base/log.h"
#include "cmd/gh/gh_command.h"

static const Command *const subcommands[] = {
    &command_gh_exec,       &command_gh_call,  &command_gh_classify, &command_gh_doctor,
    &command_gh_last_error, &command_gh_audit, &command_gh_cache,    NULL,
};

/* No subcommand, or one that there is not. */
static int gh_run(const CommandEnv *env, int argc, char *const *argv)
{
    static const char *const names[] = { "exec",       "call",  "classify", "doctor",
                                         "last-error", "audit", "cache",    NULL };
    if (argc == 0) {
        log_text("usage: kedge gh exec|call|classify|doctor|last-error|audit|cache …; "
                 "`kedge gh --help` explains them");
        return EXIT_USAGE;
    }
    return cmd_unknown_subcommand("gh", argv[0], names);
}

const Command command_gh = {
    .name = "gh",
    .summary = "Run any gh command, judged before it runs: reads go through, writes ask",
    .usage = "SUBCOMMAND …",
    .subcommands = subcommands,
    .help =
        "Every gh command is one of:\n"
        "  read         changes nothing             runs at once\n"
        "  write        can be undone or repeated   asks, or takes --yes\n"
        "  destructive  deletes, overwrites history, publishes what was private: refused\n"
        "  blocked      opens a browser or an editor, shows or changes credentials, sends files,\n"
        "               writes to disk, never ends: refused\n"
        "  unknown      not in the table of commands: asks, or takes --yes-unknown\n"
        "\n"
        "  kedge gh exec -- pr list --state open       run it\n"
        "  kedge gh classify -- pr merge 5 --squash    only say what it is\n"
        "  kedge gh doctor                             why does nothing work?\n"
        "  kedge gh audit --since 1d --class write     what was done\n"
        "\n"
        "The rules are gh.policy and gh.hostPolicy in ~/.kedge/agent/config.yml; a project can "
        "only\n"
        "make them stricter. No command of this layer passes a shell.",
    .run = gh_run,
};
