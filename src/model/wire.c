/* See wire.h. */
#include "model/wire.h"

#include "base/env.h"
#include "model/message.h"

#define REFUSAL_CHARS 200

int64_t wire_thinking_budget(const json_t *budgets, ThinkingLevel level)
{
    static const int64_t defaults[] = {
        [THINKING_OFF] = 0,       [THINKING_MINIMAL] = 1024, [THINKING_LOW] = 4096,
        [THINKING_MEDIUM] = 8192, [THINKING_HIGH] = 16384,   [THINKING_XHIGH] = 32768,
    };
    int64_t budget = json_get_int(budgets, thinking_level_name(level), 0);
    return budget > 0 ? budget : defaults[level];
}

int64_t wire_max_tokens(const ProviderRequest *request)
{
    int64_t most = request->model->max_tokens;
    if (request->max_tokens <= 0)
        return model_answer_limit(request->model);
    return most > 0 ? MIN(request->max_tokens, most) : request->max_tokens;
}

char *wire_join_url(const char *base, const char *path)
{
    const char *query = base + strcspn(base, "?"); // Azure: ?api-version=…
    size_t size = (size_t)(query - base);
    while (size > 0 && base[size - 1] == '/')
        size--;
    return g_strdup_printf("%.*s%s%s", (int)size, base, path, query);
}

bool wire_block_is(const json_t *block, const char *type)
{
    return g_strcmp0(json_get_text(block, "type"), type) == 0;
}

char *wire_join_text(const json_t *blocks, const char *separator)
{
    GString *text = g_string_new(NULL);
    json_each (blocks, i, block) {
        const char *piece = wire_block_is(block, "text") ? json_get_text(block, "text") : NULL;
        if (!piece)
            continue;
        if (text->len > 0)
            g_string_append(text, separator);
        g_string_append(text, piece);
    }
    return g_string_free(text, FALSE);
}

bool wire_has_images(const json_t *blocks)
{
    json_each (blocks, i, block) {
        if (wire_block_is(block, "image"))
            return true;
    }
    return false;
}

json_t *wire_append_message(json_t *out, const char *role, json_t *content)
{
    if (json_is_array(content) && json_array_size(content) == 0) {
        json_decref(content);
        return NULL;
    }
    json_t *message = json_make("role:%s content:%p", role, content);
    json_append_take(out, message);
    return message;
}

void wire_append_word(const WireFormat *wire, const Model *model, bool is_user, json_t *out)
{
    json_t *content = json_array();
    json_append_take(content, message_text_block(is_user ? "Continue." : "(no answer)"));
    g_autoptr(json_t) message =
        json_make("role:%s content:%p", is_user ? "user" : "assistant", content);
    if (is_user)
        wire->write_user(model, message, false, out);
    else
        wire->write_assistant(model, message, out);
}

char *wire_image_url(const json_t *block)
{
    const char *mime = json_get_text(block, "mimeType");
    const char *data = json_get_text(block, "data");
    return g_strconcat("data:", mime ? mime : "image/png", ";base64,", data ? data : "", NULL);
}

char *wire_arguments_text(const json_t *call)
{
    const json_t *value = json_get_object(call, "arguments");
    return value ? json_to_text(value) : g_strdup("{}");
}

void wire_add_bearer(const ProviderRequest *request, GPtrArray *headers)
{
    if (request->api_key)
        g_ptr_array_add(headers, g_strconcat("authorization: Bearer ", request->api_key, NULL));
}

WireCache wire_cache_retention(void)
{
    const char *retention = env_get("CACHE_RETENTION");
    if (g_strcmp0(retention, "none") == 0)
        return WIRE_CACHE_NONE;
    return g_strcmp0(retention, "long") == 0 ? WIRE_CACHE_LONG : WIRE_CACHE_SHORT;
}

char *wire_refusal_text(const char *refusal)
{
    size_t characters = 0;
    const char *end = refusal;
    while (*end && characters++ < REFUSAL_CHARS)
        end = g_utf8_next_char(end);
    return g_strdup_printf("Refusal: %.*s", (int)(end - refusal), refusal);
}

static void header_set(GPtrArray *headers, const char *name, const char *value)
{
    size_t size = strlen(name);
    for (guint i = headers->len; i > 0; i--) {
        const char *have = g_ptr_array_index(headers, i - 1);
        if (g_ascii_strncasecmp(have, name, size) == 0 && have[size] == ':')
            g_ptr_array_remove_index(headers, i - 1);
    }
    g_ptr_array_add(headers, g_strdup_printf("%s: %s", name, value));
}

void wire_set_headers(const json_t *wanted, GPtrArray *headers)
{
    json_each_member (wanted, name, value) {
        if (json_is_string(value))
            header_set(headers, name, json_string_value(value));
    }
}
