/*
 * From argv to a Command (cmd.h), and what commands share for printing.
 */
#include "cmd/cli/cmd.h"

#include "base/dirs.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "cmd/cli/direct.h"
#include "model/model_secrets.h"

#include <poll.h>

int cmd_exit_code(KedgeError code)
{
    switch (code) {
    case KEDGE_ERROR_USAGE:
        return EXIT_USAGE;
    case KEDGE_ERROR_CANCELLED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_FAILED;
    }
}

int cmd_fail(const GError *error)
{
    log_error("%s", error->message);
    return error->domain == KEDGE_ERROR ? cmd_exit_code((KedgeError)error->code) : EXIT_FAILED;
}

int cmd_unknown_subcommand(const char *name, const char *word, const char *const *names)
{
    const char *nearest = str_nearest(word, names);
    log_error("unknown subcommand \"%s\"%s%s%s; `kedge %s --help` lists them", word,
              nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "",
              name);
    return EXIT_USAGE;
}

void cmd_print_warnings(const GPtrArray *warnings)
{
    for (unsigned i = 0; i < warnings->len; i++)
        log_warning("%s", (char *)warnings->pdata[i]);
}

bool cmd_is_reader_gone(void)
{
    struct pollfd output = { .fd = STDOUT_FILENO };
    return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

bool cmd_print(const char *text)
{
    return cmd_print_bytes(text, strlen(text));
}

bool cmd_print_bytes(const char *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *shown = NULL;
    if (isatty(STDOUT_FILENO)) { // a file or a program gets the bytes
        g_autofree char *text = utf8_from_bytes(data, size);
        data = shown = visible_on_terminal(text);
        size = strlen(shown);
    }
    if (fd_write_all(STDOUT_FILENO, data, size, "standard output", &error))
        return true;
    if (!cmd_is_reader_gone()) // `| head` has what it wanted; a full disk is worth a word
        cmd_fail(error);
    return false;
}

bool cmd_print_line(const char *text)
{
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    return cmd_print(line);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0;
}

/* `--help` anywhere before `--` shows the command's help. */
static bool wants_help(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

static const Command *find_subcommand(const Command *command, const char *word)
{
    size_t parent_size = strlen(command->name) + 1;
    for (const Command *const *each = command->subcommands; each && *each; each++)
        if (strcmp((*each)->name + parent_size, word) == 0)
            return *each;
    return NULL;
}

static int run_command(const CommandEnv *env, const Command *command, int argc, char *const *argv)
{
    const Command *inner = argc > 0 ? find_subcommand(command, argv[0]) : NULL;
    if (inner)
        return run_command(env, inner, argc - 1, argv + 1);
    if (wants_help(argc, argv)) {
        g_autofree char *help = command->make_help   ? command->make_help(env, argc, argv)
                                : command->is_hidden ? cmd_root_help_text(env)
                                                     : cmd_help_text(command);
        return cmd_print(help) ? EXIT_OK : EXIT_FAILED;
    }
    return command->run(env, argc, argv);
}

/* A word that is nearly a command costs no request unasked. Where no one can be asked one word is
   an error, and several are a prompt. False: the program ends, with *ret_code. */
static bool ask_what_was_meant(const Command *command, const char *word, bool is_alone,
                               bool *ret_is_prompt, int *ret_code)
{
    *ret_code = EXIT_USAGE;
    if (!ask_has_person()) {
        if (is_alone)
            log_error("there is no command \"%s\"; did you mean `kedge %s`? (`kedge -p %s` sends "
                      "it to the model)",
                      word, command->name, word);
        return !is_alone;
    }
    g_autofree char *title = g_strdup_printf("There is no command \"%s\".", word);
    g_autofree char *run = g_strconcat("Run kedge ", command->name, NULL);
    const char *const options[] = { run, "Send it to the model, as a prompt", "Stop", NULL };
    const ToolChoice choice = { .title = title, .options = options };
    g_autofree char *text = NULL;
    ChoiceEnd end = CHOICE_CANCELLED;
    if (!choose_on_terminal(&choice, NULL, &end, &text, NULL, NULL) || end != CHOICE_MADE)
        return false;
    *ret_is_prompt = strcmp(text, options[1]) == 0;
    return *ret_is_prompt || strcmp(text, run) == 0;
}

static int run_program(const CommandEnv *env, int argc, char *const *argv)
{
    const char *first = argc > 1 ? argv[1] : NULL;
    if (first && (is_help(first) || strcmp(first, "help") == 0)) {
        const Command *command = argc > 2 ? cmd_find(env, argv[2]) : NULL;
        const Command *inner = command && argc > 3 ? find_subcommand(command, argv[3]) : NULL;
        bool is_own = command && command->make_help;
        command = inner ? inner : command;
        g_autofree char *help = is_own    ? command->make_help(env, argc - 3, argv + 3)
                                : command ? cmd_help_text(command)
                                          : cmd_root_help_text(env);
        return cmd_print(help) ? EXIT_OK : EXIT_FAILED;
    }
    if (first && (is_version(first) || (argc == 2 && strcmp(first, "version") == 0)))
        return cmd_print("kedge/" KEDGE_VERSION "\n") ? EXIT_OK : EXIT_FAILED;

    const Command *launch = cmd_find(env, "launch");
    if (argc == 3 && strcmp(first, launch->name) == 0 && is_version(argv[2]))
        return cmd_print(KEDGE_VERSION "\n") ? EXIT_OK : EXIT_FAILED;

    cmd_load_dotenv();
    g_autofree char *agent_dir = dirs_agent();
    model_secrets_take(agent_dir);
    if (!first || first[0] == '-' || first[0] == '@')
        return run_command(env, launch, argc - 1, argv + 1);
    const Command *command = cmd_find(env, first);
    bool is_prompt = !command;
    if (!command && (command = cmd_find_meant(env, first))) {
        int code = EXIT_OK;
        if (!ask_what_was_meant(command, first, argc == 2, &is_prompt, &code))
            return code;
    }
    if (command && !is_prompt)
        return run_command(env, command, argc - 2, argv + 2);
    return run_command(env, launch, argc - 1, argv + 1);
}

/* An extension of gh is started under its own name: gh-wm is `kedge wm`, gh-kedge is `kedge`. */
int cmd_main(const CommandEnv *env, int argc, char *const *argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    CommandEnv own = *env;
    own.program = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    if (strcmp(own.program, "gh-wm") != 0 || (argc > 1 && is_version(argv[1])))
        return run_program(&own, argc, argv);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, argv[0]);
    g_ptr_array_add(words, (char *)"wm");
    for (int i = 1; i < argc; i++)
        g_ptr_array_add(words, argv[i]);
    g_ptr_array_add(words, NULL);
    return run_program(&own, argc + 1, (char *const *)words->pdata);
}
