/*
 * The live area, put together of its parts, and the frame that draws it (tui §4.1, §4.2).
 */
#include "tui/control/draft.h"
#include "tui/control/layout.h"
#include "tui/control/opening.h"
#include "tui/control/tui_own.h"

#include "base/timefmt.h"
#include "tui/screen/backlog.h"
#include "tui/text/wrap.h"
#include "tui/view/dialog.h"
#include "tui/view/pending.h"
#include "tui/view/todo_panel.h"
#include "tui/view/watch_panel.h"
#include "tui/view/working.h"

enum {
    MANY_ROWS = 1000, // more than any window has
    PENDING_ROWS = 5,
    BLOCK_ROWS = 12,
    HINT_ROWS = 3,
    BESIDE_PANEL = 8,      // rows of the others that a panel leaves,
    LEAST_PANEL_ROWS = 14, // unless it had less than these:
    LEFT_BY_PANEL = 3,     // then the rule, the editor and the status line
    MIN_EDITOR_ROWS = 3,
    FRAME_HISTORY_BYTES = LIMIT_TERMINAL_QUEUE / 2, // the live area has the other half
};

typedef struct Frame { // being put together
    Tui *tui;
    TerminalSize size;
    GPtrArray *parts[PART_COUNT];  // rows, as many as the part would like
    int cursor_row, cursor_column; // in the part that has it
    LivePart cursor_part;
} Frame;

static int live_width(const Frame *self)
{
    return CLAMP(self->size.columns - 1, 1, LIVE_WIDTH);
}

static void compose_append(GPtrArray *out, const GPtrArray *rows)
{
    for (unsigned i = 0; i < rows->len; i++)
        g_ptr_array_add(out, row_ref(rows->pdata[i]));
}

// ---- the parts, as they would like to be ----

static void make_pending(Frame *self)
{
    const json_t *queued = self->tui->run->queued;
    if (queued)
        pending_rows(json_get_array(queued, "steering"), json_get_array(queued, "followUp"),
                     self->tui->look->theme, live_width(self), PENDING_ROWS,
                     self->parts[PART_PENDING]);
}

static void make_working(Frame *self)
{
    static const WorkingKind kinds[] = {
        [WAITS_NOT] = WORKING_ON,
        [WAITS_RETRY] = WORKING_RETRY,
        [WAITS_COMPACTION] = WORKING_COMPACTION,
        [WAITS_SUMMARY] = WORKING_SUMMARY,
    };
    const TuiRun *run = self->tui->run;
    gint64 now = time_monotonic_ms();
    WorkingFacts facts = {
        .kind = run->waits == WAITS_NOT && run->is_shell_on && !run->is_on ? WORKING_COMMAND
                                                                           : kinds[run->waits],
        .intent = run->intent,
        .attempt = run->attempt,
        .max_attempts = run->max_attempts,
        .wait_ms = MAX(0, run->retry_at - now),
        .elapsed_ms = run->begun_at > 0 ? now - run->begun_at : 0,
        .is_stopping = run->is_stopping,
        .has_motion = self->tui->look->has_motion,
    };
    if (tui_is_busy(self->tui))
        g_ptr_array_add(
            self->parts[PART_WORKING],
            working_row(&facts, self->tui->look->theme, self->tui->look->step, live_width(self)));
    if (self->tui->run->hint) {
        const WrapSpec spec = { .width = live_width(self) };
        g_autoptr(GPtrArray) rows = rows_new();
        wrap_text(self->tui->run->hint, (Style) { .fg = TOKEN_DIM }, &spec, rows);
        g_ptr_array_set_size(rows, (gint)MIN(rows->len, HINT_ROWS));
        compose_append(self->parts[PART_WORKING], rows);
    }
}

static void make_todo(Frame *self)
{
    const json_t *phases = json_get_array(tui_snapshot(self->tui), "todoPhases");
    if (json_array_size(phases) > 0)
        todo_panel_rows(phases, false, self->tui->look->theme, live_width(self),
                        self->parts[PART_TODO]);
}

static const char *mode_name(const Tui *tui)
{
    const char *mode = json_get_text(tui->run->snapshot, "mode");
    if (g_strcmp0(mode, "plan_paused") == 0)
        return "plan paused";
    return g_strcmp0(mode, "none") != 0 ? mode : NULL;
}

static void fill_costs(Tui *tui, StatusFacts *facts)
{
    const json_t *stats = tui_stats(tui), *tokens = json_get_object(stats, "tokens");
    facts->cost = json_number_value(json_object_get(stats, "cost"));
    facts->tokens_in = json_get_int(tokens, "input", 0);
    facts->tokens_out = json_get_int(tokens, "output", 0);
    facts->cache_read = json_get_int(tokens, "cacheRead", 0);
    facts->cache_write = json_get_int(tokens, "cacheWrite", 0);
}

static StatusFacts status_facts(Tui *tui)
{
    const json_t *state = tui_snapshot(tui), *model = json_get_object(state, "model");
    const json_t *usage = json_get_object(state, "contextUsage");
    const json_t *percent = json_object_get(usage, "percent");
    const GitFacts *git = git_state_facts(tui->run->git);
    StatusFacts facts = {
        .provider = json_get_text(model, "provider"),
        .model = json_get_text(model, "id"),
        .thinking = json_get_text(state, "thinkingLevel"),
        .mode = mode_name(tui),
        .vim = tui_vim(tui) ? vim_label(tui->input->vim) : NULL,
        .cwd = tui->slash.place.cwd,
        .home = g_get_home_dir(),
        .session_name = json_get_text(state, "sessionName"),
        .host = g_get_host_name(),
        .branch = git->branch,
        .staged = git->staged,
        .unstaged = git->unstaged,
        .untracked = git->untracked,
        .notice = tui->panels->is_asking ? "a question waits" : tui->run->progress,
        .context_window = json_get_int(usage, "contextWindow", 0),
        .context_percent = json_is_number(percent) ? json_number_value(percent) : -1,
        .tokens_per_second = -1,
        .elapsed_ms = tui->run->begun_at > 0 ? time_monotonic_ms() - tui->run->begun_at : 0,
    };
    fill_costs(tui, &facts);
    return facts;
}

static ThemeToken border_token(const Tui *tui)
{
    switch (editor_mode(tui->input->editor)) {
    case EDITOR_BASH:
    case EDITOR_BASH_PRIVATE:
        return TOKEN_BASH_MODE;
    case EDITOR_PYTHON:
    case EDITOR_PYTHON_PRIVATE:
        return TOKEN_PYTHON_MODE;
    case EDITOR_MESSAGE:
        break;
    }
    return TOKEN_BORDER;
}

static void make_status(Frame *self)
{
    const StatusFacts facts = status_facts(self->tui);
    g_ptr_array_add(self->parts[PART_RULE], status_rule(&facts, self->tui->look->theme,
                                                        border_token(self->tui), live_width(self)));
    g_ptr_array_add(
        self->parts[PART_STATUS],
        status_row(self->tui->look->status, &facts, self->tui->look->theme, self->size.columns));
}

// ---- parts whose rows depend on how many they get: made once they know ----

static bool covers_editor(const Tui *tui)
{
    return tui->panels->panel && tui->panels->panel->class->covers_editor;
}

static void make_blocks(Frame *self, int rows)
{
    Tui *tui = self->tui;
    GPtrArray *out = self->parts[PART_BLOCKS];
    g_ptr_array_set_size(out, 0);
    if (rows > 0 && tui->run->welcome)
        compose_append(out, tui->run->welcome->len > (guint)rows ? tui->run->short_welcome
                                                                 : tui->run->welcome);
    else if (rows > 0)
        transcript_live_rows(tui->run->transcript, live_width(self), rows, tui->look->step, out);
    g_autofree char *output = rows > 0 ? agent_session_bash_output(tui->run->session) : NULL;
    if (output && tui->run->shell)
        transcript_shell_rows(tui->run->transcript, tui->run->shell, output, live_width(self), rows,
                              out);
    if (out->len > (guint)MAX(rows, 0)) // the end of it
        g_ptr_array_remove_range(out, 0, out->len - (guint)MAX(rows, 0));
}

static void make_editor(Frame *self, int rows)
{
    GPtrArray *out = self->parts[PART_EDITOR];
    g_ptr_array_set_size(out, 0);
    if (rows > 0)
        editor_rows(self->tui->input->editor, self->size.columns, rows, out, &self->cursor_row,
                    &self->cursor_column);
}

static void make_list(Frame *self, int rows)
{
    Tui *tui = self->tui;
    GPtrArray *out = self->parts[PART_LIST];
    int row = -1, column = 0;
    g_ptr_array_set_size(out, 0);
    if (rows <= 0)
        return;
    if (tui->panels->panel)
        tui->panels->panel->class->rows(tui->panels->panel, self->size.columns, rows, out, &row,
                                        &column);
    else
        completer_rows(tui->input->completer, self->size.columns, rows, out);
    if (row < 0)
        return;
    self->cursor_part = PART_LIST;
    self->cursor_row = row;
    self->cursor_column = column;
}

// ---- the whole ----

static void count_rows(const Frame *self, LiveLayout *layout)
{
    for (int part = 0; part < PART_COUNT; part++)
        layout->rows[part] = (int)self->parts[part]->len;
}

/* Small windows have the editor alone (tui §4.1). */
static void make_small(Frame *self)
{
    for (int part = 0; part < PART_COUNT; part++)
        g_ptr_array_set_size(self->parts[part], 0);
    if (self->size.columns < 4)
        return;
    self->cursor_part = PART_EDITOR;
    if (self->tui->panels->panel)
        make_list(self, MAX(1, self->size.rows - 1));
    else
        make_editor(self, 1);
}

static void make_parts(Frame *self)
{
    Tui *tui = self->tui;
    int room = self->size.rows - 1, third = MAX(MIN_EDITOR_ROWS, self->size.rows / 3);
    LiveLayout layout = { 0 };
    if (self->size.columns < LIVE_MIN_COLUMNS || self->size.rows < LIVE_MIN_ROWS) {
        make_small(self);
        return;
    }
    make_pending(self);
    make_working(self);
    make_todo(self);
    watch_panel_rows(tui->run->watched, tui->look->theme, live_width(self),
                     self->parts[PART_WATCH]);
    make_status(self);
    make_blocks(self, tui->run->welcome ? MANY_ROWS : BLOCK_ROWS);
    int panel = MIN(MAX(room - BESIDE_PANEL, LEAST_PANEL_ROWS), room - LEFT_BY_PANEL);
    make_list(self, tui->panels->panel ? MAX(third, panel) : third);
    if (!covers_editor(tui))
        make_editor(self, third);
    count_rows(self, &layout);
    layout_fit(&layout, room, tui->panels->panel != NULL);
    self->cursor_part = PART_EDITOR;
    make_blocks(self, layout.rows[PART_BLOCKS]);
    if (!covers_editor(tui))
        make_editor(self, layout.rows[PART_EDITOR]);
    make_list(self, layout.rows[PART_LIST]);
    for (int part = 0; part < PART_COUNT; part++) {
        if (self->parts[part]->len > (guint)layout.rows[part])
            g_ptr_array_set_size(self->parts[part], layout.rows[part]);
    }
}

/* What stands above the cursor is narrow (tui §1 rule 3), and nothing is wider than the window. */
static void join_parts(Frame *self, LiveArea *ret_area)
{
    int cursor = self->cursor_row;
    for (int part = 0; part < (int)self->cursor_part; part++)
        cursor += (int)self->parts[part]->len;
    for (int part = 0; part < PART_COUNT; part++) {
        bool is_narrow = part < PART_EDITOR;
        int width = is_narrow ? live_width(self) : self->size.columns;
        for (unsigned i = 0; i < self->parts[part]->len; i++)
            g_ptr_array_add(ret_area->rows, row_cut(self->parts[part]->pdata[i], width));
    }
    ret_area->cursor_row = CLAMP(cursor, 0, MAX(0, (int)ret_area->rows->len - 1));
    ret_area->cursor_column = CLAMP(self->cursor_column, 0, self->size.columns - 1);
}

static void frame_clear(Frame *self)
{
    for (int part = 0; part < PART_COUNT; part++)
        g_clear_pointer(&self->parts[part], g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Frame, frame_clear)

static void tui_compose(Tui *tui, TerminalSize size, LiveArea *ret_area)
{
    g_auto(Frame) frame = { .tui = tui, .size = size };
    for (int part = 0; part < PART_COUNT; part++)
        frame.parts[part] = rows_new();
    make_parts(&frame);
    join_parts(&frame, ret_area);
}

/* Rows for good: the welcome, when something comes after it, and what was said, as much of it as
   one frame takes. The rest comes with the next. */
static GPtrArray *take_history(Tui *self)
{
    g_autoptr(GPtrArray) said = rows_new();
    transcript_take_rows(self->run->transcript, said);
    if (self->run->welcome && (self->run->is_welcome_over || said->len > 0)) {
        compose_append(self->run->history, self->run->welcome);
        opening_drop_welcome(self);
    }
    compose_append(self->run->history, said);
    return backlog_take(self->run->history, FRAME_HISTORY_BYTES);
}

bool tui_draw(void *self_)
{
    Tui *self = self_;
    tui_free_old_panels(self);
    draft_note(self);
    if (terminal_is_busy(self->look->terminal))
        return false;
    if (self->panels->viewer)
        return true;
    TerminalSize size = terminal_size(self->look->terminal);
    if (size.columns != self->look->width) {
        transcript_set_width(self->run->transcript, size.columns);
        opening_lay_out(self);
    }
    look_own(self)->width = size.columns;
    tui_note_cells(self, size);

    g_autoptr(GPtrArray) history = take_history(self), rows = rows_new();
    g_autoptr(GString) bytes = g_string_new(NULL);
    LiveArea area = { .rows = rows };
    tui_compose(self, size, &area);
    screen_draw(self->look->screen, size, history, &area, bytes);
    if (bytes->len > 0)
        terminal_write(self->look->terminal, bytes->str, bytes->len);
    if (self->panels->is_asking && !self->panels->is_question_drawn) { // from now on it can be read
        dialog_note_focus(self->panels->panel, time_monotonic_ms());
        tui_note_question_drawn(self);
    }
    if (self->run->history->len > 0)
        frame_request(self->look->frames, FRAME_NOW);
    return true;
}
