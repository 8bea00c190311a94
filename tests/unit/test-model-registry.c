/*
 * model/registry*.c and catalogue.c: built-ins, the models file, the environment, --list-models.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "base/file.h"

typedef struct Place {
    char *dir;
    char *file;
} Place;

static int setup(void **state)
{
    clean_environment();
    Place *self = g_new0(Place, 1);
    self->dir = g_dir_make_tmp("kedge-registry-XXXXXX", NULL);
    self->file = g_build_filename(self->dir, "models.yml", NULL);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Place *self = *state;
    file_remove_tree(self->dir, NULL);
    g_free(self->dir);
    g_free(self->file);
    g_free(self);
    return 0;
}

/* The registry of a models file with this text. `warning` NULL: there must be none. */
static ModelRegistry *load(const Place *place, const char *text, const char *warning)
{
    assert_true(g_file_set_contents(place->file, text, -1, NULL));
    g_autofree char *got = NULL;
    ModelRegistry *registry = model_registry_new(place->file, &got);
    if ((got == NULL) != (warning == NULL) || (got && !strstr(got, warning)))
        fail_msg("warning: got '%s', want '%s'", got, warning);
    return registry;
}

static void test_catalogue(void **state G_GNUC_UNUSED)
{
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
    assert_null(warning);
    size_t count;
    const Model *const *models = model_registry_all(registry, &count);
    assert_true(count >= 700);
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) defaults = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) providers = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < count; i++) {
        const Model *model = models[i];
        char *name = g_strconcat(model->provider, "/", model->id, NULL);
        assert_true(g_hash_table_add(names, name)); // no model twice
        assert_true(str_has_prefix(model->base_url, "https://"));
        assert_true(model->context_window >= model->max_tokens && model->max_tokens > 0);
        assert_true(model->min_thinking <= model->max_thinking);
        assert_false(model_registry_is_available(registry, model, true));
        g_hash_table_add(providers, model->provider);
        if (catalogue_is_default(model))
            assert_false(model->is_deprecated);
        if (catalogue_is_default(model))
            assert_true(g_hash_table_add(defaults, model->provider)); // one a provider
    }
    assert_int_equal(g_hash_table_size(defaults), g_hash_table_size(providers));
    // core-105
    const Model *haiku = model_registry_find(registry, "anthropic", "claude-3-haiku-20240307");
    assert_true(haiku->is_deprecated);
    assert_string_equal(haiku->successor, "claude-haiku-4-5");
    const Model *pro = model_registry_find(registry, "google", "gemini-1.5-pro");
    assert_true(pro->is_deprecated && !pro->successor);
    assert_false(model_registry_find(registry, "anthropic", "claude-haiku-4-5")->is_deprecated);
    assert_null(model_registry_default(registry));
}

static const char lab_file[] =
    "providers:\n"
    "  lab:\n"
    "    baseUrl: http://10.0.0.5:8000/v1\n"
    "    api: openai-completions\n"
    "    apiKey: LAB_KEY\n"
    "    headers: {X-Team: core}\n"
    "    compat: {maxTokensField: max_tokens, supportsDeveloperRole: false}\n"
    "    models:\n"
    "      - id: coder-32b\n"
    "        name: Coder 32B\n"
    "        reasoning: true\n"
    "        thinking: {minLevel: low, maxLevel: high, mode: effort}\n"
    "        input: [text, image]\n"
    "        contextWindow: 65536\n"
    "        maxTokens: 8192\n"
    "        cost: {input: 1, output: 2.5, cacheRead: 0.5, cacheWrite: 0}\n"
    "        headers: {X-Model: yes-it-is}\n"
    "        compat: {supportsStore: true}\n"
    "      - id: plain\n"
    "  mock:\n"
    "    baseUrl: http://127.0.0.1:9\n"
    "    api: anthropic-messages\n"
    "    auth: none\n"
    "    authHeader: true\n"
    "    models:\n"
    "      - {id: m1, contextWindow: 10000, maxTokens: 1000}\n"
    "      - {id: m2, api: openai-completions}\n"
    "  ollama:\n"
    "    baseUrl: http://127.0.0.1:11434\n"
    "    api: openai-completions\n"
    "    auth: none\n"
    "    models: [{id: 'qwen2.5-coder:32b'}]\n"
    "  anthropic:\n"
    "    modelOverrides:\n"
    "      claude-sonnet-4-5: {contextWindow: 1000000, name: Big}\n"
    "  groq:\n"
    "    baseUrl: http://proxy.example/v1\n"
    "    models: [{id: brand-new}, {id: openai/gpt-oss-20b, maxTokens: 5}]\n";

static void test_file(void **state)
{
    g_autoptr(ModelRegistry) registry = load(*state, lab_file, NULL);
    const Model *coder = model_registry_find(registry, "lab", "coder-32b");
    assert_string_equal(coder->name, "Coder 32B");
    assert_string_equal(coder->base_url, "http://10.0.0.5:8000/v1");
    assert_int_equal(coder->api, MODEL_API_OPENAI_COMPLETIONS);
    assert_true(coder->is_reasoning && coder->accepts_images && !coder->is_keyless);
    assert_int_equal(coder->min_thinking, THINKING_LOW);
    assert_int_equal(coder->max_thinking, THINKING_HIGH);
    assert_int_equal(coder->thinking_mode, THINKING_MODE_EFFORT);
    assert_int_equal(coder->context_window, 65536);
    assert_int_equal(coder->max_tokens, 8192);
    assert_true(coder->cost.output > 2.4 && coder->cost.output < 2.6);
    assert_json("headers", coder->headers, "{'X-Team':'core','X-Model':'yes-it-is'}");
    assert_json(
        "compat", coder->compat,
        "{'maxTokensField':'max_tokens','supportsDeveloperRole':false,'supportsStore':true}");

    const Model *plain = model_registry_find(registry, "lab", "plain");
    assert_int_equal(plain->context_window, 128000);
    assert_int_equal(plain->max_tokens, 16384);
    assert_false(plain->is_reasoning || plain->accepts_images);
    assert_json("headers of the provider alone", plain->headers, "{'X-Team':'core'}");

    const Model *m1 = model_registry_find(registry, "mock", "m1");
    assert_true(m1->is_keyless && m1->has_bearer_auth);
    assert_int_equal(m1->api, MODEL_API_ANTHROPIC_MESSAGES);
    assert_int_equal(model_registry_find(registry, "mock", "m2")->api,
                     MODEL_API_OPENAI_COMPLETIONS);
    assert_ptr_equal(model_registry_default(registry),
                     model_registry_find(registry, "lab", "coder-32b"));

    assert_string_equal(model_registry_find(registry, "ollama", "qwen2.5-coder:32b")->base_url,
                        "http://127.0.0.1:11434/v1");
    const Model *sonnet = model_registry_find(registry, "anthropic", "claude-sonnet-4-5");
    assert_int_equal(sonnet->context_window, 1000000);
    assert_string_equal(sonnet->name, "Big");
    assert_true(sonnet->is_reasoning);
    assert_int_equal(model_registry_find(registry, "anthropic", "claude-opus-4-5")->context_window,
                     200000);

    assert_string_equal(model_registry_find(registry, "groq", "brand-new")->base_url,
                        "http://proxy.example/v1");
    assert_string_equal(model_registry_find(registry, "groq", "llama-3.3-70b-versatile")->base_url,
                        "http://proxy.example/v1");
    assert_int_equal(model_registry_find(registry, "groq", "openai/gpt-oss-20b")->max_tokens, 5);
}

/* A window without a limit of answers: not all of it is asked for as output. */
static void test_answers_fit(void **state)
{
    static const char file[] = "providers:\n"
                               "  lab:\n"
                               "    baseUrl: http://10.0.0.5:8000/v1\n"
                               "    api: openai-completions\n"
                               "    apiKey: LAB_KEY\n"
                               "    models:\n"
                               "      - {id: small, contextWindow: 16384}\n"
                               "      - {id: large, contextWindow: 131072}\n"
                               "      - {id: tiny, contextWindow: 3}\n"
                               "      - {id: given, contextWindow: 16384, maxTokens: 16000}\n"
                               "      - {id: given-before, maxTokens: 16000}\n"
                               "      - {id: given-after, contextWindow: 16384}\n"
                               "    modelOverrides: {given-before: {contextWindow: 16384}, "
                               "given-after: {maxTokens: 16000}}\n"
                               "  anthropic:\n"
                               "    modelOverrides: {claude-sonnet-4-5: {contextWindow: 40000}}\n";
    static const struct {
        const char *provider, *id;
        int64_t want;
    } cases[] = {
        { "lab", "small", 4096 },
        { "lab", "large", 16384 },
        { "lab", "tiny", 1 },
        { "lab", "given", 16000 },
        { "lab", "given-before", 16000 },
        { "lab", "given-after", 16000 },
        { "anthropic", "claude-sonnet-4-5", 10000 },
    };
    g_autoptr(ModelRegistry) registry = load(*state, file, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Model *model = model_registry_find(registry, cases[i].provider, cases[i].id);
        if (model->max_tokens != cases[i].want)
            fail_msg("%s: %d", cases[i].id, (int)model->max_tokens);
    }
}

static void test_broken_files(void **state)
{
    static const struct {
        const char *text, *warning;
    } cases[] = {
        { "providers: {x: {apiKey: k, models: [{id: m, api: openai-completions}]}}",
          "Provider x: \"baseUrl\" is required when defining custom models." },
        { "providers: {x: {baseUrl: 'http://h', models: [{id: m, api: openai-completions}]}}",
          "Provider x: \"apiKey\" is required when defining custom models unless auth is "
          "\"none\"." },
        { "providers: {x: {baseUrl: 'http://h', auth: none, models: [{id: m}]}}",
          "Provider x, model m: no \"api\" specified. Set at provider or model level." },
        { "providers: {x: {baseUrl: 'http://h', auth: none, models: [{id: m, api: soap}]}}",
          "Provider x, model m: unknown api \"soap\"." },
        { "providers: {x: {baseUrl: 'http://h', auth: none, api: openai-completions, models: "
          "[{name: m}]}}",
          "every model needs an \"id\"" },
        { "providers: {groq: {apiKey: k}}", "needs at least one of" },
        { "providers: {x: 5}", "Provider x: not a mapping." },
        { "providers: [1]", "\"providers\" is not a mapping" },
        { "providers: {x: {baseUrl: 'http://h', models: {}}}", "not a list" },
        { "providers: {x: [", "models.yml" },
        { "- a", "models.yml" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        // a good provider beside the broken one is not used either
        g_autoptr(ModelRegistry) registry = load(*state, cases[i].text, cases[i].warning);
        assert_false(registry_has_provider(registry, "x"));
        assert_non_null(model_registry_find(registry, "anthropic", "claude-sonnet-4-5"));
    }
    g_autoptr(ModelRegistry) empty = load(*state, "", NULL);
    assert_non_null(model_registry_find(empty, "openai", "gpt-5"));
}

static void test_absent_and_json(void **state)
{
    const Place *place = *state;
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) absent = model_registry_new(place->file, &warning);
    assert_null(warning);
    assert_non_null(model_registry_find(absent, "openai", "gpt-5"));

    g_autofree char *json = g_build_filename(place->dir, "models.json", NULL);
    assert_true(g_file_set_contents(
        json, "{\"providers\":{\"groq\":{\"baseUrl\":\"http://h/v1\"}}}", -1, NULL));
    g_autoptr(ModelRegistry) older = model_registry_new(place->file, &warning);
    assert_null(warning);
    assert_string_equal(model_registry_find(older, "groq", "llama-3.3-70b-versatile")->base_url,
                        "http://h/v1");
}

static void test_base_urls(void **state)
{
    g_setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1", TRUE);
    g_setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1", TRUE);
    g_autoptr(ModelRegistry) registry = load(*state, "", NULL);
    assert_string_equal(model_registry_find(registry, "anthropic", "claude-opus-4-5")->base_url,
                        "http://127.0.0.1:1");
    assert_string_equal(model_registry_find(registry, "openai", "gpt-5")->base_url,
                        "http://127.0.0.1:2/v1");
    assert_string_equal(model_registry_find(registry, "groq", "llama-3.3-70b-versatile")->base_url,
                        "https://api.groq.com/openai/v1");
    g_autoptr(ModelRegistry) file_wins =
        load(*state, "providers: {openai: {baseUrl: 'http://file/v1'}}", NULL);
    assert_string_equal(model_registry_find(file_wins, "openai", "gpt-5")->base_url,
                        "http://file/v1");
}

/* core-117, and what else says which format a provider is spoken to in. */
static void test_apis(void **state)
{
    static const struct {
        const char *name, *openai_base_url, *file, *provider, *id, *want, *base;
    } cases[] = {
        { "its own address", NULL, "", "openai", "gpt-5", "openai-responses",
          "https://api.openai.com/v1" },
        { "OPENAI_BASE_URL", "http://127.0.0.1:2/v1", "", "openai", "gpt-5", "openai-completions",
          "http://127.0.0.1:2/v1" },
        { "an address in the file", NULL, "providers: {openai: {baseUrl: 'http://h/v1'}}", "openai",
          "gpt-5", "openai-completions", "http://h/v1" },
        { "api in the file", "http://127.0.0.1:2/v1",
          "providers: {openai: {api: openai-responses, headers: {a: b}}}", "openai", "gpt-5",
          "openai-responses", "http://127.0.0.1:2/v1" },
        { "a model of one's own", NULL, "providers: {openai: {models: [{id: m}]}}", "openai", "m",
          "openai-responses", "https://api.openai.com/v1" },
        { "a model of one's own, OPENAI_BASE_URL", "http://127.0.0.1:2/v1",
          "providers: {openai: {models: [{id: m}]}}", "openai", "m", "openai-completions",
          "http://127.0.0.1:2/v1" },
        { "api of a model", NULL,
          "providers: {x: {baseUrl: 'http://h', auth: none, api: openai-completions, models: "
          "[{id: m, api: azure-openai-responses}]}}",
          "x", "m", "azure-openai-responses", "http://h" },
        { "Vertex", NULL,
          "providers: {x: {baseUrl: 'http://h', auth: none, models: [{id: m, api: "
          "google-vertex}]}}",
          "x", "m", "google-vertex", "http://h" },
        { "Google", NULL, "", "google", "gemini-2.5-pro", "google-generative-ai",
          "https://generativelanguage.googleapis.com/v1beta" },
        { "Google's compatible address", NULL,
          "providers: {google: {baseUrl: "
          "'https://generativelanguage.googleapis.com/v1beta/openai'}}",
          "google", "gemini-2.5-pro", "openai-completions",
          "https://generativelanguage.googleapis.com/v1beta/openai" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (cases[i].openai_base_url)
            g_setenv("OPENAI_BASE_URL", cases[i].openai_base_url, TRUE);
        else
            g_unsetenv("OPENAI_BASE_URL");
        g_autoptr(ModelRegistry) registry = load(*state, cases[i].file, NULL);
        const Model *model = model_registry_find(registry, cases[i].provider, cases[i].id);
        if (!model || strcmp(model_api_name(model->api), cases[i].want) != 0 ||
            strcmp(model->base_url, cases[i].base) != 0)
            fail_msg("%s: got %s at %s", cases[i].name, model ? model_api_name(model->api) : "none",
                     model ? model->base_url : "");
    }
    g_unsetenv("OPENAI_BASE_URL");
}

static void test_list(void **state)
{
    g_autoptr(ModelRegistry) nothing = load(*state, "", NULL);
    g_autofree char *none = model_registry_list_text(nothing, &(ModelListOptions) { 0 });
    assert_true(str_has_prefix(none, "No models available. No key is known: "));

    g_autoptr(ModelRegistry) registry = load(*state,
                                             "providers: {mock: {baseUrl: 'http://127.0.0.1:9', "
                                             "api: anthropic-messages, auth: none, models: ["
                                             "{id: m2, contextWindow: 131072, reasoning: true}, "
                                             "{id: m1, contextWindow: 1000000, maxTokens: 900, "
                                             "input: [image]}]}}",
                                             NULL);
    g_autofree char *all = model_registry_list_text(registry, &(ModelListOptions) { 0 });
    assert_string_equal(all, "provider  model  context  max-out  thinking  images\n"
                             "mock      m1     1M       900      no        yes\n"
                             "mock      m2     131.1K   16.4K    yes       no\n");
    g_autofree char *one = model_registry_list_text(registry, &(ModelListOptions) { "mock 2" });
    assert_null(strstr(one, "m1"));
    assert_non_null(strstr(one, "m2"));
    const ModelListOptions nobody = { "zzzz" }; // core-21
    g_autofree char *unmatched = model_registry_list_text(registry, &nobody);
    assert_string_equal(unmatched, "No models matching \"zzzz\"\n");
}

static const char old_file[] =
    "providers:\n"
    "  mock:\n"
    "    baseUrl: http://127.0.0.1:9\n"
    "    api: openai-completions\n"
    "    auth: none\n"
    "    models:\n"
    "      - {id: m-2.0, contextWindow: 1000, maxTokens: 10, reasoning: true}\n"
    "      - {id: m-1, contextWindow: 1000, maxTokens: 10, successor: m-2.0}\n"
    "      - {id: m-0, contextWindow: 1000, maxTokens: 10, deprecated: true}\n"
    "      - {id: back, contextWindow: 1000, maxTokens: 10, successor: x, deprecated: false}\n"
    "  other:\n"
    "    baseUrl: http://127.0.0.1:9\n"
    "    api: openai-completions\n"
    "    auth: none\n"
    "    models: [{id: maker/M-2-0, contextWindow: 1000, maxTokens: 10}]\n"
    "  anthropic:\n"
    "    modelOverrides: {claude-opus-5: {successor: claude-opus-6}}\n";

static void test_list_deprecated(void **state) // core-105
{
    g_autoptr(ModelRegistry) registry = load(*state, old_file, NULL);
    assert_string_equal(model_registry_find(registry, "anthropic", "claude-opus-5")->successor,
                        "claude-opus-6");
    assert_false(model_registry_find(registry, "mock", "back")->is_deprecated);
    g_autofree char *usual = model_registry_list_text(registry, &(ModelListOptions) { 0 });
    assert_string_equal(usual, "Canonical models\n"
                               "canonical  chosen      also\n"
                               "m-2-0      mock/m-2.0  other/maker/M-2-0\n"
                               "\n"
                               "provider  model        context  max-out  thinking  images\n"
                               "mock      back         1K       10       no        no\n"
                               "mock      m-2.0        1K       10       yes       no\n"
                               "other     maker/M-2-0  1K       10       no        no\n");
    const ModelListOptions with_old = { "mock -", true };
    g_autofree char *all = model_registry_list_text(registry, &with_old);
    assert_string_equal(all, "provider  model  context  max-out  thinking  images  deprecated\n"
                             "mock      m-0    1K       10       no        no      yes\n"
                             "mock      m-1    1K       10       no        no      for m-2.0\n"
                             "mock      m-2.0  1K       10       yes       no      no\n");
    g_autoptr(json_t) list = model_registry_list_json(registry, &with_old);
    assert_int_equal(json_array_size(list), 3);
    const json_t *old = json_array_get(list, 1), *new = json_array_get(list, 2);
    assert_true(json_get_bool(old, "deprecated", false));
    assert_string_equal(json_get_text(old, "successor"), "m-2.0");
    assert_null(json_object_get(new, "deprecated"));
    assert_string_equal(json_get_text(new, "canonical"), "m-2-0");
    assert_json("levels", json_get_array(new, "thinkingLevels"),
                "['minimal','low','medium','high']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_catalogue, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answers_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_absent_and_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_base_urls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_apis, setup, teardown),
        cmocka_unit_test_setup_teardown(test_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_list_deprecated, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
