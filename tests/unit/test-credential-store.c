/*
 * model/credential_store.c: stored keys, and which of several is used.
 */
#include "model_fixture.h"

#include "model/credential_store.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

typedef struct Place {
    char *dir, *path, *models;
} Place;

static int setup(void **state)
{
    Place *place = g_new0(Place, 1);
    clean_environment();
    place->dir = g_dir_make_tmp("kedge-keys-XXXXXX", NULL);
    place->path = g_build_filename(place->dir, CREDENTIAL_STORE_FILE, NULL);
    place->models = g_build_filename(place->dir, "models.yml", NULL);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    Place *place = *state;
    static const char *const more[] = { "", "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) {
        g_autofree char *name = g_strconcat(place->path, more[i], NULL);
        g_unlink(name);
    }
    assert_int_equal(g_rmdir(place->dir), 0);
    g_free(place->dir);
    g_free(place->path);
    g_free(place->models);
    g_free(place);
    return 0;
}

static void add(const Place *place, const char *provider, const char *key, bool want_new)
{
    g_autoptr(GError) error = NULL;
    bool is_new = false;
    if (!credential_store_add(place->path, provider, key, &is_new, &error))
        fail_msg("%s: %s", key, error->message);
    assert_int_equal(is_new, want_new);
}

static char *all_keys(const Place *place)
{
    g_autoptr(GPtrArray) keys = NULL;
    g_autoptr(GError) error = NULL;
    if (!credential_store_read(place->path, &keys, &error))
        fail_msg("read: %s", error->message);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < keys->len; i++) {
        const StoredKey *key = g_ptr_array_index(keys, i);
        g_string_append_printf(text, "%s=%s ", key->provider, key->key);
    }
    return g_string_free(text, FALSE);
}

static void test_store(void **state)
{
    const Place *place = *state;
    g_autofree char *nothing = all_keys(place);
    assert_string_equal(nothing, "");
    int64_t count = 1;
    assert_true(credential_store_remove(place->path, "a", &count, NULL));
    assert_int_equal(count, 0);
    assert_false(g_file_test(place->path, G_FILE_TEST_EXISTS)); // reading makes no file

    add(place, "anthropic", "key-one", true);
    struct stat info;
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    add(place, "openai", "o'key\"two", true);
    add(place, "anthropic", "key-three", true);
    add(place, "anthropic", "key-one", false);
    g_autofree char *three = all_keys(place);
    assert_string_equal(three, "anthropic=key-one openai=o'key\"two anthropic=key-three ");

    assert_true(credential_store_remove(place->path, "anthropic", &count, NULL));
    assert_int_equal(count, 2);
    g_autofree char *one = all_keys(place);
    assert_string_equal(one, "openai=o'key\"two ");
}

static void test_broken(void **state)
{
    const Place *place = *state;
    assert_true(g_file_set_contents(place->path, "this is no database, but long enough", -1, NULL));
    g_autoptr(GPtrArray) keys = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(credential_store_read(place->path, &keys, &error));
    assert_non_null(strstr(error->message, place->path));
}

static void assert_key(const ModelRegistry *registry, const Model *model, const char *want)
{
    g_autofree char *got = model_registry_key(registry, model, false);
    if (g_strcmp0(got, want) != 0)
        fail_msg("got '%s', want '%s'", got, want);
}

static void test_rotation(void **state)
{
    const Place *place = *state;
    add(place, "anthropic", "key-one", true);
    add(place, "anthropic", "key-two", true);
    add(place, "openai", "only-one", true);
    g_setenv("ANTHROPIC_API_KEY", "env-key", TRUE);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(place->models, &warning);
    const Model *claude = model_registry_find(registry, "anthropic", "claude-sonnet-4-5");
    const Model *gpt = model_registry_find(registry, "openai", "gpt-5");
    g_autofree char *source = model_registry_key_source(registry, claude);
    assert_string_equal(source, "stored");
    assert_key(registry, claude, "key-one"); // before the environment's
    assert_false(
        model_registry_key_failed(registry, "anthropic", "key-one", "HTTP 500: server error"));
    assert_key(registry, claude, "key-one");
    assert_true(
        model_registry_key_failed(registry, "anthropic", "key-one", "HTTP 429: rate_limit_error"));
    assert_key(registry, claude, "key-two");
    assert_key(registry, claude, "key-two"); // and stays
    assert_false(model_registry_key_failed(registry, "anthropic", "key-two",
                                           "usage limit reached retry-after-ms=60000"));
    assert_key(registry, claude, "key-two"); // all of them rest
    assert_false(model_registry_key_failed(registry, "openai", "only-one", "HTTP 429: rate limit"));
    assert_key(registry, gpt, "only-one");
    assert_false(
        model_registry_key_failed(registry, "openai", "only-one", "HTTP 401: Incorrect API key"));
    assert_key(registry, gpt, "only-one"); // there is no other
    model_registry_set_runtime_key(registry, "anthropic", "typed");
    assert_key(registry, claude, "typed");
    assert_false(model_registry_key_failed(registry, "anthropic", "typed", "HTTP 429: rate limit"));
}

static void test_refused(void **state)
{
    const Place *place = *state;
    add(place, "anthropic", "key-one", true);
    add(place, "anthropic", "key-two", true);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(place->models, &warning);
    const Model *claude = model_registry_find(registry, "anthropic", "claude-sonnet-4-5");
    assert_true(
        model_registry_key_failed(registry, "anthropic", "key-one", "HTTP 401: invalid x-api-key"));
    assert_key(registry, claude, "key-two");
    assert_false(
        model_registry_key_failed(registry, "anthropic", "key-two", "HTTP 401: invalid x-api-key"));
    assert_false(
        model_registry_key_failed(registry, "anthropic", "key-two", "HTTP 429: rate limit"));
    assert_key(registry, claude, "key-two"); // never back to one that was refused
}

/* agent-core §2.11: the environment's stands behind those that are stored. */
static void test_refused_before_the_environment(void **state)
{
    const Place *place = *state;
    add(place, "anthropic", "key-one", true);
    add(place, "anthropic", "key-two", true);
    add(place, "openai", "same", true);
    g_setenv("ANTHROPIC_API_KEY", "env-key", TRUE);
    g_setenv("OPENAI_API_KEY", "same", TRUE);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(place->models, &warning);
    const Model *claude = model_registry_find(registry, "anthropic", "claude-sonnet-4-5");
    const char *const refusal = "HTTP 401: invalid x-api-key";
    assert_true(model_registry_key_failed(registry, "anthropic", "key-two", refusal));
    assert_key(registry, claude, "key-one");
    // one that only rests comes back, so the environment's is not taken for it
    assert_false(model_registry_key_failed(registry, "anthropic", "key-one", "HTTP 429: limit"));
    assert_key(registry, claude, "key-one");
    assert_true(model_registry_key_failed(registry, "anthropic", "key-one", refusal));
    assert_key(registry, claude, "env-key");
    g_autofree char *source = model_registry_key_source(registry, claude);
    assert_string_equal(source, "environment (ANTHROPIC_API_KEY)");
    assert_false(model_registry_key_failed(registry, "anthropic", "env-key", refusal));
    assert_key(registry, claude, "env-key");
    // the same key again would be refused again
    assert_false(model_registry_key_failed(registry, "openai", "same", "HTTP 401: no such key"));
}

/* The key that is in use now has done nothing. */
static void test_another_was_sent(void **state)
{
    const Place *place = *state;
    add(place, "anthropic", "key-one", true);
    add(place, "anthropic", "key-two", true);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(place->models, &warning);
    const Model *claude = model_registry_find(registry, "anthropic", "claude-sonnet-4-5");
    static const char refused[] = "HTTP 401: invalid x-api-key";
    assert_false(model_registry_key_failed(registry, "anthropic", NULL, refused));
    // of a time before the login, or of the environment: the stored one is tried
    assert_true(model_registry_key_failed(registry, "anthropic", "key-before", refused));
    assert_key(registry, claude, "key-one");
    assert_false(model_registry_key_failed(registry, "openai", "key-one", refused));
    assert_true(model_registry_key_failed(registry, "anthropic", "key-two", refused));
    assert_key(registry, claude, "key-one");
    assert_false(model_registry_key_failed(registry, "anthropic", "key-one", refused));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_store, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rotation, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_before_the_environment, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_was_sent, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
