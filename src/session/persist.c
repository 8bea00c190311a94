/*
 * Entries between memory and disk: cuts strings that no reader needs whole, and keeps image data
 * and long prompts in files named by their hash, so that a session line stays small and an image is
 * stored once.
 */
#include "session/persist.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"

#define BLOB_MIN_CHARS 1024
#define CUT_NOTICE     "\n\n[Session persistence truncated large content]"
#define TOO_DEEP       "[nested too deeply to store]"
#define SHA256_DIGITS  64

static bool is_signature_key(const char *key)
{
    static const char *const keys[] = { "textSignature", "thinkingSignature", "thoughtSignature",
                                        "signature", NULL };
    return key && g_strv_contains(keys, key);
}

static bool is_transient_key(const char *key)
{
    return g_str_equal(key, "partialJson");
}

/* An image block, or another object that carries an image the same way. */
static bool is_image(const json_t *object)
{
    const char *type = json_get_text(object, "type");
    const char *mime_type = json_get_text(object, "mimeType");
    return json_get_text(object, "data") && ((type && g_str_equal(type, "image")) ||
                                             (mime_type && str_has_prefix(mime_type, "image/")));
}

static bool is_long_image(const json_t *object)
{
    return is_image(object) &&
           json_string_length(json_object_get(object, "data")) >= BLOB_MIN_CHARS;
}

/* Bytes are at least as many as characters, so the common case costs one comparison. */
static bool is_over_long(const json_t *string)
{
    return json_string_length(string) > LIMIT_PERSISTED_STRING_CHARS &&
           utf8_length(json_string_value(string)) > LIMIT_PERSISTED_STRING_CHARS;
}

/* A line nested deeper than the loader reads would be lost whole. `depth` 1 is the entry itself. */
static bool is_too_deep(const json_t *value, int depth)
{
    return depth > LIMIT_JSON_DEPTH && (json_is_array(value) || json_is_object(value));
}

static bool needs_change(const json_t *value, int depth)
{
    if (json_is_string(value))
        return is_over_long(value);
    if (is_too_deep(value, depth) || is_long_image(value))
        return true;
    if (json_is_array(value)) {
        json_each (value, i, item) {
            if (needs_change(item, depth + 1))
                return true;
        }
        return false;
    }
    json_each_member (value, key, member) {
        if (is_transient_key(key) || needs_change(member, depth + 1))
            return true;
    }
    return false;
}

static json_t *cut_string(const json_t *string, const char *key)
{
    if (!is_over_long(string))
        return json_incref((json_t *)string);
    if (is_signature_key(key))
        return json_string("");

    const char *text = json_string_value(string);
    size_t kept_chars = LIMIT_PERSISTED_STRING_CHARS - strlen(CUT_NOTICE);
    size_t kept_bytes = (size_t)(g_utf8_offset_to_pointer(text, (glong)kept_chars) - text);
    g_autoptr(GString) cut = g_string_new_len(text, (gssize)kept_bytes);
    g_string_append(cut, CUT_NOTICE);
    return json_text_n(cut->str, cut->len);
}

static char *blob_path(const char *hash)
{
    g_autofree char *agent_dir = dirs_agent();
    return g_build_filename(agent_dir, "blobs", hash, NULL);
}

/* A reference to these bytes; NULL when they cannot be stored. Caller frees. */
static char *blob_store(const void *bytes, size_t size)
{
    g_autofree char *hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, size);
    g_autofree char *path = blob_path(hash);
    g_autofree char *dir = g_path_get_dirname(path);
    if (!file_exists(path) &&
        (!file_make_dirs(dir, 0700, NULL) || !file_write_atomic(path, bytes, size, 0600, NULL)))
        return NULL;
    return g_strconcat(PERSIST_BLOB_PREFIX, hash, NULL);
}

static json_t *persist_changed(const json_t *value, const char *key, int depth);

static char *image_store(const char *base64)
{
    gsize size = 0;
    g_autofree guchar *bytes = g_base64_decode(base64, &size);
    g_autofree char *again = g_base64_encode(bytes, size);
    if (!g_str_equal(again, base64))
        return NULL; // line breaks or no padding: would not come back as it was
    return blob_store(bytes, size);
}

static json_t *changed_image_data(const json_t *string)
{
    g_autofree char *reference = NULL;
    if (json_string_length(string) >= BLOB_MIN_CHARS)
        reference = image_store(json_string_value(string));
    // half an image is worth nothing: what cannot be a blob stays in the line, whole
    return reference ? json_text(reference) : json_incref((json_t *)string);
}

/* What a person asked is never cut: a block without its text, which is a blob; with it when that
   cannot be stored. */
static json_t *changed_prompt_text(const json_t *text)
{
    g_autofree char *masked = mask_text(json_string_value(text));
    g_autofree char *reference = blob_store(masked, strlen(masked));
    return json_make("type:%s text:%s textBlob:%s", "text", reference ? "" : masked, reference);
}

/* The content of a user's message: a text, or blocks. */
static json_t *changed_prompt(const json_t *content, int depth)
{
    if (json_is_string(content) && !is_over_long(content))
        return json_incref((json_t *)content);
    json_t *blocks = json_array();
    if (json_is_string(content))
        json_append_take(blocks, changed_prompt_text(content));
    json_each (content, i, block) {
        const json_t *text = json_object_get(block, "text");
        bool is_long = json_is_string(text) && is_over_long(text);
        json_append_take(blocks, is_long ? changed_prompt_text(text)
                                         : persist_changed(block, NULL, depth + 1));
    }
    return blocks;
}

static bool is_of_person(const json_t *message)
{
    const char *role = json_get_text(message, "role");
    return role && (g_str_equal(role, "user") || g_str_equal(role, "developer"));
}

static bool is_prompt(const json_t *message, const char *key, const json_t *member)
{
    return g_str_equal(key, "content") && (json_is_string(member) || json_is_array(member)) &&
           is_of_person(message);
}

static json_t *changed_object(const json_t *object, int depth)
{
    bool has_image = is_image(object);
    json_t *copy = json_object();
    json_each_member (object, key, member) {
        if (is_transient_key(key))
            continue;
        bool is_image_data = has_image && g_str_equal(key, "data");
        json_set_take(copy, key,
                      is_image_data                    ? changed_image_data(member)
                      : is_prompt(object, key, member) ? changed_prompt(member, depth + 1)
                                                       : persist_changed(member, key, depth + 1));
    }
    return copy;
}

static json_t *persist_changed(const json_t *value, const char *key, int depth)
{
    if (is_too_deep(value, depth))
        return json_string(TOO_DEEP);
    if (json_is_string(value))
        return cut_string(value, key);
    if (json_is_object(value))
        return changed_object(value, depth);
    if (!json_is_array(value))
        return json_incref((json_t *)value);

    json_t *copy = json_array();
    json_each (value, i, item) {
        json_append_take(copy, persist_changed(item, NULL, depth + 1));
    }
    return copy;
}

json_t *persist_entry(json_t *entry)
{
    return needs_change(entry, 1) ? persist_changed(entry, NULL, 1) : json_incref(entry);
}

static bool is_hash(const char *text)
{
    return strlen(text) == SHA256_DIGITS && strspn(text, "0123456789abcdef") == SHA256_DIGITS;
}

/* What a reference stands for; NULL when the blob is gone. Caller frees. */
static char *blob_load(const char *reference, size_t *ret_size)
{
    const char *hash = reference + strlen(PERSIST_BLOB_PREFIX);
    if (!is_hash(hash))
        return NULL;
    g_autofree char *path = blob_path(hash);
    char *bytes = NULL;
    return file_read(path, LIMIT_SESSION_LINE_BYTES, &bytes, ret_size, NULL) ? bytes : NULL;
}

static void resolve_image(json_t *object, size_t *missing)
{
    const char *data = json_get_text(object, "data");
    if (!str_has_prefix(data, PERSIST_BLOB_PREFIX))
        return;
    size_t size = 0;
    g_autofree char *bytes = blob_load(data, &size);
    g_autofree char *base64 = bytes ? g_base64_encode((const guchar *)bytes, size) : NULL;
    if (base64)
        json_set_text(object, "data", base64);
    else
        (*missing)++;
}

static void resolve_text(json_t *object, const char *reference, size_t *missing)
{
    if (!str_has_prefix(reference, PERSIST_BLOB_PREFIX))
        return;
    size_t size = 0;
    g_autofree char *text = blob_load(reference, &size);
    if (!text) {
        (*missing)++;
        return;
    }
    json_set_take(object, "text", json_text_n(text, size));
    json_object_del(object, "textBlob");
}

void persist_resolve_blobs(json_t *value, size_t *missing)
{
    if (json_is_object(value)) {
        const char *text_blob = json_get_text(value, "textBlob");
        if (is_image(value))
            resolve_image(value, missing);
        if (text_blob)
            resolve_text(value, text_blob, missing);
        json_each_member (value, key, member) {
            persist_resolve_blobs(member, missing);
        }
    } else if (json_is_array(value)) {
        json_each (value, i, item) {
            persist_resolve_blobs(item, missing);
        }
    }
}
