/*
 * From a request to the finished assistant message, whatever happens in between.
 */
#include "model/provider.h"

#include "model/transport.h"
#include "model/wire.h"

#define PROVIDER_MAX_SILENCE_MS (10 * 60 * 1000)
#define PROVIDER_MIN_SECRET     6 // shorter "keys" are placeholders such as "none"

/* NULL-terminated. What the user's models file says wins over what the format wants. */
static GPtrArray *make_headers(const WireFormat *wire, const ProviderRequest *request)
{
    GPtrArray *headers = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(headers, g_strdup("content-type: application/json"));
    g_ptr_array_add(headers, g_strdup("accept: text/event-stream"));
    g_ptr_array_add(headers, g_strdup("user-agent: kedge/" KEDGE_VERSION));
    wire->add_headers(request, headers);
    wire_set_headers(request->model->headers, headers);
    g_ptr_array_add(headers, NULL);
    return headers;
}

static bool provider_run(HttpClient *http, const ProviderRequest *request, const WireFormat *wire,
                         void *decoder, const ModelStream *stream, Cancel *cancel,
                         const char **ret_reason, GError **error)
{
    g_autofree char *url = wire->make_url(request->model);
    g_autoptr(GPtrArray) headers = make_headers(wire, request);
    size_t size;
    g_autofree char *text = body_make(request, &size);
    const TransportRequest post = {
        .url = url,
        .headers = (const char *const *)headers->pdata,
        .body = text,
        .body_size = size,
        .on_event = wire->on_event,
        .user_data = decoder,
        .is_complete = wire->is_complete(decoder),
        .received = model_stream_received(stream),
        .max_silence_ms = request->max_silence_ms == 0 ? PROVIDER_MAX_SILENCE_MS
                                                       : MAX(request->max_silence_ms, 0),
        .max_wait_ms = request->max_retry_wait_ms,
    };
    g_autoptr(GError) failure = NULL;
    if (transport_stream(http, &post, cancel, &failure))
        return wire->finish(decoder, ret_reason, error);
    if (wire->explain_cut && error_is(failure, KEDGE_ERROR_NETWORK))
        wire->explain_cut(decoder, &failure);
    return pass_error(error, &failure);
}

/* A server, or a proxy, may repeat the key it was sent. */
static char *without_key(const char *text, const char *key)
{
    if (!key || strlen(key) < PROVIDER_MIN_SECRET || !strstr(text, key))
        return g_strdup(text);
    g_auto(GStrv) parts = g_strsplit(text, key, -1);
    return g_strjoinv("[REDACTED]", parts);
}

/* Says which key it is that the server does not take. Caller frees. */
static char *explain_failure(const ProviderRequest *request, const char *problem)
{
    g_autofree char *text = without_key(problem, request->api_key);
    if (!request->key_source || !provider_error_is_refused_key(text))
        return g_steal_pointer(&text);
    return g_strdup_printf("%s. The key that was refused: %s; `kedge login %s` stores "
                           "another.",
                           text, request->key_source, request->model->provider);
}

json_t *provider_stream(HttpClient *http, const ProviderRequest *request, Cancel *cancel,
                        ProviderEventFunc on_event, void *user_data)
{
    const WireFormat *wire = wire_for(request->model->api);
    g_autoptr(ModelStream) stream = model_stream_new(request->model, on_event, user_data);
    if (request->call_ids)
        model_stream_set_call_ids(stream, request->call_ids);
    void *decoder = wire->decoder_new(stream);
    const char *reason = NULL;
    g_autoptr(GError) error = NULL;
    bool is_ok = provider_run(http, request, wire, decoder, stream, cancel, &reason, &error);
    wire->decoder_free(decoder);
    if (is_ok)
        return model_stream_finish(stream, reason);
    if (error_is(error, KEDGE_ERROR_CANCELLED))
        return model_stream_fail(stream, true, "Request was aborted");
    g_autofree char *message = explain_failure(request, error->message);
    return model_stream_fail(stream, false, message);
}
