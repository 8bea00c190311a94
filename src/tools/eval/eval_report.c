/*
 * The report of an eval call (eval_report.h).
 *
 * One sink has the whole text: a cell's header goes in front of the first thing that the cell
 * prints, so that the text can be shown while it comes. White space at the end of a cell waits for
 * what follows: between cells it is dropped.
 */
#include "tools/eval/eval_report.h"

#include "base/limits.h"
#include "base/str.h"
#include "tool/images.h"
#include "tool/sink.h"

#define SHOWN_JSON_CHARS     8000
#define UPDATE_BYTES         102400
#define MAX_HELD_BYTES       (64 * KIB)
#define CANCELLED_TAIL_BYTES 20480
#define CELL_OUTPUT_BYTES    TRUNCATE_MAX_BYTES

struct EvalReport {
    ToolCall *call;
    const GPtrArray *cells;
    OutputSink *sink;
    json_t *details_cells; // array of objects
    // of the open cell
    unsigned index;
    bool has_text;
    OutputSink *cell_sink;
    GString *held; // white space that may be the end of the cell
    GString *displays;
    unsigned display_count;
    json_t *events;
    // of the call
    bool has_any_text;
    size_t value_bytes;
    unsigned image_count; // those that could not be shown count, too
    unsigned dropped;     // images, values, events over the limits
    json_t *values;
    json_t *all_events;
    json_t *images; // of content blocks
    json_t *languages;
    GPtrArray *notes;
    char *notice;
};

EvalReport *eval_report_new(ToolCall *call, const GPtrArray *cells)
{
    EvalReport *self = g_new0(EvalReport, 1);
    self->call = call;
    self->cells = cells;
    self->sink = output_sink_new(tool_call_artifacts(call), "eval", 0);
    self->details_cells = json_array();
    for (unsigned i = 0; i < cells->len; i++) {
        const EvalCell *cell = cells->pdata[i];
        json_append_take(self->details_cells,
                         json_make("index:%u title:%s code:%s output:%s status:%s", i, cell->title,
                                   cell->code, "", "pending"));
    }
    self->held = g_string_new(NULL);
    self->displays = g_string_new(NULL);
    self->values = json_array();
    self->all_events = json_array();
    self->images = json_array();
    self->languages = json_array();
    self->notes = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void eval_report_free(EvalReport *self)
{
    if (!self)
        return;
    output_sink_free(self->sink);
    output_sink_free(self->cell_sink);
    json_decref(self->details_cells);
    json_decref(self->events);
    json_decref(self->values);
    json_decref(self->all_events);
    json_decref(self->images);
    json_decref(self->languages);
    g_string_free(self->held, TRUE);
    g_string_free(self->displays, TRUE);
    g_ptr_array_unref(self->notes);
    g_free(self->notice);
    g_free(self);
}

static json_t *cell_object(const EvalReport *self)
{
    return json_array_get(self->details_cells, self->index);
}

static void eval_report_push(EvalReport *self, const char *data, size_t size)
{
    output_sink_push(self->sink, data, size);
    output_sink_push(self->cell_sink, data, size);
}

/* "[2/3] title", on a line of its own behind the cells before. */
static void put_header(EvalReport *self, const char *mark, const char *end)
{
    g_autoptr(GString) header = g_string_new(self->has_any_text ? "\n\n" : "");
    const EvalCell *cell = self->cells->pdata[self->index];
    if (self->cells->len > 1) {
        g_string_append_printf(header, "[%u/%u]", self->index + 1, self->cells->len);
        if (cell->title)
            g_string_append_printf(header, " %s", cell->title);
        g_string_append(header, mark);
        g_string_append(header, end);
    }
    output_sink_push(self->sink, header->str, header->len);
    self->has_any_text = true;
    self->has_text = true;
}

void eval_report_begin_cell(EvalReport *self, unsigned index, EvalLanguage language)
{
    self->index = index;
    self->has_text = false;
    self->display_count = 0;
    output_sink_free(self->cell_sink);
    self->cell_sink = output_sink_new(NULL, "eval", CELL_OUTPUT_BYTES);
    g_string_truncate(self->held, 0);
    g_string_truncate(self->displays, 0);
    json_decref(self->events);
    self->events = json_array();
    const char *name = eval_language_name(language);
    json_set_text(cell_object(self), "language", name);
    json_set_text(cell_object(self), "status", "running");
    json_each (self->languages, i, known) {
        if (strcmp(json_string_value(known), name) == 0)
            return;
    }
    json_append_take(self->languages, json_text(name));
}

static bool is_blank(char byte)
{
    return byte == '\n' || byte == '\r' || byte == ' ' || byte == '\t';
}

void eval_report_output(EvalReport *self, const char *data, size_t size)
{
    if (!self->has_text)
        for (; size > 0 && (*data == '\n' || *data == '\r'); size--)
            data++;
    size_t solid = size;
    while (solid > 0 && is_blank(data[solid - 1]))
        solid--;
    if (solid == 0) {
        g_string_append_len(self->held, data, (gssize)size);
    } else {
        if (!self->has_text)
            put_header(self, "", self->cells->len > 1 ? "\n" : "");
        eval_report_push(self, self->held->str, self->held->len);
        eval_report_push(self, data, solid);
        g_string_assign(self->held, "");
        g_string_append_len(self->held, data + solid, (gssize)(size - solid));
    }
    if (self->held->len > MAX_HELD_BYTES) {
        eval_report_push(self, self->held->str, self->held->len);
        g_string_truncate(self->held, 0);
    }
}

// ---- frames ----

static void put_line(EvalReport *self, const char *text)
{
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    eval_report_output(self, line, strlen(line));
}

static void take_json(EvalReport *self, const char *text, int64_t chars)
{
    if (json_array_size(self->values) >= LIMIT_EVAL_VALUES ||
        self->value_bytes + strlen(text) > LIMIT_EVAL_VALUE_BYTES) {
        self->dropped++;
        return;
    }
    self->value_bytes += strlen(text);
    json_t *value = NULL;
    json_append_take(self->values, json_parse_text(text, &value, NULL) ? value : json_text(text));

    glong shown = g_utf8_strlen(text, -1);
    int64_t all = MAX(chars, shown);
    g_autofree char *cut =
        shown > SHOWN_JSON_CHARS ? g_utf8_substring(text, 0, SHOWN_JSON_CHARS) : g_strdup(text);
    g_string_append_printf(self->displays, "%sdisplay[%u]:\n%s", self->displays->len ? "\n\n" : "",
                           ++self->display_count, cut);
    if (all > SHOWN_JSON_CHARS)
        g_string_append_printf(self->displays, "\n… (%" G_GINT64_FORMAT " chars truncated)",
                               all - SHOWN_JSON_CHARS);
}

static void add_image(EvalReport *self, const char *base64, const char *mime)
{
    json_append_take(self->images, json_make("type:%s data:%s mimeType:%s", "image", base64, mime));
}

static void take_image(EvalReport *self, const char *base64, const char *mime)
{
    if (self->image_count++ >= LIMIT_EVAL_IMAGES) {
        self->dropped++;
        return;
    }
    gsize size = 0;
    g_autofree char *data = (char *)g_base64_decode(base64, &size);
    g_auto(ImageFit) fit = { 0 };
    images_fit(tool_call_settings(self->call), data, size, mime, &fit);
    if (fit.note)
        put_line(self, fit.note);
    if (!fit.data)
        return;
    g_autofree char *text = g_base64_encode((const guchar *)fit.data, fit.size);
    add_image(self, text, fit.type);
}

static void take_event(EvalReport *self, json_t *event)
{
    if (!json_is_object(event))
        return;
    g_autofree char *text = json_to_text(event);
    size_t size = strlen(text);
    if (json_array_size(self->events) >= LIMIT_EVAL_VALUES || size > LIMIT_EVAL_EVENT_BYTES ||
        self->value_bytes + size > LIMIT_EVAL_VALUE_BYTES) {
        self->dropped++;
        return;
    }
    self->value_bytes += size;
    json_array_append(self->events, event);
    json_array_append(self->all_events, event);
}

/* What threads and timers of earlier cells have printed since the last cell's end. */
static void take_late(EvalReport *self, const json_t *frame)
{
    const char *late = json_get_text(frame, "late");
    if (!late)
        return;
    g_autofree char *text = str_truncate(late, LIMIT_EVAL_LATE_BYTES);
    int64_t dropped =
        json_get_int(frame, "lateDropped", 0) + (int64_t)(strlen(late) - strlen(text));
    const char *gap = self->held->len == 0 ? "\n\n" : "\n";
    if (self->has_text)
        eval_report_output(self, gap, strlen(gap));
    put_line(self, "[printed by code of earlier cells, which still runs:]");
    if (dropped > 0) {
        g_autofree char *line = g_strdup_printf("[… %" G_GINT64_FORMAT " bytes left out]", dropped);
        put_line(self, line);
    }
    put_line(self, text);
}

void eval_report_frame(EvalReport *self, const json_t *frame)
{
    const char *type = json_get_text(frame, "type");
    const char *json = json_get_text(frame, "json");
    const char *image = json_get_text(frame, "image");
    const char *mime = json_get_text(frame, "mime");
    const char *text = json_get_text(frame, "text");
    if (g_strcmp0(type, "done") == 0)
        take_late(self, frame);
    else if (g_strcmp0(type, "status") == 0)
        take_event(self, json_get_object(frame, "event"));
    else if (g_strcmp0(type, "stdin") == 0)
        json_set_bool(cell_object(self), "stdinRequested", true);
    else if (g_strcmp0(type, "text") == 0 && text)
        eval_report_output(self, text, strlen(text));
    else if (g_strcmp0(type, "display") != 0)
        return;
    else if (json)
        take_json(self, json, json_get_int(frame, "chars", 0));
    else if (image && mime)
        take_image(self, image, mime);
    else if (json_get_bool(frame, "markdown", false))
        json_set_bool(cell_object(self), "hasMarkdown", true);
}

// ---- ends ----

static void put_displays(EvalReport *self)
{
    if (self->displays->len == 0)
        return;
    g_string_truncate(self->held, 0);
    if (self->has_text)
        eval_report_push(self, "\n\n", 2);
    else
        put_header(self, "", self->cells->len > 1 ? "\n" : "");
    eval_report_push(self, self->displays->str, self->displays->len);
}

void eval_report_end_cell(EvalReport *self, bool has_failed, int exit_code, int64_t duration_ms)
{
    put_displays(self);
    if (!self->has_text && self->cells->len > 1 && !has_failed)
        put_header(self, " (ok)", "");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(self->cell_sink, NULL, &dump);
    json_t *cell = cell_object(self);
    json_add(cell, "output:%s status:%s durationMs:%jd", dump.output,
             has_failed ? "error" : "complete", duration_ms);
    if (exit_code >= 0)
        json_set_int(cell, "exitCode", exit_code);
    if (json_array_size(self->events) > 0)
        json_set_take(cell, "statusEvents", json_incref(self->events));
}

void eval_report_set_notice(EvalReport *self, const char *notice)
{
    g_free(self->notice);
    self->notice = g_strdup(notice);
}

void eval_report_add_note(EvalReport *self, char *note)
{
    if (note)
        g_ptr_array_add(self->notes, note);
}

void eval_report_update(EvalReport *self)
{
    g_auto(Truncated) tail = truncate_tail(output_sink_text(self->sink), 0, UPDATE_BYTES);
    g_autoptr(json_t) details = json_make("cells:%p", json_incref(self->details_cells));
    tool_call_update(self->call, tail.content, details);
}

static void fill_details(EvalReport *self, ToolResult *result)
{
    json_t *details = tool_result_details(result);
    json_set_take(details, "cells", json_incref(self->details_cells));
    if (json_array_size(self->languages) > 0)
        json_object_set(details, "language", json_array_get(self->languages, 0));
    json_set_take(details, "languages", json_incref(self->languages));
    if (json_array_size(self->values) > 0)
        json_set_take(details, "jsonOutputs", json_incref(self->values));
    if (json_array_size(self->images) > 0)
        json_set_int(details, "images", (gint64)json_array_size(self->images));
    if (json_array_size(self->all_events) > 0)
        json_set_take(details, "statusEvents", json_incref(self->all_events));
    json_set_text(details, "notice", self->notice);
    if (result->is_error)
        json_set_bool(details, "isError", true);
}

static char *dump_text(EvalReport *self, const char *notice, SinkDump *dump)
{
    output_sink_push(self->sink, self->held->str, self->held->len); // the artifact has all
    output_sink_dump(self->sink, notice, dump);
    char *text = g_strchomp(g_strdup(dump->output));
    size_t size = strlen(text);
    for (const char *p = dump->output + size; (p = strchr(p, '\n')); p++) {
        dump->total_lines--; // an empty line that is not shown
        dump->output_lines--;
    }
    return text;
}

static char *whole_text(EvalReport *self, const EvalReportFacts *facts, SinkDump *dump)
{
    g_autofree char *notice = facts->end == EVAL_REPORT_TIMED_OUT
                                  ? g_strdup_printf("Command timed out after %d seconds",
                                                    MAX(1, (int)(facts->timeout_s + 0.5)))
                                  : NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *dumped = dump_text(self, notice, dump);
    size_t images = json_array_size(self->images);
    g_string_append(text, dumped);
    if (text->len == 0 && images > 0)
        g_string_append_printf(text, "(displayed %zu image%s; no text output)", images,
                               images == 1 ? "" : "s");
    else if (text->len == 0)
        g_string_append(text, "(no output)");
    if (facts->suffix)
        g_string_append_printf(text, "\n\n%s", facts->suffix);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

void eval_report_finish(EvalReport *self, const EvalReportFacts *facts, ToolResult *result)
{
    g_auto(SinkDump) dump = { 0 };
    g_autofree char *text = whole_text(self, facts, &dump);
    sink_dump_tell(&dump, result);
    tool_result_add_text(result, text);
    json_each (self->images, i, block) {
        tool_result_add_image(result, json_get_text(block, "data"),
                              json_get_text(block, "mimeType"));
    }
    result->is_error = facts->end != EVAL_REPORT_OK;
    fill_details(self, result);
    for (unsigned j = 0; j < self->notes->len; j++)
        tool_result_add_note(result, self->notes->pdata[j]);
    if (self->dropped > 0) {
        g_autofree char *note = g_strdup_printf(
            "%u displayed values, images or status events are left out: there were too many.",
            self->dropped);
        tool_result_add_note(result, note);
    }
}

bool eval_report_fail_cancelled(EvalReport *self, GError **error)
{
    g_auto(SinkDump) dump = { 0 };
    g_autofree char *text = dump_text(self, NULL, &dump);
    g_auto(Truncated) cut = truncate_tail(text, 0, CANCELLED_TAIL_BYTES);
    g_autoptr(GString) notes = g_string_new(NULL);
    for (unsigned i = 0; i < self->notes->len; i++)
        g_string_append_printf(notes, "%s[%s]", notes->len ? "\n" : "\n\n",
                               (const char *)self->notes->pdata[i]);
    return fail_with(error, KEDGE_ERROR_CANCELLED, "[Command cancelled]\n%s%s", cut.content,
                     notes->str);
}
