/*
 * The catalogue's column of thinking levels and what each wire format makes of them, over all rows:
 * a level that is listed goes out as its own word, another one as the word of one that is listed.
 */
#include "model_fixture.h"

/* The word for a level that the row lists. */
static const char *word_of(const Model *model, ThinkingLevel level)
{
    static const char *const of_anthropic[] = {
        [THINKING_MINIMAL] = "low", [THINKING_LOW] = "low",   [THINKING_MEDIUM] = "medium",
        [THINKING_HIGH] = "high",   [THINKING_XHIGH] = "max",
    };
    const json_t *map = json_get_object(model->compat, "reasoningEffortMap");
    const char *mapped = json_get_text(map, thinking_level_name(level));
    if (mapped)
        return mapped;
    bool is_anthropic = model_api_wire(model->api) == MODEL_API_ANTHROPIC_MESSAGES;
    return is_anthropic ? of_anthropic[level] : thinking_level_name(level);
}

/* The word in a request at that level, in lower case; NULL: none. Caller frees. */
static char *sent_word(const Model *model, ThinkingLevel level)
{
    static const char *const places[] = { "reasoning.effort", "reasoning_effort",
                                          "output_config.effort",
                                          "generationConfig.thinkingConfig.thinkingLevel" };
    g_autoptr(json_t) history = json_of("[{'role':'user','content':'a'}]");
    const ProviderRequest request = {
        .model = model,
        .messages = history,
        .thinking = model_clamp_thinking(model, level),
    };
    g_autoptr(json_t) body = body_of(&request);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        const json_t *word = json_get_path(body, places[i]);
        if (word)
            return g_ascii_strdown(json_string_value(word), -1);
    }
    return NULL;
}

static bool is_listed_word(const Model *model, const char *word)
{
    for (int level = THINKING_MINIMAL; level <= THINKING_XHIGH; level++) {
        if (model->thinking_levels & 1U << level &&
            strcmp(word, word_of(model, (ThinkingLevel)level)) == 0)
            return true;
    }
    return false;
}

static void check_level(const Model *model, ThinkingLevel level)
{
    g_autofree char *word = sent_word(model, level);
    if (!word)
        return;
    const char *name = thinking_level_name(level);
    if (!model->is_reasoning || model->thinking_levels == 0)
        fail_msg("%s/%s lists no levels and is sent %s", model->provider, model->id, word);
    if (level == THINKING_OFF && strcmp(word, "none") == 0)
        return;
    if (!is_listed_word(model, word))
        fail_msg("%s/%s at %s is sent %s", model->provider, model->id, name, word);
    if (level != THINKING_OFF && model->thinking_levels & 1U << level &&
        strcmp(word, word_of(model, level)) != 0)
        fail_msg("%s/%s lists %s and is sent %s", model->provider, model->id, name, word);
}

static void test_all_rows(void **state G_GNUC_UNUSED)
{
    clean_environment();
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
    size_t count = 0, with_word = 0;
    const Model *const *models = model_registry_all(registry, &count);
    for (size_t i = 0; i < count; i++) {
        for (int level = THINKING_OFF; level <= THINKING_XHIGH; level++)
            check_level(models[i], (ThinkingLevel)level);
        g_autofree char *word = sent_word(models[i], THINKING_HIGH);
        with_word += word != NULL;
    }
    assert_true(with_word > 300);
}

/* What the makers document, and their servers refuse otherwise. */
static void test_documented(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *provider, *id;
        ThinkingLevel level;
        const char *want;
    } cases[] = {
        { "openai", "gpt-5.1", THINKING_MINIMAL, "low" },
        { "openai", "gpt-5", THINKING_MINIMAL, "minimal" },
        { "openai", "o3", THINKING_XHIGH, "high" },
        { "openai", "gpt-5-pro", THINKING_LOW, "high" },
        { "openai", "gpt-5.2", THINKING_XHIGH, "xhigh" },
        { "openai", "gpt-5.6-sol", THINKING_OFF, "none" },
        { "anthropic", "claude-opus-5", THINKING_XHIGH, "max" },
        { "anthropic", "claude-opus-4-5", THINKING_XHIGH, "high" },
        { "google", "gemini-3.1-pro-preview", THINKING_MEDIUM, "low" },
    };
    clean_environment();
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Model *model = model_registry_find(registry, cases[i].provider, cases[i].id);
        g_autofree char *word = sent_word(model, cases[i].level);
        if (g_strcmp0(word, cases[i].want) != 0)
            fail_msg("%s at %s: %s", cases[i].id, thinking_level_name(cases[i].level), word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rows),
        cmocka_unit_test(test_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
