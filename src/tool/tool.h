/*
 * The tool contract (design §2): everything that a model can ask for is a ToolDef, written once
 * and reached through every door by tool_call() (tool/call.h).
 *
 * A ToolDef is constant, or part of a DynamicTool (dynamic_tool.h). Its run() is a plain function
 * on a worker thread; it may block, obeys tool_call_cancel(), and returns false with a GError whose
 * message is the text for the model.
 */
#pragma once

#include "base/cancel.h"
#include "base/field.h"
#include "base/hidden.h"
#include "session/artifacts.h"
#include "tool/result.h"
#include "tool/settings.h"

typedef enum { // common §4.1
    EFFECT_READ,
    EFFECT_WRITE,
    EFFECT_DESTRUCTIVE,
    EFFECT_BLOCKED,
    EFFECT_UNKNOWN,
} Effect;

const char *effect_name(Effect effect); // "read" …

/* What one call would do, in words that a person can judge. */
typedef struct JudgedTarget { // a repository that a call names besides its own
    Effect effect;            // what the call does there: read where it only takes from it
    char *host;
    char *repo; // OWNER/REPO; NULL: unknown
} JudgedTarget;

void judged_target_free(JudgedTarget *self);

typedef struct JudgedAction { // what a call would do, said alike in all of its spellings
    char *verb;               // "pr merge", "push"
    char *target;             // "5", "main"; NULL: not said, so it may be any
    char *host, *repo;        // NULL: the same
} JudgedAction;

typedef struct JudgedWrite { // a file of this machine that a call changes
    char *path;              // absolute, as it was named
    bool is_name;            // it is removed or moved: a link itself, not what it leads to
} JudgedWrite;

typedef enum {
    LIKENESS_NONE,
    LIKENESS_POSSIBLE, // the target of one is not said
    LIKENESS_SAME,
} Likeness;

Likeness judged_action_compare(const JudgedAction *a, const JudgedAction *b);
char *judged_action_text(const JudgedAction *self); // "pr merge 5 in o/r"; caller frees

typedef struct Judgement {
    Effect effect;
    char *summary; // one line: "pushes branch pr-93 to its pull request"; NULL: the tool's name is
                   // shown
    char *host;    // of a GitHub call; NULL: none or the default host
    char *repo;    // OWNER/REPO, when known
    bool stays_here; // it takes from GitHub and changes this machine only: a checkout, a download
    bool is_order;   // a record of ours, of which a write on GitHub is made later
    bool is_github;  // gh.policy and gh.hostPolicy bind it, as they do every call of a TOOL_GITHUB
                     // tool
    char *command;   // the text that a shell runs for it, for hooks that read such; NULL: none
    bool is_around;  // that text starts gh past what judges it (lent_calls.h)
    GPtrArray *others; // of JudgedTarget *: the policy of each holds, too; NULL: none
    char *kind; // of a write: what a person may allow for the rest of the conversation, "gh issue
                // comment"; NULL: they are asked each time (allowances.h)
    char *question;     // what a person is asked, several lines; NULL: made from the rest and the
                        // arguments
    GPtrArray *actions; // of JudgedAction *, as far as they are known; NULL: none is
    GPtrArray *writes;  // of JudgedWrite *: the gate asks about those that are more than text
                        // (write_guard.h); NULL: none
} Judgement;

/* `target`, `host` and `repo` may be NULL. */
void judgement_add_action(Judgement *self, const char *verb, const char *target, const char *host,
                          const char *repo);
void judgement_add_write(Judgement *self, const char *path, bool is_name);

typedef enum { // from loose to strict
    ACTION_ALLOW,
    ACTION_ASK,
    ACTION_REFUSE,
} PolicyAction;

typedef enum {         // how a call ended, for those who word or record it
    CALL_RAN,          // run() was reached
    CALL_INVALID,      // the arguments were refused, by the decoder or while judging
    CALL_BLOCKED,      // the policy, or a read-only door, said no
    CALL_DECLINED,     // a person said no
    CALL_UNANSWERABLE, // no one could be asked
    CALL_CANCELLED,    // stopped before it ran
} CallEnd;

typedef struct CallOutcome { // all borrowed
    CallEnd end;
    PolicyAction action;        // what the policy said; ALLOW for a call that was not judged
    bool needs_person;          // no flag answers for them (repo_flow.h)
    bool is_confirmed;          // somebody, or a flag of who started the program, said yes
    const Judgement *judgement; // NULL for a call that was not judged
    const char *reason;         // why it did not run; NULL when it did
    int64_t duration_ms;        // of run()
} CallOutcome;

void judgement_clear(Judgement *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Judgement, judgement_clear)

typedef struct ToolCall ToolCall;
typedef struct ToolContext ToolContext;
typedef struct ToolSet ToolSet;

/* Proof that tool_call() has judged and allowed the call that is running; only it makes one.
   Functions with side effects outside the machine (gh_run) ask for it. */
typedef struct ToolPermit ToolPermit;

typedef enum {
    TOOL_EXCLUSIVE = 1 << 0,     // waits for the calls before it, blocks those after it
    TOOL_NON_ABORTABLE = 1 << 1, // a user's abort does not cut it short, unless it waits
                                 // for other machines (internal_url.h) or asks for it
                                 // (tool_call_user_cancel())
    TOOL_HIDDEN = 1 << 2,        // only by name
    TOOL_EXACT = 1 << 3,         // arguments are not coerced (common §5)
    TOOL_KEEPS_TEXT = 1 << 4,    // no spill: the tool has limits of its own (common §7)
    TOOL_OPEN_WORLD = 1 << 5,    // uses the network
    TOOL_CAN_DESTROY = 1 << 6,   // some call can overwrite or delete
    TOOL_GITHUB = 1 << 7,        // gh.policy and gh.hostPolicy bind it (common §4.2)
    TOOL_GH = 1 << 8,            // gh and gh_*: their own row of common §4.2; with TOOL_GITHUB
    TOOL_ENVELOPE = 1 << 9, // agent-tools: `details` is the whole answer (agent-tools-cli §1.2),
                            // bad arguments are sentences, unknown fields only warnings
    TOOL_CHANGES_RECORDS = 1 << 10, // changes kedge's own records, though its effect is read
    TOOL_IDEMPOTENT = 1 << 11,      // a repeat changes nothing more
    TOOL_ONLY_READS = 1 << 12,      // its judge finds reads only, or refuses
    TOOL_OF_CONVERSATION = 1 << 13, // serves a conversation of ours; a server's clients have
                                    // theirs, and get it only by name
    TOOL_NEEDS_CHOICES = 1 << 14,   // has a person choose: only where somebody is (ToolDoor.choose)
    TOOL_TAKES_ANCHORS = 1 << 15,   // edit in its mode hashline: those who show lines for it
                                    // show their anchors
    TOOL_DISCOVERABLE = 1 << 16,    // a task rarely needs it: it may wait until it is found
                                    // (tool_discovery.h)
    TOOL_WRITES_PLAN = 1 << 17,     // looks itself that it writes only the plan in plan mode
                                    // (plan_mode.h)
} ToolFlags;

typedef struct ToolDef {
    const char *name;        // [a-z0-9_]{1,64}
    const char *label;       // "Read"
    const char *summary;     // one line, for lists
    const char *description; // for the model; NULL: the summary
    /* In place of it, when it depends on the other tools there are. Caller frees. NULL: it does
       not. */
    char *(*describe)(const ToolSet *offered);
    Effect effect; // of every call; with judge: the mildest that a call can have
    /* Judges one call without side effects; `args` is decoded. NULL: `effect`. */
    bool (*judge)(ToolCall *call, const void *args, Judgement *ret_judgement, GError **error);
    unsigned flags;         // ToolFlags
    const FieldDef *fields; // or `schema`; run() and judge() get the struct that these fill
    size_t args_size;
    const json_t *schema; // of a tool without fields (dynamic_tool.h): run() and judge() get the
                          // checked arguments, a const json_t *
    void *user_data;      // of such a tool: tool_call_tool(call)->user_data
    /* What is offered in its place with these settings to this model (NULL: none is known): the
       same tool with other fields or words. Of what is in the table only. NULL: itself. */
    const struct ToolDef *(*variant)(const Settings *settings, const char *model_id);
    const char *setting; // a boolean one, without which it is not offered; NULL: none
    /* Offered with these settings on this machine? NULL: always. tool_is_available() asks both. */
    bool (*is_available)(const Settings *settings);
    bool (*run)(ToolCall *call, const void *args, ToolResult *result, GError **error);
    /* Words a call that did not run, in place of tool_call()'s text; `result` holds an error
       without content. May be NULL. */
    void (*refused)(ToolCall *call, const CallOutcome *outcome, ToolResult *result);
    /* JSON Schema of `details`, of a TOOL_ENVELOPE tool; NULL otherwise. New reference. */
    json_t *(*output_schema)(const struct ToolDef *tool);
    /* Told of every call's end, whatever it was, for a record of it. May be NULL. */
    void (*finished)(ToolCall *call, const CallOutcome *outcome, const ToolResult *result);
} ToolDef;

/* Of the call that is running. Borrowed. */
const char *tool_call_id(const ToolCall *call);
const ToolDef *tool_call_tool(const ToolCall *call); // for hooks that several tools share
Cancel *tool_call_cancel(const ToolCall *call);
/* The user's abort also of a tool that is not abortable: for work that may take long and leaves
   nothing half done. */
Cancel *tool_call_user_cancel(const ToolCall *call);
ToolContext *tool_call_context(const ToolCall *call);
const char *tool_call_cwd(const ToolCall *call);
const Settings *tool_call_settings(const ToolCall *call);
bool tool_call_is_behind(const ToolCall *call); // a job finishes it: its details reach no session
Artifacts *tool_call_artifacts(const ToolCall *call);     // NULL without a session file
const ToolPermit *tool_call_permit(const ToolCall *call); // NULL while judging
/* Says which repository the answer is from, where the call's target does not: each of a search.
   `host` NULL: the default one; `repo` NULL: of none. */
void tool_call_note_read(ToolCall *call, const char *host, const char *repo);

/* As they were understood, and hooks have left them. Borrowed. */
const json_t *tool_call_arguments(const ToolCall *call);
const CallOutcome *tool_call_outcome(
    const ToolCall *call); // what the policy and the person said; for run()

const char *tool_call_via(const ToolCall *call); // "agent", "mcp", "cli"

/* A model reads what the call answers. */
bool tool_call_serves_model(const ToolCall *call);
/* What people wrote on GitHub, as the reader of the answer may have it: a model gets it without
   what a person does not see there (base/hidden.h), and a notice says how much that was; a person
   at a command line gets it as it is. A new text, a new reference. */
char *tool_call_seen_text(ToolCall *call, const char *text, HiddenPlace place);
json_t *tool_call_seen_json(ToolCall *call, json_t *value);
const char *tool_call_allow_hint(
    const ToolCall *call); // the flag that would allow a write; may be NULL

/* The permit of a call that reads, for what it leaves to a worker of its own (looking again at what
   it answered from memory): without progress, under `cancel`. Its owner frees it before the context
   goes. */
ToolCall *tool_call_detach(const ToolCall *call, Cancel *cancel);
void tool_call_detached_free(ToolCall *call);

/* FieldProblem of the arguments, NULL: they were not looked at; and of a TOOL_ENVELOPE tool those
   of fields that are not known. Borrowed. */
const GPtrArray *tool_call_problems(const ToolCall *call);
const GPtrArray *tool_call_unknown(const ToolCall *call);
int64_t tool_call_timeout_ms(const ToolCall *call); // what the door allows; 0: the tool's own

/* What judge() worked out and run() carries out unchanged: one slot, freed with the call. */
void tool_call_prepare(ToolCall *call, void *data, GDestroyNotify destroy);
void *tool_call_prepared(const ToolCall *call); // NULL when there is none

/* What code that this call runs may call (ToolCallSpec); NULL: nothing. */
const ToolSet *tool_call_tools(const ToolCall *call);
/* A call made by that code: same conversation and door, judged, asked about and recorded by itself.
   The schedule of calls does not see it, so it waits for no other one. `*ret_result` as
   tool_call(). */
void tool_call_nested(const ToolCall *call, const ToolDef *tool, const char *call_id,
                      const json_t *arguments, Cancel *cancel, ToolResult *ret_result);

/* Progress: a partial result with one text block; `details` may be NULL and is borrowed. Never
 * stored. */
void tool_call_update(ToolCall *call, const char *text, const json_t *details);

/* Time as the conversation sees it: tests replace it (ToolClock in tool/context.h). */
int64_t tool_call_now_ms(const ToolCall *call);
bool tool_call_sleep(ToolCall *call, int64_t duration_ms, GError **error);
