/* See pick_ask.h. */
#include "tui/control/pick_ask.h"

#include "tui/view/dialog.h"

typedef struct PickAsk {
    Tui *tui;
    char *subject;
    PickAnswer answered;
} PickAsk;

static void pick_ask_free(void *self_)
{
    PickAsk *self = self_;
    g_free(self->subject);
    g_free(self);
}

static bool always_empty(void *self G_GNUC_UNUSED)
{
    return true;
}

static void on_answer(DialogAnswer answer, const char *text, void *self_)
{
    PickAsk *self = self_;
    const char *given = text ? text : "";
    self->answered(self->tui, self->subject, answer == DIALOG_CHOSEN ? given : NULL);
}

/* Takes the question. */
static void ask(Tui *tui, json_t *question, const char *subject, PickAnswer answered)
{
    PickAsk *self = g_new0(PickAsk, 1);
    self->tui = tui;
    self->subject = g_strdup(subject);
    self->answered = answered;
    const DialogSpec spec = {
        .question = question,
        .theme = tui->look->theme,
        .tab_width = 1,
        .keymap = tui->input->keymap,
        .is_editor_empty = always_empty,
        .answered = on_answer,
        .freed = pick_ask_free,
        .user_data = self,
    };
    tui_open_panel(tui, dialog_new(&spec));
    json_decref(question);
}

void pick_ask_text(Tui *tui, const char *title, const char *prefill, const char *subject,
                   PickAnswer answered)
{
    ask(tui, json_make("method:%s title:%s prefill:%s", "editor", title, prefill), subject,
        answered);
}

void pick_ask_option(Tui *tui, const char *title, const char *const *options, const char *subject,
                     PickAnswer answered)
{
    json_t *question = json_object(), *list = json_array();
    for (; *options; options++)
        json_append_take(list, json_text(*options));
    json_add(question, "method:%s title:%s options:%p", "select", title, list);
    ask(tui, question, subject, answered);
}
