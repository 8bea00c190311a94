/*
 * The audit line of a running call: written when the settings want it, and never at the call's
 * expense.
 */
#pragma once

#include "github/audit/gh_audit.h"
#include "tool/tool.h"

/* Appends `line` when gh.audit.enabled. What keeps it from being written is said once in a
 * conversation. */
void gh_audit_call(ToolCall *call, const GhAuditLine *line);

/* The same for another record of the call that could not be kept. */
void gh_audit_warn(ToolCall *call, const GError *error);

/* ToolDef.finished of the `github` tool: its line (gh-policy §9.2). judge() leaves the op in the
 * call's slot. */
void github_audit_finished(ToolCall *call, const CallOutcome *outcome, const ToolResult *result);
