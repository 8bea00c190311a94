/*
 * What is done to a conversation that a server refuses as invalid, so that it answers after all
 * (safety §8.2): first what its words point to, then everything becomes plain text. Pure.
 */
#pragma once

#include "base/json.h"

typedef enum {
    STRONG_BY_WORDS, // S1: thinking, images, exchanges or odd characters, as the error says
    STRONG_TEXT,     // S2: nothing but text
} StrongRepair;

/* Is it an error of the kind that another form of the conversation may cure? */
bool repair_is_curable(const char *error_message);
/* New array with as many messages; those that need no change are shared. */
json_t *repair_strongly(const json_t *messages, StrongRepair how, const char *error_message);
/* What that form changes, as a set of bits: with all bits of another one it leaves nothing for that
   other one to do. */
unsigned repair_strong_reach(StrongRepair how, const char *error_message);
#define REPAIR_REACH_ALL 0x1Fu
