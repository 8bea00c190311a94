/*
 * Run artifacts: their rows, and their files through the safe open (run_artifact.h).
 */
#include "agenttools/emit/run_artifact.h"

#include "agenttools/answer.h"
#include "agenttools/emit/safe_file.h"
#include "base/path.h"

void run_artifact_free(RunArtifact *self)
{
    if (!self)
        return;
    g_free(self->doc_id);
    g_free(self->path);
    g_free(self->storage_root);
    g_free(self->root_path);
    g_free(self->type);
    g_free(self->feature);
    g_free(self->step);
    g_free(self->subflow);
    g_free(self->sha256);
    g_free(self);
}

// ---- rows ----

#define SELECT_ARTIFACT                                                                            \
    "SELECT a.doc_id, a.path, a.storage_root, a.root_path, a.type, r.feature, r.step, r.subflow,"  \
    " a.sha256, a.created_at FROM artifact a "
#define NEWEST_REGISTRATION                                                                        \
    "LEFT JOIN run_artifact r ON r.rowid = (SELECT rowid FROM run_artifact WHERE doc_id = "        \
    "a.doc_id ORDER BY max(created_at, updated_at) DESC, rowid DESC LIMIT 1) "

static RunArtifact *artifact_from_row(DbQuery *query)
{
    RunArtifact *self = g_new0(RunArtifact, 1);
    self->doc_id = g_strdup(db_query_text(query, 0));
    self->path = g_strdup(db_query_text(query, 1));
    self->storage_root = g_strdup(db_query_text(query, 2));
    self->root_path = g_strdup(db_query_text(query, 3));
    self->type = g_strdup(db_query_text(query, 4));
    self->feature = g_strdup(db_query_text(query, 5));
    self->step = g_strdup(db_query_text(query, 6));
    self->subflow = g_strdup(db_query_text(query, 7));
    self->sha256 = g_strdup(db_query_text(query, 8));
    self->created_at = db_query_int(query, 9);
    return self;
}

bool run_artifact_get(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, SELECT_ARTIFACT NEWEST_REGISTRATION "WHERE a.doc_id = ?", "s",
                  doc_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    *ret_artifact = has_row ? artifact_from_row(query) : NULL;
    return true;
}

bool run_artifact_list(Db *db, const char *run_id, GPtrArray **ret_artifacts, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool is_good =
        run_id ? db_query(db, &query, error,
                          SELECT_ARTIFACT "JOIN run_artifact r ON r.doc_id = a.doc_id "
                                          "WHERE r.run_id = ? ORDER BY r.created_at, r.rowid",
                          "s", run_id)
               : db_query(db, &query, error,
                          SELECT_ARTIFACT NEWEST_REGISTRATION "ORDER BY a.created_at, a.rowid", "");
    g_autoptr(GPtrArray) artifacts =
        g_ptr_array_new_with_free_func((GDestroyNotify)run_artifact_free);
    bool has_row = true;
    while (is_good && has_row) {
        is_good = db_query_step(query, &has_row, error);
        if (is_good && has_row)
            g_ptr_array_add(artifacts, artifact_from_row(query));
    }
    if (is_good)
        *ret_artifacts = g_steal_pointer(&artifacts);
    return is_good;
}

bool run_artifact_is_in_run(Db *db, const char *doc_id, const char *run_id, bool *ret_is_in_run,
                            GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    return db_query(db, &query, error, "SELECT 1 FROM run_artifact WHERE run_id = ? AND doc_id = ?",
                    "ss", run_id, doc_id) &&
           db_query_step(query, ret_is_in_run, error);
}

// ---- files ----

static bool is_absolute(const RunArtifact *self)
{
    return strcmp(self->storage_root, "absolute") == 0;
}

char *run_artifact_file(const RunArtifact *self)
{
    return path_absolute(self->path, self->root_path);
}

static bool fail_outside(GError **error, const char *name)
{
    return answer_error(error, ANSWER_PERMISSION, NULL, "Artifact path leaves its storage root: %s",
                        name);
}

/* The real path of a file that must lie below root_path as it was at registration. */
static bool resolve_inside(const RunArtifact *self, const char *file, const char *name,
                           char **ret_real, GError **error)
{
    if (!path_is_inside(file, self->root_path))
        return fail_outside(error, name);
    g_autofree char *real = safe_file_resolve(file);
    if (!real || !path_is_inside(real, self->root_path))
        return fail_outside(error, name);
    *ret_real = g_steal_pointer(&real);
    return true;
}

static bool resolve_own(const RunArtifact *self, char **ret_real, GError **error)
{
    g_autofree char *file = run_artifact_file(self);
    g_autofree char *real = NULL;
    if (!resolve_inside(self, file, self->path, &real, error))
        return false;
    if (is_absolute(self) && strcmp(real, self->path) != 0)
        return fail_outside(error, self->path);
    *ret_real = g_steal_pointer(&real);
    return true;
}

bool run_artifact_read(const RunArtifact *self, size_t max_bytes, char **ret_data, size_t *ret_size,
                       GError **error)
{
    g_autofree char *real = NULL;
    return resolve_own(self, &real, error) &&
           safe_file_read(real, self->path, max_bytes, ret_data, ret_size, error);
}

bool run_artifact_read_beside(const RunArtifact *self, const char *relative, size_t max_bytes,
                              char **ret_data, size_t *ret_size, GError **error)
{
    if (g_path_is_absolute(relative))
        return fail_outside(error, relative);
    g_autofree char *own = run_artifact_file(self);
    g_autofree char *directory = g_path_get_dirname(own);
    g_autofree char *file = path_absolute(relative, directory);
    g_autofree char *real = NULL;
    return resolve_inside(self, file, relative, &real, error) &&
           safe_file_read(real, relative, max_bytes, ret_data, ret_size, error);
}

bool run_artifact_write(const RunArtifact *self, const char *data, size_t size,
                        const char *expected_sha256, GError **error)
{
    g_autofree char *real = NULL;
    return resolve_own(self, &real, error) &&
           safe_file_replace(real, self->path, data, size, expected_sha256, error);
}

char *content_sha256(const char *data, size_t size)
{
    return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const unsigned char *)data, size);
}
