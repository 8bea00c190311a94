/*
 * One job of an Actions run, explained in JOB_TEXT_MAX_BYTES. Blocks.
 */
#pragma once

#include "github/ops/run_fetch.h"

#define JOB_TEXT_MAX_BYTES 4096

/* Appends the section. A log or annotations that cannot be had are said to be so; false only when
   the call was stopped. */
bool job_text_explain(ToolCall *call, const char *repo, const WatchedRun *run, const RunJob *job,
                      GString *out, GError **error);
