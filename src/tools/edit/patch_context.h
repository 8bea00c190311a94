/*
 * What @@ lines of a hunk say to look for (agent-tools §3.3.9). Pure; one thread at a time.
 */
#pragma once

#include "tools/edit/patch_parse.h"
#include "tools/edit/patch_text.h"

/* The line, from 0, of the innermost context of `hunk`, searched from line `from` and then from the
   beginning. FAILED with the text for the model when there is none or several. */
bool patch_context_find(PatchText *text, const PatchHunk *hunk, size_t from, size_t *ret_line,
                        GError **error);
