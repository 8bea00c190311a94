/* See slash.h. */
#include "tui/slash/slash_private.h"

#include <stdarg.h>

enum { NUMBER_DIGITS = 3 }; // of a list; longer ones may be names

void slash_say(SlashDoor *door, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    door->say(text, door->user_data);
}

void slash_say_name(SlashDoor *door)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    slash_say(door, "This session is called: %s", json_get_text(state, "sessionName"));
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

char *slash_usage_line(const SlashDoor *door, size_t index, const SessionCommand **ret_command)
{
    if (!slash_set_at(session_slash_set(door->session), index, ret_command, NULL))
        return NULL;
    const char *argument = (*ret_command)->argument;
    return g_strconcat("/", (*ret_command)->slash, argument ? " " : "", argument, NULL);
}

static SLASH(help)
{
    if (slash_show(door, SLASH_LIST_COMMANDS))
        return true;
    const SessionCommand *command = NULL;
    for (size_t i = 0;; i++) {
        g_autofree char *usage = slash_usage_line(door, i, &command);
        if (!usage)
            break;
        slash_say(door, "%s: %s", usage, command->summary);
    }
    slash_say(door, "!COMMAND runs a shell command and shows it to the model; !!COMMAND keeps it "
                    "from the model. $CODE and $$CODE do the same with Python.\n"
                    "While the model works, what you type steers it. Ctrl+C stops it; so do /new, "
                    "/resume, /branch, /compact and /handoff. "
                    "\\ at the end of a line goes on in the next.");
    return true;
}

#define ROW(slash_, argument_, summary_, function)                                                 \
    {                                                                                              \
        .slash = slash_, .argument = argument_, .summary = summary_, .typed = function             \
    }

static const SessionCommand commands[] = {
    ROW("help", NULL, "list these commands", slash_help),
    ROW("model", "[NAME]", "show the model in use and those there are, or take another",
        slash_model),
    ROW("thinking", "[LEVEL]", "how much the model thinks: off, minimal, low, medium, high, xhigh",
        slash_thinking),
    ROW("login", "[PROVIDER]", "show which providers have a key, or give one", slash_login),
    ROW("status", NULL, "show model, key, session and directory", slash_status),
    ROW("context", NULL, "show how full the model's context is", slash_context),
    ROW("usage", NULL, "show messages, tokens and cost of this session", slash_usage),
    ROW("tools", NULL, "list the tools that the model can use", slash_tools),
    ROW("todo", NULL, "show the model's todo list", slash_todo),
    ROW("output", NULL, "show the whole output of the last tool or command", slash_output),
    ROW("force", "TOOL [PROMPT]", "have the model call that tool next", slash_force),
    ROW("session", NULL, "show name, id and file of this session", slash_session),
    { .slash = "drop",
      .argument = "[yes]",
      .summary = "delete this session, and begin a new one",
      .is_removal = true,
      .typed = slash_drop },
    ROW("move", "DIRECTORY", "give this session to another directory, and begin a new one",
        slash_move),
    ROW("resume", "[NUMBER|ID]", "list earlier sessions of this directory, or go on with one",
        slash_resume),
    ROW("branch", "[NUMBER]", "list your messages, or go on from before one in a new session",
        slash_branch),
    ROW("tree", NULL, "show the session as a tree, and go on from another place in it", slash_tree),
    ROW("plan", "[PROMPT]", "plan mode on or off: the model only reads until you approve its plan",
        slash_plan),
    ROW("issues", "[NUMBER|STATE|SEARCH]", "list issues of this repository, or open one",
        slash_issues),
    ROW("prs", "[NUMBER|STATE|SEARCH]", "list pull requests of this repository, or open one",
        slash_prs),
    ROW("ci", "[watch|RUN]", "show the Actions runs of this commit, and why one failed", slash_ci),
    ROW("review", "[NUMBER|BASE]",
        "review a pull request, or what has changed since this branch began", slash_review),
    ROW("pr", "checkout NUMBER", "check a pull request out into a worktree next to this one",
        slash_pr),
    ROW("gh", "doctor|last-error",
        "check whether GitHub can be used here, or show the last call in full", slash_gh),
    ROW("btw", "QUESTION", "ask about the conversation without adding to it", slash_btw),
    ROW("loop", "[RUNS|TIME|off]", "send your next message again after each run", slash_loop),
    ROW("jobs", "[cancel JOB]", "list what runs in the background, or end one", slash_jobs),
    ROW("permissions", "[reset]",
        "show what you have allowed for the rest of this session, or take it back",
        slash_permissions),
    ROW("fast", "[on|off|status]", "show the provider's service tier, or change it", slash_fast),
    ROW("debug", NULL, "show versions, paths and sizes", slash_debug),
    ROW("export", "[FILE]", "write the session as one HTML file", slash_export),
    ROW("share", NULL, "write the session as a page, and show how to give it to others",
        slash_share),
    ROW("repair", NULL, "show what is corrected when this session is read or sent", slash_repair),
    ROW("changelog", "[full]", "show what is new", slash_changelog),
    ROW("copy", "[last|code|all|cmd]",
        "copy to the clipboard: the last answer, its last code, all its code, or what the last "
        "command gave",
        slash_copy),
    ROW("dump", NULL, "copy the conversation to the clipboard", slash_dump),
    ROW("settings", NULL, "change what kedge does by itself, and how it looks", slash_settings),
    ROW("theme", NULL, "change the colours", slash_theme),
    ROW("hotkeys", NULL, "show the keys of the keyboard", slash_hotkeys),
    ROW("exit", NULL, "leave; also /quit, and Ctrl+D", slash_quit),
    { 0 },
};

void slash_door_open(SlashDoor *door)
{
    slash_set_add(agent_session_slash_set(door->session), "the terminal", commands);
    session_slash_set(door->session); // whose come after them
}

bool slash_show(SlashDoor *door, SlashList list)
{
    return door->show && door->show(list, door->user_data);
}

bool slash_command(SlashDoor *door, const char *name, json_t *arguments_, const char *id,
                   GError **error)
{
    g_autoptr(json_t) arguments = arguments_;
    g_auto(CommandReply) reply = { 0 };
    return session_command_run(door->session, name, arguments, id, &reply, error);
}

bool slash_is_command(const SlashDoor *door, const char *line)
{
    const char *argument = NULL;
    return slash_set_find_typed(session_slash_set(door->session), line, &argument);
}

/* Of the conversation: its end comes as command_end, or there is nothing to wait for. */
static bool run_of_session(SlashDoor *door, const SessionCommand *command, const char *argument,
                           GError **error)
{
    g_autofree char *id = g_strconcat(SLASH_ID, command->slash, NULL);
    g_auto(CommandReply) reply = { 0 };
    if (!session_command_run_typed(door->session, command, argument, id, &reply, error))
        return false;
    if (!reply.is_pending && g_str_equal(command->slash, "rename")) // a run has it already
        slash_say_name(door);
    return true;
}

static bool run_line(SlashDoor *door, const char *line, GError **error)
{
    SlashSet *set = session_slash_set(door->session);
    g_autofree char *held = slash_set_hold(set, line, NULL);
    if (held)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s %s sends it as text.", held,
                         door->show ? "Enter again" : "The same line again");
    if (*line == '$')
        return slash_python(door, line, error);
    if (slash_is_go_on(line))
        line = "/retry";
    const char *typed = NULL;
    const SessionCommand *command = slash_set_find_typed(set, line, &typed);
    if (!command)
        return false;
    g_autofree char *argument = g_strchomp(g_strdup(typed));
    if (!command->typed)
        return run_of_session(door, command, argument, error);
    return session_command_check_typed(command, argument, error) &&
           command->typed(door, argument, error);
}

bool slash_run(SlashDoor *door, const char *line, GError **error)
{
    g_autoptr(GError) problem = NULL;
    bool is_done = run_line(door, line, &problem);
    if (!problem)
        return is_done;
    g_autofree char *said = slash_for_people(problem->message);
    g_set_error_literal(error, problem->domain, problem->code, said);
    return false;
}
