/*
 * OutputSink: what a running command prints, kept within a threshold, the whole of it in an
 * artifact (agent-tools §2.7). One thread at a time.
 */
#pragma once

#include "session/artifacts.h"
#include "tool/result.h"

#include <glib.h>

typedef struct OutputSink OutputSink;

typedef struct SinkDump {
    char *output;
    bool is_truncated;
    size_t total_lines, total_bytes, output_lines, output_bytes;
    size_t max_bytes;
    char *artifact_id;    // NULL when no file was written
    bool is_artifact_cut; // it holds the beginning and the end (session/artifact_writer.h)
} SinkDump;

void sink_dump_clear(SinkDump *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SinkDump, sink_dump_clear)

/* `artifacts` may be NULL: what is over the threshold (0: 51200) is then dropped from the front.
   The artifact is allocated as `<id>.<tool>.log` when the threshold is first passed. */
OutputSink *output_sink_new(Artifacts *artifacts, const char *tool, size_t threshold_bytes);
void output_sink_free(OutputSink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OutputSink, output_sink_free)

/* Raw bytes of a child; made valid UTF-8 and stripped of control sequences here. */
void output_sink_push(OutputSink *self, const char *data, size_t size);
/* The kept tail so far; borrowed until the next push. */
const char *output_sink_text(OutputSink *self);
/* Ends the sink. `notice` (may be NULL) is put first as "[<notice>]\n". */
void output_sink_dump(OutputSink *self, const char *notice, SinkDump *ret_dump);
/* What was cut, and the artifact that has it, become facts of the result. */
void sink_dump_tell(const SinkDump *self, ToolResult *result);
/* An abort is an error, so its text is all that remains of the result, told before: "[<notice>]",
   the end of the output, what was cut. Returns false. */
bool sink_dump_fail_cancelled(const SinkDump *self, const ToolResult *result, const char *notice,
                              GError **error);
