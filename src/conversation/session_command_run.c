/*
 * How the commands of a conversation are found, their arguments read, and carried out
 * (session_commands.h).
 */
#include "conversation/session_commands.h"
#include "conversation/slash_set.h"
#include "conversation/slash_words.h"

SlashSet *session_slash_set(AgentSession *session)
{
    SlashSet *set = agent_session_slash_set(session);
    if (!slash_set_has_source(set, SESSION_SLASH_SOURCE))
        slash_set_add(set, SESSION_SLASH_SOURCE, session_commands());
    return set;
}

/* A command that came while the program runs, for programs; NULL: none. */
static const SessionCommand *find_added(AgentSession *session, const char *name)
{
    const SessionCommand *command = NULL;
    for (size_t i = 0; slash_set_at(agent_session_slash_set(session), i, &command, NULL); i++) {
        if (command->run && g_strcmp0(command->name, name) == 0)
            return command;
    }
    return NULL;
}

const SessionCommand *session_command_find(AgentSession *session, const char *name)
{
    for (const SessionCommand *command = session_commands(); command->name; command++) {
        if (g_strcmp0(command->name, name) == 0)
            return command;
    }
    return find_added(session, name);
}

static void append_problem(GString *text, const FieldProblem *problem)
{
    if (problem->claim)
        g_string_append_printf(text, "\"%s\" %s", problem->path, problem->claim);
    else
        g_string_append(text, problem->text);
}

bool session_command_decode(const char *name, const FieldDef *fields, const json_t *arguments,
                            void *args, json_t **ret_kept, GError **error)
{
    g_autoptr(GPtrArray) problems = field_problems_new();
    g_autoptr(GPtrArray) unknown = field_problems_new();
    if (field_check(fields, arguments, args, ret_kept, problems, unknown))
        return true;
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < problems->len; i++) {
        g_string_append(text, i > 0 ? "; " : "");
        append_problem(text, problems->pdata[i]);
    }
    return fail_with(error, KEDGE_ERROR_USAGE, "%s: %s", name, text->str);
}

static bool run_command(AgentSession *session, const SessionCommand *command,
                        const json_t *arguments, const char *id, CommandReply *ret_reply,
                        GError **error)
{
    g_autofree void *args = g_malloc0(command->args_size);
    g_autoptr(json_t) kept = NULL;
    if (!session_command_decode(command->name, command->fields, arguments, args, &kept, error))
        return false;
    g_auto(CommandReply) reply = { 0 };
    if (!command->run(session, args, id, &reply, error))
        return false;
    *ret_reply = reply;
    reply = (CommandReply) { 0 };
    return true;
}

static bool has_no_command(const SessionCommand *command G_GNUC_UNUSED)
{
    return false;
}

/* Of a program: a text that is a command's name, or a word that means one, and nothing else. */
static bool is_no_word(AgentSession *session, const char *text, GError **error)
{
    SlashSet *set = session_slash_set(session);
    const SlashWord *word = *text == '/' ? slash_word_find(text + 1) : NULL;
    const SessionCommand *command = *text == '/' ? slash_set_find(set, text + 1) : NULL;
    g_autofree char *held = word || command ? slash_set_hold(set, text, has_no_command) : NULL;
    if (!held)
        return true;
    if (command && command->name)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%s: the command %s does that. The same message again goes to the model.",
                         text, command->name);
    return fail_with(error, KEDGE_ERROR_USAGE, "%s The same message again goes to the model.",
                     held);
}

bool session_command_run(AgentSession *session, const char *name, const json_t *arguments,
                         const char *id, CommandReply *ret_reply, GError **error)
{
    const SessionCommand *command = session_command_find(session, name);
    if (!command)
        return fail_with(error, KEDGE_ERROR_USAGE, "Unknown command: %s", name);
    const char *text = command->holds_words ? json_get_text(arguments, "message") : NULL;
    if (text && !is_no_word(session, text, error))
        return false;
    return run_command(session, command, arguments, id, ret_reply, error);
}

bool session_command_check_typed(const SessionCommand *command, const char *argument,
                                 GError **error)
{
    return *argument == '\0' || command->argument ||
           fail_with(error, KEDGE_ERROR_USAGE, "/%s takes no argument, not \"%s\"", command->slash,
                     argument);
}

bool session_command_run_typed(AgentSession *session, const SessionCommand *command,
                               const char *argument, const char *id, CommandReply *ret_reply,
                               GError **error)
{
    g_autoptr(json_t) arguments = json_object();
    const FieldDef *field = command->field ? field_find(command->fields, command->field) : NULL;
    if (!session_command_check_typed(command, argument, error))
        return false;
    if (command->busy_problem && !agent_session_is_idle(session))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", command->busy_problem);
    if (field && (*argument || field->is_required))
        json_set_text(arguments, field->name, argument);
    return run_command(session, command, arguments, id, ret_reply, error);
}
