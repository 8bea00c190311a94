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
    json_t *message = json_object();
    json_set_text(message, "role", role);
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

/* Thinking level, models and the index of the last compaction (-1: none). */
static int collect_state(const GPtrArray *path, SessionContext *context)
{
    int compaction = -1;
    bool has_default_model = false;
    for (guint i = 0; i < path->len; i++) {
        const json_t *entry = path->pdata[i];
        const char *type = entry_type(entry);
        if (g_str_equal(type, "thinking_level_change")) {
            const char *level = json_get_text(entry, "thinkingLevel");
            if (level) {
                g_free(context->thinking_level);
                context->thinking_level = g_strdup(level);
            }
        } else if (g_str_equal(type, "model_change")) {
            const char *role = json_get_text(entry, "role");
            role = role ? role : "default";
            has_default_model = has_default_model || g_str_equal(role, "default");
            g_autofree char *name = changed_model(entry);
            note_model(context->models, role, name);
        } else if (g_str_equal(type, "message") && !has_default_model) {
            note_assistant_model(context->models, entry);
        } else if (is_compaction(entry)) {
            compaction = (int)i;
        }
    }
    return compaction;
}

/* Takes the reference `message`; NULL: the entry has none. */
static void append_message(SessionContext *context, const json_t *entry, json_t *message)
{
    if (!message)
        return;
    json_append_take(context->messages, message);
    json_append_take(context->entry_ids, json_text(entry_id(entry)));
}

static void append_messages(SessionContext *context, const GPtrArray *path, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        // earlier compactions are part of the last one's summary
        if (!g_str_equal(entry_type(path->pdata[i]), "compaction"))
            append_message(context, path->pdata[i], session_entry_message(path->pdata[i]));
}

static guint index_on_path(const GPtrArray *path, guint end, const char *id)
{
    for (guint i = 0; id && i < end; i++)
        if (g_str_equal(entry_id(path->pdata[i]), id))
            return i;
    return end;
}

void context_build_from_leaf(GHashTable *index, json_t *leaf, SessionContext *ret_context)
{
    *ret_context = (SessionContext) {
        .messages = json_array(),
        .entry_ids = json_array(),
        .models = json_object(),
        .thinking_level = g_strdup("off"),
    };
    g_autoptr(GPtrArray) path = entry_path(index, leaf);
    int compaction = collect_state(path, ret_context);
    if (compaction < 0) {
        append_messages(ret_context, path, 0, path->len);
        return;
    }

    guint at = (guint)compaction;
    const json_t *entry = path->pdata[at];
    append_message(ret_context, entry, compaction_message(entry));
    guint first_kept = index_on_path(path, at, json_get_text(entry, "firstKeptEntryId"));
    append_messages(ret_context, path, first_kept, at);
    append_messages(ret_context, path, at + 1, path->len);
}

void session_context_build(const json_t *entries, const char *leaf_id, SessionContext *ret_context)
{
    g_autoptr(GHashTable) index = entry_index_new(entries);
    json_t *leaf = leaf_id ? g_hash_table_lookup(index, leaf_id) : NULL;
    size_t count = json_array_size(entries);
    bool is_without_leaf = leaf_id && *leaf_id == '\0';
    if (!leaf && !is_without_leaf && count > 0)
        leaf = json_array_get(entries, count - 1);
    context_build_from_leaf(index, leaf, ret_context);
}
