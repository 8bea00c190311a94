/*
 * Streams of model servers: any bytes, cut at any place, through the SSE decoder into a wire
 * format, which the build names (FUZZ_API). The first byte chooses the sizes of the pieces.
 */
#include "base/sse.h"
#include "model/registry_private.h"
#include "model/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const json_t *event, ModelStream *stream, void *count)
{
    // the live message is asked for now and then, as listeners do
    size_t *seen = count;
    if (++*seen % 3 == 0 &&
        !json_is_array(json_object_get(model_stream_message(stream), "content")))
        abort();
    if (!json_is_string(json_object_get(event, "type")))
        abort();
}

static void decode(ModelApi api, unsigned seed, const char *text, size_t size)
{
    g_autoptr(Model) model = model_new("mock", "m", api, "http://127.0.0.1:1");
    const WireFormat *wire = wire_for(api);
    size_t events = 0;
    g_autoptr(ModelStream) stream = model_stream_new(model, look, &events);
    void *decoder = wire->decoder_new(stream);
    g_autoptr(SseParser) parser = sse_parser_new(wire->on_event, decoder);
    g_autoptr(GError) error = NULL;
    const char *reason = NULL;
    bool is_ok = true;
    for (size_t at = 0; is_ok && at < size;) {
        seed = seed * 1103515245 + 12345;
        size_t piece = MIN(size - at, 1 + (seed >> 16) % 64);
        is_ok = sse_parser_push(parser, text + at, piece, &error);
        at += piece;
    }
    is_ok = is_ok && sse_parser_finish(parser, &error) && wire->finish(decoder, &reason, &error);
    wire->decoder_free(decoder);
    g_autoptr(json_t) message = is_ok ? model_stream_finish(stream, reason)
                                      : model_stream_fail(stream, false, error->message);
    g_autofree char *out = json_to_text(message);
    if (!g_utf8_validate(out, -1, NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        decode(FUZZ_API, data[0], (const char *)data + 1, size - 1);
    return 0;
}
