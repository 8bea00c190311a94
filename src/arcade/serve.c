/*
 * From a connection of libmicrohttpd to a request, through the checks to its route, and back
 * (agent-tools-cli §5.5). What can be refused without the body is refused before it comes.
 */
#include "arcade/request.h"
#include "arcade/routes.h"
#include "arcade/server.h"
#include "base/log.h"
#include "base/str.h"
#include "base/timefmt.h"

#define SOURCE_BLOCK_BYTES 4096
#define MAX_DISCARDED      (8 * REQUEST_BODY_BYTES) // of a body without a length, that goes on

#define CONTENT_SECURITY_POLICY                                                                    \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "        \
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "  \
    "'none'"

static const char *const constant_headers[][2] = {
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
};

static bool is_json_type(const char *content_type)
{
    g_auto(GStrv) parts = g_strsplit(content_type ? content_type : "", ";", 2);
    return parts[0] && str_equal_nocase(g_strstrip(parts[0]), "application/json");
}

static bool check_length(const ArcadeRequest *request, GError **error)
{
    const char *length = request_header(request, "content-length");
    int64_t bytes = 0;
    if (length && (!str_parse_int(length, &bytes) || bytes > (int64_t)REQUEST_BODY_BYTES))
        return reply_fail(error, 413, "The body is larger than %zu bytes", REQUEST_BODY_BYTES);
    return true;
}

/* All that does not need the body; finds the route. */
static bool arcade_admit(Arcade *self, ArcadeRequest *request, const Route **ret_route,
                         ArcadeReply *reply, GError **error)
{
    const GuardHeaders headers = {
        .host = request_header(request, "host"),
        .origin = request_header(request, "origin"),
        .sec_fetch_site = request_header(request, "sec-fetch-site"),
        .sec_fetch_mode = request_header(request, "sec-fetch-mode"),
        .sec_fetch_dest = request_header(request, "sec-fetch-dest"),
        .is_page = strcmp(request->method, "GET") == 0 && routes_is_page(request),
    };
    if (request->header_bytes > REQUEST_HEADER_BYTES)
        return reply_fail(error, 431, "The headers are larger than %zu bytes",
                          REQUEST_HEADER_BYTES);
    if (request->is_ambiguous)
        return reply_fail(error, 400, "A header that may come once came twice");
    if (!guard_check_source(self->guard, &headers, error))
        return false;
    const Route *route = NULL;
    g_autoptr(GError) no_route = NULL;
    bool is_found = routes_find(request, &route, &reply->allow, &no_route);
    bool is_open = route ? route->is_open : !routes_is_api(request);
    if (!is_open && strcmp(request->method, "OPTIONS") != 0 &&
        !guard_check_token(self->guard, request_header(request, "authorization"),
                           time_monotonic_ms(), error))
        return false;
    if (!is_found)
        return pass_error(error, &no_route);
    if (is_open)
        connections_serve_page(self->connections, request->socket, time_monotonic_ms());
    else if (strcmp(request->method, "OPTIONS") != 0)
        connections_know(self->connections, request->socket);
    if (request->is_unreadable)
        return reply_fail(error, 400, "The query is not URL-encoded UTF-8");
    if (request_is_write(request) && !is_json_type(request_header(request, "content-type")))
        return reply_fail(error, 415, "Content-Type must be application/json");
    *ret_route = route;
    return check_length(request, error);
}

static bool run_route(Arcade *self, ArcadeRequest *request, const Route *route, ArcadeReply *reply,
                      GError **error)
{
    if (request_is_write(request) && !request_read_body(request, error))
        return false;
    Db *db = NULL;
    if (route->needs_store && !store_take(self->store, self->cancel, &db, error))
        return false;
    bool is_good = route->run(request, db, reply, error);
    store_give(self->store, db);
    return is_good;
}

static struct MHD_Response *make_response(const MhdApi *mhd, ArcadeReply *reply)
{
    ReplySource *source = &reply->source;
    if (source->data)
        return mhd->create_response_from_callback(MHD_SIZE_UNKNOWN, SOURCE_BLOCK_BYTES,
                                                  source->fill, g_steal_pointer(&source->data),
                                                  source->free);
    GBytes *body = reply->body ? g_steal_pointer(&reply->body) : g_bytes_new_static("", 0);
    size_t size = 0;
    const void *data = g_bytes_get_data(body, &size);
    return mhd->create_response_from_buffer_with_free_callback_cls(
        size, (void *)(data ? data : ""), (MHD_ContentReaderFreeCallback)g_bytes_unref, body);
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, const ArcadeRequest *request,
                                  ArcadeReply *reply)
{
    const MhdApi *mhd = mhd_api(NULL);
    struct MHD_Response *response = make_response(mhd, reply);
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < G_N_ELEMENTS(constant_headers); i++)
        mhd->add_response_header(response, constant_headers[i][0], constant_headers[i][1]);
    mhd->add_response_header(response, "Content-Security-Policy",
                             reply->content_security_policy ? reply->content_security_policy
                                                            : CONTENT_SECURITY_POLICY);
    mhd->add_response_header(response, "Cache-Control",
                             reply->cache_control ? reply->cache_control : "no-store");
    if (reply->content_type)
        mhd->add_response_header(response, "Content-Type", reply->content_type);
    if (reply->etag)
        mhd->add_response_header(response, "ETag", reply->etag);
    if (reply->allow)
        mhd->add_response_header(response, "Allow", reply->allow);
    if (reply->status == 401)
        mhd->add_response_header(response, "WWW-Authenticate", "Bearer");
    if (reply->status == 429)
        mhd->add_response_header(response, "Retry-After", "1");
    log_debug("arcade: %s %s: %u", request->method, request->path, reply->status);
    enum MHD_Result result = mhd->queue_response(connection, reply->status, response);
    mhd->destroy_response(response);
    return result;
}

enum MHD_Result serve_request(void *arcade, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version G_GNUC_UNUSED,
                              const char *data, size_t *data_size, void **request_)
{
    Arcade *self = arcade;
    g_autoptr(GError) error = NULL;
    g_auto(ArcadeReply) reply = { 0 };
    ArcadeRequest *request = *request_;
    if (!request) { // the headers have come
        request = request_new(self, mhd_api(NULL), connection, method, url);
        *request_ = request;
        if (arcade_admit(self, request, &request->route, &reply, &error))
            return MHD_YES;
        reply_error(&reply, error);
        return send_reply(connection, request, &reply);
    }
    if (*data_size > 0) { // a piece of the body
        request_add_body(request, data, *data_size);
        *data_size = 0;
        return request->body_bytes <= MAX_DISCARDED ? MHD_YES : MHD_NO;
    }
    if (!run_route(self, request, request->route, &reply, &error))
        reply_error(&reply, error);
    return send_reply(connection, request, &reply);
}

void serve_completed(void *arcade G_GNUC_UNUSED, struct MHD_Connection *connection G_GNUC_UNUSED,
                     void **request, enum MHD_RequestTerminationCode code G_GNUC_UNUSED)
{
    g_clear_pointer((ArcadeRequest **)request, request_free);
}

size_t serve_unescape(void *arcade G_GNUC_UNUSED, struct MHD_Connection *connection G_GNUC_UNUSED,
                      char *text)
{
    return strlen(text);
}
