/*
 * Writing one artifact while its output comes, whatever its size: of more than the limit the first
 * and the last half are kept, whole lines, with a line between them that says what was cut
 * (agent-tools §2.8). One thread at a time.
 */
#pragma once

#include "session/artifacts.h"

#include <stdint.h>

typedef struct ArtifactWriter ArtifactWriter;

/* Makes the file; NULL when that cannot be done. `max_bytes` is LIMIT_ARTIFACT_BYTES but in
   tests. */
ArtifactWriter *artifact_writer_new(Artifacts *artifacts, const char *tool, uint64_t max_bytes);
void artifact_writer_free(ArtifactWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArtifactWriter, artifact_writer_free)

const char *artifact_writer_id(const ArtifactWriter *self);

/* UTF-8 text. False after an error of the file system: the artifact is no good then. */
bool artifact_writer_append(ArtifactWriter *self, const char *text, size_t size);

/* Puts the end behind the beginning. *ret_is_cut: something between them is missing. */
bool artifact_writer_finish(ArtifactWriter *self, bool *ret_is_cut);
