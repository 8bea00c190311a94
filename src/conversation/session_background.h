/*
 * What background jobs of tools have to say to the conversation (agent-tools §3.25).
 */
#pragma once

#include "session/artifacts.h"
#include "tool/jobs.h"

#include "base/json.h"

/* One message for the model with the results of jobs that have ended, of Job *. New reference. */
json_t *session_background_message(const GPtrArray *jobs, Artifacts *artifacts);

/* "bg_1 (make), bg_2 (sleep 600)": those that run, for a person. NULL: none. Caller frees. */
char *session_background_running(JobTable *table);
