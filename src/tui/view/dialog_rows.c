/*
 * Questions as rows (dialog_private.h): what is asked, what can be chosen, what is typed, and which
 * keys answer. What is asked gives way first; it can be scrolled.
 */
#include "tool/question_edit.h"
#include "tui/text/width.h"
#include "tui/text/wrap.h"
#include "tui/view/dialog_private.h"

#define MAX_INPUT_ROWS  5
#define MAX_ABOVE_CELLS 60 // above the cursor (tui §1, decision 3)

typedef struct Sheet { // the parts, before there is known to be room for them
    GPtrArray *options, *input, *foot;
    size_t marked, marked_end; // rows of the marked option
    int input_row, input_column;
} Sheet;

static void sheet_init(Sheet *self)
{
    self->options = rows_new();
    self->input = rows_new();
    self->foot = rows_new();
}

static void sheet_clear(Sheet *self)
{
    g_ptr_array_unref(self->options);
    g_ptr_array_unref(self->input);
    g_ptr_array_unref(self->foot);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sheet, sheet_clear)

// ---- the parts ----

static void make_body(Dialog *self, int width)
{
    if (self->body && self->body_width == width)
        return;
    g_clear_pointer(&self->body, g_ptr_array_unref);
    self->body = rows_new();
    self->body_width = width;
    dialog_body_rows(self->question, self->is_explained, self->spec.tab_width, width, self->body);
}

static void make_option(const Dialog *self, size_t index, int width, Sheet *sheet)
{
    bool is_marked = index == self->option;
    const char *mark = theme_symbol(self->spec.theme, SYMBOL_CURSOR);
    g_autofree char *text = dialog_clean(dialog_option(self, index), self->spec.tab_width);
    g_autofree char *number = g_strdup_printf("%zu. ", index + 1);
    g_autoptr(RowBuilder) builder = row_builder_new();
    if (is_marked)
        row_builder_add(builder, mark, -1, (Style) { .fg = TOKEN_ACCENT }, NULL);
    row_builder_fill(builder, text_cells(mark, strlen(mark)) + 1, (Style) { 0 });
    row_builder_add(builder, number, -1, (Style) { .fg = TOKEN_MUTED }, NULL);
    g_autoptr(Row) first = row_builder_take(builder);
    row_builder_fill(builder, first->cells, (Style) { 0 });
    g_autoptr(Row) rest = row_builder_take(builder);
    const WrapSpec spec = { .width = width, .first = first, .rest = rest };
    const Style style = { .fg = is_marked ? TOKEN_ACCENT : TOKEN_TEXT };
    if (is_marked)
        sheet->marked = sheet->options->len;
    wrap_text(text, style, &spec, sheet->options);
    if (is_marked)
        sheet->marked_end = sheet->options->len;
}

static void make_options(const Dialog *self, int width, Sheet *sheet)
{
    for (size_t i = 0; !self->is_typing && i < dialog_option_count(self); i++)
        make_option(self, i, width, sheet);
}

/* "[y] once": the key stands out. */
static void add_answer(const char *answer, bool is_active, int width, RowBuilder *line,
                       GPtrArray *out)
{
    const Style key = { .fg = is_active ? TOKEN_ACCENT : TOKEN_DIM,
                        .attributes = is_active ? STYLE_BOLD : 0 };
    const Style word = { .fg = is_active ? TOKEN_TEXT : TOKEN_DIM };
    int cells = text_cells(answer, strlen(answer)), used = row_builder_cells(line);
    size_t size = *answer == '[' ? strcspn(answer, "]") + 1 : 0;
    if (used > 0 && used + 2 + cells > width) {
        g_ptr_array_add(out, row_builder_take(line));
        used = 0;
    }
    if (used > 0)
        row_builder_fill(line, used + 2, (Style) { 0 });
    row_builder_add(line, answer, (gssize)size, key, NULL);
    row_builder_add(line, answer + size, -1, word, NULL);
}

/* The answers of a question whether a call may run. */
static void add_approvals(const Dialog *self, int width, RowBuilder *line, GPtrArray *out)
{
    const json_t *arguments = json_get_object(self->question, "arguments");
    const struct {
        const char *answer;
        bool is_there;
    } answers[] = {
        { "[y] once", true },
        { "[s] this session", dialog_allowance(self) != NULL },
        { "[n] no", true },
        { "[t] no, and tell it…", true },
        { "[e] edit", question_editable(arguments) != NULL },
        { self->is_explained ? "[?] less" : "[?] explain", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        if (answers[i].is_there)
            add_answer(answers[i].answer, dialog_is_active(self), width, line, out);
    }
}

static const char *const *answers_of(const Dialog *self)
{
    static const char *const options[] = { "[Enter] takes the marked one", "[t] own words",
                                           "[p] no answer", NULL };
    static const char *const checks[] = { "[Enter] checks or unchecks it", "[t] own words",
                                          "[p] no answer", NULL };
    static const char *const text[] = { "[Enter] answers", "empty: no answer", NULL };
    static const char *const reason[] = { "[Enter] no, with this reason", "[Esc] back", NULL };
    static const char *const words[] = { "[Enter] answers this", "[Esc] back", NULL };
    switch (self->kind) {
    case DIALOG_APPROVAL:
        return reason;
    case DIALOG_OPTIONS:
        if (self->is_typing)
            return words;
        return (gint64)self->option < json_get_int(self->question, "checks", 0) ? checks : options;
    case DIALOG_TEXT:
        break;
    }
    return text;
}

/* What [s] would allow, in full: what is allowed is what this says. */
static void add_allowance(const Dialog *self, int width, GPtrArray *out)
{
    const char *allowance = dialog_allowance(self);
    if (!allowance || self->is_typing)
        return;
    g_autofree char *text = g_strconcat("[s] allows until this session ends: ", allowance, NULL);
    g_autofree char *clean = dialog_clean(text, self->spec.tab_width);
    const WrapSpec spec = { .width = width };
    wrap_text(clean, (Style) { .fg = TOKEN_MUTED }, &spec, out);
}

/* What silence means, and what waits after it. */
static void add_notes(const Dialog *self, int width, RowBuilder *line, GPtrArray *out)
{
    gint64 timeout_ms = json_get_int(self->question, "timeout", 0);
    g_autofree char *wait =
        g_strdup_printf("(%s after %d s)", self->kind == DIALOG_APPROVAL ? "no" : "closed",
                        (int)CLAMP(timeout_ms / 1000, 1, 999999));
    g_autofree char *place = g_strdup_printf("1 of %zu", self->spec.waiting + 1);
    if (timeout_ms > 0)
        add_answer(wait, false, width, line, out);
    if (self->spec.waiting > 0)
        add_answer(place, false, width, line, out);
}

static void make_foot(const Dialog *self, int width, GPtrArray *out)
{
    bool is_active = dialog_is_active(self);
    g_autoptr(RowBuilder) line = row_builder_new();
    bool is_approval = self->kind == DIALOG_APPROVAL && !self->is_typing;
    const char *const *answers = answers_of(self);
    if (is_approval)
        add_approvals(self, width, line, out);
    for (size_t i = 0; !is_approval && answers[i]; i++)
        add_answer(answers[i], is_active, width, line, out);
    add_notes(self, width, line, out);
    g_ptr_array_add(out, row_builder_take(line));
    add_allowance(self, width, out);
    if (is_active)
        return;
    const WrapSpec spec = { .width = width };
    wrap_text("You are writing: Tab or Up goes into the question.", (Style) { .fg = TOKEN_WARNING },
              &spec, out);
}

// ---- what there is room for ----

/* `count` rows from `from` on. */
static void add_rows(const GPtrArray *rows, size_t from, size_t count, int width, GPtrArray *out)
{
    for (size_t i = from; i < rows->len && i < from + count; i++)
        g_ptr_array_add(out, row_cut(rows->pdata[i], width));
}

/* Whole, or a part of it and how much there is besides. */
static void add_body(Dialog *self, size_t room, int width, GPtrArray *out)
{
    size_t count = self->body->len;
    size_t shown = count <= room ? count : room > 1 ? room - 1 : room;
    self->hidden = count - shown;
    self->page = shown;
    self->top = MIN(self->top, self->hidden);
    add_rows(self->body, self->top, shown, width, out);
    if (shown == room || self->hidden == 0)
        return;
    size_t above = self->top, below = self->hidden - self->top;
    g_autofree char *left =
        above > 0 ? g_strdup_printf("… %zu rows above, %zu below (page keys)", above, below)
                  : g_strdup_printf("… %zu more rows (page keys)", below);
    g_autoptr(Row) row = row_of(left, (Style) { .fg = TOKEN_DIM });
    g_ptr_array_add(out, row_cut(row, width));
}

/* The rows around the marked one. */
static void add_options(const Sheet *sheet, size_t room, int width, GPtrArray *out)
{
    size_t count = sheet->options->len, from = 0;
    if (sheet->marked_end > room)
        from = MIN(sheet->marked_end - room, sheet->marked);
    add_rows(sheet->options, MIN(from, count - MIN(room, count)), room, width, out);
}

/* Each part has a row before another one has its second. */
static void dialog_share(const Dialog *self, Sheet *sheet, size_t room, size_t *ret_body,
                         size_t *ret_options, size_t *ret_foot)
{
    size_t body = self->body->len, options = sheet->options->len, foot = sheet->foot->len;
    size_t least = 1 + (options > 0); // of what is asked and what can be chosen
    room = MAX(room, 1);
    *ret_foot = MIN(foot, room - MIN(room, least));
    room -= *ret_foot;
    *ret_options = MIN(options, room - MIN(room, 1));
    if (body + options > room && options > 0)
        *ret_options = MIN(*ret_options, MAX(room / 2, room - MIN(body, room)));
    *ret_body = room - *ret_options;
}

void dialog_rows(Panel *panel, int width, int max_rows, GPtrArray *out, int *ret_row,
                 int *ret_column)
{
    Dialog *self = (Dialog *)panel;
    width = MAX(width, 1);
    int above = self->is_typing ? CLAMP(width - 1, 1, MAX_ABOVE_CELLS) : width;
    size_t room = (size_t)MAX(max_rows, 1), body = 0, options = 0, foot = 0;
    g_auto(Sheet) sheet = { 0 };
    sheet_init(&sheet);
    make_body(self, above);
    make_options(self, width, &sheet);
    make_foot(self, width, sheet.foot);
    if (self->is_typing)
        editor_rows(self->input, width, CLAMP(max_rows - 1, 1, MAX_INPUT_ROWS), sheet.input,
                    &sheet.input_row, &sheet.input_column);
    if (room > sheet.input->len) {
        dialog_share(self, &sheet, room - sheet.input->len, &body, &options, &foot);
        add_body(self, body, above, out);
        add_options(&sheet, options, width, out);
    }
    self->is_allowance_cut = foot < sheet.foot->len;
    *ret_row = self->is_typing ? (int)out->len + sheet.input_row : -1;
    *ret_column = sheet.input_column;
    add_rows(sheet.input, 0, room, width, out);
    add_rows(sheet.foot, 0, foot, width, out);
}
