/*
 * At most LIMIT_GH_PROCESSES of gh at once in this process, whoever starts them (common
 * §6). Thread safe; blocks.
 */
#pragma once

#include "base/cancel.h"

typedef bool GhPlace; // held when true

/* Waits for a free place. CANCELLED, or TIMEOUT after an hour. */
bool gh_place_enter(Cancel *cancel, GhPlace *ret_place, GError **error);
void gh_place_leave(GhPlace place);
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(GhPlace, gh_place_leave, false)
