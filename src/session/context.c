/*
 * What a model is told of a session: the path from the root to the leaf, made into messages
 * (buildSessionContext, agent-core §4.5).
 */
#include "session/entry.h"
#include "session/session.h"
#include "session/session_context.h"
#include "session/session_tree.h"

void session_context_clear(SessionContext *self)
{
    json_decref(self->messages);
    json_decref(self->entry_ids);
    json_decref(self->text_repairs);
    json_decref(self->tree_repairs);
    json_decref(self->models);
    g_free(self->thinking_level);
    *self = (SessionContext) { 0 };
}

/* An entry's time stamp as the milliseconds that messages have. */
static gint64 entry_time_ms(const json_t *entry)
{
    const char *text = json_get_text(entry, "timestamp");
    g_autoptr(GDateTime) time = text ? g_date_time_new_from_iso8601(text, NULL) : NULL;
    if (!time)
        return 0;
    return g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000;
}

/* Copies one field when the entry has it. */
static void take_over(json_t *message, const json_t *entry, const char *key)
{
    json_t *value = json_object_get(entry, key);
    if (value && !json_is_null(value))
        json_object_set(message, key, value);
}

static json_t *message_of_kind(const json_t *entry, const char *role, const char *const *keys)
{
    json_t *message = json_make("role:%s", role);
    for (size_t i = 0; keys[i]; i++)
        take_over(message, entry, keys[i]);
    json_set_int(message, "timestamp", entry_time_ms(entry));
    return message;
}

static json_t *compaction_message(const json_t *entry)
{
    return message_of_kind(
        entry, "compactionSummary",
        (const char *const[]) { "summary", "shortSummary", "tokensBefore", NULL });
}

json_t *session_entry_message(const json_t *entry)
{
    const char *type = entry_type(entry);
    if (g_str_equal(type, "message")) {
        json_t *message = json_get_object(entry, "message");
        return json_get_text(message, "role") ? json_incref(message) : NULL;
    }
    if (g_str_equal(type, "custom_message"))
        return message_of_kind(entry, "custom",
                               (const char *const[]) { "customType", "content", "display",
                                                       "details", "attribution", NULL });
    const char *summary = json_get_text(entry, "summary");
    if (g_str_equal(type, "branch_summary") && summary && *summary)
        return message_of_kind(entry, "branchSummary",
                               (const char *const[]) { "summary", "fromId", NULL });
    return g_str_equal(type, "compaction") ? compaction_message(entry) : NULL;
}

static void note_model(json_t *models, const char *role, const char *name)
{
    if (name)
        json_set_text(models, role, name);
}

/* "provider/id", also of files that name the two apart. Caller frees. */
static char *changed_model(const json_t *entry)
{
    const char *provider = json_get_text(entry, "provider");
    const char *model_id = json_get_text(entry, "modelId");
    const char *model = json_get_text(entry, "model");
    return !model && provider && model_id ? g_strdup_printf("%s/%s", provider, model_id)
                                          : g_strdup(model);
}

static void note_assistant_model(json_t *models, const json_t *entry)
{
    const json_t *message = json_get_object(entry, "message");
    const char *role = json_get_text(message, "role");
    const char *provider = json_get_text(message, "provider");
    const char *model = json_get_text(message, "model");
    if (!role || !g_str_equal(role, "assistant") || !provider || !model)
        return;
    g_autofree char *name = g_strdup_printf("%s/%s", provider, model);
    note_model(models, "default", name);
}

/* One without a summary would hide what came before it. */
static bool is_compaction(const json_t *entry)
{
    const char *summary = json_get_text(entry, "summary");
    return g_str_equal(entry_type(entry), "compaction") && summary && *summary;
}

static void note_change(SessionContext *context, const json_t *entry)
{
    const char *level = json_get_text(entry, "thinkingLevel");
    if (g_str_equal(entry_type(entry), "model_change")) {
        const char *role = json_get_text(entry, "role");
        g_autofree char *name = changed_model(entry);
        note_model(context->models, role ? role : "default", name);
    } else if (level) {
        g_free(context->thinking_level);
        context->thinking_level = g_strdup(level);
    }
}

static bool is_default_model(const json_t *entry)
{
    const char *role = json_get_text(entry, "role");
    return g_str_equal(entry_type(entry), "model_change") &&
           (!role || g_str_equal(role, "default"));
}

/* Thinking level and models. Where no entry has set the default model, the last answer's counts:
   of those before such an entry that names none. */
static void collect_state(EntryList *entries, const GPtrArray *path, SessionContext *context)
{
    guint answers_end = path->len;
    for (guint i = 0; i < path->len; i++) {
        const EntryHead *head = path->pdata[i];
        if (!g_str_equal(head->type, "thinking_level_change") &&
            !g_str_equal(head->type, "model_change"))
            continue;
        g_autoptr(json_t) entry = entry_list_read(entries, head);
        note_change(context, entry);
        if (is_default_model(entry))
            answers_end = MIN(answers_end, i);
    }
    for (guint i = answers_end; i > 0 && !json_get_text(context->models, "default"); i--) {
        const EntryHead *head = path->pdata[i - 1];
        if (!g_str_equal(head->role, "assistant") || !g_str_equal(head->type, "message"))
            continue;
        g_autoptr(json_t) entry = entry_list_read(entries, head);
        note_assistant_model(context->models, entry);
    }
}

/* The last one on the path; new reference, or NULL. */
static json_t *last_compaction(EntryList *entries, const GPtrArray *path, guint *ret_index)
{
    for (guint i = path->len; i > 0; i--) {
        const EntryHead *head = path->pdata[i - 1];
        if (!g_str_equal(head->type, "compaction"))
            continue;
        g_autoptr(json_t) entry = entry_list_read(entries, head);
        *ret_index = i - 1;
        if (is_compaction(entry))
            return g_steal_pointer(&entry);
    }
    return NULL;
}

/* Of the message that comes next. */
static json_t *next_place(const SessionContext *context)
{
    return json_integer((json_int_t)json_array_size(context->messages));
}

/* Takes the reference `message`; NULL: the entry has none. */
static void append_message(SessionContext *context, EntryList *entries, const EntryHead *head,
                           json_t *message)
{
    if (!message)
        return;
    if (entry_list_is_mended(entries, head))
        json_append_take(context->text_repairs, next_place(context));
    json_append_take(context->messages, message);
    json_append_take(context->entry_ids, json_text(head->id));
}

static guint index_on_path(const GPtrArray *path, guint end, const char *id)
{
    for (guint i = 0; id && i < end; i++)
        if (g_str_equal(((const EntryHead *)path->pdata[i])->id, id))
            return i;
    return end;
}

guint context_first_on_path(EntryList *entries, const GPtrArray *path)
{
    guint at = 0;
    g_autoptr(json_t) compaction = last_compaction(entries, path, &at);
    return compaction ? index_on_path(path, at, json_get_text(compaction, "firstKeptEntryId")) : 0;
}

static bool is_message(EntryList *entries, const EntryHead *head)
{
    if (!g_str_equal(head->type, "branch_summary"))
        return *head->role || g_str_equal(head->type, "custom_message") ||
               g_str_equal(head->type, "compaction");
    g_autoptr(json_t) entry = entry_list_read(entries, head); // one that failed has no words
    g_autoptr(json_t) message = session_entry_message(entry);
    return message != NULL;
}

GPtrArray *context_message_heads(EntryList *entries, const GPtrArray *path)
{
    guint at = 0;
    g_autoptr(json_t) compaction = last_compaction(entries, path, &at);
    GPtrArray *heads = g_ptr_array_new();
    if (compaction)
        g_ptr_array_add(heads, path->pdata[at]);
    for (guint i = compaction
                       ? index_on_path(path, at, json_get_text(compaction, "firstKeptEntryId"))
                       : 0;
         i < path->len; i++) {
        const EntryHead *head = path->pdata[i];
        // earlier compactions are part of the last one's summary
        if (is_message(entries, head) && !g_str_equal(head->type, "compaction"))
            g_ptr_array_add(heads, path->pdata[i]);
    }
    return heads;
}

static void note_tree(SessionContext *context)
{
    json_append_take(context->tree_repairs, next_place(context));
}

/* A walk that ended at no root, ids that are not one entry's alone, and compactions without a
   summary, which hide nothing. */
static void note_path(SessionContext *context, EntryList *entries, const GPtrArray *path)
{
    const EntryHead *root = path->len > 0 ? path->pdata[0] : NULL;
    if (root && root->parent_id && *root->parent_id)
        note_tree(context);
    for (guint i = 0; i < path->len; i++) {
        const EntryHead *head = path->pdata[i];
        bool is_empty = false;
        if (g_str_equal(head->type, "compaction")) {
            g_autoptr(json_t) entry = entry_list_read(entries, head);
            is_empty = !is_compaction(entry);
        }
        if (is_empty || entry_list_is_repeated(entries, head))
            note_tree(context);
    }
}

static void build_setup(EntryList *entries, const GPtrArray *path, SessionContext *ret_context)
{
    *ret_context = (SessionContext) {
        .messages = json_array(),
        .entry_ids = json_array(),
        .text_repairs = json_array(),
        .tree_repairs = json_array(),
        .models = json_object(),
        .thinking_level = g_strdup("off"),
    };
    collect_state(entries, path, ret_context);
    for (guint i = 0; i < path->len && !ret_context->has_messages; i++)
        ret_context->has_messages = is_message(entries, path->pdata[i]);
}

void context_build_setup(EntryList *entries, const EntryHead *leaf, SessionContext *ret_context)
{
    g_autoptr(GPtrArray) path = entry_list_path(entries, leaf);
    build_setup(entries, path, ret_context);
}

void context_build_from_leaf(EntryList *entries, const EntryHead *leaf, SessionContext *ret_context)
{
    g_autoptr(GPtrArray) path = entry_list_path(entries, leaf);
    build_setup(entries, path, ret_context);
    note_path(ret_context, entries, path);
    guint at = 0;
    g_autoptr(json_t) compaction = last_compaction(entries, path, &at);
    const char *kept_id = json_get_text(compaction, "firstKeptEntryId");
    if (kept_id && *kept_id && index_on_path(path, at, kept_id) == at)
        note_tree(ret_context);
    g_autoptr(GPtrArray) heads = context_message_heads(entries, path);
    for (guint i = 0; i < heads->len; i++) {
        g_autoptr(json_t) entry = entry_list_read(entries, heads->pdata[i]);
        append_message(ret_context, entries, heads->pdata[i], session_entry_message(entry));
    }
}

void session_context_build(const json_t *entries, const char *leaf_id, SessionContext *ret_context)
{
    g_autoptr(EntryList) list = entry_list_of(entries);
    const EntryHead *leaf = entry_list_find(list, leaf_id);
    size_t count = entry_list_count(list);
    bool is_without_leaf = leaf_id && *leaf_id == '\0';
    if (!leaf && !is_without_leaf && count > 0)
        leaf = entry_list_at(list, count - 1);
    context_build_from_leaf(list, leaf, ret_context);
}
