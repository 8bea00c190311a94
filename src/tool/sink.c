/* See sink.h. */
#include "tool/sink.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/artifact_writer.h"
#include "tool/notice.h"
#include "tool/truncate.h"

#define CANCELLED_TAIL_BYTES 20480 // of a stopped command: what it was doing, not all it had to say

struct OutputSink {
    Artifacts *artifacts; // borrowed
    char *tool;
    size_t threshold_bytes;
    Utf8Decoder decoder;
    AnsiFilter *filter;
    GString *decoded; // scratch
    GString *clean;   // scratch
    MaskFilter *mask;
    GString *masked; // scratch
    GString *buffer; // at most 2 × threshold; trimmed when read
    bool is_truncated;
    size_t total_bytes, total_newlines;
    bool has_file_failed;
    ArtifactWriter *writer; // NULL: not needed yet, or it has failed
};

void sink_dump_clear(SinkDump *self)
{
    g_clear_pointer(&self->output, g_free);
    g_clear_pointer(&self->artifact_id, g_free);
}

OutputSink *output_sink_new(Artifacts *artifacts, const char *tool, size_t threshold_bytes)
{
    OutputSink *self = g_new0(OutputSink, 1);
    self->artifacts = artifacts;
    self->tool = g_strdup(tool);
    self->threshold_bytes = threshold_bytes ? threshold_bytes : TRUNCATE_MAX_BYTES;
    self->filter = ansi_filter_new();
    self->decoded = g_string_new(NULL);
    self->clean = g_string_new(NULL);
    self->mask = mask_filter_new();
    self->masked = g_string_new(NULL);
    self->buffer = g_string_new(NULL);
    return self;
}

void output_sink_free(OutputSink *self)
{
    if (!self)
        return;
    artifact_writer_free(self->writer);
    ansi_filter_free(self->filter);
    g_string_free(self->decoded, TRUE);
    g_string_free(self->clean, TRUE);
    mask_filter_free(self->mask);
    g_string_free(self->masked, TRUE);
    g_string_free(self->buffer, TRUE);
    g_free(self->tool);
    g_free(self);
}

/* A file that cannot be written loses the artifact, not the output. */
static void file_fail(OutputSink *self)
{
    self->has_file_failed = true;
    g_clear_pointer(&self->writer, artifact_writer_free);
}

static void file_append(OutputSink *self, const char *text, size_t size)
{
    if (self->writer && !artifact_writer_append(self->writer, text, size))
        file_fail(self);
}

/* The artifact begins with what the buffer holds so far. */
static void file_open(OutputSink *self)
{
    if (!self->artifacts || self->has_file_failed || self->writer)
        return;
    self->writer = artifact_writer_new(self->artifacts, self->tool, LIMIT_ARTIFACT_BYTES);
    if (!self->writer)
        file_fail(self);
    file_append(self, self->buffer->str, self->buffer->len);
}

static void trim_to(GString *text, size_t max_bytes)
{
    if (text->len > max_bytes)
        g_string_erase(text, 0,
                       (gssize)utf8_boundary_after(text->str, text->len, text->len - max_bytes));
}

static void output_sink_store(OutputSink *self, const char *text, size_t size)
{
    if (size == 0)
        return;
    self->total_bytes += size;
    for (const char *p = text; (p = memchr(p, '\n', size - (size_t)(p - text))); p++)
        self->total_newlines++;

    if (!self->is_truncated && self->buffer->len + size > self->threshold_bytes) {
        self->is_truncated = true;
        file_open(self);
    }
    if (self->is_truncated)
        file_append(self, text, size);

    if (size > self->threshold_bytes) {
        size_t start = utf8_boundary_after(text, size, size - self->threshold_bytes);
        text += start;
        size -= start;
        g_string_truncate(self->buffer, 0);
    }
    g_string_append_len(self->buffer, text, (gssize)size);
    if (self->buffer->len > 2 * self->threshold_bytes)
        trim_to(self->buffer, self->threshold_bytes);
}

/* Decodes what is between NUL bytes: they belong to no text. */
static void decode_without_nul(OutputSink *self, const char *data, size_t size)
{
    const char *end = data + size;
    while (data < end) {
        const char *nul = memchr(data, '\0', (size_t)(end - data));
        const char *stop = nul ? nul : end;
        utf8_decoder_push(&self->decoder, data, (size_t)(stop - data), self->decoded);
        data = nul ? nul + 1 : end;
    }
}

void output_sink_push(OutputSink *self, const char *data, size_t size)
{
    g_string_truncate(self->decoded, 0);
    g_string_truncate(self->clean, 0);
    decode_without_nul(self, data, size);
    ansi_filter_push(self->filter, self->decoded->str, self->decoded->len, self->clean);
    g_string_truncate(self->masked, 0);
    mask_filter_push(self->mask, self->clean->str, self->clean->len, self->masked);
    output_sink_store(self, self->masked->str, self->masked->len);
}

const char *output_sink_text(OutputSink *self)
{
    trim_to(self->buffer, self->threshold_bytes);
    return self->buffer->str;
}

void output_sink_dump(OutputSink *self, const char *notice, SinkDump *ret_dump)
{
    g_string_truncate(self->decoded, 0);
    g_string_truncate(self->clean, 0);
    utf8_decoder_finish(&self->decoder, self->decoded);
    ansi_filter_push(self->filter, self->decoded->str, self->decoded->len, self->clean);
    ansi_filter_finish(self->filter, self->clean);
    g_string_truncate(self->masked, 0);
    mask_filter_push(self->mask, self->clean->str, self->clean->len, self->masked);
    mask_filter_finish(self->mask, self->masked);
    output_sink_store(self, self->masked->str, self->masked->len);

    bool is_cut = false;
    if (self->writer && !artifact_writer_finish(self->writer, &is_cut))
        file_fail(self);
    const char *text = output_sink_text(self);
    *ret_dump = (SinkDump) {
        .output = notice ? g_strdup_printf("[%s]\n%s", notice, text) : g_strdup(text),
        .is_truncated = self->is_truncated,
        .total_bytes = self->total_bytes,
        .total_lines = self->total_bytes > 0 ? self->total_newlines + 1 : 0,
        .output_bytes = self->buffer->len,
        .output_lines = self->buffer->len > 0 ? str_count_lines(text, self->buffer->len) : 0,
        .max_bytes = self->threshold_bytes,
        .artifact_id = self->writer ? g_strdup(artifact_writer_id(self->writer)) : NULL,
        .is_artifact_cut = is_cut,
    };
    g_clear_pointer(&self->writer, artifact_writer_free);
}

void sink_dump_tell(const SinkDump *self, ToolResult *result)
{
    const ResultCounts counts = {
        .is_truncated = self->is_truncated,
        .total_lines = self->total_lines,
        .total_bytes = self->total_bytes,
        .output_lines = self->output_lines,
        .output_bytes = self->output_bytes,
        .max_bytes = self->max_bytes,
    };
    tool_result_set_truncation_counts(result, &counts, RESULT_TAIL, 1, 0, self->artifact_id);
    if (self->is_artifact_cut)
        tool_result_set_artifact_cut(result);
}

bool sink_dump_fail_cancelled(const SinkDump *self, const ToolResult *result, const char *notice,
                              GError **error)
{
    g_auto(Truncated) cut = truncate_tail(self->output, 0, CANCELLED_TAIL_BYTES);
    g_autofree char *rest = result->meta ? notice_text(result->meta) : NULL;
    return fail_with(error, KEDGE_ERROR_CANCELLED, "[%s]\n%s%s%s", notice, cut.content,
                     rest ? "\n\n" : "", rest ? rest : "");
}
