/*
 * The routes about runs (routes.h): their list, one with its steps, and its events.
 */
#include "agenttools/emit/run_artifact.h"
#include "agenttools/emit/runs.h"
#include "arcade/routes.h"
#include "arcade/server.h"
#include "arcade/views.h"
#include "base/timefmt.h"

#define RUNS_AT_ONCE   100
#define EVENTS_AT_ONCE 500

static json_t *text_or_null(char *text)
{
    json_t *value = json_text(text);
    g_free(text);
    return value;
}

bool route_runs(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    RunFilter filter = {
        .status = request_query(request, "status"),
        .project_path = request_query(request, "project"),
        .text = request_query(request, "q"),
        .cursor = request_query(request, "cursor"),
    };
    if (!request_query_int(request, "limit", 1, RUNS_AT_ONCE, RUNS_AT_ONCE, &filter.limit, error))
        return false;
    g_autoptr(json_t) runs = NULL;
    char *cursor = NULL;
    if (!run_list(db, &filter, time_now_ms(), &runs, &cursor, error))
        return false;
    json_t *answer = json_make("runs:%p nextCursor:%p", json_incref(runs), text_or_null(cursor));

    json_each (runs, index, run) {
        int64_t open = 0;
        if (!store_count_open(db, json_get_text(run, "id"), &open, error)) {
            json_decref(answer);
            return false;
        }
        json_set_int(run, "openAnnotations", open);
    }
    reply_json(reply, 200, answer);
    return true;
}

static bool list_artifacts(Db *db, const char *run_id, json_t **ret_list, GError **error)
{
    g_autoptr(GPtrArray) artifacts = NULL;
    if (!run_artifact_list(db, run_id, &artifacts, error))
        return false;
    json_t *list = json_array();
    for (unsigned i = 0; i < artifacts->len; i++)
        json_append_take(list, view_artifact(artifacts->pdata[i]));
    *ret_list = list;
    return true;
}

bool route_run(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    g_autoptr(json_t) run = NULL, steps = NULL, artifacts = NULL, waiting = NULL;
    if (!run_get(db, request->id, time_now_ms(), &run, error))
        return false;
    const char *project = json_get_text(run, "projectPath");
    if (!run_steps(db, request->id, project ? project : request->arcade->cwd, &steps, error) ||
        !list_artifacts(db, request->id, &artifacts, error) ||
        !run_waiting(db, request->id, &waiting, error))
        return false;
    reply_json(reply, 200,
               json_make("run:%p steps:%p artifacts:%p waiting:%p", g_steal_pointer(&run),
                         g_steal_pointer(&steps), g_steal_pointer(&artifacts),
                         g_steal_pointer(&waiting)));
    return true;
}

bool route_events(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t after = 0, limit = 0;
    g_autoptr(json_t) run = NULL, events = NULL;
    if (!request_query_int(request, "after", 0, INT64_MAX, 0, &after, error) ||
        !request_query_int(request, "limit", 1, EVENTS_AT_ONCE, EVENTS_AT_ONCE, &limit, error) ||
        !run_get(db, request->id, time_now_ms(), &run, error) ||
        !run_events(db, request->id, after, limit, &events, error))
        return false;
    size_t count = json_array_size(events);
    const json_t *last = count == (size_t)limit ? json_array_get(events, count - 1) : NULL;
    reply_json(reply, 200,
               json_make("events:%p nextAfter:%p", g_steal_pointer(&events),
                         last ? json_integer(json_get_int(last, "id", after)) : json_null()));
    return true;
}
