/*
 * What a command line of gh would do, in words that all of its spellings share: `gh pr merge 5` and
 * `gh api -X PUT repos/o/r/pulls/5/merge` are one action. Pure.
 */
#pragma once

#include "github/classify/classify.h"

#define GH_ACTION_PUSH "push" // its target is the branch there

/* `host` and `repo` are those that it acts on; NULL: not known, unless the words say so. */
void gh_action_add(const Classified *classified, const char *host, const char *repo,
                   Judgement *judgement);
