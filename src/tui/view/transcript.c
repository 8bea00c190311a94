/*
 * The transcript (transcript.h): events and messages, and the rows that become of them.
 */
#include "agent/event_kind.h"
#include "model/message.h"
#include "tui/text/wrap.h"
#include "tui/view/transcript_private.h"

enum { DEFAULT_WIDTH = 80 };

Transcript *transcript_new(const TranscriptSpec *spec)
{
    Transcript *self = g_new0(Transcript, 1);
    self->spec = *spec;
    self->block = (BlockSpec) {
        .theme = spec->theme,
        .width = DEFAULT_WIDTH,
        .tab_width = spec->tab_width,
        .has_links = spec->has_links,
        .pictures = spec->pictures,
        .shows_thinking = spec->shows_thinking,
        .cwd = spec->cwd,
    };
    self->rows = rows_new();
    self->reads = g_ptr_array_new_with_free_func(g_free);
    g_queue_init(&self->calls);
    return self;
}

void transcript_free(Transcript *self)
{
    if (!self)
        return;
    answer_clear(&self->answer);
    calls_clear(self);
    call_free(self->last_call);
    g_free(self->command);
    g_free(self->heading);
    g_ptr_array_unref(self->rows);
    g_ptr_array_unref(self->reads);
    g_free(self->last_output);
    g_free(self->error);
    g_free(self);
}

void transcript_set_theme(Transcript *self, const Theme *theme)
{
    self->spec.theme = self->block.theme = theme;
    answer_set_theme(self);
}

void transcript_set_pictures(Transcript *self, PictureSpec pictures)
{
    self->spec.pictures = self->block.pictures = pictures;
}

void transcript_show_thinking(Transcript *self, bool is_shown)
{
    self->block.shows_thinking = is_shown;
}

void transcript_set_width(Transcript *self, int width)
{
    self->block.width = MAX(width, 1);
    answer_set_width(self);
}

const char *transcript_last_output(const Transcript *self)
{
    return self->last_output;
}

bool transcript_is_running(const Transcript *self)
{
    return calls_are_running(self);
}

// ---- rows for good ----

void transcript_take_rows(Transcript *self, GPtrArray *out)
{
    for (unsigned i = 0; i < self->rows->len; i++)
        g_ptr_array_add(out, row_ref(self->rows->pdata[i]));
    g_ptr_array_set_size(self->rows, 0);
}

// ---- what is said ----

/* "/ci" of "/ci watch"; caller frees. */
static char *command_word(const char *line)
{
    return g_strndup(line, strcspn(line, " \t\n"));
}

void transcript_command(Transcript *self, const char *line)
{
    g_free(self->command);
    self->command = g_strdup(line);
    self->is_asked = line != NULL;
}

void transcript_heading(Transcript *self, const char *command)
{
    g_autofree char *typed = self->command ? command_word(self->command) : NULL;
    bool is_there = g_strcmp0(self->heading, command) == 0;
    if (command && !is_there && g_strcmp0(typed, command) != 0)
        transcript_command(self, command);
    self->is_asked = command && !is_there;
}

/* The command that what is said now belongs to. */
static void add_command(Transcript *self)
{
    const Style dim = { .fg = TOKEN_DIM };
    g_autoptr(GPtrArray) rows = rows_new();
    self->is_asked = false;
    block_marked(SYMBOL_CURSOR, dim, self->command, dim, &self->block, rows);
    transcript_commit(self, KIND_COMMAND, true, rows);
    g_free(self->heading);
    self->heading = command_word(self->command);
}

/* What we say ourselves is never cut. */
static void add_tone(Transcript *self, Tone tone, const char *text, bool is_ours)
{
    g_autoptr(GPtrArray) rows = rows_new();
    BlockSpec spec = self->block;
    spec.is_expanded = is_ours;
    if (is_ours && self->is_asked)
        add_command(self);
    block_tone_rows(tone, text, &spec, rows);
    transcript_commit(self, KIND_NOTICE, true, rows);
}

void transcript_notice(Transcript *self, const char *text)
{
    add_tone(self, TONE_NOTE, text, true);
}

void transcript_error(Transcript *self, const char *text)
{
    add_tone(self, TONE_ERROR, text, true);
}

void transcript_rule(Transcript *self, const char *text)
{
    g_autoptr(GPtrArray) rows = rows_new();
    const char *dash = theme_symbol(self->block.theme, SYMBOL_RULE);
    g_autofree char *line = block_clean_line(text, self->block.width);
    g_autofree char *whole = g_strdup_printf("%s%s %s %s%s", dash, dash, line, dash, dash);
    g_autoptr(Row) row = row_of(whole, (Style) { .fg = TOKEN_BORDER_MUTED });
    g_ptr_array_add(rows, row_cut(row, self->block.width));
    transcript_commit(self, KIND_OTHER, true, rows);
}

// ---- messages and events ----

static void add_execution(Transcript *self, const json_t *message)
{
    g_autoptr(GPtrArray) rows = rows_new();
    g_autoptr(json_t) content = json_array();
    block_message_rows(message, &self->block, rows);
    transcript_commit(self, KIND_OTHER, true, rows);
    json_append_take(content, message_text_block(json_get_text(message, "output")));
    calls_keep_output(self, content);
    g_clear_pointer(&self->last_call, call_free);
}

void transcript_shell(Transcript *self, const json_t *data)
{
    g_autoptr(json_t) message = json_is_object(data) ? json_copy((json_t *)data) : json_object();
    bool is_python = json_get_text(message, "code") != NULL;
    json_set_text(message, "role", is_python ? "pythonExecution" : "bashExecution");
    if (self->shells >= 0)
        add_execution(self, message);
    self->shells++;
}

static BlockKind kind_of_role(const char *role)
{
    if (g_str_equal(role, "user"))
        return KIND_USER;
    bool is_notice = g_str_equal(role, "fileMention") || g_str_equal(role, "custom");
    return is_notice ? KIND_NOTICE : KIND_OTHER;
}

void transcript_message(Transcript *self, const json_t *message)
{
    const char *role = message_role(message);
    if (g_str_equal(role, "assistant")) {
        answer_end(self, message);
        calls_expect(self, message);
    } else if (g_str_equal(role, "toolResult")) {
        calls_take_result(self, message);
    } else if (g_str_has_suffix(role, "Execution")) {
        add_execution(self, message);
    } else {
        g_autoptr(GPtrArray) rows = rows_new();
        block_message_rows(message, &self->block, rows);
        transcript_commit(self, kind_of_role(role), true, rows);
    }
}

static bool begin_message(Transcript *self, const json_t *message)
{
    if (!g_str_equal(message_role(message), "assistant"))
        return false;
    calls_give_up(self); // of the answer before; there are none unless events were missed
    answer_begin(self);
    return true;
}

/* A command that was shown already is not shown again. */
static void end_message(Transcript *self, const json_t *message)
{
    const char *role = message_role(message);
    bool is_shell = g_str_equal(role, "bashExecution") || g_str_equal(role, "pythonExecution");
    self->is_retrying = self->is_retrying && !g_str_equal(role, "user");
    if (!is_shell || self->shells <= 0)
        transcript_message(self, message);
    if (is_shell)
        self->shells = MAX(self->shells - 1, -1);
}

/* The results that were not told one by one. */
static void end_turn(Transcript *self, const json_t *event)
{
    const json_t *results = json_get_array(event, "toolResults");
    json_each (results, i, result)
        calls_take_result(self, result);
    calls_give_up(self);
}

static void end_run(Transcript *self)
{
    answer_end(self, NULL);
    calls_give_up(self);
    reads_flush(self);
}

static bool transcript_tell(Transcript *self, const json_t *event)
{
    Tone tone = TONE_NOTE;
    g_autofree char *text = block_event_text(event, &tone);
    if (text && *text)
        add_tone(self, tone, text, false);
    return text && *text;
}

bool transcript_event(Transcript *self, const json_t *event)
{
    const json_t *message = json_get_object(event, "message");
    EventKind kind = event_kind(event);
    switch (kind) {
    case EVENT_MESSAGE_UPDATE:
        return answer_update(self, event);
    case EVENT_TOOL_EXECUTION_UPDATE:
        return calls_update(self, event);
    case EVENT_MESSAGE_START:
        return begin_message(self, message);
    case EVENT_MESSAGE_END:
        end_message(self, message);
        return true;
    case EVENT_TOOL_EXECUTION_START:
        calls_start(self, event);
        return true;
    case EVENT_TOOL_EXECUTION_END:
        calls_end(self, event);
        return true;
    case EVENT_TURN_END:
        end_turn(self, event);
        return true;
    case EVENT_AGENT_END:
        end_run(self);
        return true;
    case EVENT_AUTO_RETRY_START:
    case EVENT_AUTO_RETRY_END:
        self->is_retrying = kind == EVENT_AUTO_RETRY_START;
        return transcript_tell(self, event);
    default:
        return transcript_tell(self, event);
    }
}

// ---- live ----

static void add_gap(GPtrArray *out)
{
    g_ptr_array_add(out, row_of("", (Style) { 0 }));
}

/* Rows at their width become rows of at most `cells`, so that what arrives is seen to its end. */
static void add_tail(Transcript *self, int cells, GPtrArray *out)
{
    g_autoptr(GPtrArray) open = rows_new();
    const WrapSpec wrap = { .width = cells };
    answer_open_rows(self, open);
    BlockKind kind = answer_kind(self);
    bool has_gap = self->reads->len > 0 || transcript_needs_gap(self, kind);
    if (open->len > 0 && has_gap && !self->answer.has_begun)
        add_gap(out);
    unsigned from = open->len > LIVE_TAIL_ROWS ? open->len - LIVE_TAIL_ROWS : 0;
    for (unsigned i = from; i < open->len; i++)
        wrap_row(open->pdata[i], &wrap, out);
}

void transcript_live_rows(Transcript *self, int width, int max_rows, int step, GPtrArray *out)
{
    int cells = CLAMP(width, 1, LIVE_CELLS), calls = (int)self->calls.length;
    g_autoptr(GPtrArray) head = rows_new();
    if (self->reads->len > 0 && transcript_needs_gap(self, KIND_TOOL))
        add_gap(head);
    reads_live_rows(self, cells, head);
    add_tail(self, cells, head);
    if (head->len == 0 && calls > 0 && calls < max_rows && transcript_needs_gap(self, KIND_TOOL))
        add_gap(head);
    // running calls give way to what is being written (tui §4.1), but for one row
    int room = MAX(max_rows - (calls > 0), 0), shown = MIN((int)head->len, room);
    for (int i = (int)head->len - shown; i < (int)head->len; i++)
        g_ptr_array_add(out, row_ref(head->pdata[i]));
    calls_live_rows(self, cells, max_rows - shown, step, out);
}
