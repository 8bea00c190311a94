/*
 * A question to a person in a test: what it was answered, with a clock of the test's own.
 */
#pragma once

#include "tui_rows.h"

#include "tui/view/dialog.h"

#define SHOWN_AT 1000

typedef struct Asked {
    Panel *panel;
    Keymap *keymap;
    json_t *question;
    bool is_editor_empty, is_unfocused;
    int answers, frees;
    DialogAnswer answer;
    char *text;
} Asked;

static inline bool is_editor_empty(void *self)
{
    return ((Asked *)self)->is_editor_empty;
}

static inline bool has_focus(void *self)
{
    return !((Asked *)self)->is_unfocused;
}

static inline void on_answer(DialogAnswer answer, const char *text, void *self_)
{
    Asked *self = self_;
    self->answers++;
    self->answer = answer;
    g_free(self->text);
    self->text = g_strdup(text);
}

static inline void on_freed(void *self)
{
    ((Asked *)self)->frees++;
}

static inline void ask_at(Asked *self, const char *question, gint64 shown_at_ms)
{
    *self = (Asked) { .is_editor_empty = true };
    self->keymap = keymap_load(NULL, NULL);
    if (!json_parse_text(question, &self->question, NULL))
        fail_msg("no JSON: %s", question);
    const DialogSpec spec = {
        .question = self->question,
        .tab_width = 4,
        .shown_at_ms = shown_at_ms,
        .keymap = self->keymap,
        .is_editor_empty = is_editor_empty,
        .has_focus = has_focus,
        .answered = on_answer,
        .freed = on_freed,
        .user_data = self,
    };
    self->panel = dialog_new(&spec);
}

static inline void ask(Asked *self, const char *question)
{
    ask_at(self, question, SHOWN_AT);
}

static inline void asked_clear(Asked *self)
{
    panel_free(self->panel);
    assert_int_equal(self->frees, 1);
    keymap_free(self->keymap);
    json_decref(self->question);
    g_free(self->text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Asked, asked_clear)

static inline PanelResult press_key(Asked *self, KeyPress key, gint64 at_ms)
{
    Action action = keymap_find(self->keymap, KEYS_LIST, key);
    return self->panel->class->key(self->panel, key, action, at_ms);
}

/* "y", "escape", "ctrl+c" */
static inline PanelResult press(Asked *self, const char *name, gint64 at_ms)
{
    KeyPress key = { 0 };
    if (!key_parse(name, &key))
        fail_msg("no key: %s", name);
    return press_key(self, key, at_ms);
}

static inline void type(Asked *self, const char *text, gint64 at_ms)
{
    for (const char *p = text; *p; p++) {
        const KeyPress key = { .code = (unsigned char)*p };
        assert_int_equal(press_key(self, key, at_ms), PANEL_CHANGED);
        at_ms += 100;
    }
}

G_GNUC_UNUSED static const char plain[] =
    "{\"type\":\"question\",\"id\":\"q1\",\"tool\":\"gh\",\"effect\":"
    "\"write\",\"text\":\"WRITE on github.com/o/r: merges a pull request\\n"
    "  gh pr merge 171 --squash\\n  in ~/src/r (context: upstream)\"}";
G_GNUC_UNUSED static const char longer[] =
    "{\"type\":\"question\",\"id\":\"q1\",\"tool\":\"gh\",\"effect\":"
    "\"write\",\"text\":\"WRITE on github.com/o/r: merges a pull request\\n"
    "  gh pr merge 171 --squash\",\"allowance\":\"gh pr merge on github.com/o/r\"}";
G_GNUC_UNUSED static const char options[] =
    "{\"id\":\"q1\",\"method\":\"select\",\"tool\":\"ask\",\"title\":\"Which one?\",\"options\":["
    "\"red\",\"green\",\"blue\"]}";
G_GNUC_UNUSED static const char text_wanted[] =
    "{\"id\":\"q1\",\"method\":\"editor\",\"tool\":\"ask\",\"title\":\"Your words?\"}";
