/*
 * What may change between two turns and is fixed within one: model, thinking level, tools, system
 * prompt.
 *
 * A TurnSetup is shared by reference; nothing of it changes, the prompt is built once. Only the
 * tools that are offered become more when some are found: each request has those that there are by
 * then. A SetupSlot holds the newest one: the owner of a conversation puts it there at any time,
 * the run takes it at the start of each turn.
 */
#pragma once

#include "agent/prompt.h"
#include "model/model.h"
#include "tool/found_tools.h"

#include <pthread.h>

typedef struct TurnSetup {
    const Model *model;     // borrowed from the registry
    bool is_model_named;    // --model was given (KEDGE_API_KEY counts then)
    ThinkingLevel thinking; // clamped to what the model can do
    Settings *settings;     // NULL: none were given
    ToolSet *tools;         // that the model can call, in the form for it
    ToolSet *offered;       // those of them that it is told of from the start
    FoundTools *found;      // a reference; it is told of these, too; NULL: none are
    bool has_intent_tracing;
    const Model *in_place_of; // whose place the model takes for a while; NULL: no one's
    int references;           // atomic
    PromptOptions prompt;
    bool has_prompt;
    pthread_mutex_t lock; // guards what follows
    char **system_blocks; // NULL until somebody asks
    json_t *tool_list;    // what is offered, as requests carry it
    unsigned found_version;
} TurnSetup;

typedef struct TurnSetupSpec { // all borrowed; copied, tools shared
    const Model *model;
    bool is_model_named;
    ThinkingLevel thinking;
    const Settings *settings;    // that decide on the form of the tools; NULL: as they are
    const ToolSet *tools;        // NULL: none
    FoundTools *found;           // those of them that were found; shared; NULL: none are
    const PromptOptions *prompt; // NULL: no system prompt; its texts outlive the setup
    struct TurnSetup *prompt_of; // NULL, or with tools of the same names: its prompt is this one's
    const Model *in_place_of;    // as there
    bool has_intent_tracing;     // each tool takes `_i`, a phrase that says what a call is for
} TurnSetupSpec;

#define SETUP_INTENT_FIELD "_i"

TurnSetup *turn_setup_new(const TurnSetupSpec *spec);
TurnSetup *turn_setup_ref(TurnSetup *self);
void turn_setup_unref(TurnSetup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TurnSetup, turn_setup_unref)

/* The system prompt, built when it is first asked for; NULL-terminated, borrowed. Files are read,
   so this takes time; what is wrong with them goes to `warnings`, which were taken to
   `context_note` (both may be NULL). Thread safe. */
const char *const *turn_setup_system_blocks(TurnSetup *self, GPtrArray *warnings,
                                            GString *context_note);

/* [{"name","description","parameters"}] of the tools that are offered now. New reference; it is not
   to be changed. Thread safe. */
json_t *turn_setup_tool_list(TurnSetup *self);

/* The system prompt as an array of texts. New reference. */
json_t *turn_setup_system_json(TurnSetup *self);
/* {"model":{…},"thinkingLevel","dumpTools"} of a snapshot. New reference. */
json_t *turn_setup_state(TurnSetup *self);

typedef struct SetupSlot SetupSlot;

/* Takes the reference. */
SetupSlot *setup_slot_new(TurnSetup *setup);
void setup_slot_free(SetupSlot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SetupSlot, setup_slot_free)

/* Thread safe both. `set` takes the reference, `get` gives a new one. */
void setup_slot_set(SetupSlot *self, TurnSetup *setup);
TurnSetup *setup_slot_get(SetupSlot *self);
/* The tool that the next answer is to call (copied; NULL: none any more), and taking it, so that it
   holds once; NULL: none, the caller frees. Thread safe. */
void setup_slot_force_tool(SetupSlot *self, const char *tool);
char *setup_slot_take_forced(SetupSlot *self);
