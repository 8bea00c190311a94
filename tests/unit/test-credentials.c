/*
 * model/credentials.c: the order of keys.
 */
#include "model_fixture.h"

#include "base/secret_names.h"

static void assert_key(const ModelRegistry *registry, const char *provider, const char *id,
                       bool is_named, const char *want)
{
    const Model *model = model_registry_find(registry, provider, id);
    g_autofree char *got = model_registry_key(registry, model, is_named);
    if (g_strcmp0(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", provider, got, want);
    assert_int_equal(model_registry_is_available(registry, model, is_named),
                     want || model->is_keyless);
}

static ModelRegistry *test_registry(void)
{
    clean_environment();
    g_autofree char *warning = NULL;
    ModelRegistry *registry = model_registry_new(NULL, &warning);
    registry_put_model(registry,
                       model_new("lab", "l1", MODEL_API_OPENAI_COMPLETIONS, "http://127.0.0.1:1"));
    Model *local = model_new("ollama", "o1", MODEL_API_OPENAI_COMPLETIONS, "http://127.0.0.1:1");
    local->is_keyless = true;
    registry_put_model(registry, local);
    return registry;
}

static void test_order(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = test_registry();
    const char *sonnet = "claude-sonnet-4-5";
    assert_key(registry, "anthropic", sonnet, true, NULL);
    g_setenv("KEDGE_API_KEY", "workflow-key", TRUE);
    assert_key(registry, "anthropic", sonnet, true, "workflow-key");
    assert_key(registry, "anthropic", sonnet, false, NULL); // only for a model that was named
    g_hash_table_insert(registry->file_keys, g_strdup("anthropic"), g_strdup("file-key"));
    assert_key(registry, "anthropic", sonnet, true, "file-key");
    g_setenv("ANTHROPIC_API_KEY", " env-key \n", TRUE);
    assert_key(registry, "anthropic", sonnet, true, "env-key");
    g_setenv("ANTHROPIC_OAUTH_TOKEN", "oauth", TRUE);
    assert_key(registry, "anthropic", sonnet, false, "oauth");
    g_setenv("ANTHROPIC_OAUTH_TOKEN", "", TRUE); // empty counts as unset
    assert_key(registry, "anthropic", sonnet, false, "env-key");
    model_registry_set_runtime_key(registry, "anthropic", "typed");
    assert_key(registry, "anthropic", sonnet, false, "typed");
    assert_key(registry, "openai", "gpt-5", false, NULL);
}

static void test_file_keys(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = test_registry();
    g_hash_table_insert(registry->file_keys, g_strdup("lab"), g_strdup("LAB_KEY"));
    g_unsetenv("LAB_KEY");
    assert_key(registry, "lab", "l1", false, "LAB_KEY"); // no such variable: the key itself
    g_setenv("LAB_KEY", "from-env", TRUE);
    assert_key(registry, "lab", "l1", false, "from-env");
    g_unsetenv("LAB_KEY");
}

static void test_keyless(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = test_registry();
    g_setenv("KEDGE_API_KEY", "workflow-key", TRUE);
    assert_key(registry, "ollama", "o1", true, NULL);
    model_registry_set_runtime_key(registry, "ollama", "typed");
    assert_key(registry, "ollama", "o1", true, "typed");
}

/* common §6: what we read as a key is kept from children. */
static void test_names_are_secret(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        for (size_t j = 0; j < 2 && catalogue_providers[i].env_names[j]; j++)
            assert_true(secret_is_provider_key(catalogue_providers[i].env_names[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_file_keys),
        cmocka_unit_test(test_keyless),
        cmocka_unit_test(test_names_are_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
