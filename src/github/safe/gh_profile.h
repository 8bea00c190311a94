/*
 * Which of the gh tools are offered (gh-policy §5.5): the setting gh.profile, which a project can
 * only narrow. Pure.
 */
#pragma once

#include "tool/tool.h"

typedef enum {
    GH_DOOR_OWN_SESSION, // an agent's own: by default the general tool alone
    GH_DOOR_OTHERS,      // MCP and the command line: by default all
} GhDoor;

typedef enum {
    GH_TOOL_GENERAL, // gh
    GH_TOOL_WRAPPER, // gh_*: the typed reads
    GH_TOOL_REVIEW,  // gh_review
} GhToolKind;

/* Of a TOOL_GH tool. */
GhToolKind gh_profile_kind(const ToolDef *tool);

bool gh_profile_offers(const Settings *settings, GhDoor door, GhToolKind kind);
