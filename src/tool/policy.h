/*
 * Policy: what may happen without asking (spec/common.md §4.2; gh-policy §5.1, §5.2). Pure.
 */
#pragma once

#include "tool/call.h"

/* `ret_reason` (caller frees) says which rule refused or asks; untouched when allowed. */
PolicyAction policy_decide(const Settings *settings, DoorKind door, const ToolDef *tool,
                           const Judgement *judgement, char **ret_reason);
