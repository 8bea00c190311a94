/*
 * Giving a replacement the indentation of the place where it goes (agent-tools §3.3.10). Pure.
 */
#pragma once

/* `new_text`, re-indented for a place that holds `matched` where the model wrote `old_text`. Caller
   frees. */
char *edit_reindent(const char *old_text, const char *matched, const char *new_text);
