/*
 * The `github` tool: repository facts, pull requests, searches and Actions runs through gh
 * (github-tool §1).
 */
#pragma once

#include "tool/tool.h"

extern const ToolDef tool_github;
