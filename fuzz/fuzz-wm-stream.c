/*
 * Fuzz target: the live stream of an agent. The first byte chooses the engine, the second how the
 * rest is cut. Lines for people are valid, short and without control characters, and the same
 * however the bytes came.
 */
#include "wm/engine/engine.h"

#include <string.h>

#define MAX_LINE_BYTES 20000

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void take(const char *line, void *user_data)
{
    g_assert(strlen(line) <= MAX_LINE_BYTES && g_utf8_validate(line, -1, NULL));
    for (const char *at = line; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        g_assert(c == '\t' || (c >= 0x20 && (c < 0x7f || c > 0x9f)));
    }
    g_string_append_printf(user_data, "%s\n", line);
}

static char *play(WmEngineKind engine, const char *data, size_t size, size_t piece)
{
    GString *out = g_string_new(NULL);
    g_autoptr(WmStream) stream = wm_stream_new(engine, take, out);
    for (size_t at = 0; at < size; at += piece)
        wm_stream_push(stream, data + at, MIN(piece, size - at));
    wm_stream_finish(stream);
    const char *response = wm_stream_last_response(stream);
    g_string_append(out, response ? response : "none");
    return g_string_free(out, FALSE);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const WmEngineKind engines[] = { WM_ENGINE_CLAUDE, WM_ENGINE_KEDGE, WM_ENGINE_CUSTOM };
    if (size < 2)
        return 0;
    WmEngineKind engine = engines[data[0] % G_N_ELEMENTS(engines)];
    const char *bytes = (const char *)data + 2;
    g_autofree char *whole = play(engine, bytes, size - 2, size);
    g_autofree char *pieces = play(engine, bytes, size - 2, (size_t)data[1] % 13 + 1);
    g_assert(g_str_equal(whole, pieces));
    return 0;
}
