/*
 * The box that a new conversation begins with (agent-core §7.13): what this is, which model
 * answers, a few tips, and the last sessions. Pure.
 */
#pragma once

#include "base/json.h"
#include "tui/text/row.h"

enum { WELCOME_MAX_CELLS = 100 };

typedef struct WelcomeFacts { // borrowed; NULL: not known, and not shown
    const char *version, *provider, *model;
    const char *key_hint;   // the model has no key, and this is what to do; NULL: it has one
    const json_t *sessions; // of session_index_list(): the newest first; three are shown
    gint64 now_ms;          // for their ages, as time_now_ms()
    bool is_short;          // the model, and what to do: for a window without room for the rest
} WelcomeFacts;

/* At most WELCOME_MAX_CELLS wide; nothing below 4 columns. */
void welcome_rows(const WelcomeFacts *facts, const Theme *theme, int width, GPtrArray *out);
