/*
 * What the wire formats share.
 */
#include "model/wire.h"

const WireFormat *wire_for(ModelApi api)
{
    switch (api) {
    case MODEL_API_ANTHROPIC_MESSAGES:
        return &wire_anthropic;
    case MODEL_API_OPENAI_COMPLETIONS:
        return &wire_openai_chat;
    }
    g_assert_not_reached();
}

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
    size_t size = strlen(base);
    while (size > 0 && base[size - 1] == '/')
        size--;
    return g_strdup_printf("%.*s%s", (int)size, base, path);
}

bool wire_block_is(const json_t *block, const char *type)
{
    return g_strcmp0(json_get_text(block, "type"), type) == 0;
}

char *wire_join_text(const json_t *blocks, const char *separator)
{
    GString *text = g_string_new(NULL);
    size_t i;
    json_t *block;
    json_array_foreach (blocks, i, block) {
        const char *piece = wire_block_is(block, "text") ? json_get_text(block, "text") : NULL;
        if (!piece)
            continue;
        if (text->len > 0)
            g_string_append(text, separator);
        g_string_append(text, piece);
    }
    return g_string_free(text, FALSE);
}
