/*
 * Entries out of another program's blocks (import_builder.h).
 */
#include "session/import_builder.h"

#include "base/timefmt.h"
#include "model/message.h"
#include "model/usage.h"

void import_builder_init(ImportBuilder *self, const char *provider, const char *api,
                         gint64 modified_ms)
{
    *self = (ImportBuilder) {
        .provider = provider,
        .api = api,
        .now_ms = modified_ms,
        .entries = g_ptr_array_new_with_free_func(json_free),
        .open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .tools = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
}

void import_builder_clear(ImportBuilder *self)
{
    char **texts[] = { &self->id, &self->cwd, &self->started, &self->title, &self->model };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_clear_pointer(texts[i], g_free);
    g_clear_pointer(&self->entries, g_ptr_array_unref);
    g_clear_pointer(&self->open, g_hash_table_unref);
    g_clear_pointer(&self->tools, g_hash_table_unref);
}

void import_set_once(char **field, const char *text)
{
    if (!*field && text && *text)
        *field = g_strdup(text);
}

/* What has no time was said when the line before it was. */
void import_set_time(ImportBuilder *self, const char *at)
{
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) parsed =
        at && strlen(at) < 64 ? g_date_time_new_from_iso8601(at, utc) : NULL;
    if (parsed)
        self->now_ms =
            g_date_time_to_unix(parsed) * 1000 + g_date_time_get_microsecond(parsed) / 1000;
    g_autofree char *time = time_format_iso(self->now_ms);
    import_set_once(&self->started, time);
}

static json_t *add_entry(ImportBuilder *self, const char *type, const char *at)
{
    json_t *entry = json_object();
    import_set_time(self, at);
    g_autofree char *time = time_format_iso(self->now_ms);
    json_add(entry, "type:%s timestamp:%s", type, time);
    g_ptr_array_add(self->entries, entry);
    return entry;
}

/* Takes the message. */
static void add_message(ImportBuilder *self, json_t *message, const char *at)
{
    json_t *entry = add_entry(self, "message", at);
    json_set_int(message, "timestamp", self->now_ms);
    json_set_take(entry, "message", message);
    self->messages++;
}

void import_add_user(ImportBuilder *self, json_t *blocks, const char *at)
{
    if (json_array_size(blocks) > 0)
        add_message(self, message_user_blocks(json_incref(blocks)), at);
    json_decref(blocks);
}

void import_add_result(ImportBuilder *self, const char *call_id, json_t *blocks, bool is_error,
                       const char *at)
{
    const char *name = call_id ? g_hash_table_lookup(self->tools, call_id) : NULL;
    if (!name) { // nothing asked for it
        json_decref(blocks);
        return;
    }
    add_message(self, message_tool_result(call_id, name, blocks, NULL, is_error), at);
}

void import_add_summary(ImportBuilder *self, const char *text, const char *at)
{
    if (!text || !*text)
        return;
    json_t *entry = add_entry(self, "compaction", at);
    json_set_text(entry, "summary", text);
    json_set_text(entry, "firstKeptEntryId", ""); // nothing before it is kept
    json_set_int(entry, "tokensBefore", 0);
}

static json_t *zero_usage(int64_t input, int64_t output, int64_t cache_read, int64_t cache_write)
{
    const Usage usage = {
        .input = input,
        .output = output,
        .cache_read = cache_read,
        .cache_write = cache_write,
    };
    const ModelCost unknown = { 0 }; // it was paid elsewhere
    return usage_to_json(&usage, &unknown);
}

static json_t *open_message(ImportBuilder *self, const char *key, const char *at)
{
    json_t *message = g_hash_table_lookup(self->open, key);
    if (message)
        return message;
    message = json_make("role:%s content:%p api:%s provider:%s model:%s usage:%p stopReason:%s",
                        "assistant", json_array(), self->api, self->provider,
                        self->model ? self->model : "unknown", zero_usage(0, 0, 0, 0), "stop");
    add_message(self, message, at);
    g_hash_table_insert(self->open, g_strdup(key), message);
    return message;
}

void import_add_block(ImportBuilder *self, const char *key, json_t *block, const char *at)
{
    if (!block)
        return;
    json_t *message = open_message(self, key, at);
    if (g_strcmp0(json_get_text(block, "type"), "toolCall") == 0) {
        g_hash_table_insert(self->tools, g_strdup(json_get_text(block, "id")),
                            g_strdup(json_get_text(block, "name")));
        json_set_text(message, "stopReason", "toolUse");
    }
    json_append_take(json_get_array(message, "content"), block);
}

void import_set_usage(ImportBuilder *self, const char *key, int64_t input, int64_t output,
                      int64_t cache_read, int64_t cache_write)
{
    json_t *message = g_hash_table_lookup(self->open, key);
    if (message)
        json_set_take(message, "usage", zero_usage(input, output, cache_read, cache_write));
}

json_t *import_thinking(const char *text, const char *signature)
{
    if (!text || !*text)
        return NULL;
    return json_make("type:%s thinking:%s thinkingSignature:%s", "thinking", text, signature);
}

json_t *import_call(const char *id, const char *name, const json_t *arguments)
{
    if (!id || !name)
        return NULL;
    return json_make("type:%s id:%s name:%s arguments:%p", "toolCall", id, name,
                     json_is_object(arguments) ? json_deep_copy(arguments) : json_object());
}
