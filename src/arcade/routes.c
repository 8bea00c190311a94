/*
 * The table of routes, and those that need no database (routes.h).
 */
#include "arcade/routes.h"

#include "arcade/assets.h"
#include "arcade/server.h"
#include "arcade/stream.h"

static bool route_health(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    const char *nonce = request_query(request, "nonce");
    g_autofree char *proof = nonce ? guard_prove(request->arcade->guard, nonce) : NULL;
    if (nonce && !proof)
        return reply_fail(error, 400, "nonce must be %d hexadecimal digits in lower case",
                          GUARD_NONCE_DIGITS);
    json_t *health = json_make("ok:%i app:%s version:%s", true, "kedge-arcade", KEDGE_VERSION);
    if (proof)
        json_set_text(health, "proof", proof);
    reply_json(reply, 200, health);
    return true;
}

static bool route_stream(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    if (request->is_head) {
        reply->allow = g_strdup("GET");
        return reply_fail(error, 405, "HEAD is not possible here");
    }
    if (!stream_begin(request, reply, error))
        return false;
    reply->status = 200;
    reply->content_type = "text/event-stream";
    return true;
}

static void reply_asset(ArcadeReply *reply, const Asset *asset)
{
    reply->status = 200;
    reply->content_type = asset->content_type;
    reply->body = g_bytes_new_static(asset->data, asset->size);
}

static bool route_page(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    reply_asset(reply, assets_page());
    return true;
}

static bool route_asset(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    const Asset *asset = assets_find(request->words[1], request->words[2]);
    if (!asset)
        return reply_fail(error, 404, "There is no such file");
    reply_asset(reply, asset);
    reply->cache_control = "public, max-age=31536000, immutable"; // its path has its hash
    return true;
}

static const Route routes[] = {
    { "GET", "/", route_page, .is_open = true },
    { "GET", "/runs/*", route_page, .is_open = true },
    { "GET", "/runs/*/artifact/*", route_page, .is_open = true },
    { "GET", "/assets/*/*", route_asset, .is_open = true },
    { "GET", "/api/v1/health", route_health, .is_open = true },
    { "GET", "/mermaid/frame", route_frame, .is_open = true },
    { "GET", "/api/v1/mermaid", route_mermaid },
    { "GET", "/api/v1/stream", route_stream },
    { "GET", "/api/v1/runs", route_runs, .needs_store = true },
    { "GET", "/api/v1/runs/*", route_run, .needs_store = true },
    { "GET", "/api/v1/runs/*/events", route_events, .needs_store = true },
    { "POST", "/api/v1/runs/*/answer", route_answer, .needs_store = true },
    { "GET", "/api/v1/artifacts/*", route_artifact, .needs_store = true },
    { "GET", "/api/v1/artifacts/*/content", route_content, .needs_store = true },
    { "PUT", "/api/v1/artifacts/*/content", route_save, .needs_store = true },
    { "GET", "/api/v1/artifacts/*/html", route_html, .needs_store = true },
    { "GET", "/api/v1/artifacts/*/asset", route_picture, .needs_store = true },
    { "POST", "/api/v1/artifacts/*/suggestions", route_suggest, .needs_store = true },
    { "GET", "/api/v1/edits/*", route_edit, .needs_store = true },
    { "DELETE", "/api/v1/edits/*", route_withdraw, .needs_store = true },
    { "POST", "/api/v1/edits/*/accept", route_accept, .needs_store = true },
    { "GET", "/api/v1/annotations", route_annotations, .needs_store = true },
    { "POST", "/api/v1/annotations", route_annotate, .needs_store = true },
    { "PATCH", "/api/v1/annotations/*", route_change_annotation, .needs_store = true },
    { "DELETE", "/api/v1/annotations/*", route_delete_annotation, .needs_store = true },
    { "POST", "/api/v1/annotations/*/replies", route_reply, .needs_store = true },
};

/* *ret_id: the first word that a * stands for. */
static bool matches(const Route *route, char *const *words, const char **ret_id)
{
    g_auto(GStrv) wanted = g_strsplit(route->path + 1, "/", -1);
    const char *id = NULL;
    size_t count = 0;
    for (; wanted[count] && words[count]; count++) {
        bool is_any = strcmp(wanted[count], "*") == 0;
        if (is_any && words[count][0] == '\0')
            return false;
        if (!is_any && strcmp(wanted[count], words[count]) != 0)
            return false;
        if (is_any && !id)
            id = words[count];
    }
    if (wanted[count] || words[count])
        return false;
    *ret_id = id;
    return true;
}

bool routes_find(ArcadeRequest *request, const Route **ret_route, char **ret_allow, GError **error)
{
    g_autoptr(GString) allow = g_string_new(NULL);
    for (size_t i = 0; request->words && i < G_N_ELEMENTS(routes); i++) {
        if (!matches(&routes[i], request->words, &request->id))
            continue;
        if (strcmp(routes[i].method, request->method) == 0) {
            *ret_route = &routes[i];
            return true;
        }
        g_string_append_printf(allow, "%s%s", allow->len ? ", " : "", routes[i].method);
    }
    if (allow->len == 0 && strcmp(request->method, "OPTIONS") != 0)
        return reply_fail(error, 404, "There is nothing at %s", request->path);
    *ret_allow = allow->len ? g_strdup(allow->str) : g_strdup("GET");
    return reply_fail(error, 405, "%s is not possible here", request->method);
}

bool routes_is_page(const ArcadeRequest *request)
{
    const char *first = request->words ? request->words[0] : NULL;
    return request->words && (!first || *first == '\0' || strcmp(first, "runs") == 0);
}

bool routes_is_api(const ArcadeRequest *request)
{
    return request->words && g_strcmp0(request->words[0], "api") == 0;
}
