/*
 * tool_call(): the one way from a door to a tool (common §4.4): decode and check the
 * arguments, judge the effect of this very call, apply the policy, ask the door when needed, run,
 * spill and add notices.
 *
 * Blocks; called on a worker thread. Thread safe.
 */
#pragma once

#include "tool/context.h"
#include "tool/tool.h"

// what the refusal of bad arguments says before it quotes them
#define CALL_TEXT_RECEIVED "\nReceived arguments:\n"

typedef enum {   // the row of common §4.2
    DOOR_AGENT,  // a model's call in an agent's own session
    DOOR_DIRECT, // kedge tool run, kedge github, kedge mcp
    DOOR_TYPED,  // a subcommand that a person typed: that is the consent
} DoorKind;

typedef struct ToolQuestion { // all borrowed
    const ToolDef *tool;
    Effect effect;
    const char *summary;   // one line
    const char *text;      // the whole question, several lines, no markup
    const char *allowance; // what a yes may allow for the rest of the conversation, in one line;
                           // NULL: a yes is for this call alone (allowances.h)
    const char *way_out;   // what lets such a call through where no one can be asked; NULL: nothing
    const char *digest;    // of the tool and its arguments: a yes is for these (question.h)
    const json_t *arguments;
    json_t **ret_edited; // takes other arguments that a person would rather have; the answer is no
} ToolQuestion;

typedef struct ToolChoice { // a dialog with one answer; all borrowed
    const ToolDef *tool;
    const char *title;          // what is asked; may have several lines
    const char *const *options; // as they are shown, NULL-terminated; NULL: a text is asked for
    size_t marked;              // the option that is offered first
    size_t checks;              // the first so many options are turned on and off by answers
    bool is_again;              // the person has turned one of them over, and goes on
    int64_t timeout_ms;         // of the question; 0: the door's own limit
    bool is_patient;            // whatever ask.timeout says: the person needs the time it takes
} ToolChoice;

typedef enum {
    CHOICE_MADE,
    CHOICE_CANCELLED, // the person does not answer
    CHOICE_TIMED_OUT, // no one did in the time that there is (ask.timeout)
} ChoiceEnd;

/* Has a person choose; blocks. *ret_text of a choice that was made: an option,
   or any other text of theirs; belongs to the caller. */
typedef bool (*ToolChooseFunc)(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end,
                               char **ret_text, void *user_data, GError **error);

typedef struct ToolDoor {
    DoorKind kind;
    bool is_read_only;      // refuses every effect but read, and changes of kedge's own records
    const char *via;        // in records: "agent", "mcp", "cli"; NULL: "agent"
    bool allow_writes;      // answers an ask of effect `write` with yes
    bool allow_unknown;     // the same for effect `unknown` (--yes-unknown of `kedge gh exec`)
    const char *allow_hint; // the flag that would: "--yes", "--allow-writes"; NULL: none
    bool serves_model;      // a model chose the arguments (always so of DOOR_AGENT): unknown ones
                            // are ignored with a notice (common §5)
    bool is_strict;         // unknown fields of a TOOL_ENVELOPE tool are problems
    int64_t timeout_ms;     // of a TOOL_ENVELOPE tool; 0: its own
    bool wants_whole_text;  // no spill: a command that prints its result (common §7)
    /* Asks a person; blocks. NULL: no one to ask. */
    bool (*ask)(const ToolQuestion *question, Cancel *cancel, bool *ret_approved, void *user_data,
                GError **error);
    ToolChooseFunc choose; // NULL: no one can
    void *user_data;
} ToolDoor;

/* For a tool's run(): ToolDoor.choose of the call's door. DENIED where no one is. */
bool tool_call_choose(const ToolCall *call, const ToolChoice *choice, ChoiceEnd *ret_end,
                      char **ret_text, GError **error);

/* Would a call of this tool, the mildest there is, pass a door that only reads? Any other door
   offers every tool, but for those that have a person choose where no one can be asked to. */
bool tool_door_offers(const ToolDoor *self, const ToolDef *tool);

/* A partial result, on the calling thread or one of the tool's. All borrowed. */
typedef void (*ToolUpdateFunc)(const char *text, const json_t *details, void *user_data);

typedef struct ToolCallSpec {
    const ToolDef *tool;
    const char *call_id; // NULL: ""
    const json_t *arguments;
    ToolContext *context;
    const ToolDoor *door;
    const ToolSet *tools; // that code run by the call may call in turn; NULL: none
    Cancel *cancel;
    ToolUpdateFunc on_update; // may be NULL
    /* Is one of these JudgedAction * what was refused before? SAME: the call is refused like it,
       and no one is asked again. POSSIBLE: a person is asked, if there is one, and shown
       *ret_earlier, what was refused (the gate frees it). Thread safe. NULL: no one remembers. */
    Likeness (*was_refused)(const GPtrArray *actions, char **ret_earlier, void *user_data);
    void *user_data;
} ToolCallSpec;

/* Always fills *ret_result (zeroed by the caller): every error becomes text with is_error set and
   its code in `failure` (USAGE: arguments; DENIED: policy or the person; CANCELLED). */
void tool_call(const ToolCallSpec *spec, ToolResult *ret_result);
