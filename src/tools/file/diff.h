/*
 * Numbered line diff for people and interfaces (agent-tools §3.3.1). Pure; thread safe.
 */
#pragma once

#include <stddef.h>

enum { DIFF_CONTEXT_LINES = 4 }; // around changes, of the first two

/* Lines `<+|-| ><n>|<text>`: deleted and kept ones with their old number, added ones with their new
   one; 4 lines of context; a gap is one line ` <n>|...`. At most 256 KiB, then a last gap.
   `ret_first_changed` (may be NULL) is a line number of `after`; 0 when nothing differs. Caller
   frees. */
char *diff_numbered(const char *before, const char *after, size_t *ret_first_changed);

/* The same with the anchors (hashline.h) of the new text: `+<n><hh>|` and ` <n><hh>|`, both by
   their new numbers; deleted lines are `-<n>--|`, a gap is `...`. */
char *diff_anchored(const char *before, const char *after);

/* The same lines below "@@ -a,b +c,d @@", with 3 lines of context; a last line without a newline is
   followed by "\ No newline at end of file". At most 256 KiB, then a line "...". */
char *diff_ranges(const char *before, const char *after, size_t *ret_first_changed);
