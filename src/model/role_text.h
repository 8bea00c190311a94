/*
 * Roles that wire formats do not know, as text of the user: commands that a person ran, summaries,
 * files (agent-core §2.2). Pure.
 */
#pragma once

#include "base/json.h"

/* The blocks of a message that becomes a user message; NULL when it is not to be sent. */
json_t *role_text_blocks(const json_t *message);
