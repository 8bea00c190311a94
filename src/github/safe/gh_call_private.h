/*
 * What the two files of the frame share.
 */
#pragma once

#include "github/safe/gh_call.h"

/* An empty slot, with an id and the time. */
GhCall *gh_call_new(ToolCall *call);
