/*
 * Plan mode of a conversation (agent-core §7.12): while it is on, calls read, and nothing is
 * written but one file, the plan. The gate refuses every other effect; `write` and `edit` look at
 * their targets themselves (tools/file/plan_target.h). The conversation's owner turns it on and
 * off, the tool `resolve` hands the plan in.
 *
 * A child of a conversation that plans plans too, and writes nothing. Thread safe; where a `self`
 * is only asked, it may be NULL: then there is no plan mode.
 */
#pragma once

#include "tool/tool.h"

#define PLAN_FILE_URL   "local://PLAN.md" // where no one says otherwise
#define PLAN_MODE       "plan"            // modes of the session's entry mode_change
#define PLAN_MODE_PAUSE "plan_paused"
#define PLAN_MODE_NONE  "none"

typedef struct PlanMode PlanMode;

typedef struct PlanDecision { // of a person, on a plan that was handed in
    char *title;              // of the finalized plan: local://<title>.md
    char *plan;               // its text, as it was shown to them
    bool is_fresh;            // it is carried out in a new session
} PlanDecision;

void plan_decision_clear(PlanDecision *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlanDecision, plan_decision_clear)

/* `can_approve`: somebody can be asked. `parent` (may be NULL) outlives it. */
PlanMode *plan_mode_new(PlanMode *parent, bool can_approve);
void plan_mode_free(PlanMode *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlanMode, plan_mode_free)

/* `file` is a local:// URL. A decision that no one has taken is forgotten, in both. */
void plan_mode_enter(PlanMode *self, const char *file);
void plan_mode_leave(PlanMode *self);

bool plan_mode_is_on(PlanMode *self); // its own, or its parent's
/* The URL of the plan, for messages; NULL: it is off. Caller frees. */
char *plan_mode_file(PlanMode *self);
bool plan_mode_may_write(PlanMode *self); // the plan: it is on, and not the parent's
bool plan_mode_can_approve(PlanMode *self);

/* A prompt begins: nothing has been said in it yet. */
void plan_mode_begin_prompt(PlanMode *self);
/* The model has asked the person something, or handed its plan in. */
void plan_mode_note_word(PlanMode *self);
bool plan_mode_has_word(PlanMode *self);

/* The person says how it goes on, which ends the run; `decision` (copied) NULL: not yet with the
   plan. False: plan mode is off by now. */
bool plan_mode_settle(PlanMode *self, const PlanDecision *decision);
bool plan_mode_is_settled(PlanMode *self);
/* The owner takes what was decided; false: nothing was. */
bool plan_mode_take_decision(PlanMode *self, PlanDecision *ret_decision);
