/*
 * What happens to a diagram's text before it is parsed (agent-tools-cli §8.6): line ends, front
 * matter, directives, comment lines and entities. Private to this folder; pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct MmdClean {
    GString *text;     // ends in LF
    GArray *origin;    // uint32_t: offset in the document of each byte of text
    char *main_branch; // gitGraph.mainBranchName; NULL: not set
    char *problem;     // of the front matter, lower case; NULL: none. Nothing after it is done
    size_t problem_at; // offset in the document
    bool has_open_directive;  // one without its }%%, which hides all that follows
    size_t open_directive_at; // offset in the document
} MmdClean;

void mmd_clean_clear(MmdClean *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MmdClean, mmd_clean_clear)

/* `document` is valid UTF-8, less than 4 GiB. */
void mmd_clean(const char *document, size_t size, MmdClean *ret_clean);
