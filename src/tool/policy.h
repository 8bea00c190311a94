/*
 * Policy: what may happen without asking (common §4.2; gh-policy §5.1, §5.2). Pure.
 */
#pragma once

#include "tool/call.h"

/* `ret_reason` (caller frees) says which rule refused or asks; untouched when allowed. */
PolicyAction policy_decide(const Settings *settings, DoorKind door, const ToolDef *tool,
                           const Judgement *judgement, char **ret_reason);

/* A request to GitHub that no tool makes: false when the settings refuse it, with *ret_reason
   (caller frees). `repo` NULL: unknown, so the strictest of the host's repositories counts. */
bool policy_lets_pass(const Settings *settings, Effect effect, const char *host, const char *repo,
                      char **ret_reason);

/* For the doctor: what in gh.policy and gh.hostPolicy cannot be understood, and so refuses; NULL:
   nothing. Caller frees. */
char *policy_mistake(const Settings *settings);
/* The project's settings name a looser action for such a call than the one in force. */
bool policy_ignores_project(const Settings *settings, DoorKind door, const ToolDef *tool,
                            const Judgement *judgement);
