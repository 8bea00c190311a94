/*
 * Which threads of a pull request are resolved (agent-tools-cli §2.9): GraphQL alone knows.
 */
#pragma once

#include "agenttools/pr/pr_common.h"

/* Sets `resolved` and `thread_id` of each of the review comments, as fetch-comments shows them,
   whose thread GitHub lists. Errors of answer_error(). */
bool pr_threads_add(Pr *pr, int64_t number, json_t *comments, GError **error);
