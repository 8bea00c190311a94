/*
 * The last gh call, shown to a person: `/gh last-error` (gh-policy §11.2).
 *
 * A hidden tool, as the doctor is: the text of its result is for a person. It reads the records of
 * the conversation's session and of the calls outside of sessions, in which secrets are masked.
 */
#pragma once

#include "tool/tool.h"

extern const ToolDef tool_gh_last_error;
