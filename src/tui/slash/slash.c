/* See slash.h. */
#include "tui/slash/slash_private.h"

#include "base/str.h"

#include <stdarg.h>

enum { NUMBER_DIGITS = 3 }; // of a list; longer ones may be names

typedef struct SlashCommand {
    const char *name;
    const char *argument; // "[NUMBER|ID]"; NULL: it takes none
    const char *help;     // one line
    bool (*run)(SlashDoor *door, const char *argument, GError **error); // "" for no argument
} SlashCommand;

static const SlashCommand *first_command(void);

void slash_say(SlashDoor *door, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    door->say(text, door->user_data);
}

void slash_list(SlashDoor *door, const char *command)
{
    json_decref(door->listed);
    door->listed = json_array();
    door->listed_by = command;
}

bool slash_listed(const SlashDoor *door, const char *command, const char *argument,
                  const char **ret_meant, GError **error)
{
    size_t digits = strspn(argument, "0123456789");
    *ret_meant = argument;
    if (digits == 0 || digits > NUMBER_DIGITS || argument[digits])
        return true;
    size_t number = (size_t)g_ascii_strtoull(argument, NULL, 10);
    bool is_its = g_strcmp0(door->listed_by, command) == 0 && number > 0;
    const char *meant = is_its ? json_string_value(json_array_get(door->listed, number - 1)) : NULL;
    if (!meant)
        return fail_with(error, KEDGE_ERROR_USAGE, "there is no %s in the list; /%s shows it",
                         argument, command);
    *ret_meant = meant;
    return true;
}

static SLASH(quit)
{
    door->quit(door->user_data);
    return true;
}

static void say_command(SlashDoor *door, const SlashCommand *command)
{
    slash_say(door, "/%s%s%s: %s", command->name, command->argument ? " " : "",
              command->argument ? command->argument : "", command->help);
}

static SLASH(help)
{
    if (slash_show(door, SLASH_LIST_COMMANDS))
        return true;
    for (const SlashCommand *command = first_command(); command->name; command++)
        say_command(door, command);
    slash_say(door, "!COMMAND runs a shell command and shows it to the model; !!COMMAND keeps it "
                    "from the model. $CODE and $$CODE do the same with Python.\n"
                    "While the model works, what you type steers it. Ctrl+C stops it; so do /new, "
                    "/resume, /branch, /compact and /handoff. "
                    "\\ at the end of a line goes on in the next.");
    return true;
}

static const SlashCommand commands[] = {
    { "help", NULL, "these commands", slash_help },
    { "model", "[NAME]", "the model in use, those there are, or another", slash_model },
    { "thinking", "[LEVEL]", "how much the model thinks: off, minimal, low, medium, high, xhigh",
      slash_thinking },
    { "login", "[PROVIDER]", "which providers have a key; give one", slash_login },
    { "status", NULL, "model, key, session and directory", slash_status },
    { "context", NULL, "how full the model's context is", slash_context },
    { "usage", NULL, "messages, tokens and cost of this session", slash_usage },
    { "tools", NULL, "what the model can use", slash_tools },
    { "todo", NULL, "the model's list", slash_todo },
    { "output", NULL, "all that the last tool or command gave", slash_output },
    { "retry", NULL, "ask for the last answer once more when it failed or was stopped; also . or c",
      slash_retry },
    { "force", "TOOL [PROMPT]", "have the model call that tool next", slash_force },
    { "session", NULL, "name, id and file of this session", slash_session },
    { "rename", "TITLE", "name this session", slash_rename },
    { "new", NULL, "begin a new session", slash_new },
    { "drop", NULL, "delete this session for good, and begin a new one", slash_drop },
    { "move", "DIRECTORY", "give this session to another directory, and begin a new one",
      slash_move },
    { "resume", "[NUMBER|ID]", "earlier sessions of this directory; go on with one", slash_resume },
    { "branch", "[NUMBER]", "your messages; go on from before one, in a new session",
      slash_branch },
    { "tree", NULL, "the session as a tree; go elsewhere in it", slash_tree },
    { "fork", NULL, "go on in a copy of this session", slash_fork },
    { "plan", "[PROMPT]", "plan mode on or off: the model only reads until you approve its plan",
      slash_plan },
    { "compact", "[FOCUS]", "put a summary in place of what is old", slash_compact },
    { "handoff", "[FOCUS]", "go on in a new session, with what a model wrote of this one",
      slash_handoff },
    { "issues", "[NUMBER|STATE|SEARCH]", "issues of this repository; open one", slash_issues },
    { "prs", "[NUMBER|STATE|SEARCH]", "pull requests of this repository; open one", slash_prs },
    { "ci", "[watch|RUN]", "the Actions runs of this commit, and why one failed", slash_ci },
    { "review", "[NUMBER|BASE]", "have the model review a pull request, or what has changed here",
      slash_review },
    { "pr", "checkout NUMBER", "a worktree of a pull request, beside this one", slash_pr },
    { "gh", "doctor|last-error", "whether GitHub can be used here; the last call in full",
      slash_gh },
    { "btw", "QUESTION", "ask about the conversation; neither it nor the answer becomes part of it",
      slash_btw },
    { "loop", "[RUNS|TIME|off]", "send your next message again after each run", slash_loop },
    { "jobs", "[cancel JOB]", "what runs in the background", slash_jobs },
    { "permissions", "[reset]", "what you have allowed for the rest of this session; take it back",
      slash_permissions },
    { "fast", "[on|off|status]", "the provider's service tier", slash_fast },
    { "debug", NULL, "versions, paths and sizes", slash_debug },
    { "export", "[FILE]", "write the session as one HTML file", slash_export },
    { "share", NULL, "the session as a page, and how to give it to others", slash_share },
    { "repair", NULL, "what of this session is put right when it is sent", slash_repair },
    { "changelog", "[full]", "what is new", slash_changelog },
    { "copy", "[last|code|all|cmd]",
      "to the clipboard: the last answer, its last code, all its code, "
      "or what the last command gave",
      slash_copy },
    { "dump", NULL, "the conversation to the clipboard", slash_dump },
    { "settings", NULL, "what kedge does by itself, and how it looks", slash_settings },
    { "theme", NULL, "the colours", slash_theme },
    { "hotkeys", NULL, "the keys of the keyboard", slash_hotkeys },
    { "exit", NULL, "leave; also /quit, and Ctrl+D", slash_quit },
    { 0 },
};

static const SlashCommand *first_command(void)
{
    return commands;
}

static const SlashCommand *find(const char *name)
{
    if (g_str_equal(name, "quit"))
        name = "exit";
    if (g_str_equal(name, "models"))
        name = "model";
    for (const SlashCommand *command = commands; command->name; command++) {
        if (g_str_equal(command->name, name))
            return command;
    }
    return NULL;
}

bool slash_info(size_t index, SlashInfo *ret_info)
{
    if (index >= G_N_ELEMENTS(commands) - 1)
        return false;
    *ret_info =
        (SlashInfo) { commands[index].name, commands[index].argument, commands[index].help };
    return true;
}

bool slash_show(SlashDoor *door, SlashList list)
{
    return door->show && door->show(list, door->user_data);
}

/* What stands behind the slash; caller frees. */
static char *name_of(const char *line)
{
    return g_strndup(line + 1, strcspn(line + 1, " \t\n"));
}

bool slash_is_command(const char *line)
{
    g_autofree char *name = *line == '/' ? name_of(line) : NULL;
    return name && find(name);
}

/* A slip of the fingers: it would cost a request, and the model would make something of it. */
static void check_name(const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(commands)] = { NULL };
    for (size_t i = 0; commands[i].name; i++)
        names[i] = commands[i].name;
    const char *meant = str_nearest(name, names);
    if (meant)
        fail_with(error, KEDGE_ERROR_USAGE, "there is no /%s: did you mean /%s?", name, meant);
}

bool slash_run(SlashDoor *door, const char *line, GError **error)
{
    if (*line == '$')
        return slash_python(door, line, error);
    if (slash_is_go_on(line))
        line = "/retry";
    if (*line != '/')
        return false;
    g_autofree char *name = name_of(line);
    g_autofree char *argument = g_strstrip(g_strdup(line + 1 + strlen(name)));
    const SlashCommand *command = find(name);
    if (!command) {
        check_name(name, error);
        return false;
    }
    if (*argument && !command->argument)
        return fail_with(error, KEDGE_ERROR_USAGE, "/%s takes no argument, not \"%s\"", name,
                         argument);
    return command->run(door, argument, error);
}
