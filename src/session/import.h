/*
 * Sessions of other agents as sessions of ours: Claude Code (~/.claude/projects) and Codex
 * (~/.codex/sessions). The other program's files are only read. What is taken over: what was said,
 * thought, called and answered, with times, models and tokens, along the branch that was active
 * last. Thread safe.
 */
#pragma once

#include "base/error.h"

typedef struct ImportResult {
    char *path; // of our session file
    char *id;   // the other program's, so that the same session is not taken twice
    size_t messages;
    bool was_there; // imported before: nothing was written
} ImportResult;

void import_result_clear(ImportResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImportResult, import_result_clear)

/* `sessions_root`: <agent dir>/sessions. `cwd`: of a session that does not say its own. PROTOCOL:
   no session of a program that is known, or one without messages. */
bool session_import(const char *file, const char *sessions_root, const char *cwd,
                    ImportResult *ret_result, GError **error);

/* Files below `home` that may be sessions, in order of their names; `source` is "claude" or
   "codex". With `cwd` only those of that directory, as far as that can be told. Owns its strings.
 */
GPtrArray *session_import_find(const char *home, const char *source, const char *cwd);
