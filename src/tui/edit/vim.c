/*
 * The vim keys (vim.h): from keys to whole commands. What commands do is in vim_command.c.
 *
 * Escape needs no time of its own here: the decoder of the terminal's bytes has decided before what
 * is Escape and what begins a longer key (tui §6). What it cannot know is whether Alt with a key
 * was Escape and that key, which came together over a slow line: it was, where the key means
 * nothing.
 */
#include "tui/edit/vim_state.h"

#include <string.h>

Vim *vim_new(Editor *editor)
{
    Vim *self = g_new0(Vim, 1);
    self->editor = editor;
    self->text = editor_buffer(editor);
    self->registers = vim_registers_new();
    self->typed = g_string_new(NULL);
    self->label = g_string_new(NULL);
    vim_begin(self);
    return self;
}

void vim_free(Vim *self)
{
    if (!self)
        return;
    editor_select(self->editor, 0, 0);
    vim_undo_clear(self);
    vim_registers_free(self->registers);
    piece_free(self->dot_text);
    g_string_free(self->typed, TRUE);
    g_string_free(self->label, TRUE);
    g_free(self);
}

/* Nothing of a command is there. */
static void vim_forget(Vim *self)
{
    self->now = (VimCommand) { 0 };
    self->awaits = AWAITS_KEY;
    g_string_truncate(self->typed, 0);
}

static void show_selection(const Vim *self)
{
    VimSpan span = { 0 };
    if (self->mode == VIM_VISUAL || self->mode == VIM_LINES)
        span = vim_selection(self);
    editor_select(self->editor, span.start, span.end);
}

void vim_begin(Vim *self)
{
    vim_forget(self);
    self->mode = VIM_NORMAL;
    self->last_mode = VIM_INSERT;
    self->goal = -1;
    vim_undo_begin(self);
    vim_insert(self, editor_cursor(self->editor), 1, false);
    show_selection(self);
}

bool vim_is_inserting(const Vim *self)
{
    return self->mode == VIM_INSERT;
}

const char *vim_label(Vim *self)
{
    static const char *const names[] = { "INSERT", "NORMAL", "VISUAL", "V-LINE" };
    g_string_assign(self->label, names[self->mode]);
    if (self->typed->len > 0)
        g_string_append_printf(self->label, " %s", self->typed->str);
    return self->label->str;
}

// ---- whole commands ----

static bool is_change(const VimCommand *command)
{
    if (command->verb != 0)
        return command->verb != 'y';
    if (command->selected != VIM_INSERT)
        return command->key != 'y' && command->key != 'Y';
    return command->key < 0x80 && strchr("xXDCsSpPJr~iIaAoO", (int)command->key) != NULL;
}

/* The last change once more, with another count if there is one. */
static EditorResult repeat_change(Vim *self, int count)
{
    if (self->dot.key == 0 && self->dot.verb == 0)
        return EDITOR_MOVED;
    if (count > 0) {
        self->dot.count = count;
        self->dot.inner = 0;
    }
    if (self->dot.name >= '1' && self->dot.name < '9') // the one before, each time
        self->dot.name++;
    self->is_repeating = true;
    EditorResult result = vim_execute(self, &self->dot);
    if (self->mode == VIM_INSERT) {
        size_t at = editor_cursor(self->editor);
        if (self->dot_text && self->dot_text->size > 0 &&
            editor_put(self->editor, at, at, self->dot_text, at) == EDITOR_CHANGED) {
            editor_move(self->editor, at + self->dot_text->size);
            result = EDITOR_CHANGED;
        }
        vim_end_insert(self);
    }
    self->is_repeating = false;
    return result;
}

/* In the other modes than that of inserting, the cursor is on a character. */
static void settle_cursor(Vim *self)
{
    size_t at = editor_cursor(self->editor), last = vim_last_of_line(self->text, at);
    if (self->mode != VIM_INSERT && at > last)
        editor_move(self->editor, last);
}

static EditorResult run_command(Vim *self)
{
    const VimCommand command = self->now;
    int count = command.count;
    EditorResult result;
    if (self->mode == VIM_NORMAL && command.verb == 0 && !command.is_after_g &&
        (command.key == '.' || command.key == 'u')) {
        result =
            command.key == '.' ? repeat_change(self, count) : vim_undo_step(self, MAX(count, 1));
    } else {
        bool is_selected = self->mode != VIM_NORMAL;
        if (!is_selected && is_change(&command))
            self->dot = command;
        result = vim_execute(self, &command);
    }
    if (self->mode != VIM_INSERT)
        vim_undo_note(self);
    vim_forget(self);
    return result;
}

// ---- from keys ----

static bool is_operator(uint32_t c, bool is_after_g)
{
    return c < 0x80 && c != 0 && strchr(is_after_g ? "uU~" : "dcy<>", (int)c) != NULL;
}

static bool is_selecting(const Vim *self)
{
    return self->mode == VIM_VISUAL || self->mode == VIM_LINES;
}

static bool add_digit(Vim *self, uint32_t c)
{
    int *count = self->now.verb != 0 ? &self->now.inner : &self->now.count;
    if (c < '0' || c > '9' || (c == '0' && *count == 0))
        return false;
    *count = MIN(*count * 10 + (int)(c - '0'), LIMIT_VIM_COUNT);
    return true;
}

static EditorResult vim_await(Vim *self, VimAwaits awaits)
{
    self->awaits = awaits;
    return EDITOR_MOVED;
}

static EditorResult vim_cancel(Vim *self)
{
    vim_forget(self);
    return EDITOR_MOVED;
}

static EditorResult take_operator(Vim *self, uint32_t c)
{
    if (is_selecting(self)) {
        self->now.verb = c;
        return run_command(self);
    }
    if (self->now.verb != 0 && self->now.verb != c)
        return vim_cancel(self);
    self->now.is_double = self->now.verb == c;
    self->now.verb = c;
    self->now.is_after_g = false;
    return self->now.is_double ? run_command(self) : vim_await(self, AWAITS_KEY);
}

/* The key that makes the command whole, but for a character after it. */
static EditorResult take_last(Vim *self, uint32_t c)
{
    const VimMotion *motion = vim_motion_find(c, self->now.is_after_g);
    self->now.key = c;
    if ((motion && motion->takes_character) || (c == 'r' && self->now.verb == 0))
        return vim_await(self, AWAITS_CHARACTER);
    bool is_repeat = c == ';' || c == ',';
    if (self->now.verb != 0 && !motion && !is_repeat && !is_selecting(self))
        return vim_cancel(self);
    return run_command(self);
}

static EditorResult take_key(Vim *self, uint32_t c)
{
    VimCommand *now = &self->now;
    if (add_digit(self, c))
        return EDITOR_MOVED;
    if (c == '"' && now->verb == 0)
        return vim_await(self, AWAITS_REGISTER);
    if (c == 'g')
        return vim_await(self, AWAITS_G);
    bool is_case = now->verb == 'u' || now->verb == 'U' || now->verb == '~';
    if (is_operator(c, false) || (is_case && c == now->verb))
        return take_operator(self, c);
    if ((c == 'i' || c == 'a') && (now->verb != 0 || is_selecting(self))) {
        now->is_object = true;
        now->is_around = c == 'a';
        return vim_await(self, AWAITS_OBJECT);
    }
    return take_last(self, c);
}

static EditorResult vim_take(Vim *self, uint32_t c)
{
    VimAwaits awaits = self->awaits;
    self->awaits = AWAITS_KEY;
    switch (awaits) {
    case AWAITS_REGISTER:
        self->now.name = c;
        return vim_register_is_name(c) ? EDITOR_MOVED : vim_cancel(self);
    case AWAITS_G:
        self->now.is_after_g = true;
        return is_operator(c, true) ? take_operator(self, c) : take_last(self, c);
    case AWAITS_OBJECT:
        self->now.key = c;
        return run_command(self);
    case AWAITS_CHARACTER:
        self->now.argument = c;
        return c < KEY_ENTER ? run_command(self) : vim_cancel(self);
    case AWAITS_KEY:
        break;
    }
    return take_key(self, c);
}

// ---- keys that come ----

static bool has_begun(const Vim *self)
{
    return self->typed->len > 0 || self->awaits != AWAITS_KEY;
}

static EditorResult take_escape(Vim *self)
{
    if (self->mode == VIM_INSERT)
        return vim_end_insert(self);
    if (!has_begun(self) && !is_selecting(self))
        return EDITOR_UNUSED;
    bool was_begun = has_begun(self);
    vim_forget(self);
    if (!was_begun || is_selecting(self))
        vim_select(self, VIM_NORMAL);
    return EDITOR_MOVED;
}

/* What the key is here; 0: not vim's. */
static uint32_t vim_code(const Vim *self, KeyPress key)
{
    bool is_row = key.code == KEY_UP || key.code == KEY_DOWN;
    if ((key.mods & (MOD_CTRL | MOD_SUPER)) != 0)
        return 0;
    if (key.code == KEY_DELETE)
        return 'x';
    if (is_row && !has_begun(self) && !is_selecting(self))
        return 0; // rows of the screen, and what was asked before
    if (is_row || key.code == KEY_LEFT || key.code == KEY_RIGHT || key.code == KEY_HOME ||
        key.code == KEY_END || key.code == KEY_BACKSPACE)
        return key.mods == 0 ? key.code : 0;
    return key.code < KEY_ENTER ? key_character(key) : 0;
}

static void show_typed(Vim *self, uint32_t c)
{
    enum { SHOWN_BYTES = 12 };
    if (c < KEY_ENTER && self->typed->len < SHOWN_BYTES)
        g_string_append_unichar(self->typed, c);
}

static EditorResult press_command_key(Vim *self, KeyPress key)
{
    vim_undo_note(self); // what other keys have done
    if (!has_begun(self))
        settle_cursor(self);
    if (key.code == 'r' && key.mods == MOD_CTRL) {
        int count = MAX(self->now.count, 1);
        vim_forget(self);
        return vim_undo_step(self, -count);
    }
    uint32_t c = vim_code(self, key);
    bool is_command = c == '/' || c == '!' || c == '?';
    if (is_command && !has_begun(self) && editor_is_empty(self->editor)) {
        vim_insert(self, 0, 1, false); // it begins a command of the program
        return EDITOR_UNUSED;
    }
    if (c == 0)
        return EDITOR_UNUSED;
    show_typed(self, c);
    return vim_take(self, c);
}

EditorResult vim_press(Vim *self, KeyPress key, bool is_bound, gint64 now_ms)
{
    EditorResult result = EDITOR_UNUSED;
    bool is_two = (key.mods & MOD_ALT) != 0 && !is_bound && key.code < KEY_ENTER &&
                  (key.mods & MOD_CTRL) == 0;
    if (is_two) {
        take_escape(self);
        key.mods &= (uint8_t)~MOD_ALT;
    }
    if (key.code == KEY_ESCAPE && key.mods == 0)
        result = take_escape(self);
    else if (self->mode != VIM_INSERT)
        result = press_command_key(self, key);
    if (self->mode != VIM_INSERT && result != EDITOR_UNUSED)
        settle_cursor(self);
    show_selection(self);
    return result;
}
