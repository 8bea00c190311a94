/*
 * model/select.c: from what a person typed to a model and a thinking level.
 */
#include "model_fixture.h"

static void add(ModelRegistry *registry, const char *provider, const char *id, const char *name)
{
    Model *model = model_new(provider, id, MODEL_API_OPENAI_COMPLETIONS, "http://127.0.0.1:1");
    g_free(model->name);
    model->name = g_strdup(name);
    model->is_keyless = true;
    registry_put_model(registry, model);
}

static void add_deprecated(ModelRegistry *registry, const char *provider, const char *id,
                           const char *successor)
{
    Model *model = model_new(provider, id, MODEL_API_OPENAI_COMPLETIONS, "http://127.0.0.1:1");
    model->is_keyless = true;
    model->is_deprecated = true;
    model->successor = g_strdup(successor);
    registry_put_model(registry, model);
}

static ModelRegistry *test_registry(void)
{
    clean_environment();
    g_autofree char *warning = NULL;
    ModelRegistry *registry = model_registry_new(NULL, &warning);
    g_ptr_array_set_size(registry->sources, 0);
    add(registry, "openrouter", "maker/sonic-2", "Sonic 2");
    add(registry, "mock", "m1", "Mock One");
    add(registry, "mock", "coder:32b", "Coder");
    add(registry, "mock", "sonic-20240101", "Sonic");
    add(registry, "mock", "sonic-20250601", "Sonic");
    add(registry, "mock", "dated-20240101", "Dated");
    add(registry, "mock", "dated-20250601", "Dated");
    add(registry, "lab", "m1", "Lab One");
    add(registry, "lab", "org/big-model", "Big");
    add(registry, "lab", "x:high", "Odd");
    add(registry, "lab", "x", "Bare");
    add(registry, "ver", "m-4-5", "M 4.5");
    add(registry, "ver", "m-4-6", "M 4.6");
    add(registry, "ver", "m-4-5-20250929", "M 4.5");
    add(registry, "ver", "only-5.2", "Only 5.2");
    add_deprecated(registry, "old", "aged-3-20240229", "aged-4");
    add_deprecated(registry, "old", "aged-3-mini", NULL);
    add_deprecated(registry, "old", "aged-2", NULL);
    add(registry, "openrouter", "maker/aged-2", "Aged 2");
    return registry;
}

static void test_selectors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *selector, *provider, *want, *level, *notice;
    } cases[] = {
        { "mock/m1", NULL, "mock/m1", NULL },
        { "MOCK/M1", NULL, "mock/m1", NULL },
        { "lab/m1", NULL, "lab/m1", NULL },
        { "m1", NULL, "mock/m1", NULL },
        { "m1", "lab", "lab/m1", NULL },
        { "m1", "LAB", "lab/m1", NULL },
        { "lab/m1", "lab", "lab/m1", NULL },
        { "mock/m1:high", NULL, "mock/m1", "high" },
        { "m1:off", NULL, "mock/m1", "off" },
        { "m1:inherit", NULL, "mock/m1", NULL },
        { "coder:32b", NULL, "mock/coder:32b", NULL },
        { "mock/coder:32b:low", NULL, "mock/coder:32b", "low" },
        { "org/big-model", NULL, "lab/org/big-model", NULL },
        { "lab/org/big-model", NULL, "lab/org/big-model", NULL },
        { "big", NULL, "lab/org/big-model", NULL, "Using lab/org/big-model for \"big\"." },
        { "x:high", NULL, "lab/x:high", NULL },
        { "x:low", NULL, "lab/x", "low" },
        { "dated", NULL, "mock/dated-20250601", NULL },
        { "dated-20240101", NULL, "mock/dated-20240101", NULL },
        { "dated-20260202", NULL, NULL, NULL }, // core-104: only dated ones are known
        { "m1-20260202", NULL, "mock/m1-20260202", NULL },
        { "lab/m1-2026-02-02:low", NULL, "lab/m1-2026-02-02", "low" },
        // what differs by provider and spelling is one model
        { "Sonic.2", NULL, "openrouter/maker/sonic-2", NULL,
          "Using openrouter/maker/sonic-2 for \"Sonic.2\"." },
        { "openrouter/sonic-2:low", NULL, "openrouter/maker/sonic-2", "low",
          "Using openrouter/maker/sonic-2 for \"openrouter/sonic-2\"." },
        // core-105: by its exact id
        { "aged-3-20240229", NULL, "old/aged-3-20240229", NULL,
          "aged-3-20240229 is deprecated; its successor is aged-4" },
        { "OLD/aged-3-20240229:low", NULL, "old/aged-3-20240229", "low",
          "aged-3-20240229 is deprecated; its successor is aged-4" },
        { "aged-3-mini", NULL, "old/aged-3-mini", NULL, "aged-3-mini is deprecated" },
        { "old/aged-3-mini-20250101", NULL, "old/aged-3-mini-20250101", NULL,
          "aged-3-mini-20250101 is deprecated" },
        { "maker aged", NULL, "openrouter/maker/aged-2", NULL,
          "Using openrouter/maker/aged-2 for \"maker aged\"." },
        { "sonic", NULL, "mock/sonic-20250601", NULL },
        { "mock/sonic", NULL, "mock/sonic-20250601", NULL },
        { "Mock One", NULL, "mock/m1", NULL, "Using mock/m1 for \"Mock One\"." },
        { "coder:medium", NULL, "mock/coder:32b", "medium", "Using mock/coder:32b for \"coder\"." },
        { "Coder 32", "mock", "mock/coder:32b", NULL, "Using mock/coder:32b for \"Coder 32\"." },
        // core-104
        { "m-4-6", NULL, "ver/m-4-6", NULL },
        { "ver/m-4-6-20251101", NULL, "ver/m-4-6-20251101", NULL },
        { "M 4.5", NULL, "ver/m-4-5", NULL, "Using ver/m-4-5 for \"M 4.5\"." },
        // core-17
        { "mock/nothere:high", NULL, "mock/nothere", "high",
          "Warning: mock/nothere is not in the catalogue; using it with the defaults of mock." },
        { "mock/cod", NULL, "mock/cod", NULL,
          "Warning: mock/cod is not in the catalogue (nearest: mock/coder:32b); using it with the "
          "defaults of mock." },
        { "MOCK/org/x", NULL, "mock/org/x", NULL,
          "Warning: mock/org/x is not in the catalogue; using it with the defaults of mock." },
    };
    g_autoptr(ModelRegistry) registry = test_registry();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ModelChoice choice;
        g_autoptr(GError) error = NULL;
        bool is_found =
            model_registry_select(registry, cases[i].selector, cases[i].provider, &choice, &error);
        if (!is_found && !cases[i].want)
            continue;
        if (!is_found)
            fail_msg("%s: %s", cases[i].selector, error->message);
        if (g_strcmp0(choice.notice, cases[i].notice) != 0)
            fail_msg("%s: said '%s'", cases[i].selector, choice.notice);
        g_autofree char *got = g_strconcat(choice.model->provider, "/", choice.model->id, NULL);
        const char *level = choice.has_level ? thinking_level_name(choice.level) : NULL;
        if (g_strcmp0(got, cases[i].want) != 0 || g_strcmp0(level, cases[i].level) != 0)
            fail_msg("%s: got %s, level %s", cases[i].selector, got, level);
    }
}

static void test_failures(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *selector, *provider, *want;
    } cases[] = {
        // core-17
        { "nomock/x", NULL,
          "Model \"nomock/x\" not found. Use --list-models to see available models." },
        // core-104: several, or another version
        { "m-4", NULL, "Model \"m-4\" could be: ver/m-4-5, ver/m-4-6. Name one of them." },
        { "m-4-7", NULL, "Model \"m-4-7\" not found. Use --list-models to see available models." },
        { "only-5", NULL, "Model \"only-5\" could be: ver/only-5.2. Name one of them." },
        { "only-5.2.1", NULL,
          "Model \"only-5.2.1\" not found. Use --list-models to see available models." },
        { "cdr", NULL, "Model \"cdr\" not found. Use --list-models to see available models." },
        // a typing mistake
        { "onyl-5.2", NULL,
          "Model \"onyl-5.2\" not found; did you mean ver/only-5.2? Use --list-models to see "
          "available models." },
        { "vre/only-5.2", NULL,
          "Model \"vre/only-5.2\" not found; did you mean ver/only-5.2? Use --list-models to see "
          "available models." },
        // core-105: by a part of it
        { "aged 3", NULL,
          "Model \"aged 3\" not found: old/aged-3-20240229 is deprecated and must be named in "
          "full. "
          "Use --list-models to see available models." },
        { "aged mini", "old",
          "Model \"aged mini\" not found: old/aged-3-mini is deprecated and must be named in full. "
          "Use --list-models to see available models." },
        { "m1:banana", NULL,
          "Model \"m1:banana\" not found. Use --list-models to see available models." },
        { "", NULL, "Model \"\" not found. Use --list-models to see available models." },
        { ":low", NULL, "Model \":low\" not found. Use --list-models to see available models." },
        { "org/big-model", "mock",
          "Model \"org/big-model\" not found. Use --list-models to see available models." },
        { "m1", "nobody",
          "Unknown provider \"nobody\". Use --list-models to see available providers/models." },
    };
    g_autoptr(ModelRegistry) registry = test_registry();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ModelChoice choice;
        g_autoptr(GError) error = NULL;
        assert_false(
            model_registry_select(registry, cases[i].selector, cases[i].provider, &choice, &error));
        assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
        if (strcmp(error->message, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].selector, error->message);
    }
}

static void test_usable_first(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = test_registry();
    const GPtrArray *models = registry_models(registry, NULL);
    for (guint i = 0; i < models->len; i++) {
        Model *model = g_ptr_array_index(models, i);
        model->is_keyless = strcmp(model->provider, "lab") == 0;
    }
    ModelChoice choice;
    assert_true(model_registry_select(registry, "m1", NULL, &choice, NULL));
    assert_string_equal(choice.model->provider, "lab");
    assert_true(model_registry_select(registry, "mock/m1", NULL, &choice, NULL));
    assert_string_equal(choice.model->provider, "mock");
}

static void test_unlisted_openai(void **state G_GNUC_UNUSED)
{
    clean_environment();
    g_setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1", TRUE);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
    ModelChoice choice, again;
    assert_true(
        model_registry_select(registry, "openai/qwen2.5-coder:32b:low", NULL, &choice, NULL));
    assert_string_equal(choice.model->provider, "openai");
    assert_string_equal(choice.model->id, "qwen2.5-coder:32b");
    assert_string_equal(choice.model->base_url, "http://127.0.0.1:2/v1");
    assert_int_equal(choice.model->context_window, 128000);
    assert_int_equal(choice.level, THINKING_LOW);
    assert_true(model_registry_select(registry, "openai/qwen2.5-coder:32b", NULL, &again, NULL));
    assert_ptr_equal(again.model, choice.model);
    assert_true(model_registry_select(registry, "local/model", "openai", &again, NULL));
    assert_string_equal(again.model->id, "local/model");
    assert_true(model_registry_select(registry, "openai/gpt-5:high", NULL, &again, NULL));
    assert_int_equal(again.model->context_window, 400000); // a known one stays what it is
    clean_environment();
}

/* "provider …" of what was read of the catalogue so far. */
static void assert_read(const ModelRegistry *registry, const char *want)
{
    g_autoptr(GString) got = g_string_new(NULL);
    for (guint i = 0; i < registry->sources->len; i++) {
        const ModelSource *source = g_ptr_array_index(registry->sources, i);
        if (source->models)
            g_string_append_printf(got, "%s%s", got->len > 0 ? " " : "", source->provider);
    }
    assert_string_equal(got->str, want);
}

/* A start must not pay for the hundreds of models that it does not use. */
static void test_reads_one_provider(void **state G_GNUC_UNUSED)
{
    clean_environment();
    g_setenv("GROQ_API_KEY", "k", TRUE);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
    assert_read(registry, "");
    assert_string_equal(model_registry_default(registry)->provider, "groq");
    assert_read(registry, "groq");
    ModelChoice choice;
    assert_true(
        model_registry_select(registry, "Anthropic/claude-sonnet-4-5", NULL, &choice, NULL));
    assert_string_equal(choice.model->id, "claude-sonnet-4-5");
    assert_read(registry, "anthropic groq");
    assert_non_null(model_registry_find(registry, "openai", "gpt-5"));
    assert_null(model_registry_find(registry, "nobody", "gpt-5"));
    assert_read(registry, "anthropic openai groq");
    size_t count;
    assert_true(model_registry_all(registry, &count)[0]);
    assert_true(count > 700);
    clean_environment();
}

/* disabledProviders and modelProviderOrder */
static void test_arranged(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = test_registry();
    g_autoptr(json_t) disabled = json_of("['LAB','nobody',7]");
    g_autoptr(json_t) order = json_of("['ver','openrouter','nobody',7]");
    model_registry_arrange(registry, disabled, order);
    assert_read(registry, "ver openrouter mock old");
    ModelChoice choice;
    g_autoptr(GError) error = NULL;
    assert_true(model_registry_select(registry, "x:low", NULL, &choice, &error) == false);
    g_clear_error(&error);
    assert_string_equal(model_registry_default(registry)->provider, "ver");

    clean_environment();
    g_setenv("ANTHROPIC_API_KEY", "k", TRUE);
    g_setenv("GROQ_API_KEY", "k", TRUE);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) built_in = model_registry_new(NULL, &warning);
    g_autoptr(json_t) anthropic = json_of("['anthropic']");
    model_registry_arrange(built_in, anthropic, NULL);
    assert_string_equal(model_registry_default(built_in)->provider, "groq");
    assert_false(model_registry_select(built_in, "anthropic/claude-opus-5", NULL, &choice, &error));
    assert_string_equal(error->message,
                        "Model \"anthropic/claude-opus-5\" not found: the provider is one of "
                        "disabledProviders. Use --list-models to see available models.");
    clean_environment();
}

/* A capital letter is no way round, to the same id at another provider's server. */
static void test_disabled_in_any_case(void **state G_GNUC_UNUSED)
{
    static const char *const settings[] = { "['anthropic']", "['Anthropic']" };
    static const char *const selectors[] = {
        "anthropic/claude-sonnet-4.5",
        "Anthropic/claude-sonnet-4.5",
        "ANTHROPIC/claude-sonnet-4.5:high",
    };
    clean_environment();
    g_setenv("OPENROUTER_API_KEY", "k", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(settings) * G_N_ELEMENTS(selectors); i++) {
        const char *selector = selectors[i % G_N_ELEMENTS(selectors)];
        g_autofree char *warning = NULL;
        g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
        g_autoptr(json_t) disabled = json_of(settings[i / G_N_ELEMENTS(selectors)]);
        model_registry_arrange(registry, disabled, NULL);
        ModelChoice choice = { 0 };
        g_autoptr(GError) error = NULL;
        if (model_registry_select(registry, selector, NULL, &choice, &error))
            fail_msg("%s went to %s", selector, choice.model->provider);
        assert_non_null(strstr(error->message, "the provider is one of disabledProviders"));
        g_auto(GStrv) names = model_registry_providers(registry);
        assert_false(g_strv_contains((const char *const *)names, "anthropic"));
    }
    clean_environment();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_usable_first),
        cmocka_unit_test(test_unlisted_openai),
        cmocka_unit_test(test_reads_one_provider),
        cmocka_unit_test(test_arranged),
        cmocka_unit_test(test_disabled_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
