/*
 * The calls of an answer (transcript_private.h): each is given away when it has ended and all
 * before it are, so that rows come in the order of the calls; until then it is live.
 */
#include "base/timefmt.h"
#include "base/utf8.h"
#include "model/message.h"
#include "tui/view/transcript_private.h"

static gint64 now_ms(const Transcript *self)
{
    return self->spec.now_ms ? self->spec.now_ms() : time_monotonic_ms();
}

void call_free(gpointer self_)
{
    Call *self = self_;
    if (!self)
        return;
    g_free(self->id);
    g_free(self->tool);
    json_decref(self->arguments);
    json_decref(self->partial);
    json_decref(self->result);
    g_free(self->line);
    g_free(self->intent);
    g_free(self);
}

void calls_clear(Transcript *self)
{
    g_queue_clear_full(&self->calls, call_free);
    g_ptr_array_set_size(self->reads, 0);
}

static Call *transcript_find(const Transcript *self, const char *id)
{
    for (const GList *link = self->calls.head; link; link = link->next) {
        Call *call = link->data;
        if (g_strcmp0(call->id, id) == 0)
            return call;
    }
    return NULL;
}

static Call *transcript_add(Transcript *self, const char *id, const char *tool, json_t *arguments)
{
    Call *call = g_new0(Call, 1);
    call->id = g_strdup(id ? id : "");
    call->tool = g_strdup(tool ? tool : "?");
    call->arguments = json_is_object(arguments) ? json_incref(arguments) : NULL;
    g_queue_push_tail(&self->calls, call);
    return call;
}

static Call *find_or_add(Transcript *self, const json_t *event)
{
    const char *id = json_get_text(event, "toolCallId");
    Call *call = transcript_find(self, id);
    if (!call)
        call = transcript_add(self, id, json_get_text(event, "toolName"),
                              json_get_object(event, "args"));
    return call;
}

// ---- for good ----

static void commit_call(Transcript *self, const Call *call)
{
    if (call->result && block_is_plain_read(call->tool, call->result, call->is_error)) {
        reads_add(self, block_read_name(call->arguments, call->result, &self->block));
        return;
    }
    g_autoptr(GPtrArray) rows = rows_new();
    block_tool_rows(call->tool, call->arguments, call->result, call->is_error, call->duration_ms,
                    &self->block, rows);
    transcript_commit(self, KIND_TOOL, true, rows);
}

static void commit_ended(Transcript *self)
{
    Call *call;
    while ((call = g_queue_peek_head(&self->calls)) && call->is_done) {
        g_queue_pop_head(&self->calls);
        commit_call(self, call);
        call_free(self->last_call);
        self->last_call = call;
    }
}

bool transcript_open_last(Transcript *self)
{
    const Call *call = self->last_call;
    BlockSpec spec = self->block;
    if (!call)
        return false;
    g_autoptr(GPtrArray) rows = rows_new();
    spec.is_expanded = true;
    block_tool_rows(call->tool, call->arguments, call->result, call->is_error, call->duration_ms,
                    &spec, rows);
    transcript_commit(self, KIND_TOOL, true, rows);
    return true;
}

// ---- the end of a call ----

/* The end of them, when they are long. */
void calls_keep_output(Transcript *self, const json_t *content)
{
    g_autofree char *text = message_blocks_text(content);
    size_t size = strlen(text);
    size_t from = size > LIMIT_LAST_OUTPUT_BYTES
                      ? utf8_boundary_after(text, size, size - LIMIT_LAST_OUTPUT_BYTES)
                      : 0;
    g_free(self->last_output);
    self->last_output = g_strdup(text + from);
}

static void end_call(Transcript *self, Call *call, json_t *result, bool is_error)
{
    if (call->is_done)
        return;
    call->is_done = true;
    call->is_error = is_error;
    call->result = result ? json_incref(result) : NULL;
    call->duration_ms = call->has_started ? now_ms(self) - call->begun_at : 0;
    json_decref(call->partial);
    call->partial = NULL;
    calls_keep_output(self, json_get_array(result, "content"));
    commit_ended(self);
}

void calls_end(Transcript *self, const json_t *event)
{
    end_call(self, find_or_add(self, event), json_get_object(event, "result"),
             json_get_bool(event, "isError", false));
}

void calls_take_result(Transcript *self, const json_t *message)
{
    Call *call = transcript_find(self, json_get_text(message, "toolCallId"));
    if (call && !call->is_done)
        end_call(self, call, (json_t *)message, json_get_bool(message, "isError", false));
}

void calls_give_up(Transcript *self)
{
    for (GList *link = self->calls.head; link; link = link->next) {
        Call *call = link->data;
        call->is_error = call->is_error || !call->is_done;
        call->is_done = true;
    }
    commit_ended(self);
}

// ---- the beginning ----

void calls_expect(Transcript *self, const json_t *message)
{
    g_autoptr(json_t) calls = message_tool_calls(message);
    json_each (calls, i, call)
        transcript_add(self, json_get_text(call, "id"), json_get_text(call, "name"),
                       json_get_object(call, "arguments"));
}

void calls_start(Transcript *self, const json_t *event)
{
    Call *call = find_or_add(self, event);
    call->has_started = true;
    call->begun_at = now_ms(self);
}

bool calls_update(Transcript *self, const json_t *event)
{
    Call *call = transcript_find(self, json_get_text(event, "toolCallId"));
    json_t *partial = json_get_object(event, "partialResult");
    if (!call || call->is_done || !partial)
        return false;
    json_decref(call->partial);
    call->partial = json_incref(partial);
    return true;
}

// ---- live ----

static bool is_running(const Call *call)
{
    return call->has_started && !call->is_done;
}

bool calls_are_running(const Transcript *self)
{
    for (const GList *link = self->calls.head; link; link = link->next) {
        if (is_running(link->data))
            return true;
    }
    return false;
}

static Symbol mark_of(const Transcript *self, const Call *call, int step)
{
    if (call->is_done)
        return call->is_error ? SYMBOL_ERROR : SYMBOL_SUCCESS;
    if (!call->has_started)
        return SYMBOL_PENDING;
    return self->spec.is_still ? SYMBOL_ACTIVE : (Symbol)(SYMBOL_SPINNER_0 + (unsigned)step % 4);
}

static Style style_of(const Call *call)
{
    if (!call->is_done)
        return (Style) { .fg = TOKEN_ACCENT, .bg = TOKEN_TOOL_PENDING_BG };
    if (call->is_error)
        return (Style) { .fg = TOKEN_ERROR, .bg = TOKEN_TOOL_ERROR_BG };
    return (Style) { .fg = TOKEN_SUCCESS, .bg = TOKEN_TOOL_SUCCESS_BG };
}

static void add_title(Transcript *self, Call *call, int cells, int step, GPtrArray *out)
{
    if (!call->line) {
        call->line = block_arguments_line(call->arguments, &self->block);
        call->intent = block_intent(call->arguments);
    }
    g_autoptr(Row) title = block_title_row(call->tool, call->line, call->intent,
                                           mark_of(self, call, step), style_of(call), &self->block);
    g_ptr_array_add(out, row_cut(title, cells));
}

static void add_output(const Transcript *self, const Call *call, int cells, int lines,
                       GPtrArray *out)
{
    const json_t *first = json_array_get(json_get_array(call->partial, "content"), 0);
    const json_t *text = json_object_get(first, "text");
    if (is_running(call) && json_is_string(text))
        block_last_lines(json_string_value(text), json_string_length(text), lines, cells,
                         &self->block, out);
}

static void add_more(const Transcript *self, unsigned count, int cells, GPtrArray *out)
{
    g_autofree char *text =
        g_strdup_printf("%s %u more", theme_symbol(self->block.theme, SYMBOL_ELLIPSIS), count);
    g_autoptr(Row) row = row_of(text, (Style) { .fg = TOKEN_DIM });
    g_ptr_array_add(out, row_cut(row, cells));
}

void transcript_shell_rows(const Transcript *self, const char *typed, const char *output, int width,
                           int max_rows, GPtrArray *out)
{
    const Style style = { .fg = *typed == '$' ? TOKEN_PYTHON_MODE : TOKEN_BASH_MODE };
    int cells = MIN(width, LIVE_CELLS);
    if (max_rows <= 0)
        return;
    g_autofree char *line = block_clean_line(typed, cells);
    g_autoptr(Row) title = row_of(line, style);
    g_ptr_array_add(out, row_cut(title, cells));
    block_last_lines(output, strlen(output), MIN(LIVE_OUTPUT, max_rows - 1), cells, &self->block,
                     out);
}

static int count_running(const Transcript *self)
{
    int count = 0;
    for (const GList *link = self->calls.head; link; link = link->next)
        count += is_running(link->data);
    return count;
}

void calls_live_rows(Transcript *self, int cells, int max_rows, int step, GPtrArray *out)
{
    int calls = (int)self->calls.length, shown = MIN(calls, MAX(max_rows, 0));
    if (shown < calls && shown > 0)
        shown--; // for the row that says how many more there are
    int running = MAX(count_running(self), 1);
    int lines = shown < calls ? 0 : MIN(LIVE_OUTPUT, (max_rows - calls) / running);
    const GList *link = self->calls.head;
    for (int i = 0; i < shown; i++, link = link->next) {
        add_title(self, link->data, cells, step, out);
        add_output(self, link->data, cells, lines, out);
    }
    if (shown < calls && max_rows > shown)
        add_more(self, (unsigned)(calls - shown), cells, out);
}
