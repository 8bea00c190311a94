/*
 * Where a session works that was started in the home directory (agent-core §1.6): there an agent
 * could touch everything a person has.
 */
#pragma once

#include "base/error.h"

/* In the home directory: changes to ~/.kedge/scratch, made when missing, and says so on standard
   error. Elsewhere it does nothing. */
bool scratch_leave_home(GError **error);
