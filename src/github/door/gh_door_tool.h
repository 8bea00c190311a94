/*
 * The tool that judges what commands ask of the gh door: the general `gh` (tool_gh.c), but that the
 * command runs gh itself, with its own streams. No model is offered it. What lent_calls_make() gets
 * with it is a GhDoorLink.
 */
#pragma once

#include "tool/tool.h"

extern const ToolDef gh_door_tool;
