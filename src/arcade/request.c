/* See request.h. */
#include "arcade/request.h"

#include "base/str.h"

/* What decides about a request must not come twice. */
static const char *const deciding[] = { "host",          "origin",        "sec-fetch-site",
                                        "authorization", "content-type",  "if-match",
                                        "if-none-match", "last-event-id", NULL };

static char *request_do_decode(const char *text)
{
    char *decoded = g_uri_unescape_string(text, NULL); // NULL for bad escapes and %00
    if (decoded && !g_utf8_validate(decoded, -1, NULL))
        g_clear_pointer(&decoded, g_free);
    return decoded;
}

static enum MHD_Result on_header(void *self_, enum MHD_ValueKind kind, const char *name,
                                 size_t name_size, const char *value, size_t value_size)
{
    ArcadeRequest *self = self_;
    self->header_bytes += name_size + value_size + 4; // ": " and CR LF
    char *key = g_ascii_strdown(name, (gssize)name_size);
    bool is_second = g_hash_table_contains(self->headers, key);
    self->is_ambiguous |= is_second && g_strv_contains(deciding, key);
    g_hash_table_replace(self->headers, key, g_strndup(value ? value : "", value_size));
    return MHD_YES;
}

static enum MHD_Result on_argument(void *self_, enum MHD_ValueKind kind, const char *name,
                                   size_t name_size, const char *value, size_t value_size)
{
    ArcadeRequest *self = self_;
    g_autofree char *key = request_do_decode(name);
    g_autofree char *text = request_do_decode(value ? value : "");
    if (!key || !text)
        self->is_unreadable = true;
    else
        g_hash_table_replace(self->query, g_steal_pointer(&key), g_steal_pointer(&text));
    return MHD_YES;
}

/* NULL unless it begins with a slash and every word is URL-encoded UTF-8 without a slash in it. */
static char **split_path(const char *path)
{
    if (path[0] != '/')
        return NULL;
    g_auto(GStrv) raw = g_strsplit(path + 1, "/", -1);
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    for (char **word = raw; *word; word++) {
        g_autofree char *decoded = g_uri_unescape_string(*word, "/");
        if (!decoded || !g_utf8_validate(decoded, -1, NULL))
            return NULL;
        g_strv_builder_add(words, decoded);
    }
    return g_strv_builder_end(words);
}

ArcadeRequest *request_new(Arcade *arcade, const MhdApi *mhd, struct MHD_Connection *connection,
                           const char *method, const char *path)
{
    ArcadeRequest *self = g_new0(ArcadeRequest, 1);
    self->arcade = arcade;
    self->is_head = strcmp(method, "HEAD") == 0;
    self->method = g_strdup(self->is_head ? "GET" : method);
    self->path = g_strdup(path);
    self->words = split_path(path);
    self->query = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->headers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->body = g_string_new(NULL);
    const union MHD_ConnectionInfo *info =
        mhd->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    self->socket = info ? info->connect_fd : -1;
    mhd->get_connection_values_n(connection, MHD_HEADER_KIND, on_header, self);
    mhd->get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, on_argument, self);
    return self;
}

void request_free(ArcadeRequest *self)
{
    if (!self)
        return;
    g_free(self->method);
    g_free(self->path);
    g_strfreev(self->words);
    g_hash_table_unref(self->query);
    g_hash_table_unref(self->headers);
    g_string_free(self->body, TRUE);
    json_decref(self->json);
    g_free(self);
}

bool request_is_write(const ArcadeRequest *self)
{
    static const char *const writes[] = { "PUT", "POST", "PATCH", "DELETE", NULL };
    return g_strv_contains(writes, self->method);
}

const char *request_header(const ArcadeRequest *self, const char *name)
{
    return g_hash_table_lookup(self->headers, name);
}

const char *request_query(const ArcadeRequest *self, const char *name)
{
    const char *value = g_hash_table_lookup(self->query, name);
    return str_is_empty(value) ? NULL : value;
}

bool request_query_int(const ArcadeRequest *self, const char *name, int64_t min, int64_t max,
                       int64_t fallback, int64_t *ret_value, GError **error)
{
    const char *text = request_query(self, name);
    int64_t value = fallback;
    if (text && (!str_parse_int(text, &value) || value < min || value > max))
        return reply_fail(error, 400,
                          "%s must be an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                          name, min, max);
    *ret_value = value;
    return true;
}

bool request_id(const ArcadeRequest *self, int64_t *ret_id, GError **error)
{
    int64_t id = 0;
    if (!str_parse_int(self->id, &id) || id <= 0)
        return reply_fail(error, 404, "There is no number %s", self->id);
    *ret_id = id;
    return true;
}

void request_add_body(ArcadeRequest *self, const char *data, size_t size)
{
    self->body_bytes += size;
    if (self->body_bytes <= REQUEST_BODY_BYTES)
        g_string_append_len(self->body, data, (gssize)size);
}

bool request_read_body(ArcadeRequest *self, GError **error)
{
    if (self->body_bytes > REQUEST_BODY_BYTES)
        return reply_fail(error, 413, "The body is larger than %zu bytes", REQUEST_BODY_BYTES);
    if (self->body->len == 0 && strcmp(self->method, "DELETE") == 0)
        return true;
    g_autoptr(GError) problem = NULL;
    if (!json_parse(self->body->str, self->body->len, &self->json, &problem))
        return reply_fail(error, 400, "The body is not JSON: %s", problem->message);
    g_string_truncate(self->body, 0);
    return json_is_object(self->json) || reply_fail(error, 400, "The body is not a JSON object");
}

bool request_decode(ArcadeRequest *self, const FieldDef *fields, void *args, GError **error)
{
    json_t *kept = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(fields, self->json, FIELD_EXACT, args, &kept, problems)) {
        g_autofree char *text = field_problems_joined(problems);
        return reply_fail(error, 400, "The body has wrong fields: %s", text);
    }
    json_decref(self->json); // what `args` borrows from takes its place
    self->json = kept;
    return true;
}
