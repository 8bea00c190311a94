/*
 * Every repository that a command line names (gh-policy §5.2), so that the policy of each holds: a
 * call may read from one and write to another. Pure.
 */
#pragma once

#include "github/classify/classify.h"
#include "github/safe/gh_context.h"
#include "tool/tool.h"

/* Array of JudgedTarget *, in the order of the words; the call's own target may be among them.
   Names without an owner are left out, since they are about the target's owner. Caller unrefs. */
GPtrArray *gh_named_targets(const Classified *classified, const GhContextSpec *spec,
                            const GhContext *target);
