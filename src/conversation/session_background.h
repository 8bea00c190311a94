/*
 * What background jobs of tools have to say to the conversation (agent-tools §3.25).
 */
#pragma once

#include "session/artifacts.h"
#include "tool/jobs.h"

#include "base/json.h"

/* One message for the model with the results of jobs that have ended, of Job *. New reference. */
json_t *session_background_message(const GPtrArray *jobs, Artifacts *artifacts);

/* What a person should know who waits for these, of Job *. Caller frees. */
char *session_background_waiting_text(const GPtrArray *jobs);
