/* See artifact_register.h. */
#include "agenttools/emit/artifact_register.h"

#include "agenttools/answer.h"
#include "agenttools/emit/doc_id.h"
#include "agenttools/emit/safe_file.h"
#include "base/file.h"
#include "base/path.h"

#include <limits.h>

#define LIMIT_STAMPED_BYTES ((size_t)5 * 1024 * 1024) // a Markdown file that is read for its id

// ---- types ----

const char *artifact_type_of(const char *path)
{
    static const struct {
        const char *type;
        const char *extensions; // between blanks
    } table[] = {
        { "markdown", " md mdx markdown " },
        { "diagram", " mmd mermaid puml plantuml dot drawio " },
        { "diff", " diff patch " },
        { "code",
          " c h cc cpp cxx hh hpp m mm cs go java kt kts scala groovy js jsx mjs cjs ts tsx "
          "vue svelte py rb rs php pl lua r jl ex exs erl hs ml mli clj dart swift zig nim "
          "sh bash zsh fish ps1 sql css scss html xml json yaml yml toml tf proto " },
    };
    g_autofree char *name = g_path_get_basename(path);
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name)
        return "other";
    g_autofree char *lower = g_ascii_strdown(dot + 1, -1);
    g_autofree char *word = g_strdup_printf(" %s ", lower);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (strstr(table[i].extensions, word))
            return table[i].type;
    return "other";
}

// ---- where it belongs ----

static bool fail_outside(GError **error)
{
    return answer_error_field(error, "data.path",
                              "Artifact path is outside the project and work directories; pass "
                              "storageRoot \"absolute\" to register it");
}

typedef struct Root {
    const char *storage_root;
    const char *dir; // as the run names it
    char *real;      // NULL: cannot be told
} Root;

/* Files it under `root` when it lies there, by name and in fact. `file` is absolute, `real` the
   same without links. */
static bool place_below(const Root *root, const char *file, const char *real, RunArtifact *artifact)
{
    if (!root->real || !path_is_inside(real, root->real) || strcmp(real, root->real) == 0)
        return false;
    // the name that was given, when it leads there without detours; else the real one
    g_autofree char *relative = path_is_inside(file, root->dir) ? path_display(file, root->dir)
                                                                : path_display(real, root->real);
    artifact->storage_root = g_strdup(root->storage_root);
    artifact->root_path = g_strdup(root->real);
    artifact->path = g_steal_pointer(&relative);
    return true;
}

static bool find_place(const EmitPlace *place, const ArtifactDraft *draft, RunArtifact *artifact,
                       GError **error)
{
    bool is_absolute = g_path_is_absolute(draft->path);
    bool is_free = g_strcmp0(draft->storage_root, "absolute") == 0;
    bool is_of_project = g_strcmp0(draft->storage_root, "project") == 0;
    g_autofree char *real_work = safe_file_resolve(place->work_root);
    g_autofree char *real_project = safe_file_resolve(place->project);
    const Root roots[] = {
        { "work_dir", place->work_root, real_work },
        { "project", place->project, real_project },
    };
    g_autofree char *file = path_absolute(draft->path, roots[is_of_project ? 1 : 0].dir);
    g_autofree char *real = safe_file_resolve(file);
    if (!real)
        return fail_outside(error);
    if (file_is_directory(real))
        return answer_error(error, ANSWER_VALIDATION, NULL, "Artifact path is a directory: %s",
                            draft->path);
    for (size_t i = 0; i < G_N_ELEMENTS(roots); i++) {
        bool is_allowed = is_absolute || is_free || i == (is_of_project ? 1 : 0);
        if (is_allowed && place_below(&roots[i], file, real, artifact))
            return true;
    }
    if (!is_free)
        return fail_outside(error);
    artifact->storage_root = g_strdup("absolute");
    artifact->root_path = g_path_get_dirname(real);
    artifact->path = g_steal_pointer(&real);
    return true;
}

// ---- its id ----

/* Does the document of that id live elsewhere, with its file still there? Then this one is a copy.
 */
static bool is_taken(Db *db, const char *doc_id, const RunArtifact *artifact, bool *ret_is_taken,
                     GError **error)
{
    g_autoptr(RunArtifact) known = NULL;
    if (!run_artifact_get(db, doc_id, &known, error))
        return false;
    g_autofree char *here = run_artifact_file(artifact);
    g_autofree char *there = known ? run_artifact_file(known) : NULL;
    *ret_is_taken = there && strcmp(here, there) != 0 && file_exists(there);
    return true;
}

static bool find_id_of_path(Db *db, const char *project, RunArtifact *artifact, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  "SELECT doc_id FROM artifact WHERE path = ? AND storage_root = ? AND "
                  "project_path IS ? ORDER BY updated_at DESC, rowid DESC LIMIT 1",
                  "sss", artifact->path, artifact->storage_root, project) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (has_row)
        artifact->doc_id = g_strdup(db_query_text(query, 0));
    return true;
}

/* The id in the file's front matter, that of its path, or a new one; stamps when asked to. */
static bool find_id(Db *db, const char *project, bool stamps, RunArtifact *artifact,
                    GPtrArray *warnings, GError **error)
{
    g_autofree char *text = NULL;
    size_t size = 0;
    bool is_markdown = strcmp(artifact_type_of(artifact->path), "markdown") == 0 &&
                       run_artifact_read(artifact, LIMIT_STAMPED_BYTES, &text, &size, NULL);
    g_autofree char *own = is_markdown ? doc_id_read(text, size, artifact->path, warnings) : NULL;
    bool is_copy = false;
    if (own && !is_taken(db, own, artifact, &is_copy, error))
        return false;
    if (own && !is_copy) {
        artifact->doc_id = g_steal_pointer(&own);
        return true;
    }
    if (is_copy)
        g_ptr_array_add(warnings, g_strdup_printf("%s has the document id of another file; it gets "
                                                  "one of its own",
                                                  artifact->path));
    if (!find_id_of_path(db, project, artifact, error))
        return false;
    if (!artifact->doc_id)
        artifact->doc_id = g_uuid_string_random();
    if (!stamps || !is_markdown || own)
        return true;
    g_autofree char *was = content_sha256(text, size);
    size_t stamped_size;
    g_autofree char *stamped = doc_id_stamp(text, size, artifact->doc_id, &stamped_size);
    return run_artifact_write(artifact, stamped, stamped_size, was, error);
}

// ---- its row ----

static bool artifact_register_store(Db *db, const char *run_id, const char *project,
                                    const ArtifactDraft *draft, const RunArtifact *artifact,
                                    int64_t now_ms, GError **error)
{
    return db_run(
               db, error,
               "INSERT INTO artifact (doc_id, project_path, storage_root, root_path, path, type, "
               "sha256, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
               "ON CONFLICT (doc_id) DO UPDATE SET project_path = excluded.project_path, "
               "storage_root = excluded.storage_root, root_path = excluded.root_path, "
               "path = excluded.path, type = excluded.type, sha256 = excluded.sha256, "
               "updated_at = excluded.updated_at",
               "sssssssii", artifact->doc_id, project, artifact->storage_root, artifact->root_path,
               artifact->path, artifact->type, artifact->sha256, now_ms, now_ms) &&
           db_run(db, error,
                  "INSERT INTO run_artifact (run_id, doc_id, feature, step, subflow, created_at, "
                  "updated_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, doc_id) DO UPDATE "
                  "SET feature = excluded.feature, step = excluded.step, "
                  "subflow = excluded.subflow, updated_at = excluded.updated_at",
                  "sssssii", run_id, artifact->doc_id, draft->feature, draft->step, draft->subflow,
                  now_ms, now_ms);
}

static bool tell_feed(Db *db, const char *run_id, const RunArtifact *artifact, int64_t now_ms,
                      GError **error)
{
    g_autoptr(json_t) data = json_make("docId:%s path:%s sha256:%s?", artifact->doc_id,
                                       artifact->path, artifact->sha256);
    return feed_append(db, "artifact", run_id, artifact->doc_id, data, now_ms, error);
}

/* The content's sum; a file that is not there yet, or cannot be read, is only warned about. */
static void read_sum(RunArtifact *artifact, GPtrArray *warnings)
{
    g_autofree char *file = run_artifact_file(artifact);
    g_autofree char *real = safe_file_resolve(file);
    g_autoptr(GError) cause = NULL;
    if (!real || safe_file_sha256(real, artifact->path, &artifact->sha256, &cause))
        return;
    if (answer_error_is(cause, ANSWER_NOT_FOUND))
        g_ptr_array_add(warnings,
                        g_strdup_printf("Artifact file does not exist yet: %s", artifact->path));
    else
        g_ptr_array_add(warnings, g_strdup(cause->message));
}

bool artifact_register(Db *db, const char *run_id, const EmitPlace *place,
                       const ArtifactDraft *draft, int64_t now_ms, GPtrArray *warnings,
                       char **ret_doc_id, GError **error)
{
    if (strlen(draft->path) >= PATH_MAX)
        return answer_error(error, ANSWER_VALIDATION, NULL, "Artifact path is too long");
    g_autoptr(RunArtifact) artifact = g_new0(RunArtifact, 1);
    if (!find_place(place, draft, artifact, error))
        return false;
    artifact->type = g_strdup(draft->type ? draft->type : artifact_type_of(artifact->path));
    if (!find_id(db, place->project, draft->stamps, artifact, warnings, error))
        return false;
    read_sum(artifact, warnings);
    if (!artifact_register_store(db, run_id, place->project, draft, artifact, now_ms, error) ||
        !tell_feed(db, run_id, artifact, now_ms, error))
        return false;
    *ret_doc_id = g_steal_pointer(&artifact->doc_id);
    return true;
}
