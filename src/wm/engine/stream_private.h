/*
 * What the files of the live stream share (task-engine §5.10): the state that lines change, and how
 * a line for people is made. Internal to the engine.
 */
#pragma once

#include "base/json.h"
#include "wm/engine/engine.h"
#include "wm/task/lines.h"

struct WmStream {
    WmEngineKind engine;
    void (*show)(const char *line, void *user_data); // NULL: no one looks
    void *user_data;
    WmLines lines;
    GString *collected; // claude: text that comes in deltas, not shown yet
    bool has_started;   // "[session] started" was shown
    bool has_failed;    // kedge: the last message of the model says so
    WmUsage usage;
    char *last_response;
    GHashTable *models;      // names, as a set
    GHashTable *event_types; // name → count
    int64_t event_lines, bad_lines;
};

/* Text from outside as a field of one line: valid, without control sequences, line breaks as
   blanks, at most `max_chars` characters and "…". NULL is "". Caller frees. */
char *wm_stream_field(const char *text, size_t max_chars);

void wm_stream_show(WmStream *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* `[agent] …`, unless it is blank. */
void wm_stream_show_text(WmStream *self, const char *text);
/* `[tool] Bash → ls -la`; `input` may be NULL. */
void wm_stream_show_tool(WmStream *self, const char *name, const json_t *input);
/* `[tool_result] id=…`; `id` may be NULL. `rest` is appended. */
void wm_stream_show_tool_result(WmStream *self, const char *id, const char *rest);
/* `[result] success | cost=$0.0420 | turns=3`; negative: unknown. */
void wm_stream_show_result(WmStream *self, const char *subtype, double cost_usd, int64_t turns);
void wm_stream_show_event(WmStream *self, const char *type);

/* The last response: a copy of `text`, trimmed; blank is none. */
void wm_stream_set_response(WmStream *self, const char *text);
/* One more name of a model; at most a few are kept. */
void wm_stream_add_model(WmStream *self, const char *name);

/* One event of the engine's. `type` is not empty. */
void wm_stream_claude(WmStream *self, const char *type, const json_t *event);
void wm_stream_claude_finish(WmStream *self);
void wm_stream_kedge(WmStream *self, const char *type, const json_t *event);
