/*
 * Images that go along with what is written (attach.h). The clipboard is read, and the image made
 * as small as servers want it, on a worker.
 */
#include "tui/control/attach.h"

#include "model/message.h"
#include "model/registry.h"
#include "tool/images.h"
#include "tui/edit/loop_work.h"
#include "tui/term/clipboard_image.h"

#define MARKER "[Image #"

struct Attaching {
    Tui *tui;
    LoopWork *work;
    TermCaps caps;
    Settings *settings; // a reference
    json_t *block;      // of the worker, like the rest
    char *note;         // how the image was changed, or why it is none; NULL: nothing
    GError *error;
};

static void attaching_free(Attaching *self)
{
    if (!self)
        return;
    loop_work_free(self->work);
    settings_unref(self->settings);
    json_decref(self->block);
    g_clear_error(&self->error);
    g_free(self->note);
    g_free(self);
}

/* --- may it be sent? */

/* NULL: it may. Constant. */
static const char *why_not(Tui *self)
{
    const json_t *shown = json_get_object(tui_snapshot(self), "model");
    const Model *model =
        model_registry_find(agent_session_registry(self->session), json_get_text(shown, "provider"),
                            json_get_text(shown, "id"));
    if (images_are_blocked(self->settings))
        return "no image is sent: images.blockImages is set";
    if (!model || !model->accepts_images)
        return "this model does not see images: /model takes another";
    return NULL;
}

/* --- from the clipboard */

/* On a worker. */
static void read_image(void *self_, Cancel *cancel)
{
    Attaching *self = self_;
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!clipboard_read_image(&self->caps, NULL, cancel, &data, &size, &self->error))
        return;
    const char *type = message_image_type(data, size);
    if (!type || !image_is_whole(data, size)) {
        fail_with(&self->error, KEDGE_ERROR_PROTOCOL,
                  "what is in the clipboard is no whole PNG, JPEG, GIF or WebP image");
        return;
    }
    g_auto(ImageFit) fit = { 0 };
    images_fit(self->settings, data, size, type, &fit);
    self->note = g_steal_pointer(&fit.note);
    if (!fit.data)
        return;
    g_autofree char *base64 = g_base64_encode((const guchar *)fit.data, fit.size);
    self->block = message_image_block(base64, fit.type);
}

static void insert(Tui *self, json_t *block)
{
    if (self->attached->len == LIMIT_ATTACHED_IMAGES) {
        g_ptr_array_remove_index(self->attached, 0);
        self->attached_before++;
    }
    g_ptr_array_add(self->attached, json_incref(block));
    g_autofree char *marker =
        g_strdup_printf(MARKER "%u]", self->attached_before + self->attached->len);
    if (editor_insert_marker(self->editor, marker, marker) == EDITOR_FULL)
        tui_hint(self, "The editor is full.");
    completer_update(self->completer, self->editor);
}

static void on_read(void *self_)
{
    Attaching *self = self_;
    Tui *tui = self->tui;
    tui->attaching = NULL;
    tui_hint(tui, self->note);
    if (self->error)
        tui_error(tui, "%s", self->error->message);
    else if (!self->block)
        tui_error(tui, "the image of the clipboard cannot be sent: %s",
                  self->note ? self->note : "it is broken");
    else
        insert(tui, self->block);
    attaching_free(self);
    frame_request(tui->frames, FRAME_NOW);
}

void attach_clipboard(Tui *self)
{
    const char *problem = why_not(self);
    if (problem || self->attaching) {
        if (problem)
            tui_error(self, "%s", problem);
        return;
    }
    Attaching *attaching = g_new0(Attaching, 1);
    attaching->tui = self;
    attaching->caps = self->caps;
    attaching->settings = settings_ref(self->settings);
    attaching->work = loop_work_start(self->loop, "image", read_image, on_read, attaching);
    if (!attaching->work) {
        attaching_free(attaching);
        tui_error(self, "the clipboard cannot be read: there is no thread left");
        return;
    }
    self->attaching = attaching;
    tui_hint(self, "Reading the clipboard…");
}

void attach_end(Tui *self)
{
    attaching_free(g_steal_pointer(&self->attaching));
}

/* --- with a message */

/* The image of the marker at `text`; NULL: it is none, or not kept any more. Borrowed. */
static json_t *image_at(const Tui *self, const char *text)
{
    char *end = NULL;
    guint64 number = g_ascii_strtoull(text + strlen(MARKER), &end, 10);
    bool is_kept = *end == ']' && number > self->attached_before &&
                   number - self->attached_before <= self->attached->len;
    return is_kept ? self->attached->pdata[number - self->attached_before - 1] : NULL;
}

/* Is it there already? The same image twice in a text is sent once. */
static bool holds(const json_t *content, const json_t *image)
{
    size_t i = 0;
    json_t *block = NULL;
    json_array_foreach (content, i, block) {
        if (block == image)
            return true;
    }
    return false;
}

json_t *attach_message(const Tui *self, const char *text)
{
    g_autoptr(json_t) content = json_array();
    json_append_take(content, message_text_block(text));
    for (const char *at = text; (at = strstr(at, MARKER)); at++) {
        json_t *image = image_at(self, at);
        if (image && !holds(content, image))
            json_array_append(content, image);
    }
    return json_array_size(content) > 1 ? message_user_blocks(g_steal_pointer(&content))
                                        : message_user(text);
}
