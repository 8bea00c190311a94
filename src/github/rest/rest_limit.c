/*
 * Rate limits: which answers are one, and how long they last (common §8.3).
 */
#include "github/rest/rest_private.h"

#include "base/str.h"
#include "base/timefmt.h"

#define UNTOLD_WAIT_S ((int64_t)60)            // a limit that does not say when it ends
#define MAX_WAIT_S    ((int64_t)(366 * 86400)) // beyond that a server's number is nonsense

static bool header_int(const HttpResponse *response, const char *name, int64_t *ret_value)
{
    const char *text = http_response_header(response, name);
    return text && str_parse_int(text, ret_value) && *ret_value >= 0;
}

static bool speaks_of_limit(const HttpResponse *response)
{
    g_autoptr(json_t) body = NULL;
    if (!json_parse(response->body, response->body_size, &body, NULL))
        return false;
    const char *message = json_get_text(body, "message");
    return message &&
           (str_contains_nocase(message, "rate limit") || str_contains_nocase(message, "abuse"));
}

/* GraphQL's limit is an error in a good answer. */
static bool is_graphql_limit(const HttpResponse *response)
{
    static const char type[] = "RATE_LIMITED";
    g_autoptr(json_t) body = NULL;
    if (!strstr(response->body, type) ||
        !json_parse(response->body, response->body_size, &body, NULL))
        return false;
    return g_strcmp0(json_get_text(json_array_get(json_get_array(body, "errors"), 0), "type"),
                     type) == 0;
}

int64_t rest_limit_wait_s(const HttpResponse *response, bool is_graphql)
{
    bool may_be = response->status == 403 || response->status == 429;
    bool is_limit = response->status == 429 ||
                    (is_graphql && response->status == 200 && is_graphql_limit(response));
    if (!may_be && !is_limit)
        return 0;
    int64_t value = 0, remaining = -1;
    if (header_int(response, "retry-after", &value))
        return CLAMP(value, 1, MAX_WAIT_S);
    if (header_int(response, "x-ratelimit-remaining", &remaining) && remaining == 0 &&
        header_int(response, "x-ratelimit-reset", &value)) {
        int64_t now_s = time_now_ms() / 1000;
        return CLAMP(value, now_s, now_s + MAX_WAIT_S) - now_s + 1;
    }
    return is_limit || speaks_of_limit(response) ? UNTOLD_WAIT_S : 0;
}
