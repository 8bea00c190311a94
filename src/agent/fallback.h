/*
 * Another model for one that fails (agent-core §3.7): `retry.fallbackChains` names them by role
 * (fallback_chain.h). The chosen model rests for as long as its error says, and
 * returns with the first prompt after that; with `retry.fallbackRevertPolicy: never` it stays away.
 * Likewise for one that has no room for the conversation (agent-core §3.8): it returns when it has.
 *
 * Belongs to the prompting thread.
 */
#pragma once

#include "agent/conversation.h"
#include "agent/setup.h"
#include "model/registry.h"
#include "tool/settings.h"

typedef struct Fallback {
    const Conversation *conversation; // whose events tell of it
    const Settings *settings;
    const ModelRegistry *registry;
    SetupSlot *setup;
    TurnSetup *chosen;  // by the owner; NULL: it is in the slot
    TurnSetup *applied; // what was put into the slot in its place
    gint64 chosen_rests_until;
    char *role;    // whose chain it is
    unsigned next; // in the chain
    bool has_to_prove;
    bool is_promoted; // the conversation was too long for the chosen one
} Fallback;

/* The conversation is left: the chosen model is in the slot again. */
void fallback_clear(Fallback *self);

/* A request failed with `problem`, which may pass. True: the next usable model of the chain is in
   the slot, and there is nothing to wait for. */
bool fallback_apply(Fallback *self, const char *problem);
/* The conversation has reached the threshold of the model, or overflowed it. True: the one that has
   more room, as models.yml says, is in the slot, and that was told. Only one that can be asked, and
   in which a conversation of `tokens` is below the threshold. */
bool fallback_promote(Fallback *self, int64_t tokens);
/* `setup` stands in for the chosen one. */
bool fallback_is_applied(const Fallback *self, const TurnSetup *setup);
/* An answer came. */
void fallback_succeeded(Fallback *self);
/* Before a prompt: the chosen model again, when it has rested. */
void fallback_revert(Fallback *self);
