/*
 * Edits by anchors of a text that somebody else has changed since (agent-tools §3.3.6): made on the
 * lines as the model saw them, then carried over to the text as it is now, where each change has
 * one place only. Pure; thread safe; bounded in time.
 */
#pragma once

#include "tools/hashline_apply.h"
#include "tools/read_cache.h"

/*
 * False when the anchors do not fit what was seen either, or when it is not certain where a change
 * belongs. It is when
 * - the lines that it removes, and three around it on each side, were all seen and are found,
 * alike, once in the text and once in what was seen;
 * - on each side either all was seen, or lines that are there once bound the place, and every such
 *   line is on the same side of it as before;
 * - between these bounds the changed lines with one more on each side are there as often as before.
 * So no twin of the place is taken for it.
 * Caller frees *ret_text.
 */
bool hashline_recover(const ReadSnapshot *seen, const char *text, const GPtrArray *ops,
                      bool drops_runs, char **ret_text, GPtrArray *warnings);
