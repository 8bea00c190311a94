/*
 * The frame of `gh` and the gh_* wrappers: one path from arguments to a command line that is
 * judged, asked about, run unchanged, and recorded (gh-policy §5.4, §6.1).
 *
 * A GhCall is the slot of tool_call_prepare(): opened and judged before the gate, carried out
 * behind it. What went wrong before gh ran is its kind and message; the refused hook words it. One
 * thread at a time.
 */
#pragma once

#include "base/json.h"
#include "github/safe/gh_exec.h"
#include "github/safe/gh_program.h"
#include "github/safe/gh_target.h"

typedef struct GhCall {
    char *id; // of records
    int64_t at;
    // where it runs; set by gh_call_open()
    GhCwd cwd;
    GhProgram program;
    GError *program_error; // reported when everything else is in order
    char **known_hosts;
    char *default_host;
    GhClone *clone;
    const GhContextEnv *env; // of the command that asks; NULL: of a call of the model's own
    // what it does; set by gh_call_judge()
    char **argv; // as classified: a leading "gh" is skipped when it runs
    bool is_classified, has_target;
    Classified classified; // of a call that is no command line: effect and command alone
    GhTarget target;
    int64_t timeout_s;
    size_t max_bytes;      // of output; 0: by command and settings
    bool may_take_long;    // it can go on in the background
    char **shown_argv;     // redacted for records, without "gh"
    char *words, *ref;     // of a call that is no command line: what messages and the audit call it
    char **secrets;        // values to be masked wherever they appear
    GPtrArray *normalized; // notes on what was changed in the arguments
    // how it ended
    GhKind kind;
    char *message;
    GhOutcome outcome;
    json_t *record; // gh-policy §11.3
} GhCall;

/* The call's slot, with directory, program, and clone. NULL: *error is set. Starts git and `gh
 * --version`. */
GhCall *gh_call_open(ToolCall *call, const char *cwd, GError **error);

/* The same of a command of the conversation (gh_door.h), which is where it is, and has GH_HOST and
   GH_REPO of its own: `env`, borrowed until the call ends. */
GhCall *gh_call_open_command(ToolCall *call, const char *cwd, const GhContextEnv *env,
                             GError **error);

/* For gh_context_resolve(); borrows. */
GhContextSpec gh_call_context_spec(const ToolCall *call, const GhCall *self, const char *repo,
                                   const char *hostname);

typedef struct GhCallSpec {      // borrowed
    const char *const *args;     // may begin with "gh"
    const char *repo, *hostname; // arguments of that name; NULL: none
    int64_t timeout_s;           // 0: by command
    bool is_wrapper; // built by ourselves: only a read will do, and aliases have no part in it
} GhCallSpec;

bool gh_call_judge(ToolCall *call, GhCall *self, const GhCallSpec *spec, Judgement *ret_judgement,
                   GError **error);

/* Runs it; self->outcome, kind and message are set. */
void gh_call_exec(ToolCall *call, GhCall *self);
/* What is run, without "gh"; borrowed. */
const char *const *gh_call_argv(const GhCall *self);
/* A tool whose calls are no command lines puts a GhCall first in its own slot. */
void gh_call_init(GhCall *self, ToolCall *call);
void gh_call_clear(GhCall *self);
/* Sets how it ended. */
void gh_call_set_kind(GhCall *self, GhKind kind, const GhFacts *facts);

/* Header, body and debug record of one that ran; `text` NULL: its kind and message say why not. */
void gh_call_report(ToolCall *call, GhCall *self, const char *text, ToolResult *result);
/* The same, of gh's run. `output` stands for gh's own when it is not NULL. */
void gh_call_answer(ToolCall *call, GhCall *self, const char *output, ToolResult *result);

/* Sets an error of kind invalid-args; returns false. */
bool gh_call_fail_args(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Notes on the call what an error of its own, before or while judging, means. Returns false. */
bool gh_call_note_error(GhCall *self, GError *cause, GError **error);

/* Hooks of the ToolDefs. */
void gh_call_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result);
void gh_call_finished(ToolCall *call, const CallOutcome *outcome, const ToolResult *result);

/* Makes the calls of a conversation keep what gh printed, byte for byte, for `kedge gh exec --raw`.
 */
void gh_call_keep_raw(ToolContext *context);
/* What the last one printed; NULL: none ran. Caller frees. */
char *gh_call_take_raw(ToolContext *context, size_t *ret_size);
