/*
 * Dispatch (dispatch.h).
 *
 * To the conversation every command has an id of ours, "c1", "c2", …, under which its end is told:
 * what a client calls its commands, twice the same or not at all, is its own affair.
 */
#include "rpc/dispatch.h"

#include "base/limits.h"
#include "rpc/dialogs.h"

typedef struct Pending { // a command whose end is still to come
    json_t *id;          // the client's; NULL: none
    char *command;
    bool is_prompt; // answered already: only a failure is told
    bool is_long;   // others wait for it
} Pending;

struct RpcDispatch {
    RpcLink *link;
    GHashTable *pending; // our id → Pending *
    GQueue waiting;      // json_t * of commands
    unsigned next_id;
    unsigned long_commands; // of the pending
    unsigned answers;       // that are owed: pending, but for prompts
};

static void pending_free(gpointer self_)
{
    Pending *self = self_;
    json_decref(self->id);
    g_free(self->command);
    g_free(self);
}

RpcDispatch *rpc_dispatch_new(RpcLink *link)
{
    RpcDispatch *self = g_new0(RpcDispatch, 1);
    self->link = link;
    self->pending = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, pending_free);
    g_queue_init(&self->waiting);
    return self;
}

static void drop_command(gpointer command)
{
    json_decref(command);
}

void rpc_dispatch_drop_waiting(RpcDispatch *self)
{
    g_queue_clear_full(&self->waiting, drop_command);
}

void rpc_dispatch_free(RpcDispatch *self)
{
    if (!self)
        return;
    rpc_dispatch_drop_waiting(self);
    g_hash_table_unref(self->pending);
    g_free(self);
}

bool rpc_dispatch_is_idle(const RpcDispatch *self)
{
    return self->waiting.length == 0 && self->answers == 0;
}

static bool is_prompt(const char *name)
{
    return g_str_equal(name, "prompt") || g_str_equal(name, "abort_and_prompt");
}

/* Its end will be told as command_end. */
static void keep_pending(RpcDispatch *self, char *our_id, const json_t *command,
                         const SessionCommand *row)
{
    const json_t *id = json_object_get(command, "id");
    Pending *pending = g_new0(Pending, 1);
    pending->id = id ? json_deep_copy(id) : NULL;
    pending->command = g_strdup(row->name);
    pending->is_prompt = is_prompt(row->name);
    pending->is_long = !pending->is_prompt && !row->is_urgent;
    self->long_commands += pending->is_long;
    self->answers += !pending->is_prompt;
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
    if (!reply.is_pending || is_prompt(row->name))
        rpc_link_respond(self->link, id, row->name, g_steal_pointer(&reply.data), NULL);
    if (reply.is_pending)
        keep_pending(self, g_steal_pointer(&our_id), command, row);
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
    if (g_str_equal(name, "extension_ui_response")) {
        rpc_dialogs_answer(self->link, command);
        return;
    }
    const SessionCommand *row = session_command_find(name);
    if (!row) {
        g_autofree char *problem = g_strdup_printf("Unknown command: %s", name);
        rpc_link_respond(self->link, id, name, NULL, problem);
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
        carry_out(self, command, session_command_find(json_get_text(command, "type")));
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

void rpc_dispatch_end(RpcDispatch *self, const json_t *event)
{
    const char *our_id = json_get_text(event, "id");
    const Pending *pending = our_id ? g_hash_table_lookup(self->pending, our_id) : NULL;
    if (!pending)
        return;
    const char *problem = json_get_bool(event, "success", false) ? NULL
                          : json_get_text(event, "error")        ? json_get_text(event, "error")
                                                                 : "failed";
    json_t *data = json_object_get(event, "data");
    if (!pending->is_prompt)
        rpc_link_respond(self->link, pending->id, pending->command, data ? json_incref(data) : NULL,
                         problem);
    else if (problem)
        rpc_link_respond(self->link, pending->id, pending->command, NULL, problem);
    self->long_commands -= pending->is_long;
    self->answers -= !pending->is_prompt;
    g_hash_table_remove(self->pending, our_id);
    take_waiting(self);
}
