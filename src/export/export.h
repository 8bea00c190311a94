/*
 * A session as one HTML file (agent-core §4.12): everything is in it, nothing is loaded. The data
 * is base64 of JSON, so that no text of a session can be markup; the page's script builds its
 * elements from it, and a policy in the page lets no other script run. Markdown is rendered here,
 * by the renderer of the browser page, which takes no markup from the text. Thread safe.
 */
#pragma once

#include "session/session_read.h"

/* `system_prompt` and `tools` (array of {"name","description"}) may be NULL: a session that was not
   started here does not know them. Caller frees. */
bool export_html(const SessionCopy *copy, const char *system_prompt, const json_t *tools,
                 char **ret_html, GError **error);

/* The same of a session file, written to `target` (mode 0600). */
bool export_file(const char *session_path, const char *system_prompt, const json_t *tools,
                 const char *target, GError **error);

/* `kedge-session-<base of the session file>.html`. Caller frees. */
char *export_default_name(const char *session_path);
