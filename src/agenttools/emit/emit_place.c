/*
 * Where a run is (emit_place.h). A run remembers its place, so that only its first event asks git.
 */
#include "agenttools/emit/emit_place.h"

#include "agenttools/answer.h"
#include "agenttools/root_dir.h"
#include "base/path.h"

void emit_place_clear(EmitPlace *self)
{
    g_clear_pointer(&self->project, g_free);
    g_clear_pointer(&self->root, g_free);
    g_clear_pointer(&self->work_root, g_free);
}

WorkflowPlaces emit_place_workflows(const EmitPlace *self)
{
    return (WorkflowPlaces) { .root = self->root, .project = self->project };
}

static bool check_absolute(const char *given, GError **error)
{
    if (g_path_is_absolute(given))
        return true;
    return answer_error_field(error, "project", "Project path must be absolute. Received: %s",
                              given);
}

bool emit_project_filter(const char *given, Cancel *cancel, char **ret_project, GError **error)
{
    if (!given) {
        *ret_project = NULL;
        return true;
    }
    if (!check_absolute(given, error))
        return false;
    g_autofree char *clean = path_absolute(given, "/");
    *ret_project = root_dir_main(clean, cancel);
    return true;
}

/* A project that git does not know is taken as it is. */
static void place_without_git(const char *project, EmitPlace *ret_place)
{
    ret_place->root = g_build_filename(project, ".rp1", NULL);
    ret_place->work_root = g_build_filename(ret_place->root, "work", NULL);
}

bool emit_place_find(const char *cwd, const char *given, Cancel *cancel, GPtrArray *warnings,
                     EmitPlace *ret_place, GError **error)
{
    g_autofree char *project = NULL;
    if (!emit_project_filter(given, cancel, &project, error))
        return false;
    g_auto(RootDir) found = { 0 };
    g_autoptr(GError) cause = NULL;
    g_auto(EmitPlace) place = { 0 };
    if (root_dir_find(project ? project : cwd, cancel, &found, &cause)) {
        place.root = g_strdup(found.root);
        place.work_root = g_strdup(found.work_root);
        if (found.warning && warnings)
            g_ptr_array_add(warnings, g_strdup(found.warning));
    } else if (project && !error_is(cause, KEDGE_ERROR_CANCELLED)) {
        place_without_git(project, &place);
    } else {
        return pass_error(error, &cause);
    }
    place.project = project ? g_steal_pointer(&project) : g_strdup(found.project_root);
    *ret_place = place;
    place = (EmitPlace) { 0 };
    return true;
}

bool emit_place_of_run(Db *db, const char *run_id, EmitPlace *ret_place, bool *ret_is_known,
                       GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(
            db, &query, error,
            "SELECT project_path, root_path, work_root FROM run WHERE id = ? AND project_path "
            "IS NOT NULL AND root_path IS NOT NULL AND work_root IS NOT NULL",
            "s", run_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    *ret_is_known = has_row;
    if (has_row) {
        ret_place->project = g_strdup(db_query_text(query, 0));
        ret_place->root = g_strdup(db_query_text(query, 1));
        ret_place->work_root = g_strdup(db_query_text(query, 2));
    }
    return true;
}
