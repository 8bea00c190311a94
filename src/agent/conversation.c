/* See conversation.h. */
#include "agent/conversation.h"

#include "agent/repair_memory.h"
#include "agent/transcript.h"
#include "base/mask.h"
#include "model/message.h"
#include "session/session_tree.h"

/* In the session, where the messages wait for the first prompt; known keys masked. */
static json_t *find_last_answer(const Session *session, const GPtrArray *path)
{
    for (guint i = path->len; i > 0; i--) {
        const EntryHead *head = path->pdata[i - 1];
        if (!g_str_equal(head->role, "assistant"))
            continue;
        g_autoptr(json_t) entry = session_read_entry(session, head);
        g_autoptr(json_t) message = session_entry_message(entry);
        return message ? mask_json(message) : NULL;
    }
    return NULL;
}

static bool is_good_answer(const json_t *message)
{
    const char *stop_reason = message_stop_reason(message);
    return g_str_equal(message_role(message), "assistant") && !g_str_equal(stop_reason, "error") &&
           !g_str_equal(stop_reason, "aborted") &&
           json_get_int(json_get_object(message, "usage"), "totalTokens", 0) > 0;
}

static void set_measured(Conversation *self, json_t *message, size_t index)
{
    json_decref(self->measured);
    self->measured = message ? json_incref(message) : NULL;
    self->measured_index = index;
}

/* When output was pruned last; 0: never. What is pruned is older than the answer that was the
   reason. */
static int64_t newest_pruning(const GPtrArray *path)
{
    int64_t pruned_at = 0;
    for (guint i = 0; i < path->len; i++)
        pruned_at = MAX(pruned_at, ((const EntryHead *)path->pdata[i])->pruned_at);
    return pruned_at;
}

/* The newest good answer, unless a compaction or pruned output came after it; how many messages
   come after it, and what they take. */
static void find_measured(Conversation *self, const GPtrArray *path)
{
    size_t behind = 0;
    set_measured(self, NULL, 0);
    self->waiting_tokens = 0;
    for (guint i = path->len; i > 0; i--) {
        const EntryHead *head = path->pdata[i - 1];
        if (g_str_equal(head->type, "compaction"))
            return;
        g_autoptr(json_t) entry = session_read_entry(self->session, head);
        g_autoptr(json_t) message = session_entry_message(entry);
        if (!message)
            continue;
        if (is_good_answer(message)) {
            bool is_true = newest_pruning(path) < json_get_int(message, "timestamp", 0);
            size_t count = self->is_waiting ? behind + 1 : json_array_size(self->messages);
            if (is_true && behind < count)
                set_measured(self, message, count - behind - 1);
            return;
        }
        self->waiting_tokens += transcript_estimate(message);
        behind++;
    }
}

// ---- what an old entry holds of the keys that are known today (safety §8.1, R24) ----

/* A signature is of the words as they were. */
static void drop_broken_signatures(const json_t *message, json_t *masked)
{
    const json_t *before = json_get_array(message, "content");
    json_each (json_get_array(masked, "content"), i, block) {
        if (!json_equal(block, json_array_get(before, i)))
            json_object_del(block, "thinkingSignature");
    }
}

/* `said` has the messages of this run: they go out as the person wrote them. */
static void mask_old(json_t *messages, GHashTable *said, RepairNotes *notes)
{
    for (size_t i = 0; i < json_array_size(messages); i++) {
        json_t *message = json_array_get(messages, i);
        if (said && g_hash_table_contains(said, message))
            continue;
        json_t *masked = mask_json(message);
        if (masked != message) {
            drop_broken_signatures(message, masked);
            repair_notes_add(notes, REPAIR_SECRET, i);
        }
        json_array_set_new(messages, i, masked);
    }
}

static GHashTable *set_of(const json_t *messages)
{
    GHashTable *set = g_hash_table_new(g_direct_hash, g_direct_equal);
    json_each (messages, i, message)
        g_hash_table_add(set, message);
    return set;
}

json_t *conversation_take_over(const SessionContext *saved, const GPtrArray *path, CallIds *ids,
                               GHashTable *said, RepairNotes *notes)
{
    g_autoptr(json_t) messages = json_copy(saved->messages);
    json_each (saved->text_repairs, i, place)
        repair_notes_add(notes, REPAIR_CHARACTERS, (size_t)json_integer_value(place));
    json_each (saved->tree_repairs, i, place)
        repair_notes_add(notes, REPAIR_TREE, (size_t)json_integer_value(place));
    mask_old(messages, said, notes);
    return repair_memory_apply(path, call_ids_adopt(ids, messages, notes));
}

/* Also where they were read before: the messages of this run are known as such. */
static void conversation_load(Conversation *self)
{
    g_auto(SessionContext) saved = { 0 };
    self->is_waiting = false;
    session_settle(self->session);
    session_build_context(self->session, &saved);
    g_autoptr(GPtrArray) path = session_context_path(self->session);
    g_autoptr(GHashTable) said = set_of(self->messages);
    json_t *before = g_steal_pointer(&self->messages); // what `said` points to
    call_ids_free(self->call_ids);
    body_cache_free(self->bodies);
    repair_notes_free(self->loaded);
    json_decref(self->entry_ids);
    json_decref(self->last_answer);
    self->call_ids = call_ids_new();
    self->bodies = body_cache_new();
    self->told_left_out = (LeftOut) { 0 };
    self->loaded = repair_notes_new();
    self->entry_ids = json_incref(saved.entry_ids);
    self->messages = conversation_take_over(&saved, path, self->call_ids, said, self->loaded);
    json_decref(before);
    self->answer_index = json_array_size(self->messages);
    g_clear_pointer(&self->before_answer, g_free);
    self->loads++;
    server_facts_load(self->servers, path);
    g_autoptr(GPtrArray) heads = session_path_to(self->session, NULL);
    self->last_answer = find_last_answer(self->session, heads);
    find_measured(self, heads);
}

void conversation_init(Conversation *self, Session *session, const AgentEvents *events)
{
    g_auto(SessionContext) saved = { 0 };
    *self = (Conversation) {
        .session = session,
        .events = events,
        .servers = server_facts_new(),
        .is_waiting = true,
    };
    session_build_setup(session, &saved);
    self->model = g_strdup(json_get_text(saved.models, "default"));
    // without messages the level is the builder's default, which no entry has said
    if (saved.has_messages)
        self->thinking = g_strdup(saved.thinking_level);
    g_autoptr(GPtrArray) heads = session_path_to(session, NULL);
    self->last_answer = find_last_answer(session, heads);
    find_measured(self, heads);
}

void conversation_fill(Conversation *self)
{
    if (self->is_waiting)
        conversation_load(self);
}

void conversation_reload(Conversation *self)
{
    conversation_load(self);
}

void conversation_replace(Conversation *self, json_t *messages)
{
    g_assert(json_array_size(messages) == json_array_size(self->messages));
    json_decref(self->messages);
    self->messages = messages;
}

int64_t conversation_counted_tokens(const Conversation *self, const Model *model)
{
    json_t *usage = json_get_object(self->measured, "usage");
    int64_t tokens = json_get_int(usage, "totalTokens", 0);
    return model && tokens > model->context_window ? 0 : tokens;
}

int64_t conversation_tokens(const Conversation *self, const Model *model)
{
    int64_t tokens = conversation_counted_tokens(self, model);
    if (self->is_waiting)
        return tokens + self->waiting_tokens;
    for (size_t i = tokens > 0 ? self->measured_index + 1 : 0; i < json_array_size(self->messages);
         i++)
        tokens += transcript_estimate(json_array_get(self->messages, i));
    return tokens;
}

static bool makes_room(const json_t *entry)
{
    return g_strcmp0(json_get_text(entry, "type"), "compaction") == 0 ||
           g_strcmp0(json_get_text(entry, "customType"), "handoff") == 0;
}

int64_t conversation_tokens_left(const Conversation *self, const Model *model)
{
    g_autoptr(GPtrArray) path = session_context_path(self->session);
    int64_t counted = 0, since = 0;
    for (guint i = path->len; i > 0; i--) {
        const json_t *entry = path->pdata[i - 1];
        if (makes_room(entry))
            return MAX(counted - since, 0);
        g_autoptr(json_t) message = session_entry_message(entry);
        if (!message)
            continue;
        since += transcript_estimate(message);
        if (!is_good_answer(message))
            continue;
        counted = json_get_int(json_get_object(message, "usage"), "totalTokens", 0);
        counted = counted > model->context_window ? 0 : counted;
        since = 0;
    }
    return 0;
}

void conversation_forget_measure(Conversation *self)
{
    set_measured(self, NULL, 0);
}

void conversation_clear(Conversation *self)
{
    json_decref(self->messages);
    json_decref(self->entry_ids);
    json_decref(self->told_repairs);
    repair_notes_free(self->loaded);
    call_ids_free(self->call_ids);
    body_cache_free(self->bodies);
    server_facts_free(self->servers);
    json_decref(self->run_messages);
    json_decref(self->last_answer);
    json_decref(self->measured);
    g_free(self->before_answer);
    g_free(self->model);
    g_free(self->thinking);
    *self = (Conversation) { 0 };
}

/* It has an entry of its own kind, which has the fields itself. */
static void append_custom(Session *session, const json_t *message)
{
    json_t *fields = json_copy((json_t *)message);
    json_object_del(fields, "role");
    json_object_del(fields, "timestamp");
    session_append_fields(session, "custom_message", fields);
}

/* Appends to the conversation, the run and the session, then tells message_end. `message` is
   shared. */
static void conversation_add(Conversation *self, json_t *message)
{
    json_array_append(self->messages, message);
    json_array_append(self->run_messages, message);
    if (g_str_equal(message_role(message), "custom"))
        append_custom(self->session, message);
    else
        session_append_message(self->session, message);
    json_append_take(self->entry_ids, json_text(session_leaf_id(self->session)));
    if (g_str_equal(message_role(message), "assistant")) {
        json_decref(self->last_answer);
        self->last_answer = json_incref(message);
    }
    if (is_good_answer(message))
        set_measured(self, message, json_array_size(self->messages) - 1);
    agent_events_emit_message(self->events, EVENT_MESSAGE_END, message);
}

void conversation_add_whole(Conversation *self, json_t *message)
{
    agent_events_emit_message(self->events, EVENT_MESSAGE_START, message);
    conversation_add(self, message);
}

void conversation_add_answer(Conversation *self, json_t *message)
{
    self->answer_index = json_array_size(self->messages);
    g_free(self->before_answer);
    self->before_answer = g_strdup(session_leaf_id(self->session));
    conversation_add(self, message);
}

void conversation_forget_answer(Conversation *self)
{
    while (json_array_size(self->messages) > self->answer_index) {
        json_array_remove(self->messages, json_array_size(self->messages) - 1);
        json_array_remove(self->entry_ids, json_array_size(self->messages));
    }
}

/* Where such an answer is in the messages; their number: nowhere. */
static size_t find_failure(const Conversation *self)
{
    size_t count = json_array_size(self->messages), i = count;
    const json_t *message = NULL;
    do
        message = i > 0 ? json_array_get(self->messages, --i) : NULL;
    while (message && g_str_equal(message_role(message), "toolResult"));
    if (!message || !g_str_equal(message_role(message), "assistant"))
        return count;
    const char *reason = message_stop_reason(message);
    return g_str_equal(reason, "error") || g_str_equal(reason, "aborted") ? i : count;
}

void conversation_forget_failure(Conversation *self)
{
    self->answer_index = find_failure(self);
    conversation_forget_answer(self);
}

bool conversation_is_open(const Conversation *self)
{
    size_t count = json_array_size(self->messages);
    const json_t *last = count > 0 ? json_array_get(self->messages, count - 1) : NULL;
    return last && (!g_str_equal(message_role(last), "assistant") || find_failure(self) < count);
}

void conversation_drop_answer(Conversation *self)
{
    conversation_forget_answer(self);
    if (self->before_answer)
        session_move(self->session, self->before_answer, NULL);
    g_clear_pointer(&self->before_answer, g_free);
}

static void record_model(Conversation *self, const Model *model, const char *role)
{
    g_autofree char *name = g_strdup_printf("%s/%s", model->provider, model->id);
    if (g_strcmp0(self->model, name) == 0)
        return;
    session_append_model_change(self->session, name, role);
    g_free(self->model);
    self->model = g_steal_pointer(&name);
}

void conversation_record_setup(Conversation *self, const TurnSetup *setup, bool is_temporary)
{
    if (setup->in_place_of &&
        !self->model) // what the session goes on with, once it is opened again
        record_model(self, setup->in_place_of, "default");
    is_temporary = is_temporary || setup->in_place_of;
    record_model(self, setup->model, is_temporary ? "temporary" : "default");
    if (is_temporary)
        return; // the entry of a level has no role that would say so
    const char *level = thinking_level_name(setup->thinking);
    if (g_strcmp0(self->thinking, level) != 0) {
        session_append_thinking_level(self->session, level);
        g_free(self->thinking);
        self->thinking = g_strdup(level);
    }
}
