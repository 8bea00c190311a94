/*
 * The tool contract (design.md §2): everything that a model can ask for is a ToolDef, written once and
 * reached through every door by tool_call() (tool/call.h).
 *
 * A ToolDef is constant. Its run() is a plain function on a worker thread; it may block, obeys
 * tool_call_cancel(), and returns false with a GError whose message is the text for the model.
 */
#pragma once

#include "base/cancel.h"
#include "base/field.h"
#include "session/artifacts.h"
#include "tool/result.h"
#include "tool/settings.h"

typedef enum { // spec/common.md §4.1
    EFFECT_READ,
    EFFECT_WRITE,
    EFFECT_DESTRUCTIVE,
    EFFECT_BLOCKED,
    EFFECT_UNKNOWN,
} Effect;

const char *effect_name(Effect effect); // "read" …

/* What one call would do, in words that a person can judge. */
typedef struct Judgement {
    Effect effect;
    char *summary; // one line: "pushes branch pr-93 to its pull request"; NULL: the tool's name is shown
    char *host;    // of a GitHub call; NULL: none or the default host
    char *repo;    // OWNER/REPO, when known
} Judgement;

void judgement_clear(Judgement *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Judgement, judgement_clear)

typedef struct ToolCall ToolCall;
typedef struct ToolContext ToolContext;

/* Proof that tool_call() has judged and allowed the call that is running; only it makes one. Functions
   with side effects outside the machine (gh_run) ask for it. */
typedef struct ToolPermit ToolPermit;

typedef enum {
    TOOL_EXCLUSIVE = 1 << 0,     // waits for the calls before it, blocks those after it
    TOOL_NON_ABORTABLE = 1 << 1, // a user's abort does not cut it short
    TOOL_HIDDEN = 1 << 2,        // only by name
    TOOL_EXACT = 1 << 3,         // arguments are not coerced (common §5)
    TOOL_KEEPS_TEXT = 1 << 4,    // no spill: the tool has limits of its own (common §7)
    TOOL_OPEN_WORLD = 1 << 5,    // uses the network
    TOOL_CAN_DESTROY = 1 << 6,   // some call can overwrite or delete
    TOOL_GITHUB = 1 << 7,        // gh.policy and gh.hostPolicy bind it (common §4.2)
} ToolFlags;

typedef struct ToolDef {
    const char *name;        // [a-z0-9_]{1,64}
    const char *label;       // "Read"
    const char *summary;     // one line, for lists
    const char *description; // for the model; NULL: the summary
    Effect effect;           // of every call; not looked at when judge is set
    /* Judges one call without side effects; `args` is decoded. NULL: `effect`. */
    bool (*judge)(ToolCall *call, const void *args, Judgement *ret_judgement, GError **error);
    unsigned flags; // ToolFlags
    const FieldDef *fields;
    size_t args_size;
    /* Offered with these settings on this machine? NULL: always. */
    bool (*is_available)(const Settings *settings);
    bool (*run)(ToolCall *call, const void *args, ToolResult *result, GError **error);
} ToolDef;

/* Of the call that is running. Borrowed. */
const char *tool_call_id(const ToolCall *call);
Cancel *tool_call_cancel(const ToolCall *call);
ToolContext *tool_call_context(const ToolCall *call);
const char *tool_call_cwd(const ToolCall *call);
const Settings *tool_call_settings(const ToolCall *call);
Artifacts *tool_call_artifacts(const ToolCall *call); // NULL without a session file
const ToolPermit *tool_call_permit(const ToolCall *call); // NULL while judging

/* Progress: a partial result with one text block; `details` may be NULL and is borrowed. Never stored. */
void tool_call_update(ToolCall *call, const char *text, const json_t *details);

/* Time as the conversation sees it: tests replace it (ToolClock in tool/context.h). */
int64_t tool_call_now_ms(const ToolCall *call);
bool tool_call_sleep(ToolCall *call, int64_t duration_ms, GError **error);
