/*
 * Session headers and entries: ids, time stamps, parent links.
 */
#include "session/entry.h"

#include "base/timefmt.h"

#include <sys/random.h>

#define ENTRY_ID_TRIES 100 // then a longer id is used

static void random_bytes(unsigned char *bytes, size_t size)
{
    // up to 256 bytes come whole once the pool is ready; GLib's generator covers the time before
    if (getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size)
        return;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)g_random_int_range(0, 256);
}

/* UUIDv7 text. Caller frees. */
static char *new_session_id(void)
{
    unsigned char b[16];
    random_bytes(b, sizeof b);

    guint64 now = (guint64)time_now_ms();
    for (int i = 0; i < 6; i++)
        b[i] = (unsigned char)(now >> (8 * (5 - i)));
    b[6] = 0x70 | (b[6] & 0x0f); // version 7
    b[8] = 0x80 | (b[8] & 0x3f); // variant
    return g_strdup_printf("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                           b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
                           b[12], b[13], b[14], b[15]);
}

static void set_timestamp(json_t *object)
{
    g_autofree char *now = time_format_iso(time_now_ms());
    json_set_text(object, "timestamp", now);
}

json_t *entry_new_header(const char *cwd, const char *parent_session)
{
    g_autofree char *id = new_session_id();
    json_t *header = json_make("type:%s version:%d id:%s", "session", SESSION_VERSION, id);
    set_timestamp(header);
    json_add(header, "cwd:%s parentSession:%s", cwd, parent_session);
    return header;
}

char *entry_new_id(GHashTable *index)
{
    for (int i = 0; i < ENTRY_ID_TRIES; i++) {
        unsigned char b[4];
        random_bytes(b, sizeof b);
        char *id = g_strdup_printf("%02x%02x%02x%02x", b[0], b[1], b[2], b[3]);
        if (!g_hash_table_contains(index, id))
            return id;
        g_free(id);
    }
    return new_session_id();
}

json_t *entry_new(GHashTable *index, const char *type, const char *parent_id)
{
    g_autofree char *id = entry_new_id(index);
    json_t *entry = json_make("type:%s id:%s parentId:%s?", type, id, parent_id);
    set_timestamp(entry);
    return entry;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

const char *entry_type(const json_t *entry)
{
    return text_or_empty(json_get_text(entry, "type"));
}

const char *entry_id(const json_t *entry)
{
    return text_or_empty(json_get_text(entry, "id"));
}
