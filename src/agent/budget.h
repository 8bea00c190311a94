/*
 * Budgets of a conversation: --max-turns and --max-cost (agent-core §1.3). Both count over all its
 * prompts and are looked at before each request; what a child spends, its parent spends too.
 *
 * Thread safe.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct Budget Budget;

/* 0: no limit. `parent` may be NULL and must outlive it. */
Budget *budget_new(Budget *parent, int64_t max_turns, double max_cost);
void budget_free(Budget *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Budget, budget_free)

void budget_spend(Budget *self, double cost); // US dollars
void budget_count_turn(Budget *self);         // one that was answered without an error
double budget_cost(Budget *self);

/* "Stopped: 3 turns (--max-turns)" when no further request may be made, else NULL. Without a budget
   (NULL) any may. Caller frees. */
char *budget_stop_text(Budget *self);
