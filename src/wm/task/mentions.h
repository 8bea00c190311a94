/*
 * `@name` in Markdown of an agent, so that no one is called by it (task-engine §9.4). Pure.
 */
#pragma once

/* Puts each mention outside of code into back-quotes: `@name`. Caller frees. */
char *wm_mentions_quote(const char *text);
