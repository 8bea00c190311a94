/*
 * ToolResult and its metadata (result.h; agent-tools §1.3).
 */
#include "tool/result.h"

#include "base/mask.h"
#include "model/message.h"

void tool_result_clear(ToolResult *self)
{
    g_clear_pointer(&self->content, json_decref);
    g_clear_pointer(&self->details, json_decref);
    g_clear_pointer(&self->meta, json_decref);
    g_clear_pointer(&self->refused, g_ptr_array_unref);
    origin_clear(&self->origin);
}

static void add_block(ToolResult *self, json_t *block)
{
    if (!self->content)
        self->content = json_array();
    json_append_take(self->content, block);
}

void tool_result_add_text(ToolResult *self, const char *text)
{
    add_block(self, message_text_block(text));
}

void tool_result_add_image(ToolResult *self, const char *base64, const char *mime_type)
{
    add_block(self, message_image_block(base64, mime_type));
}

char *tool_result_text(const ToolResult *self)
{
    return message_blocks_text(self->content);
}

static void mask_part(json_t **part)
{
    if (!*part)
        return;
    json_t *masked = mask_json(*part);
    json_decref(*part);
    *part = masked;
}

void tool_result_mask(ToolResult *self)
{
    mask_part(&self->content);
    mask_part(&self->details);
    mask_part(&self->meta);
}

json_t *tool_result_details(ToolResult *self)
{
    if (!self->details)
        self->details = json_object();
    return self->details;
}

static json_t *result_meta(ToolResult *self)
{
    if (!self->meta)
        self->meta = json_object();
    return self->meta;
}

static json_t *meta_part(ToolResult *self, const char *name)
{
    json_t *part = json_get_object(result_meta(self), name);
    if (!part) {
        part = json_object();
        json_set_take(self->meta, name, part);
    }
    return part;
}

static void set_source(ToolResult *self, const char *type, const char *value)
{
    json_t *source = meta_part(self, "source");
    json_add(source, "type:%s value:%s", type, value);
}

void tool_result_set_github(ToolResult *self, const GithubMark *mark)
{
    json_set_take(tool_result_details(self), "github", github_mark_to_json(mark));
    origin_set_github(&self->origin, mark);
}

void tool_result_set_source_path(ToolResult *self, const char *path)
{
    set_source(self, "path", path);
    origin_set(&self->origin, ORIGIN_FILE, path);
}

void tool_result_set_source_url(ToolResult *self, const char *url)
{
    set_source(self, "url", url);
}

void tool_result_set_source_internal(ToolResult *self, const char *url)
{
    set_source(self, "internal", url);
    origin_set(&self->origin, ORIGIN_URL, url);
}

static void set_truncation(ToolResult *self, const ResultCounts *counts, bool by_lines,
                           ResultDirection direction, size_t start_line, size_t total_file_lines,
                           const char *artifact_id)
{
    size_t total_lines = total_file_lines ? total_file_lines : counts->total_lines;
    bool is_tail = direction == RESULT_TAIL;
    size_t first = is_tail
                       ? counts->total_lines - MIN(counts->output_lines, counts->total_lines) + 1
                       : MAX(start_line, 1);
    size_t last = is_tail ? counts->total_lines : first + counts->output_lines - 1;

    json_t *cut = json_object(); // a new one: nothing of an earlier cut may stay
    json_add(
        cut,
        "direction:%s truncatedBy:%s totalLines:%jd totalBytes:%jd outputLines:%jd outputBytes:%jd",
        is_tail ? "tail" : "head", by_lines ? "lines" : "bytes", (gint64)total_lines,
        (gint64)counts->total_bytes, (gint64)counts->output_lines, (gint64)counts->output_bytes);
    if (counts->max_bytes > 0)
        json_set_int(cut, "maxBytes", (gint64)counts->max_bytes);
    json_add(cut, "shownRange:%p artifactId:%s",
             json_make("start:%jd end:%jd", (gint64)first, (gint64)last), artifact_id);
    if (!is_tail && last < total_lines) // a last line cut short has no line behind it
        json_set_int(cut, "nextOffset", (gint64)last + 1);
    json_set_take(result_meta(self), "truncation", cut);
}

void tool_result_set_truncation(ToolResult *self, const Truncated *cut, ResultDirection direction,
                                size_t start_line, size_t total_file_lines, const char *artifact_id)
{
    if (!cut->is_truncated)
        return;
    const ResultCounts counts = {
        .is_truncated = true,
        .total_lines = cut->total_lines,
        .total_bytes = cut->total_bytes,
        .output_lines = cut->output_lines,
        .output_bytes = cut->output_bytes,
        .max_bytes = cut->max_bytes,
    };
    set_truncation(self, &counts, cut->by_lines, direction, start_line, total_file_lines,
                   artifact_id);
}

void tool_result_set_truncation_counts(ToolResult *self, const ResultCounts *counts,
                                       ResultDirection direction, size_t start_line,
                                       size_t total_file_lines, const char *artifact_id)
{
    if (!counts->is_truncated)
        return;
    bool by_lines =
        counts->output_bytes >= counts->total_bytes && counts->output_lines < counts->total_lines;
    set_truncation(self, counts, by_lines, direction, start_line, total_file_lines, artifact_id);
}

static void mark_truncation(ToolResult *self, const char *mark)
{
    json_t *cut = json_get_object(self->meta, "truncation");
    if (cut)
        json_set_bool(cut, mark, true);
}

void tool_result_set_total_at_least(ToolResult *self)
{
    mark_truncation(self, "isAtLeast");
}

void tool_result_set_artifact_cut(ToolResult *self)
{
    mark_truncation(self, "isArtifactCut");
}

void tool_result_set_limit(ToolResult *self, const char *name, size_t reached)
{
    if (reached == 0)
        return;
    json_set_take(meta_part(self, "limits"), name,
                  json_make("reached:%jd suggestion:%jd", (gint64)reached, (gint64)reached * 2));
}

void tool_result_add_note(ToolResult *self, const char *text)
{
    json_t *notes = json_get_array(result_meta(self), "notes");
    if (!notes) {
        notes = json_array();
        json_set_take(result_meta(self), "notes", notes);
    }
    json_append_take(notes, json_text(text));
}

void tool_result_set_column_limit(ToolResult *self, size_t max_column)
{
    if (max_column == 0)
        return;
    json_set_take(meta_part(self, "limits"), "columnTruncated",
                  json_make("maxColumn:%jd", (gint64)max_column));
}
