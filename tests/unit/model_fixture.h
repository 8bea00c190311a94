/*
 * What the tests of src/model share: models, requests, JSON written with single quotes, and
 * decoding a stream of events without a server.
 */
#pragma once

#include "unit.h"

#include "model/message.h"
#include "model/registry_private.h"
#include "model/wire.h"

/* Pictures of one dot, as messages hold it. */
#define PIXEL                                                                                      \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

#define GIF_PIXEL "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

/* Parses `text` with every ' made ". New reference. */
static inline json_t *json_of(const char *text)
{
    g_autofree char *copy = g_strdelimit(g_strdup(text), "'", '"');
    g_autoptr(GError) error = NULL;
    json_t *value = NULL;
    if (!json_parse_text(copy, &value, &error))
        fail_msg("test JSON: %s: %s", error->message, copy);
    return value;
}

/* `want` as for json_of(). */
static inline void assert_json(const char *name, const json_t *got, const char *want)
{
    g_autoptr(json_t) wanted = json_of(want);
    if (json_equal((json_t *)got, wanted))
        return;
    g_autofree char *got_text = got ? json_to_text(got) : g_strdup("nothing");
    g_autofree char *want_text = json_to_text(wanted);
    fail_msg("%s:\n got %s\nwant %s", name, got_text, want_text);
}

static inline Model *test_model(ModelApi api)
{
    Model *model = model_new("mock", "m1", api, "http://127.0.0.1:1");
    model->cost = (ModelCost) { 3, 15, 0.3, 3.75 };
    model->accepts_images = true;
    return model;
}

/* The body that is sent, read again. */
static inline json_t *body_of(const ProviderRequest *request)
{
    size_t size;
    g_autofree char *text = body_make(request, &size);
    assert_int_equal(strlen(text), size);
    g_autoptr(GError) error = NULL;
    json_t *body = NULL;
    if (!json_parse(text, size, &body, &error))
        fail_msg("body: %s: %s", error->message, text);
    return body;
}

/* No provider's key, base URL or kedge setting of the person who runs the tests. */
static inline void clean_environment(void)
{
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        for (size_t j = 0; j < 2; j++) {
            if (catalogue_providers[i].env_names[j])
                g_unsetenv(catalogue_providers[i].env_names[j]);
        }
    }
    static const char *const names[] = { "KEDGE_API_KEY",
                                         "ANTHROPIC_BASE_URL",
                                         "OPENAI_BASE_URL",
                                         "KEDGE_CACHE_RETENTION",
                                         "PI_CACHE_RETENTION",
                                         "KEDGE_STREAM_FIRST_EVENT_TIMEOUT_MS",
                                         "KEDGE_STREAM_IDLE_TIMEOUT_MS" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_unsetenv(names[i]);
    static const char *const servers[] = { "OLLAMA_BASE_URL", "LLAMA_CPP_BASE_URL",
                                           "LM_STUDIO_BASE_URL" };
    for (size_t i = 0; i < G_N_ELEMENTS(servers); i++)
        g_setenv(servers[i], "http://127.0.0.1:1", TRUE); // nobody is there
    g_setenv("no_proxy", "127.0.0.1", TRUE);
}

/* Appends "type " or "type:delta " of every event. */
static inline void note_event(const json_t *event, ModelStream *stream, void *out)
{
    const char *delta = json_get_text(event, "delta");
    g_string_append(out, json_get_text(event, "type"));
    if (delta)
        g_string_append_printf(out, ":%s", delta);
    g_string_append_c(out, ' ');
    assert_non_null(model_stream_message(stream)); // must not disturb what follows
}

/* The message that `data` leads to: one event's data a line, ' for ". `events` may be NULL. */
static inline json_t *decode_stream(const Model *model, const char *data, GString *events)
{
    const WireFormat *wire = wire_for(model->api);
    g_autoptr(ModelStream) stream = model_stream_new(model, events ? note_event : NULL, events);
    void *decoder = wire->decoder_new(stream);
    g_autofree char *text = g_strdelimit(g_strdup(data), "'", '"');
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GError) error = NULL;
    const char *reason = NULL;
    bool is_ok = true;
    for (char **line = lines; is_ok && *line; line++)
        is_ok = !**line || wire->on_event("", *line, strlen(*line), decoder, &error);
    is_ok = is_ok && wire->finish(decoder, &reason, &error);
    wire->decoder_free(decoder);
    return is_ok ? model_stream_finish(stream, reason)
                 : model_stream_fail(stream, false, error->message);
}
