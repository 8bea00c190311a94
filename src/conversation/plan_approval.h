/*
 * Carrying out what a person has decided on a plan (agent-core §7.12): the plan gets its final
 * name, plan mode ends in the session's record, and, where the person wants that, a new session
 * begins.
 */
#pragma once

#include "conversation/engine.h"

/* Records that the session's mode is `mode` from now on. `file`: the plan's URL; NULL: none. */
void plan_approval_record(Session *session, const char *mode, const char *file);

/* On the job's worker; `file`: the plan's URL. *ret_file is its final one, *ret_prompt the message
   that goes on with it; both are the caller's. On failure plan mode stays as it was. */
bool plan_approval_run(Engine *engine, const char *file, const PlanDecision *decision,
                       char **ret_file, json_t **ret_prompt, GError **error);
