/*
 * What an entry looks like on disk (agent-core §4.7): over-long strings cut, image data and what a
 * person asked at such length in the blob store (<agent dir>/blobs/<sha256>), transient fields
 * dropped; and back again. Internal to session.
 */
#pragma once

#include "base/json.h"

/* The form to write; new reference, `entry` itself when nothing needs changing. Blobs are stored on
   the way, a text masked (base/mask.h); what cannot be stored as a blob stays in the line. */
json_t *persist_entry(json_t *entry);

/* Puts image data and texts back in place of `blob:sha256:` references, in a value that no one else
   holds. A missing blob keeps its reference; *missing counts them. */
void persist_resolve_blobs(json_t *value, size_t *missing);

#define PERSIST_BLOB_PREFIX "blob:sha256:"
