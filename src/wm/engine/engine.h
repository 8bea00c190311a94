/*
 * The agent program of a run: which, with which arguments and environment, watched until it ends
 * (task-engine §5.6, §5.7, §5.9, §5.10).
 */
#pragma once

#include "base/cancel.h"
#include "wm/task/project.h"

#include <stdint.h>

#define WM_MAX_AGENT_LOG_BYTES                                                                     \
    ((size_t)12 * 1024 * 1024) // of a run that counts (task-engine §5.11)

typedef enum { WM_ENGINE_CLAUDE, WM_ENGINE_CODEX, WM_ENGINE_KEDGE, WM_ENGINE_CUSTOM } WmEngineKind;
typedef enum { WM_FORMAT_TEXT, WM_FORMAT_JSON, WM_FORMAT_STREAM_JSON } WmFormat;

/* WM_AGENT_CMD or the effective engine, as in task-engine §5.2. */
bool wm_engine_find(const WmTask *task, const WmConfig *config, WmEngineKind *ret_kind,
                    GError **error);

typedef struct WmAgentSpec { // all borrowed
    const WmProject *project;
    const WmTask *task;
    WmEngineKind engine;
    const char *root; // where it works; NULL: the project's
    const char *prompt;
    const char *system_text; // NULL: none
    const char *run_dir;
    const char *run_id;
    const char *repo; // slug; NULL: unknown
    const char *event_name, *event_path;
    int64_t issue, pull; // 0: none
    bool is_rehearsal;   // no token, no remote: the environment is closed (rehearse)
    bool is_quiet;       // no live stream; claude then prints in the format of the configuration
    int64_t grace_ms;    // SIGTERM to SIGKILL; 0: 30 s at the deadline, 5 s otherwise
} WmAgentSpec;

typedef struct WmUsage { // negative: unknown
    double cost_usd;
    int64_t input_tokens, output_tokens, cache_read_tokens, turns, duration_ms;
    char *model, *session_id, *subtype;
} WmUsage;
#define WM_USAGE_UNKNOWN ((WmUsage) { -1, -1, -1, -1, -1, -1, NULL, NULL, NULL })
void wm_usage_clear(WmUsage *self);

typedef struct WmAgentResult {
    bool is_success, has_timed_out, was_interrupted;
    int exit_code;       // -1: killed by a signal, or not started
    char *tail;          // of the transcript, valid UTF-8; "" when none
    char *failure;       // "exit status 1"; NULL
    char *error_text;    // the same as an error of the run: "agent: exit status 1"; NULL
    char *log_path;      // absolute
    char *output_path;   // absolute; the file may be absent
    char *last_response; // NULL: none
    WmUsage usage;
    uint64_t log_bytes; // that the agent printed; the log has 64 MiB of them at most
} WmAgentResult;
void wm_agent_result_clear(WmAgentResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmAgentResult, wm_agent_result_clear)

/* argv of task-engine §5.7. `reads_stdin` false: the prompt is one of the arguments. Caller frees
   with g_strfreev(). */
bool wm_engine_argv(const WmAgentSpec *spec, char ***ret_argv, bool *reads_stdin,
                    WmFormat *ret_format, GError **error);
/* Environment of task-engine §5.6. Caller frees with g_strfreev(). */
char **wm_engine_environment(const WmAgentSpec *spec);

/* Writes shims and the log file, starts the agent and waits for its end; shows the live stream. The
   deadline is the token's; a signal to kedge fires it (cancel_is_late() tells them apart). False
   only when the agent could not be started, with a whole text (`agent: exec: …`): *ret_result is
   filled all the same. Tail and last response hold no known secrets. */
bool wm_agent_run(const WmAgentSpec *spec, Cancel *cancel, WmAgentResult *ret_result,
                  GError **error);

/* `[tool] Bash → ls -la` for each event of a stream (task-engine §5.10), by lines. */
typedef struct WmStream WmStream;
/* `show` gets each line to print; it may be NULL. */
WmStream *wm_stream_new(WmEngineKind engine, void (*show)(const char *line, void *user_data),
                        void *user_data);
void wm_stream_free(WmStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmStream, wm_stream_free)
void wm_stream_push(WmStream *self, const char *data, size_t size);
void wm_stream_finish(WmStream *self);
const WmUsage *wm_stream_usage(const WmStream *self);
/* Borrowed; NULL: none. */
const char *wm_stream_last_response(const WmStream *self);

/* GITHUB_STEP_SUMMARY (task-engine §5.14): the whole addition, its first empty line too, cut to its
   bound; NULL: nothing to add. Caller frees. */
char *wm_summary_text(const WmAgentSpec *spec, const WmAgentResult *result, bool is_success,
                      const char *duration);
