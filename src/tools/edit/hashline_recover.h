/*
 * Edits by anchors of a text that somebody else has changed since (agent-tools §3.3.6): made on the
 * lines as the model saw them, then carried over to the text as it is now, where each change has
 * one place only. Pure; thread safe; bounded in time.
 */
#pragma once

#include "tools/edit/hashline_apply.h"
#include "tools/file/read_cache.h"

/*
 * False when the anchors do not fit what was seen either, when lines inside a range were known but
 * never shown, or when it is not certain where a change belongs. It is when all of the text is
 * known, and
 * - the lines that the change removes, with three around it on each side, are found, alike, once in
 *   the text and once in what was seen;
 * - every line that is there once, before and now, is on the same side of the place as it was;
 * - between the nearest two of these each of those lines, and the changed ones together, are there
 *   as often as before.
 * So no twin of the place is taken for it. And the lines that a change puts new ones in for, and
 * those next to it, must be indented as they were: nobody knows what has become of the depth of the
 * new ones else. `newlines` as in hashline_apply(). Caller frees *ret_text.
 */
bool hashline_recover(const ReadSnapshot *seen, const char *text, const GPtrArray *ops,
                      bool drops_runs, char **ret_text, GArray *newlines, GPtrArray *warnings);
