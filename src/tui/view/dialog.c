/*
 * Questions to a person (dialog.h): which keys answer, and which ones do not yet (tui §8).
 */
#include "base/utf8.h"
#include "tool/question_edit.h"
#include "tui/view/dialog_private.h"

#define QUIET_MS 400 // after its first frame, and after a key that came too early
#define HELD_MS  40  // the same byte again: the key is held

static void forget_body(Dialog *self)
{
    g_clear_pointer(&self->body, g_ptr_array_unref);
    self->top = 0;
}

static PanelResult dialog_answer(Dialog *self, DialogAnswer how, const char *text)
{
    self->spec.answered(how, text, self->spec.user_data);
    return PANEL_DONE;
}

// ---- what may answer ----

static bool has_focus(const Dialog *self)
{
    return !self->spec.has_focus || self->spec.has_focus(self->spec.user_data);
}

/* Too soon to have been meant as an answer; the next one has to wait as long again, but for who is
   writing a reason. */
static bool is_early(Dialog *self, gint64 now_ms)
{
    bool is_too_soon = now_ms < self->quiet_until || !has_focus(self);
    if (is_too_soon && !self->is_typing)
        self->quiet_until = now_ms + QUIET_MS;
    return is_too_soon;
}

static bool is_held(Dialog *self, KeyPress key, gint64 now_ms)
{
    bool is_same = key.code == self->last_key.code && key.mods == self->last_key.mods;
    bool is_again = is_same && self->last_key_at > 0 && now_ms - self->last_key_at < HELD_MS;
    self->last_key = key;
    self->last_key_at = now_ms;
    return key.is_repeat || is_again;
}

// ---- typing into it ----

static void begin_typing(Dialog *self)
{
    self->is_typing = self->is_entered = true;
    forget_body(self); // what stands above the cursor is narrow
}

static void end_typing(Dialog *self)
{
    self->is_typing = false;
    forget_body(self);
}

/* NULL: nothing that says anything. Caller frees. */
static char *typed_text(const Dialog *self)
{
    g_autofree char *text = editor_text(self->input);
    return utf8_is_blank(text) ? NULL : utf8_trim(text);
}

static PanelResult dialog_submit(Dialog *self)
{
    g_autofree char *text = typed_text(self);
    switch (self->kind) {
    case DIALOG_APPROVAL:
        return dialog_answer(self, DIALOG_REFUSED, text);
    case DIALOG_OPTIONS:
        if (text)
            return dialog_answer(self, DIALOG_CHOSEN, text);
        end_typing(self);
        return PANEL_CHANGED;
    case DIALOG_TEXT:
        break;
    }
    return dialog_answer(self, text ? DIALOG_CHOSEN : DIALOG_PASSED, text);
}

static PanelResult edit_input(Dialog *self, KeyPress key, gint64 now_ms)
{
    const Keymap *keymap = self->spec.keymap ? self->spec.keymap : self->own_keymap;
    Action action = keymap_find(keymap, KEYS_EDITOR, key);
    uint32_t character = key_character(key);
    EditorResult result = EDITOR_UNUSED;
    if (action != ACTION_NONE)
        result = editor_act(self->input, action, now_ms);
    else if (character)
        result = editor_type(self->input, character, now_ms);
    if (action == ACTION_NONE && !character)
        return PANEL_UNUSED;
    return result == EDITOR_CHANGED || result == EDITOR_MOVED ? PANEL_CHANGED : PANEL_TAKEN;
}

/* Escape leads back to the answers, where there are any. */
static PanelResult typing_key(Dialog *self, KeyPress key, Action action, bool can_answer,
                              gint64 now_ms)
{
    bool leads_back = self->kind != DIALOG_TEXT && key.code == KEY_ESCAPE;
    if (action == ACTION_LIST_CANCEL && leads_back) {
        end_typing(self);
        return PANEL_CHANGED;
    }
    if (action == ACTION_LIST_CANCEL)
        return can_answer ? dialog_answer(self, DIALOG_STOP, NULL) : PANEL_TAKEN;
    if (action == ACTION_LIST_ACCEPT)
        return can_answer ? dialog_submit(self) : PANEL_TAKEN;
    return edit_input(self, key, now_ms);
}

static PanelResult dialog_paste(Panel *panel, const char *text, size_t size, bool is_last)
{
    Dialog *self = (Dialog *)panel;
    if (!self->is_typing)
        return PANEL_UNUSED;
    editor_paste(self->input, text, size, is_last);
    return PANEL_CHANGED;
}

// ---- moving in it ----

static PanelResult dialog_scroll(Dialog *self, bool is_down, size_t rows)
{
    size_t before = self->top;
    self->top = is_down ? MIN(self->top + rows, self->hidden) : self->top - MIN(rows, self->top);
    return self->top == before ? PANEL_TAKEN : PANEL_CHANGED;
}

static PanelResult move_mark(Dialog *self, bool is_down)
{
    size_t count = dialog_option_count(self);
    self->option = (self->option + (is_down ? 1 : count - 1)) % count;
    return PANEL_CHANGED;
}

static PanelResult dialog_move(Dialog *self, Action action)
{
    bool is_down =
        action == ACTION_LIST_DOWN || action == ACTION_LIST_PAGE_DOWN || action == ACTION_LIST_LAST;
    size_t page = MAX(self->page, 2) - 1;
    self->is_entered = true;
    switch (action) {
    case ACTION_LIST_UP:
    case ACTION_LIST_DOWN:
        return self->kind == DIALOG_OPTIONS ? move_mark(self, is_down)
                                            : dialog_scroll(self, is_down, 1);
    case ACTION_LIST_PAGE_UP:
    case ACTION_LIST_PAGE_DOWN:
        return dialog_scroll(self, is_down, page);
    default:
        return dialog_scroll(self, is_down, self->hidden);
    }
}

static PanelResult dialog_enter(Dialog *self, bool is_entered)
{
    self->is_entered = is_entered;
    self->is_left = !is_entered;
    if (is_entered && self->kind == DIALOG_TEXT)
        begin_typing(self);
    return PANEL_CHANGED;
}

// ---- answers of one key ----

/* What stands on the screen under that number; of many, when no further digit can follow. */
static PanelResult take_digit(Dialog *self, unsigned digit)
{
    size_t count = dialog_option_count(self), number = self->number * 10 + digit;
    if (number > count)
        number = digit;
    if (number == 0 || number > count) {
        self->number = 0;
        return PANEL_TAKEN;
    }
    self->number = number;
    self->option = number - 1;
    if (number * 10 <= count)
        return PANEL_CHANGED;
    return dialog_answer(self, DIALOG_CHOSEN, dialog_option(self, self->option));
}

static PanelResult dialog_explain(Dialog *self)
{
    self->is_explained = !self->is_explained;
    forget_body(self);
    return PANEL_CHANGED;
}

/* Only what the person could read in full. */
static PanelResult allow_for_session(Dialog *self)
{
    if (!dialog_allowance(self) || self->is_allowance_cut)
        return PANEL_UNUSED;
    return dialog_answer(self, DIALOG_ALLOWED_SESSION, NULL);
}

/* It stays until the person comes back from their editor. */
static PanelResult dialog_edit(Dialog *self)
{
    if (!question_editable(json_get_object(self->question, "arguments")))
        return PANEL_UNUSED;
    self->spec.answered(DIALOG_EDIT, NULL, self->spec.user_data);
    return PANEL_TAKEN;
}

static PanelResult approval_letter(Dialog *self, uint32_t letter)
{
    switch (letter) {
    case 'y':
        return dialog_answer(self, DIALOG_ALLOWED, NULL);
    case 's':
        return allow_for_session(self);
    case 'n':
        return dialog_answer(self, DIALOG_REFUSED, NULL);
    case 't':
        begin_typing(self);
        return PANEL_CHANGED;
    case 'e':
        return dialog_edit(self);
    case '?':
        return dialog_explain(self);
    default:
        return PANEL_UNUSED;
    }
}

static PanelResult option_letter(Dialog *self, uint32_t letter)
{
    if (letter >= '0' && letter <= '9')
        return take_digit(self, letter - '0');
    if (letter == 'p')
        return dialog_answer(self, DIALOG_PASSED, NULL);
    if (letter != 't')
        return PANEL_UNUSED;
    begin_typing(self);
    return PANEL_CHANGED;
}

static PanelResult accept_default(Dialog *self)
{
    switch (self->kind) {
    case DIALOG_APPROVAL:
        return dialog_answer(self, DIALOG_REFUSED, NULL);
    case DIALOG_OPTIONS:
        return dialog_answer(self, DIALOG_CHOSEN, dialog_option(self, self->option));
    case DIALOG_TEXT:
        break;
    }
    return dialog_answer(self, DIALOG_PASSED, NULL);
}

static PanelResult active_key(Dialog *self, KeyPress key, Action action, gint64 now_ms)
{
    uint32_t letter = key_character(key);
    if (action == ACTION_LIST_ACCEPT)
        return accept_default(self);
    if (action != ACTION_NONE || !letter)
        return PANEL_UNUSED;
    switch (self->kind) {
    case DIALOG_APPROVAL:
        return approval_letter(self, letter);
    case DIALOG_OPTIONS:
        return option_letter(self, letter);
    case DIALOG_TEXT:
        break;
    }
    begin_typing(self);
    return edit_input(self, key, now_ms);
}

// ---- keys ----

static bool is_move(Action action)
{
    return action == ACTION_LIST_UP || action == ACTION_LIST_DOWN ||
           action == ACTION_LIST_PAGE_UP || action == ACTION_LIST_PAGE_DOWN ||
           action == ACTION_LIST_FIRST || action == ACTION_LIST_LAST;
}

/* What would be typed, or would answer, does not leave a question that the person is in. */
static PanelResult dialog_unused(const Dialog *self, KeyPress key, Action action)
{
    bool would_do =
        key_character(key) != 0 || action == ACTION_LIST_ACCEPT || action == ACTION_LIST_CANCEL;
    return self->is_entered && would_do ? PANEL_TAKEN : PANEL_UNUSED;
}

static PanelResult dialog_key(Panel *panel, KeyPress key, Action action, gint64 now_ms)
{
    Dialog *self = (Dialog *)panel;
    bool was_early = is_early(self, now_ms), was_held = is_held(self, key, now_ms);
    bool can_answer = !was_early && !was_held, is_digit = g_ascii_isdigit((int)MIN(key.code, 127));
    if (self->is_typing && action == ACTION_LIST_TAB && !was_held) {
        end_typing(self);
        return dialog_enter(self, false);
    }
    if (self->is_typing)
        return typing_key(self, key, action, can_answer, now_ms);
    if (was_early)
        return dialog_unused(self, key, action);
    if (!is_digit)
        self->number = 0;
    if (action == ACTION_LIST_CANCEL)
        return can_answer ? dialog_answer(self, DIALOG_STOP, NULL)
                          : dialog_unused(self, key, action);
    if (action == ACTION_LIST_TAB)
        return was_held ? dialog_unused(self, key, action) : dialog_enter(self, !self->is_entered);
    if (!dialog_is_active(self))
        return action == ACTION_LIST_UP && !was_held ? dialog_enter(self, true) : PANEL_UNUSED;
    if (is_move(action))
        return dialog_move(self, action);
    PanelResult result = can_answer ? active_key(self, key, action, now_ms) : PANEL_UNUSED;
    return result == PANEL_UNUSED ? dialog_unused(self, key, action) : result;
}

// ---- the panel ----

static void dialog_set_theme(Panel *panel, const Theme *theme)
{
    Dialog *self = (Dialog *)panel;
    self->spec.theme = theme;
    forget_body(self);
}

static void dialog_free(Panel *panel)
{
    Dialog *self = (Dialog *)panel;
    if (self->spec.freed)
        self->spec.freed(self->spec.user_data);
    forget_body(self);
    editor_free(self->input);
    keymap_free(self->own_keymap);
    json_decref(self->question);
    g_free(self);
}

static DialogKind kind_of(const json_t *question)
{
    if (!json_get_text(question, "method"))
        return DIALOG_APPROVAL;
    return json_array_size(json_get_array(question, "options")) > 0 ? DIALOG_OPTIONS : DIALOG_TEXT;
}

Panel *dialog_new(const DialogSpec *spec)
{
    static const PanelClass class = { .rows = dialog_rows,
                                      .key = dialog_key,
                                      .free = dialog_free,
                                      .paste = dialog_paste,
                                      .set_theme = dialog_set_theme };
    Dialog *self = g_new0(Dialog, 1);
    const char *prefill = json_get_text(spec->question, "prefill");
    gint64 marked = json_get_int(spec->question, "marked", 0);
    self->panel.class = &class;
    self->spec = *spec;
    self->question = json_incref((json_t *)spec->question);
    self->kind = kind_of(spec->question);
    self->own_keymap = spec->keymap ? NULL : keymap_load(NULL, NULL);
    self->input = editor_new(spec->tab_width);
    if (prefill)
        editor_set_text(self->input, prefill);
    if (marked > 0 && (size_t)marked < dialog_option_count(self))
        self->option = (size_t)marked;
    if (spec->shown_at_ms > 0)
        self->quiet_until = spec->shown_at_ms + QUIET_MS;
    else
        dialog_enter(self, true);
    return &self->panel;
}

void dialog_note_focus(Panel *panel, gint64 now_ms)
{
    Dialog *self = (Dialog *)panel;
    self->quiet_until = MAX(self->quiet_until, now_ms + QUIET_MS);
}

void dialog_set_waiting(Panel *panel, size_t waiting)
{
    ((Dialog *)panel)->spec.waiting = waiting;
}
