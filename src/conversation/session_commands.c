/* See session_commands.h. */
#include "conversation/session_commands.h"

#include "conversation/slash_set.h"
#include "model/message.h"

typedef struct CommandArgs { // of all commands: each has some of them
    const char *message, *behavior, *provider, *model_id, *level, *mode, *path, *entry_id;
    const char *question_id, *digest, *target_id, *instructions, *name, *label;
    const json_t *images, *names, *phases;
    const char *command;
    bool is_approved, is_for_session, wants_summary, has_wants_summary, is_enabled, is_excluded;
} CommandArgs;

static const char *const behaviors[] = { "steer", "followUp", NULL };
static const char *const levels[] = { "off", "minimal", "low", "medium", "high", "xhigh", NULL };
static const char *const modes[] = { "all", "one-at-a-time", NULL };
static const char *const interrupt_modes[] = { "immediate", "wait", NULL };

#define AT(member) offsetof(CommandArgs, member)

static const FieldDef image_fields[] = {
    { "type", FIELD_STRING, .help = "image" },
    { "data", FIELD_STRING, .is_required = true, .help = "Base64" },
    { "mimeType", FIELD_STRING, .is_required = true, .help = "image/png and the like" },
    { 0 },
};

#define MESSAGE_FIELDS                                                                             \
    { "message", FIELD_STRING, AT(message), .is_required = true, .help = "Text of the person" },   \
    {                                                                                              \
        "images", FIELD_OBJECT_LIST, AT(images), .item_fields = image_fields,                      \
                                                 .help = "Images that belong to it"                \
    }

static const FieldDef prompt_fields[] = {
    MESSAGE_FIELDS,
    { "streamingBehavior", FIELD_ENUM, AT(behavior), .values = behaviors,
      .help = "What to do with it while a run is on" },
    { 0 },
};
static const FieldDef message_fields[] = { MESSAGE_FIELDS, { 0 } };
static const FieldDef no_fields[] = { { 0 } };
static const FieldDef model_fields[] = {
    { "provider", FIELD_STRING, AT(provider), .is_required = true, .help = "Provider" },
    { "modelId", FIELD_STRING, AT(model_id), .is_required = true, .help = "The provider's id" },
    { 0 },
};
static const FieldDef level_fields[] = {
    { "level", FIELD_ENUM, AT(level), .values = levels, .is_required = true, .help = "Level" },
    { 0 },
};
static const FieldDef tools_fields[] = {
    { "names", FIELD_STRING_LIST, AT(names), .is_required = true, .help = "Tools to offer" },
    { 0 },
};
static const FieldDef mode_fields[] = {
    { "mode", FIELD_ENUM, AT(mode), .values = modes, .is_required = true,
      .help = "How many messages one turn takes" },
    { 0 },
};
static const FieldDef interrupt_fields[] = {
    { "mode", FIELD_ENUM, AT(mode), .values = interrupt_modes, .is_required = true,
      .help = "Whether steering stops the tools that run" },
    { 0 },
};
static const FieldDef switch_on_fields[] = {
    { "enabled", FIELD_BOOLEAN, AT(is_enabled), .is_required = true, .help = "On or off" },
    { 0 },
};
static const FieldDef plan_fields[] = {
    { "enabled", FIELD_BOOLEAN, AT(is_enabled), .is_required = true, .help = "On, or paused" },
    { "prompt", FIELD_STRING, AT(message), .help = "What to plan: is sent at once" },
    { 0 },
};
static const FieldDef bash_fields[] = {
    { "command", FIELD_STRING, AT(command), .is_required = true, .help = "Shell command" },
    { "excludeFromContext", FIELD_BOOLEAN, AT(is_excluded),
      .help = "The model does not hear of it" },
    { 0 },
};
static const FieldDef new_fields[] = {
    { "parentSession", FIELD_STRING, AT(path), .help = "What its header names as its parent" },
    { 0 },
};
static const FieldDef switch_fields[] = {
    { "sessionPath", FIELD_STRING, AT(path), .is_required = true, .help = "Session file" },
    { 0 },
};
static const FieldDef branch_fields[] = {
    { "entryId", FIELD_STRING, AT(entry_id), .is_required = true, .help = "A user message" },
    { 0 },
};
static const FieldDef fork_fields[] = {
    { "entryId", FIELD_STRING, AT(entry_id), .help = "A user message: as branch" },
    { 0 },
};
static const FieldDef navigate_fields[] = {
    { "targetId", FIELD_STRING, AT(target_id), .is_required = true, .help = "An entry" },
    { "summarize", FIELD_BOOLEAN, AT(wants_summary), .has_offset = AT(has_wants_summary),
      .help = "Summarise the branch that is left; default: branchSummary.enabled" },
    { "customInstructions", FIELD_STRING, AT(instructions), .help = "What the summary is for" },
    { 0 },
};
static const FieldDef compact_fields[] = {
    { "customInstructions", FIELD_STRING, AT(instructions), .help = "What the summary is for" },
    { 0 },
};
static const FieldDef handoff_fields[] = {
    { "customInstructions", FIELD_STRING, AT(instructions), .help = "What the document is for" },
    { 0 },
};
static const FieldDef enabled_fields[] = {
    { "enabled", FIELD_BOOLEAN, AT(is_enabled), .is_required = true, .help = "Yes or no" },
    { 0 },
};
static const FieldDef todo_fields[] = {
    { "phases", FIELD_JSON, AT(phases), .is_required = true, .help = "[{name, tasks}]" },
    { 0 },
};
static const FieldDef name_fields[] = {
    { "name", FIELD_STRING, AT(name), .is_required = true, .help = "What people see" },
    { 0 },
};
static const FieldDef label_fields[] = {
    { "targetId", FIELD_STRING, AT(target_id), .is_required = true, .help = "An entry" },
    { "label", FIELD_STRING, AT(label), .help = "Left out: it has none any more" },
    { 0 },
};
static const FieldDef answer_fields[] = {
    { "questionId", FIELD_STRING, AT(question_id), .is_required = true,
      .help = "The question's id" },
    { "approved", FIELD_BOOLEAN, AT(is_approved), .is_required = true, .help = "Yes or no" },
    { "forSession", FIELD_BOOLEAN, AT(is_for_session),
      .help = "With yes: also what the question's `allowance` says, until the session ends" },
    { "digest", FIELD_STRING, AT(digest),
      .help = "That of the question, as it was shown: the answer is for that call alone" },
    { 0 },
};

void command_reply_clear(CommandReply *self)
{
    g_clear_pointer(&self->data, json_decref);
}

/* New reference. */
static json_t *message_of(const CommandArgs *args)
{
    if (json_array_size(args->images) == 0)
        return message_user(args->message);
    json_t *content = json_array();
    json_append_take(content, message_text_block(args->message));
    json_each (args->images, i, image)
        json_append_take(content, message_image_block(json_get_text(image, "data"),
                                                      json_get_text(image, "mimeType")));
    return message_user_blocks(content);
}

#define COMMAND(name)                                                                              \
    static bool run_##name(AgentSession *session, const void *args_ G_GNUC_UNUSED,                 \
                           const char *id G_GNUC_UNUSED, CommandReply *reply G_GNUC_UNUSED,        \
                           GError **error G_GNUC_UNUSED)

/* Takes the value. */
static bool reply_with(CommandReply *reply, const char *key, json_t *value)
{
    reply->data = json_object();
    json_set_take(reply->data, key, value);
    return true;
}

COMMAND(prompt)
{
    const CommandArgs *args = args_;
    g_autoptr(json_t) message = message_of(args);
    if (!agent_session_prompt(session, message, args->behavior, id, &reply->is_pending, error))
        return false;
    reply->is_taken = true;
    return true;
}

COMMAND(steer)
{
    g_autoptr(json_t) message = message_of(args_);
    return agent_session_steer(session, message, error);
}

COMMAND(follow_up)
{
    g_autoptr(json_t) message = message_of(args_);
    return agent_session_follow_up(session, message, error);
}

COMMAND(continue)
{
    reply->is_pending = reply->is_taken = agent_session_continue(session, id, error);
    return reply->is_pending;
}

COMMAND(abort)
{
    agent_session_abort(session, id, &reply->is_pending);
    return true;
}

COMMAND(abort_and_prompt)
{
    g_autoptr(json_t) message = message_of(args_);
    bool is_aborting = false;
    if (!agent_session_abort_and_prompt(session, message, id, &is_aborting, error))
        return false;
    reply->is_pending = true;
    reply->is_taken = !is_aborting;
    return true;
}

/* New reference. */
static json_t *current_model(AgentSession *session)
{
    g_autoptr(json_t) state = agent_session_state(session);
    return json_incref(json_get_object(state, "model"));
}

COMMAND(set_model)
{
    const CommandArgs *args = args_;
    if (!agent_session_set_model(session, args->provider, args->model_id, error))
        return false;
    reply->data = current_model(session);
    return true;
}

COMMAND(cycle_model)
{
    const char *role = NULL;
    if (!agent_session_cycle_model(session, false, &role)) {
        reply->data = json_null();
        return true;
    }
    reply->data = json_object();
    json_add(reply->data, "model:%p thinkingLevel:%s isScoped:%i role:%s", current_model(session),
             thinking_level_name(agent_session_thinking(session)), agent_session_is_scoped(session),
             role);
    return true;
}

COMMAND(cycle_thinking_level)
{
    reply->data = json_null();
    if (!agent_session_cycle_thinking(session))
        return true;
    reply->data = json_object();
    json_set_text(reply->data, "level", thinking_level_name(agent_session_thinking(session)));
    return true;
}

COMMAND(set_interrupt_mode)
{
    const CommandArgs *args = args_;
    agent_session_set_interrupts(session, g_str_equal(args->mode, "immediate"));
    return true;
}

COMMAND(set_auto_retry)
{
    agent_session_set_auto_retry(session, ((const CommandArgs *)args_)->is_enabled);
    return true;
}

COMMAND(abort_retry)
{
    agent_session_abort_retry(session);
    return true;
}

COMMAND(bash)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_bash(session, args->command, args->is_excluded, id, error);
    return reply->is_pending;
}

COMMAND(abort_bash)
{
    agent_session_abort_bash(session);
    return true;
}

COMMAND(get_session_stats)
{
    reply->data = agent_session_stats(session);
    return true;
}

COMMAND(set_thinking_level)
{
    const CommandArgs *args = args_;
    ThinkingLevel level = THINKING_OFF;
    thinking_level_parse(args->level, &level);
    agent_session_set_thinking(session, level);
    return true;
}

COMMAND(set_tools)
{
    const CommandArgs *args = args_;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    json_each (args->names, i, name)
        g_ptr_array_add(names, (gpointer)json_string_value(name));
    g_ptr_array_add(names, NULL);
    return agent_session_set_tools(session, (const char *const *)names->pdata, error);
}

COMMAND(set_plan_mode)
{
    const CommandArgs *args = args_;
    g_autoptr(json_t) message = args->message ? message_user(args->message) : NULL;
    if (!agent_session_set_plan_mode(session, args->is_enabled, message, id, &reply->is_pending,
                                     error))
        return false;
    g_autoptr(json_t) state = agent_session_state(session);
    reply->is_taken = reply->is_pending;
    return reply_with(reply, "mode", json_incref(json_object_get(state, "mode")));
}

COMMAND(set_steering_mode)
{
    return agent_session_set_queue_mode(session, true, ((const CommandArgs *)args_)->mode, error);
}

COMMAND(set_follow_up_mode)
{
    return agent_session_set_queue_mode(session, false, ((const CommandArgs *)args_)->mode, error);
}

COMMAND(new_session)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_start_new(session, args->path, id, error);
    return reply->is_pending;
}

COMMAND(switch_session)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_switch(session, args->path, id, error);
    return reply->is_pending;
}

COMMAND(fork)
{
    const CommandArgs *args = args_;
    reply->is_pending = args->entry_id ? agent_session_branch(session, args->entry_id, id, error)
                                       : agent_session_fork(session, id, error);
    return reply->is_pending;
}

COMMAND(clone)
{
    reply->is_pending = agent_session_fork(session, id, error);
    return reply->is_pending;
}

COMMAND(navigate_tree)
{
    const CommandArgs *args = args_;
    bool wants_summary =
        args->has_wants_summary ? args->wants_summary : agent_session_wants_summaries(session);
    reply->is_pending = agent_session_navigate(session, args->target_id, wants_summary,
                                               args->instructions, id, error);
    return reply->is_pending;
}

COMMAND(compact)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_compact(session, args->instructions, id, error);
    return reply->is_pending;
}

COMMAND(handoff)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_handoff(session, args->instructions, id, error);
    return reply->is_pending;
}

COMMAND(set_auto_compaction)
{
    agent_session_set_auto_compaction(session, ((const CommandArgs *)args_)->is_enabled);
    return true;
}

COMMAND(set_todos)
{
    const CommandArgs *args = args_;
    json_t *phases = agent_session_set_todos(session, args->phases, error);
    return phases && reply_with(reply, "todoPhases", phases);
}

COMMAND(set_label)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_set_label(session, args->target_id, args->label, id, error);
    return reply->is_pending;
}

COMMAND(set_session_name)
{
    const CommandArgs *args = args_;
    return agent_session_set_name(session, args->name, id, &reply->is_pending, error);
}

COMMAND(branch)
{
    const CommandArgs *args = args_;
    reply->is_pending = agent_session_branch(session, args->entry_id, id, error);
    return reply->is_pending;
}

COMMAND(answer)
{
    const CommandArgs *args = args_;
    if (!agent_session_check_digest(session, args->question_id, args->digest, error))
        return false;
    if (args->is_approved && args->is_for_session)
        return agent_session_allow(session, args->question_id, error);
    return agent_session_answer(session, args->question_id, args->is_approved, error);
}

COMMAND(get_state)
{
    reply->data = agent_session_state(session);
    return true;
}

COMMAND(get_available_models)
{
    return reply_with(reply, "models", agent_session_available_models(session));
}

/* Those that came while the program runs: a program has the others under their own names. */
COMMAND(get_commands)
{
    json_t *list = json_array();
    const SessionCommand *command = NULL;
    const char *source = NULL;
    for (size_t i = 0; slash_set_at(agent_session_slash_set(session), i, &command, &source); i++) {
        if (!command->run || g_str_equal(source, SESSION_SLASH_SOURCE))
            continue;
        json_append_take(list, json_make("name:%s description:%s source:%s", command->slash,
                                         command->summary, source));
    }
    return reply_with(reply, "commands", list);
}

COMMAND(get_messages)
{
    return reply_with(reply, "messages", agent_session_messages(session));
}

COMMAND(get_branch_messages)
{
    json_t *points = agent_session_branch_points(session, error);
    return points && reply_with(reply, "messages", points);
}

COMMAND(get_tree)
{
    reply->data = agent_session_tree(session, error);
    return reply->data != NULL;
}

COMMAND(get_last_assistant_text)
{
    const json_t *last = agent_session_last_answer(session);
    g_autofree char *text = last ? message_text(last) : NULL;
    return reply_with(reply, "text", json_text(text && *text ? text : NULL));
}

#define ROW(command, help_, fields_)                                                               \
    {                                                                                              \
        .name = #command, .help = help_, .fields = fields_, .args_size = sizeof(CommandArgs),      \
        .run = run_##command                                                                       \
    }
/* Another name, of another peer. */
#define SAME_ROW(command, same, help_)                                                             \
    {                                                                                              \
        .name = #command, .help = help_, .fields = no_fields, .args_size = sizeof(CommandArgs),    \
        .run = run_##same                                                                          \
    }
#define TYPED_ROW(command, help_, fields_, ...)                                                    \
    {                                                                                              \
        .name = #command, .help = help_, .fields = fields_, .args_size = sizeof(CommandArgs),      \
        .run = run_##command, __VA_ARGS__                                                          \
    }
#define URGENT_ROW(command, help_, fields_)                                                        \
    {                                                                                              \
        .name = #command, .help = help_, .fields = fields_, .args_size = sizeof(CommandArgs),      \
        .is_urgent = true, .run = run_##command                                                    \
    }

static const SessionCommand commands[] = {
    TYPED_ROW(
        prompt,
        "Send a message and run. A text that is nothing but a `/word` of the terminal is refused "
        "once, with what does that here",
        prompt_fields, .is_urgent = true, .holds_words = true),
    URGENT_ROW(steer, "Say something to the run that is on", message_fields),
    URGENT_ROW(follow_up, "Send a message when the run has ended", message_fields),
    TYPED_ROW(continue, "Run without a new message; an answer that failed is asked for again",
              no_fields, .is_urgent = true, .slash = "retry",
              .summary =
                  "ask for the last answer again when it failed or was stopped; also . or c"),
    URGENT_ROW(abort, "Stop the run", no_fields),
    URGENT_ROW(abort_and_prompt, "Stop the run, then send a message", message_fields),
    ROW(set_model, "Model from the next turn on", model_fields),
    ROW(cycle_model,
        "The next model: of those picked, of the roles of cycleOrder, or any with a key",
        no_fields),
    ROW(get_available_models, "The models that there is a key for", no_fields),
    ROW(set_thinking_level, "Thinking level from the next turn on", level_fields),
    ROW(cycle_thinking_level, "The next thinking level of the model", no_fields),
    ROW(set_tools, "Tools from the next turn on", tools_fields),
    URGENT_ROW(set_plan_mode, "Only read and plan, until a person approves", plan_fields),
    ROW(set_steering_mode, "How many steering messages a turn takes", mode_fields),
    ROW(set_follow_up_mode, "How many follow-ups a turn takes", mode_fields),
    ROW(set_interrupt_mode, "Whether steering stops tools or waits", interrupt_fields),
    ROW(set_auto_retry, "Whether failed requests are made again", switch_on_fields),
    URGENT_ROW(abort_retry, "Stop waiting for another attempt", no_fields),
    ROW(bash, "Run a person's command in the shell", bash_fields),
    URGENT_ROW(abort_bash, "Stop that command", no_fields),
    TYPED_ROW(new_session, "Begin a new session", new_fields, .slash = "new",
              .summary = "begin a new session", .done = "A new session has begun.",
              .is_move = true),
    ROW(switch_session, "Go on with another session file", switch_fields),
    TYPED_ROW(fork, "Go on in a copy of the session", fork_fields, .slash = "fork",
              .summary = "go on in a copy of this session",
              .busy_problem = "a session that is at work is not copied; Ctrl+C stops it",
              .done = "This is a copy of the session now.", .is_move = true),
    ROW(clone, "Go on in a copy of the session", no_fields),
    ROW(branch, "Go on from before a user message, in a new session", branch_fields),
    URGENT_ROW(answer, "Answer a question", answer_fields),
    URGENT_ROW(get_state, "The state of the conversation", no_fields),
    ROW(navigate_tree, "Go on from another entry of the session", navigate_fields),
    TYPED_ROW(compact, "Put a summary in place of what is old", compact_fields, .slash = "compact",
              .argument = "[FOCUS]", .summary = "put a summary in place of old messages",
              .field = "customInstructions"),
    TYPED_ROW(handoff, "Go on in a new session, with what a model wrote of this one",
              handoff_fields, .slash = "handoff", .argument = "[FOCUS]",
              .summary = "go on in a new session, with a summary of this one by the model",
              .field = "customInstructions", .is_move = true),
    ROW(set_auto_compaction, "Whether that is done when the context is full", enabled_fields),
    ROW(set_todos, "The todo list", todo_fields),
    ROW(set_label, "Mark an entry", label_fields),
    TYPED_ROW(set_session_name, "Name the session", name_fields, .slash = "rename",
              .argument = "TITLE", .summary = "name this session", .field = "name"),
    ROW(get_session_stats, "Messages, tokens and cost", no_fields),
    ROW(get_commands, "The slash commands that there are", no_fields),
    SAME_ROW(get_available_commands, get_commands, "The same as get_commands"),
    ROW(get_messages, "The messages so far", no_fields),
    ROW(get_branch_messages, "The user messages, of all branches, that can be branched from",
        no_fields),
    SAME_ROW(get_fork_messages, get_branch_messages, "The same as get_branch_messages"),
    ROW(get_tree, "All entries of the session, its leaf and its labels", no_fields),
    ROW(get_last_assistant_text, "The text of the last answer", no_fields),
    { 0 },
};

const SessionCommand *session_commands(void)
{
    return commands;
}
