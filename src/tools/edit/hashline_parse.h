/*
 * The language of edits by anchors (agent-tools §3.3.3): sections of files, operations, payload.
 * Pure; thread safe.
 */
#pragma once

#include "base/error.h"
#include "tools/file/hashline.h"

#define HASHLINE_SEPARATOR '~' // before a payload line

#define HASHLINE_BOF 0         // as a number: before the first line
#define HASHLINE_EOF G_MAXSIZE // behind the last

typedef struct HashlineAnchor {
    size_t number; // 1-based, or HASHLINE_BOF, HASHLINE_EOF, which have no letters
    char letters[HASHLINE_LETTERS + 1];
} HashlineAnchor;

typedef enum {
    HASHLINE_INSERT_AFTER,
    HASHLINE_INSERT_BEFORE,
    HASHLINE_REPLACE, // a deletion is one without payload
} HashlineKind;

typedef struct HashlineOp {
    HashlineKind kind;
    HashlineAnchor first, last; // the same of an insertion
    size_t body_line;           // where it stands below its header, 1-based: for messages
    GPtrArray *payload;         // of char *: lines without newline
} HashlineOp;

typedef struct HashlineSection {
    char *path;     // as it was written
    GPtrArray *ops; // of HashlineOp; at least one
    bool was_cut;   // ended by *** Abort
} HashlineSection;

/* `path` stands for the header when there is none; it may be NULL. USAGE with the text for the
   model. *ret_sections: of HashlineSection *, at least one; caller unrefs. */
bool hashline_parse(const char *input, const char *path, char separator, GPtrArray **ret_sections,
                    GError **error);
