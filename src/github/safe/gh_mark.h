/*
 * Which thing of GitHub an answer of gh is about, as far as its command line says. Pure.
 */
#pragma once

#include "github/classify/classify.h"
#include "github/safe/gh_context.h"
#include "tool/result.h"

/* Sets details.github: host and repository of `target`, and the number that a command names ("pr
   view 9", "api repos/o/r/issues/12/comments"). */
void gh_mark_set(const Classified *classified, const GhContext *target, ToolResult *result);
