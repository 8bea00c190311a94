/*
 * Dispatch (dispatch.h).
 *
 * To the conversation every command has an id of ours, "c1", "c2", …, under which its end is told:
 * what a client calls its commands, twice the same or not at all, is its own affair.
 */
#include "rpc/dispatch.h"

#include "base/limits.h"
#include "model/message.h"

typedef struct Pending { // a command whose end is still to come
    json_t *id;          // the client's; NULL: none
    char *command;
    bool is_answered; // a prompt: from then on only a failure is told
    bool is_long;     // others wait for it
} Pending;

struct RpcDispatch {
    RpcLink *link;
    HostTools *tools;
    GHashTable *pending; // our id → Pending *
    GQueue waiting;      // json_t * of commands
    unsigned next_id;
    unsigned long_commands; // of the pending
    unsigned answers;       // that are owed: pending, but for prompts
    bool owes_settled;      // a prompt has ended while other work was still to come
};

static void pending_free(gpointer self_)
{
    Pending *self = self_;
    json_decref(self->id);
    g_free(self->command);
    g_free(self);
}

RpcDispatch *rpc_dispatch_new(RpcLink *link, HostTools *tools)
{
    RpcDispatch *self = g_new0(RpcDispatch, 1);
    self->link = link;
    self->tools = tools;
    self->pending = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, pending_free);
    g_queue_init(&self->waiting);
    return self;
}

void rpc_dispatch_drop_waiting(RpcDispatch *self)
{
    g_queue_clear_full(&self->waiting, json_free);
}

void rpc_dispatch_free(RpcDispatch *self)
{
    if (!self)
        return;
    rpc_dispatch_drop_waiting(self);
    g_hash_table_unref(self->pending);
    g_free(self);
}

static void rpc_dispatch_answer(RpcDispatch *self, Pending *pending, json_t *data,
                                const char *problem)
{
    rpc_link_respond(self->link, pending->id, pending->command, data, problem);
    if (!pending->is_answered)
        self->answers--;
    pending->is_answered = true;
}

void rpc_dispatch_give_up(RpcDispatch *self)
{
    static const char problem[] = "kedge had to end before this was done";
    GHashTableIter iter;
    gpointer value = NULL;
    g_hash_table_iter_init(&iter, self->pending);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        Pending *pending = value;
        if (!pending->is_answered)
            rpc_dispatch_answer(self, pending, NULL, problem);
    }
    g_autoptr(json_t) command = NULL;
    while ((command = g_queue_pop_head(&self->waiting))) {
        rpc_link_respond(self->link, json_object_get(command, "id"), json_get_text(command, "type"),
                         NULL, problem);
        g_clear_pointer(&command, json_decref);
    }
}

bool rpc_dispatch_is_idle(const RpcDispatch *self)
{
    return self->waiting.length == 0 && self->answers == 0;
}

/* Its end will be told as command_end. */
static void keep_pending(RpcDispatch *self, char *our_id, const json_t *command,
                         const SessionCommand *row, bool is_answered)
{
    const json_t *id = json_object_get(command, "id");
    Pending *pending = g_new0(Pending, 1);
    pending->id = id ? json_deep_copy(id) : NULL;
    pending->command = g_strdup(row->name);
    pending->is_answered = is_answered;
    pending->is_long = !row->is_urgent;
    self->long_commands += pending->is_long;
    self->answers += !is_answered;
    g_hash_table_insert(self->pending, our_id, pending);
}

static void carry_out(RpcDispatch *self, const json_t *command, const SessionCommand *row)
{
    g_autofree char *our_id = g_strdup_printf("c%u", ++self->next_id);
    const json_t *id = json_object_get(command, "id");
    g_auto(CommandReply) reply = { 0 };
    g_autoptr(GError) error = NULL;
    if (!session_command_run(self->link->session, row->name, command, our_id, &reply, &error)) {
        rpc_link_respond(self->link, id, row->name, NULL, error->message);
        return;
    }
    if (!reply.is_pending || reply.is_taken)
        rpc_link_respond(self->link, id, row->name, g_steal_pointer(&reply.data), NULL);
    if (reply.is_pending)
        keep_pending(self, g_steal_pointer(&our_id), command, row, reply.is_taken);
}

static void carry_out_own(RpcDispatch *self, const json_t *command, const DoorCommand *row)
{
    json_t *data = NULL;
    g_autoptr(GError) error = NULL;
    rpc_door_command_run(row, self->link, self->tools, command, &data, &error);
    bool has_asked = row->is_asking && !data && !error;
    if (!row->is_answer && !has_asked)
        rpc_link_respond(self->link, json_object_get(command, "id"), row->name, data,
                         error ? error->message : NULL);
}

static void refuse_unknown(RpcDispatch *self, const json_t *command, const char *name)
{
    g_autofree char *problem = g_strdup_printf("Unknown command: %s", name);
    rpc_link_respond(self->link, json_object_get(command, "id"), name, NULL, problem);
}

static void take_command(RpcDispatch *self, json_t *command)
{
    const json_t *id = json_object_get(command, "id");
    const char *name = json_get_text(command, "type");
    if (!name) {
        rpc_link_respond(self->link, id, "parse", NULL,
                         "Failed to parse command: \"type\" must be a string");
        return;
    }
    const DoorCommand *own = rpc_door_command_find(name);
    if (own) {
        carry_out_own(self, command, own);
        return;
    }
    const SessionCommand *row = session_command_find(self->link->session, name);
    if (!row) {
        refuse_unknown(self, command, name);
    } else if (row->is_urgent || (self->long_commands == 0 && self->waiting.length == 0)) {
        carry_out(self, command, row);
    } else if (self->waiting.length < LIMIT_WAITING_COMMANDS) {
        g_queue_push_tail(&self->waiting, json_incref(command));
    } else {
        g_autofree char *problem =
            g_strdup_printf("%d commands wait already; wait for their end", LIMIT_WAITING_COMMANDS);
        rpc_link_respond(self->link, id, name, NULL, problem);
    }
}

static void take_waiting(RpcDispatch *self)
{
    while (self->long_commands == 0 && self->waiting.length > 0) {
        g_autoptr(json_t) command = g_queue_pop_head(&self->waiting);
        const char *name = json_get_text(command, "type");
        const SessionCommand *row = session_command_find(self->link->session, name);
        if (row)
            carry_out(self, command, row);
        else // it was taken away meanwhile
            refuse_unknown(self, command, name);
    }
}

void rpc_dispatch_bad_line(RpcDispatch *self, const char *problem)
{
    g_autofree char *text = g_strdup_printf("Failed to parse command: %s", problem);
    rpc_link_respond(self->link, NULL, "parse", NULL, text);
}

static bool is_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!g_ascii_isspace(line[i]))
            return false;
    }
    return true;
}

void rpc_dispatch_line(RpcDispatch *self, const char *line, size_t size)
{
    if (is_blank(line, size))
        return;
    g_autoptr(json_t) command = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse(line, size, &command, &error))
        rpc_dispatch_bad_line(self, error->message);
    else if (!json_is_object(command))
        rpc_dispatch_bad_line(self, "a command is a JSON object");
    else
        take_command(self, command);
}

/* How a prompt ended, under the id of the command that sent it: clients of omp wait for this. */
static void tell_prompt_result(RpcDispatch *self, const Pending *pending, const json_t *event)
{
    const char *problem = json_get_text(event, "error");
    const char *end = json_get_text(json_get_object(event, "data"), "end");
    bool is_failed = problem || g_strcmp0(end, "error") == 0;
    const json_t *answer = agent_session_last_answer(self->link->session);
    json_t *result = json_make("type:%s id:%p agentInvoked:%i status:%s", "prompt_result",
                               pending->id ? json_incref(pending->id) : NULL, problem == NULL,
                               is_failed                        ? "error"
                               : g_strcmp0(end, "aborted") == 0 ? "aborted"
                                                                : "completed");
    if (is_failed) {
        const char *said = problem ? problem : answer ? message_error(answer) : NULL;
        json_t *detail = json_make("message:%s", said ? said : "the request failed");
        json_set_bool(detail, "retryable", false); // what could be tried again was
        json_set_take(result, "error", detail);
    }
    bool is_settled = agent_session_is_idle(self->link->session);
    json_set_bool(result, "sessionSettled", is_settled);
    self->owes_settled = !is_settled;
    rpc_link_send(self->link, result);
}

void rpc_dispatch_end(RpcDispatch *self, const json_t *event)
{
    if (self->owes_settled && agent_session_is_idle(self->link->session)) {
        self->owes_settled = false;
        rpc_link_send(self->link, json_make("type:%s", "session_settled"));
    }
    const char *our_id = json_get_text(event, "id");
    Pending *pending = our_id ? g_hash_table_lookup(self->pending, our_id) : NULL;
    if (!pending)
        return;
    const char *problem = json_get_text(event, "error");
    const char *ended = json_get_text(event, "command");
    json_t *data = json_object_get(event, "data");
    if (problem)
        rpc_dispatch_answer(self, pending, NULL, problem);
    else if (!pending->is_answered)
        rpc_dispatch_answer(self, pending, data ? json_incref(data) : NULL, NULL);
    // abort_and_prompt has two ends: of the run that it stopped, and its own
    if (g_str_equal(pending->command, "abort_and_prompt") && g_strcmp0(ended, "abort") == 0)
        return;
    if (g_strcmp0(ended, "prompt") == 0 || g_strcmp0(ended, "continue") == 0)
        tell_prompt_result(self, pending, event);
    self->long_commands -= pending->is_long;
    g_hash_table_remove(self->pending, our_id);
    take_waiting(self);
}
