/*
 * The doctor: whether the gh tools can work here, and what to do where they cannot (gh-policy §10).
 * Looks only: it starts gh (`auth status`, `--version`) and git, and changes nothing.
 *
 * A hidden tool, so that gh is started with the permit of a judged call like everywhere else. The
 * text of its result is for a person; details.checks is an array of {id, status, text, recovery?},
 * details.failed the number of FAILs.
 */
#pragma once

#include "tool/tool.h"

extern const ToolDef tool_gh_doctor;
