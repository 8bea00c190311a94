/*
 * skip-if-match and skip-if-no-match (gates_private.h; task-engine §10.2): open when GitHub does
 * not answer.
 */
#include "wm/trigger/gates_private.h"

#include "wm/task/wm_log.h"

#include <string.h>

#define MAX_QUERY_BYTES ((size_t)1024) // GitHub refuses longer ones

// Caller frees.
static char *query_of(const json_t *value, const WmApi *api)
{
    const char *text =
        json_is_string(value) ? json_string_value(value) : json_get_text(value, "query");
    g_autofree char *query = g_strstrip(g_strdup(text ? text : ""));
    if (g_strcmp0(json_get_text(value, "scope"), "none") == 0)
        return g_steal_pointer(&query);
    return g_strdup_printf("%s repo:%s", query, wm_api_repo(api)->slug);
}

static bool count(WmGates *self, const json_t *value, Cancel *cancel, int64_t *ret_count,
                  GError **error)
{
    WmApi *api;
    if (!wm_gate_api(self, cancel, &api, error))
        return false;
    g_autofree char *query = query_of(value, api);
    if (strlen(query) > MAX_QUERY_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "the query is longer than %zu bytes",
                         MAX_QUERY_BYTES);
    g_autofree char *encoded = wm_encode(query);
    g_autofree char *path = g_strdup_printf("/search/issues?q=%s&per_page=1", encoded);
    g_autoptr(json_t) answer = NULL;
    if (!wm_api_get(api, path, cancel, &answer, error))
        return false;
    *ret_count = json_get_int(answer, "total_count", -1);
    return *ret_count >= 0 ||
           fail_with(error, KEDGE_ERROR_PROTOCOL, "the answer has no total_count");
}

static bool pass(WmGates *self, const WmTask *task, const char *key, bool skips_match,
                 Cancel *cancel, char **ret_reason)
{
    const json_t *value = wm_gate_value(task, key);
    if (!value)
        return true;
    int64_t found = 0, limit = MAX(json_get_int(value, skips_match ? "max" : "min", 1), 1);
    g_autoptr(GError) error = NULL;
    if (!count(self, value, cancel, &found, &error)) {
        wm_say("wm: %s: %s: %s; not skipped", task->name, key, error->message);
        return true;
    }
    if (skips_match ? found < limit : found >= limit)
        return true;
    return wm_gate_refuse(task, ret_reason, "%s: %" G_GINT64_FORMAT " found", key, found);
}

bool wm_gate_searches(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    return pass(self, task, "skip-if-match", true, cancel, ret_reason) &&
           pass(self, task, "skip-if-no-match", false, cancel, ret_reason);
}
