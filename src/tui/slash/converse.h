/*
 * A conversation with a person at a terminal: what both front ends, the drawn one (tui.h) and the
 * plain one (plain.h), are started with.
 */
#pragma once

#include "conversation/agent_session.h"

#define NO_SESSION_PICKED "No session selected"

typedef struct ConverseOptions {
    const AgentSessionOptions *conversation; // borrowed; loop, cancel and can_ask are the door's
    json_t *const *prompts;                  // messages to begin with; borrowed
    size_t prompt_count;
    bool keeps_history; // what is typed is remembered for the next time
    bool is_plain;      // nothing is drawn (--plain)
    bool picks_session; // one that there is, before anything else (--resume); none: it ends
} ConverseOptions;
