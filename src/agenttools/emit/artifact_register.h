/*
 * Registering run artifacts (agent-tools-cli §4.7): where the file belongs, its document id, its
 * row. The file itself is left alone unless a stamp is asked for.
 */
#pragma once

#include "agenttools/emit/emit_place.h"
#include "agenttools/emit/run_artifact.h"

typedef struct ArtifactDraft {            // borrowed
    const char *path;                     // as given
    const char *storage_root;             // as given, or NULL
    const char *type;                     // as given, or NULL
    const char *feature, *step, *subflow; // NULL: not given
    bool stamps;                          // writes the id into a Markdown file that has none
} ArtifactDraft;

/* Inside the caller's transaction; appends to the feed. VALIDATION when the path is outside.
   `warnings` is of char *. */
bool artifact_register(Db *db, const char *run_id, const EmitPlace *place,
                       const ArtifactDraft *draft, int64_t now_ms, GPtrArray *warnings,
                       char **ret_doc_id, GError **error);

/* "markdown", "code" …, by the extension. */
const char *artifact_type_of(const char *path);
