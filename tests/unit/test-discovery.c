/*
 * model/discovery.c: what servers say they have, and when they are asked.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "http_server.h"

#include <glib/gstdio.h>

typedef struct Page {
    const char *request, *body; // how it begins; what is answered, ' for "
} Page;

static bool serve(TestServer *server, int fd, const char *request, unsigned number G_GNUC_UNUSED)
{
    const Page *page = server->data;
    while (page->request && !str_has_prefix(request, page->request))
        page++;
    g_autofree char *body = g_strdelimit(g_strdup(page->request ? page->body : "{}"), "'", '"');
    g_autofree char *text = g_strdup_printf(
        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        page->request ? "200 OK" : "404 Not Found", strlen(body), body);
    test_send_text(fd, text);
    return true;
}

static unsigned asked(TestServer *server)
{
    pthread_mutex_lock(&server->lock);
    unsigned count = server->requests->len;
    pthread_mutex_unlock(&server->lock);
    return count;
}

static const Page ollama_pages[] = {
    { "GET /api/tags ", "{'models':[{'name':'qwen3:8b'},{'name':'llava'},{'name':5},{}]}" },
    { "POST /api/show ",
      "{'capabilities':['completion','thinking','vision'],"
      "'model_info':{'general.architecture':'qwen3','qwen3.context_length':40960}}" },
    { 0 },
};
static const Page llama_pages[] = {
    { "GET /v1/models ", "{'data':[{'id':'local.gguf'}]}" },
    { "GET /props ",
      "{'default_generation_settings':{'n_ctx':8192},'modalities':{'vision':true}}" },
    { 0 },
};
static const Page list_pages[] = {
    { "GET /v1/models ",
      "{'data':[{'id':'a','max_model_len':32768},{'id':'b'},{'id':'c','context_length':4096}]}" },
    { 0 },
};
static const Page bare_pages[] = { { "GET /v1/models ", "[{'id':'a'}]" }, { 0 } };
static const Page no_pages[] = { { 0 } };

static char *listing(const GPtrArray *models)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        g_string_append_printf(text, "%s %d %d%s%s; ", model->id, (int)model->context_window,
                               (int)model->max_tokens, model->is_reasoning ? " thinks" : "",
                               model->accepts_images ? " sees" : "");
    }
    return g_string_free(text, FALSE);
}

static void test_servers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *type, *path;
        const Page *pages;
        const char *want, *error;
    } cases[] = {
        { "ollama", "", ollama_pages,
          "qwen3:8b 40960 10240 thinks sees; llava 40960 10240 thinks sees; ", NULL },
        { "ollama", "/v1", ollama_pages,
          "qwen3:8b 40960 10240 thinks sees; llava 40960 10240 thinks sees; ", NULL },
        { "llama.cpp", "", llama_pages, "local.gguf 8192 2048 sees; ", NULL },
        { "llama.cpp", "", list_pages, "a 32768 8192; b 128000 16384; c 4096 1024; ", NULL },
        { "vllm", "/v1/", list_pages, "a 32768 8192; b 128000 16384; c 4096 1024; ", NULL },
        { "lm-studio", "", bare_pages, "a 128000 16384; ", NULL },
        { "lm-studio", "", no_pages, "", "answers with status 404" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        TestServer *server = test_server_start(serve, (void *)cases[i].pages);
        g_autofree char *url = test_server_url(server, cases[i].path);
        Discovery *discovery = discovery_new("p", cases[i].type, url, NULL);
        g_autoptr(GPtrArray) models = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
        g_autoptr(GError) error = NULL;
        bool is_ok = discovery_run(discovery, NULL, models, &error);
        discovery_free(discovery);
        test_server_stop(server);
        g_autofree char *got = listing(models);
        if (strcmp(got, cases[i].want) != 0 || is_ok != !cases[i].error ||
            (error && !strstr(error->message, cases[i].error)))
            fail_msg("case %zu: got '%s', %s", i, got, error ? error->message : "no error");
    }
}

/* The servers of a person's own machine are asked for their own models only, or when nothing else
   can be used. */
static void test_registry(void **state G_GNUC_UNUSED)
{
    TestServer *server = test_server_start(serve, (void *)ollama_pages);
    g_autofree char *url = test_server_url(server, "");
    g_setenv("OLLAMA_BASE_URL", url, TRUE);
    g_setenv("OPENAI_API_KEY", "k", TRUE);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
    ModelChoice choice;
    assert_true(model_registry_select(registry, "gpt-5", NULL, &choice, NULL));
    assert_string_equal(model_registry_default(registry)->provider, "openai");
    assert_int_equal(asked(server), 0);
    assert_true(model_registry_select(registry, "ollama/qwen3:8b", NULL, &choice, NULL));
    assert_string_equal(choice.model->id, "qwen3:8b");
    assert_true(choice.model->is_keyless);
    g_autofree char *base = g_strconcat(url, "/v1", NULL);
    assert_string_equal(choice.model->base_url, base);
    assert_int_equal(asked(server), 3); // once

    g_unsetenv("OPENAI_API_KEY");
    g_autoptr(ModelRegistry) keyless = model_registry_new(NULL, &warning);
    assert_string_equal(model_registry_default(keyless)->id, "qwen3:8b");
    test_server_stop(server);
    g_setenv("OLLAMA_BASE_URL", "http://127.0.0.1:1", TRUE);

    g_autoptr(ModelRegistry) nobody = model_registry_new(NULL, &warning);
    g_autoptr(GError) error = NULL;
    assert_false(model_registry_select(nobody, "ollama/qwen3:8b", NULL, &choice, &error));
    assert_non_null(strstr(error->message, "Model \"ollama/qwen3:8b\" not found: "));
    assert_null(model_registry_default(nobody));
}

static void test_file(void **state G_GNUC_UNUSED)
{
    TestServer *server = test_server_start(serve, (void *)list_pages);
    g_autofree char *url = test_server_url(server, "/v1");
    g_autofree char *dir = g_dir_make_tmp("kedge-discovery-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "models.yml", NULL);
    g_autofree char *text = g_strdup_printf("providers:\n"
                                            "  lab:\n"
                                            "    baseUrl: %s\n"
                                            "    api: openai-responses\n"
                                            "    apiKey: lab-key-0123\n"
                                            "    headers: {X-Team: core}\n"
                                            "    discovery: {type: openai}\n"
                                            "    models: [{id: b, contextWindow: 777777}]\n"
                                            "    modelOverrides: {a: {reasoning: true}}\n",
                                            url);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(path, &warning);
    assert_null(warning);
    assert_int_equal(asked(server), 0); // not before it is needed
    g_autofree char *got = listing(registry_models(registry, "lab"));
    assert_string_equal(got, "b 777777 16384; a 32768 8192 thinks; c 4096 1024; ");
    const Model *found = model_registry_find(registry, "lab", "c");
    assert_string_equal(model_api_name(found->api), "openai-responses");
    assert_string_equal(json_get_text(found->headers, "X-Team"), "core");
    g_autofree char *sent = test_server_request(server, 1);
    assert_non_null(strstr(sent, "authorization: Bearer lab-key-0123"));
    test_server_stop(server);
    g_unlink(path);
    g_rmdir(dir);
}

static ModelRegistry *registry_of(const char *text)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-discovery-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "models.yml", NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    g_autofree char *warning = NULL;
    ModelRegistry *registry = model_registry_new(path, &warning);
    assert_null(warning);
    g_unlink(path);
    g_rmdir(dir);
    return registry;
}

/* `auth: none` holds for the question too: a key of the environment stays here, one for this run
   goes, and so do the entry's headers. */
static void test_no_auth(void **state G_GNUC_UNUSED)
{
    TestServer *server = test_server_start(serve, (void *)list_pages);
    g_autofree char *url = test_server_url(server, "/v1");
    g_autofree char *text =
        g_strdup_printf("providers: {openai: {baseUrl: '%s', auth: none, discovery: {type: openai},"
                        " headers: {X-Team: core, User-Agent: lab}}}\n",
                        url);
    g_setenv("OPENAI_API_KEY", "sk-real-0123456789", TRUE);
    g_autoptr(ModelRegistry) registry = registry_of(text);
    assert_non_null(model_registry_find(registry, "openai", "a"));
    g_autofree char *sent = test_server_request(server, 1);
    assert_null(strstr(sent, "authorization"));
    assert_null(strstr(sent, "sk-real-0123456789"));
    assert_non_null(strstr(sent, "X-Team: core"));
    assert_non_null(strstr(sent, "User-Agent: lab"));
    assert_null(strstr(sent, "user-agent: kedge"));

    g_autoptr(ModelRegistry) given = registry_of(text);
    model_registry_set_runtime_key(given, "openai", "given-0123");
    assert_non_null(model_registry_find(given, "openai", "a"));
    g_autofree char *with_key = test_server_request(server, 2);
    assert_non_null(strstr(with_key, "authorization: Bearer given-0123"));
    g_unsetenv("OPENAI_API_KEY");
    test_server_stop(server);
}

/* What is said of a local server's models does not mean that it asks for a key. */
static void test_local_entries(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *entry;
        bool is_keyless;
    } cases[] = {
        { "ollama: {modelOverrides: {llava: {name: Llava}}}", true },
        { "ollama: {headers: {X-Team: core}}", true },
        { "ollama: {auth: none, headers: {X-Team: core}}", true },
        { "ollama: {auth: none, apiKey: key-0123, headers: {X-Team: core}}", true },
        { "ollama: {apiKey: key-0123, headers: {X-Team: core}}", false },
    };
    TestServer *server = test_server_start(serve, (void *)ollama_pages);
    g_autofree char *url = test_server_url(server, "");
    g_setenv("OLLAMA_BASE_URL", url, TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("providers: {%s}\n", cases[i].entry);
        g_autoptr(ModelRegistry) registry = registry_of(text);
        const Model *model = model_registry_find(registry, "ollama", "llava");
        if (!model || model->is_keyless != cases[i].is_keyless)
            fail_msg("%s: %s", cases[i].entry, model ? "keyless is wrong" : "not found");
    }
    test_server_stop(server);
    g_setenv("OLLAMA_BASE_URL", "http://127.0.0.1:1", TRUE);
}

int main(void)
{
    clean_environment();
    g_setenv("KEDGE_DISCOVERY_TIMEOUT_MS", "60000", TRUE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_servers),       cmocka_unit_test(test_registry),
        cmocka_unit_test(test_file),          cmocka_unit_test(test_no_auth),
        cmocka_unit_test(test_local_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
