/*
 * What may change between two turns and is fixed within one: model, thinking level, tools, system
 * prompt.
 *
 * A TurnSetup is immutable and shared by reference. A SetupSlot holds the newest one: the owner of
 * a conversation puts it there at any time, the run takes it at the start of each turn.
 */
#pragma once

#include "model/model.h"
#include "tool/tool_set.h"

typedef struct TurnSetup {
    const Model *model;     // borrowed from the registry
    bool is_model_named;    // --model was given (KEDGE_API_KEY counts then)
    ThinkingLevel thinking; // clamped to what the model can do
    ToolSet *tools;         // offered to the model
    char **system_blocks;   // NULL-terminated
    json_t *tool_list;      // `tools` as requests carry them
    bool has_intent_tracing;
    int references; // atomic
} TurnSetup;

typedef struct TurnSetupSpec { // all borrowed; copied, tools shared
    const Model *model;
    bool is_model_named;
    ThinkingLevel thinking;
    const ToolSet *tools;             // NULL: none
    const char *const *system_blocks; // NULL: none
    bool has_intent_tracing;          // each tool takes `_i`, a phrase that says what a call is for
} TurnSetupSpec;

#define SETUP_INTENT_FIELD "_i"

TurnSetup *turn_setup_new(const TurnSetupSpec *spec);
TurnSetup *turn_setup_ref(TurnSetup *self);
void turn_setup_unref(TurnSetup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TurnSetup, turn_setup_unref)

typedef struct SetupSlot SetupSlot;

/* Takes the reference. */
SetupSlot *setup_slot_new(TurnSetup *setup);
void setup_slot_free(SetupSlot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SetupSlot, setup_slot_free)

/* Thread safe both. `set` takes the reference, `get` gives a new one. */
void setup_slot_set(SetupSlot *self, TurnSetup *setup);
TurnSetup *setup_slot_get(SetupSlot *self);
