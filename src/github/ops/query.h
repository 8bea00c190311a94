/*
 * Search queries: the one that is shown, the one that is sent, and the repository they are limited
 * to (github-tool §5.2, §5.3). Pure but for query_scope(), which may ask gh. Strings belong to the
 * caller.
 */
#pragma once

#include "tool/tool.h"

/* Both trimmed, blanks dropped, joined with one blank. NULL counts as blank. */
char *query_display(const char *query, const char *qualifier);

/* The display query, `repo:<slug>` and `type` ("is:issue"); each may be NULL. */
char *query_api(const char *display, const char *slug, const char *type);

/* Does the text limit itself: a word that begins with repo:, org:, user: or owner:? */
bool query_has_scope(const char *display);

/* The repository of a search: `repo` (checked already, may be NULL), else none when the query has a
   scope of its own, else the default repository; NULL when there is none. Fails only when
   cancelled. */
bool query_scope(ToolCall *call, const char *repo, const char *display, char **ret_scope,
                 GError **error);
