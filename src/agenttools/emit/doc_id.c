/*
 * Reading and writing the document id of a Markdown file (doc_id.h).
 */
#include "agenttools/emit/doc_id.h"

#include "agenttools/emit/run_state.h"
#include "base/utf8.h"
#include "base/yaml.h"

typedef struct FrontMatter {
    size_t start; // of the YAML, after the line ---
    size_t size;
} FrontMatter;

/* The size of the line at `at`, its end included. */
static size_t line_size(const char *text, size_t size, size_t at)
{
    const char *end = memchr(text + at, '\n', size - at);
    return end ? (size_t)(end - text) + 1 - at : size - at;
}

static bool is_marker(const char *text, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    return length == strlen("---") && memcmp(text, "---", length) == 0;
}

static bool find_front_matter(const char *text, size_t size, FrontMatter *ret_found)
{
    size_t limit = MIN(size, LIMIT_FRONT_MATTER_BYTES);
    size_t first = utf8_bom_size(text, size);
    size_t length = line_size(text, limit, first);
    if (!is_marker(text + first, length))
        return false;
    size_t start = first + length;
    for (size_t at = start; at < limit; at += length) {
        length = line_size(text, limit, at);
        if (!is_marker(text + at, length))
            continue;
        *ret_found = (FrontMatter) { start, at - start };
        return true;
    }
    return false;
}

char *doc_id_read(const char *text, size_t size, const char *name, GPtrArray *warnings)
{
    FrontMatter found;
    if (!find_front_matter(text, size, &found))
        return NULL;
    g_autoptr(json_t) values = NULL;
    g_autoptr(GError) error = NULL;
    if (!yaml_parse(text + found.start, found.size, name, &values, &error)) {
        g_ptr_array_add(warnings, g_strdup_printf("Front matter is not read: %s", error->message));
        return NULL;
    }
    static const char *const keys[] = { "rp1_doc_id", "kedge_doc_id" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const json_t *value = json_object_get(values, keys[i]);
        const char *id = json_string_value(value);
        if (id && run_id_is_valid(id))
            return g_strdup(id);
        if (value)
            g_ptr_array_add(warnings,
                            g_strdup_printf("%s of %s is not a document id", keys[i], name));
    }
    return NULL;
}

char *doc_id_stamp(const char *text, size_t size, const char *doc_id, size_t *ret_size)
{
    size_t bom = utf8_bom_size(text, size);
    size_t first = line_size(text, size, bom);
    bool has_crlf = first >= 2 && memcmp(text + bom + first - 2, "\r\n", 2) == 0;
    const char *end = has_crlf ? "\r\n" : "\n";
    FrontMatter found;
    bool has_front = find_front_matter(text, size, &found);
    size_t before = has_front ? found.start : bom;

    GString *out = g_string_new_len(text, (gssize)before);
    if (!has_front)
        g_string_append_printf(out, "---%s", end);
    g_string_append_printf(out, "kedge_doc_id: \"%s\"%s", doc_id, end);
    if (!has_front)
        g_string_append_printf(out, "---%s", end);
    g_string_append_len(out, text + before, (gssize)(size - before));
    *ret_size = out->len;
    return g_string_free(out, FALSE);
}
