/* See discovery.h. */
#include "model/discovery.h"

#include "base/env.h"
#include "base/http.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "model/wire.h"

#define LIST_TIMEOUT_MS   250
#define DETAIL_TIMEOUT_MS 150
#define TOTAL_TIMES       8 // of the time for a list, for all there is to ask

typedef struct Inquiry {
    const Discovery *discovery;
    HttpClient *http;
    const char *api_key;
    GPtrArray *models;
    int64_t list_ms, detail_ms;
    gint64 end_at; // monotonic ms
} Inquiry;

const char *const discovery_local_providers[] = { "ollama", "llama.cpp", "lm-studio", NULL };

const char *discovery_local_url(const char *provider)
{
    static const struct {
        const char *variable, *usual;
    } places[] = {
        { "OLLAMA_BASE_URL", "http://127.0.0.1:11434" },
        { "LLAMA_CPP_BASE_URL", "http://127.0.0.1:8080" },
        { "LM_STUDIO_BASE_URL", "http://127.0.0.1:1234/v1" },
    };
    for (size_t i = 0; discovery_local_providers[i]; i++) {
        const char *url = env_get_raw(places[i].variable);
        if (strcmp(discovery_local_providers[i], provider) == 0)
            return url && *url ? url : places[i].usual;
    }
    return NULL;
}

Discovery *discovery_new(const char *provider, const char *type, const char *base_url,
                         json_t *config)
{
    Discovery *self = g_new0(Discovery, 1);
    g_autoptr(GUri) uri = g_uri_parse(base_url, G_URI_FLAGS_NONE, NULL);
    bool has_path = !uri || strlen(g_uri_get_path(uri)) > 1;
    self->provider = g_strdup(provider);
    self->type = g_strdup(type);
    self->base_url = wire_join_url(base_url, has_path ? "" : "/v1");
    self->config = json_incref(config);
    return self;
}

void discovery_free(Discovery *self)
{
    if (!self)
        return;
    g_free(self->provider);
    g_free(self->type);
    g_free(self->base_url);
    json_decref(self->config);
    g_free(self);
}

/* The server's own address: base URL without /v1. */
static char *root_url(const Discovery *self, const char *path)
{
    g_autofree char *base = g_strdup(self->base_url);
    if (g_str_has_suffix(base, "/v1"))
        base[strlen(base) - strlen("/v1")] = '\0';
    return wire_join_url(base, path);
}

/* NULL-terminated: those that a request to a model of the server has too. */
static GPtrArray *make_headers(const Inquiry *self)
{
    GPtrArray *headers = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(headers, g_strdup("content-type: application/json"));
    g_ptr_array_add(headers, g_strdup("user-agent: kedge/" KEDGE_VERSION));
    if (self->api_key)
        g_ptr_array_add(headers, g_strconcat("authorization: Bearer ", self->api_key, NULL));
    wire_set_headers(json_get_object(self->discovery->config, "headers"), headers);
    g_ptr_array_add(headers, NULL);
    return headers;
}

/* `body` NULL: GET. */
static bool inquiry_ask(const Inquiry *self, const char *url, const char *body, int64_t timeout_ms,
                        json_t **ret_answer, GError **error)
{
    g_autoptr(GPtrArray) headers = make_headers(self);
    const HttpRequest request = {
        .url = url,
        .headers = (const char *const *)headers->pdata,
        .body = body,
        .body_size = body ? strlen(body) : 0,
        .connect_timeout_ms = timeout_ms,
        .timeout_ms = timeout_ms,
        .max_body_bytes = LIMIT_MODEL_LIST_BYTES,
    };
    g_auto(HttpResponse) response = { 0 };
    if (!http_request(self->http, &request, NULL, &response, error))
        return false;
    if (response.status != 200)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s answers with status %d", url,
                         response.status);
    if (json_parse(response.body, response.body_size, ret_answer, error))
        return true;
    g_prefix_error(error, "%s: ", url);
    return false;
}

static Model *add_model(const Inquiry *self, const char *id)
{
    const Discovery *discovery = self->discovery;
    Model *model =
        model_new(discovery->provider, id, MODEL_API_OPENAI_COMPLETIONS, discovery->base_url);
    model->is_keyless = self->api_key == NULL;
    g_ptr_array_add(self->models, model);
    return model;
}

static void set_window(Model *model, int64_t tokens)
{
    if (tokens <= 0)
        return;
    model->context_window = tokens;
    model_cap_answer(model);
}

static bool has_word(const json_t *list, const char *word)
{
    json_each (list, i, value) {
        if (g_strcmp0(json_string_value(value), word) == 0)
            return true;
    }
    return false;
}

/* {"capabilities":["completion","vision"],"model_info":{"llama.context_length":8192}} */
static void read_ollama_details(Model *model, const json_t *details)
{
    const json_t *capabilities = json_get_array(details, "capabilities");
    json_each_member (json_get_object(details, "model_info"), name, value) {
        if (g_str_has_suffix(name, ".context_length"))
            set_window(model, json_integer_value(value));
    }
    model->is_reasoning = has_word(capabilities, "thinking");
    model->accepts_images = has_word(capabilities, "vision");
}

static void ask_ollama_details(const Inquiry *self, Model *model)
{
    g_autofree char *url = root_url(self->discovery, "/api/show");
    g_autoptr(json_t) question = json_make("model:%s", model->id);
    g_autofree char *body = json_to_text(question);
    g_autoptr(json_t) details = NULL;
    if (time_monotonic_ms() < self->end_at &&
        inquiry_ask(self, url, body, self->detail_ms, &details, NULL))
        read_ollama_details(model, details);
}

static bool ask_ollama(const Inquiry *self, GError **error)
{
    g_autofree char *url = root_url(self->discovery, "/api/tags");
    g_autoptr(json_t) answer = NULL;
    if (!inquiry_ask(self, url, NULL, self->list_ms, &answer, error))
        return false;
    json_each (json_get_array(answer, "models"), i, item) {
        const char *id = json_get_text(item, "name");
        if (id && *id && i < LIMIT_MODEL_LIST_MODELS)
            ask_ollama_details(self, add_model(self, id));
    }
    return true;
}

/* What servers call it. */
static int64_t listed_window(const json_t *item)
{
    static const char *const names[] = { "max_model_len", "loaded_context_length",
                                         "max_context_length", "context_length", "context_window" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        int64_t tokens = json_get_int(item, names[i], 0);
        if (tokens > 0)
            return tokens;
    }
    return 0;
}

static bool ask_list(const Inquiry *self, GError **error)
{
    g_autofree char *url = wire_join_url(self->discovery->base_url, "/models");
    g_autoptr(json_t) answer = NULL;
    if (!inquiry_ask(self, url, NULL, self->list_ms, &answer, error))
        return false;
    const json_t *list = json_is_array(answer) ? answer : json_get_array(answer, "data");
    json_each (list, i, item) {
        const char *id = json_get_text(item, "id");
        if (id && *id && i < LIMIT_MODEL_LIST_MODELS)
            set_window(add_model(self, id), listed_window(item));
    }
    return true;
}

/* One server, one model: its window is the server's. */
static void ask_llama_props(const Inquiry *self)
{
    g_autofree char *url = root_url(self->discovery, "/props");
    g_autoptr(json_t) props = NULL;
    if (!inquiry_ask(self, url, NULL, self->detail_ms, &props, NULL))
        return;
    for (guint i = 0; i < self->models->len; i++) {
        Model *model = g_ptr_array_index(self->models, i);
        set_window(model,
                   json_get_int(json_get_object(props, "default_generation_settings"), "n_ctx", 0));
        model->accepts_images =
            json_get_bool(json_get_object(props, "modalities"), "vision", false);
    }
}

bool discovery_run(const Discovery *self, const char *api_key, GPtrArray *models, GError **error)
{
    g_autoptr(HttpClient) http = http_client_new();
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    int64_t asked_ms = 0; // KEDGE_DISCOVERY_TIMEOUT_MS: for servers that are slow or far away
    const char *text = env_get("DISCOVERY_TIMEOUT_MS");
    bool is_asked = text && str_parse_int(text, &asked_ms) && asked_ms > 0;
    int64_t list_ms = is_asked ? asked_ms : LIST_TIMEOUT_MS;
    const Inquiry inquiry = {
        .discovery = self,
        .http = http,
        .api_key = api_key,
        .models = found,
        .list_ms = list_ms,
        .detail_ms = is_asked ? asked_ms : DETAIL_TIMEOUT_MS,
        .end_at = time_monotonic_ms() + list_ms * TOTAL_TIMES,
    };
    bool is_ok =
        strcmp(self->type, "ollama") == 0 ? ask_ollama(&inquiry, error) : ask_list(&inquiry, error);
    if (is_ok && strcmp(self->type, "llama.cpp") == 0)
        ask_llama_props(&inquiry);
    for (guint i = 0; i < found->len; i++) {
        Model *model = g_ptr_array_index(found, i);
        g_ptr_array_add(models, model);
    }
    return is_ok;
}
