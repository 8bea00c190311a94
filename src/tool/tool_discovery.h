/*
 * Which tools a conversation offers from the start, and which wait until they are found
 * (agent-tools §3.31; settings tools.discoveryMode, tools.essentialOverride, mcp.discoveryMode).
 *
 * What waits is no secret and not forbidden: a model that calls it by its name gets it run, after
 * the gate like any call. It only is not in the requests, which every conversation pays for.
 */
#pragma once

#include "tool/tool.h"

#define TOOL_SEARCH "search_tool_bm25" // the tool that finds; without it nothing waits

typedef enum {
    DISCOVERY_OFF,      // all are offered
    DISCOVERY_MCP_ONLY, // those of MCP servers and hosts wait
    DISCOVERY_ALL,      // so do built-in ones that a task rarely needs (TOOL_DISCOVERABLE)
} DiscoveryMode;

DiscoveryMode tool_discovery_mode(const Settings *settings);

/* The names of tools.essentialOverride, brought to the form that tools have; perhaps of none.
   NULL-terminated; caller frees with g_strfreev(). */
char **tool_discovery_essentials(const Settings *settings);

/* No one has asked for it by name. `is_dynamic`: it was defined while the program runs. */
bool tool_discovery_hides(const Settings *settings, const ToolDef *tool, bool is_dynamic);
