/*
 * What an entry looks like on disk (agent-core §4.7): over-long strings cut, image data in the blob
 * store
 * (<agent dir>/blobs/<sha256>), transient fields dropped; and back again. Internal to session.
 */
#pragma once

#include "base/json.h"

/* The form to write; new reference, `entry` itself when nothing needs changing. Blobs are stored on
   the way; an image whose blob cannot be stored stays in the line. */
json_t *persist_entry(json_t *entry);

/* Puts image data back in place of `blob:sha256:` references, in a value that nobody else holds. A
   missing blob keeps its reference; *missing counts them. */
void persist_resolve_blobs(json_t *value, size_t *missing);

#define PERSIST_BLOB_PREFIX "blob:sha256:"
