/*
 * Lines of other programs' sessions, read as both: what comes of them are entries with a type, and
 * messages with a role and a list of blocks.
 */
#include "model/message.h"
#include "session/import_builder.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static GPtrArray *lines_of(const char *text, size_t size)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    while (size > 0) {
        const char *newline = memchr(text, '\n', size);
        size_t length = newline ? (size_t)(newline - text) : size;
        json_t *line = NULL;
        if (length > 0 && json_parse(text, length, &line, NULL) && json_is_object(line))
            g_ptr_array_add(lines, line);
        else
            json_decref(line);
        size_t used = MIN(length + 1, size);
        text += used;
        size -= used;
    }
    return lines;
}

static void check(const ImportBuilder *builder)
{
    for (unsigned i = 0; i < builder->entries->len; i++) {
        const json_t *entry = builder->entries->pdata[i];
        const json_t *message = json_get_object(entry, "message");
        if (!json_get_text(entry, "type") || !json_get_text(entry, "timestamp") ||
            (message && (*message_role(message) == '\0' || !json_get_array(message, "content"))))
            g_error("an entry that is none");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GPtrArray) lines = lines_of((const char *)data, size);
    for (unsigned i = 0; i < lines->len; i++) {
        import_is_claude(lines->pdata[i]);
        import_is_codex(lines->pdata[i]);
    }
    g_auto(ImportBuilder) claude = { 0 };
    import_builder_init(&claude, "anthropic", "anthropic-messages", 0);
    import_read_claude(&claude, lines);
    check(&claude);
    g_auto(ImportBuilder) codex = { 0 };
    import_builder_init(&codex, "openai", "openai-responses", 0);
    import_read_codex(&codex, lines);
    check(&codex);
    return 0;
}
