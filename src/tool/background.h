/*
 * Calls that may take long: what a tool does in its run(), gone on with as a background job
 * (jobs.h) when it takes too long for whoever waits. The job has the permit, the arguments and the
 * slot of the call that was judged for it, its result is treated as that of every call, and its end
 * is told as that of every job. Blocks as long as the call waits.
 */
#pragma once

#include "tool/tool.h"

typedef bool (*BackgroundFunc)(ToolCall *call, const void *args, ToolResult *result,
                               GError **error);

typedef struct BackgroundSpec {
    const char *type;    // of the job: "gh"
    const char *label;   // what it does; copied
    int64_t patience_ms; // how long the call waits for it
    BackgroundFunc run;  // as ToolDef.run; the call that it gets may be another one than the first
} BackgroundSpec;

/* Can a call go on in the background? Somebody has to hear of its end, and async.enabled to be on.
 */
bool background_is_possible(const ToolCall *call);

/* Answers as spec->run does, or, after the patience, that it goes on. Where that is not possible it
   is run in front of the call, however long it takes. */
bool background_run(ToolCall *call, const BackgroundSpec *spec, ToolResult *result, GError **error);

/* The patience of calls of GitHub (github.backgroundAfterSec); -1: they stay in front. */
int64_t background_github_patience_ms(const ToolCall *call);
