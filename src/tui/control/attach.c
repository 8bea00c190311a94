/*
 * Images that go along with what is written (attach.h). The clipboard is read, and the image made
 * as small as servers want it, on a worker.
 */
#include "tui/control/attach.h"
#include "tui/control/tui_own.h"

#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "model/message.h"
#include "model/registry.h"
#include "tool/images.h"
#include "tui/edit/loop_work.h"
#include "tui/term/clipboard_image.h"

#define MARKER                  "[Image #"
#define LIMIT_PASTED_PATH_BYTES 16384 // of several

typedef struct Attaching {
    Tui *tui;
    LoopWork *work; // NULL: it waits for those before it
    TermCaps caps;
    Settings *settings;  // a reference
    char *path, *pasted; // NULL: the clipboard's
    json_t *block;       // of the worker, like the rest
    char *note;          // how the image was changed, or why it is none; NULL: nothing
    GError *error;
} Attaching;

static void attaching_free(Attaching *self)
{
    if (!self)
        return;
    loop_work_free(self->work);
    settings_unref(self->settings);
    json_decref(self->block);
    g_clear_error(&self->error);
    g_free(self->note);
    g_free(self->path);
    g_free(self->pasted);
    g_free(self);
}

// ---- may it be sent? ----

/* NULL: it may. Constant. */
static const char *why_not(Tui *self)
{
    const json_t *shown = json_get_object(tui_snapshot(self), "model");
    const Model *model =
        model_registry_find(agent_session_registry(self->run->session),
                            json_get_text(shown, "provider"), json_get_text(shown, "id"));
    if (images_are_blocked(self->look->settings))
        return "no image is sent: images.blockImages is set";
    if (!model || !model->accepts_images)
        return "this model does not see images: /model takes another";
    return NULL;
}

// ---- from the clipboard ----

/* On a worker. */
static void read_image(void *self_, Cancel *cancel)
{
    Attaching *self = self_;
    g_autofree char *data = NULL;
    size_t size = 0;
    bool is_read =
        self->path ? file_read(self->path, LIMIT_CLIPBOARD_IMAGE_BYTES, &data, &size, &self->error)
                   : clipboard_read_image(&self->caps, NULL, cancel, &data, &size, &self->error);
    if (!is_read)
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

static void tui_insert(Tui *self, json_t *block)
{
    if (self->input->attached->len == LIMIT_ATTACHED_IMAGES) {
        g_ptr_array_remove_index(self->input->attached, 0);
        input_own(self)->attached_before++;
    }
    g_ptr_array_add(self->input->attached, json_incref(block));
    g_autofree char *marker =
        g_strdup_printf(MARKER "%u]", self->input->attached_before + self->input->attached->len);
    if (editor_insert_marker(self->input->editor, marker, marker) == EDITOR_FULL)
        tui_hint(self, "The editor is full.");
    completer_update(self->input->completer, self->input->editor);
}

/* At the cursor, with a blank before it. */
static void insert_apart(Tui *self, json_t *block)
{
    size_t cursor = 0;
    const char *shown = editor_shown(self->input->editor, &cursor);
    if (cursor > 0 && shown[cursor - 1] != ' ' && shown[cursor - 1] != '\n')
        editor_insert(self->input->editor, " ");
    tui_insert(self, block);
}

static void take_pasted(Tui *self, const Attaching *read)
{
    g_autofree char *text = editor_text(self->input->editor);
    if (!read->block) {
        log_debug("%s is not attached: %s", read->path,
                  read->error  ? read->error->message
                  : read->note ? read->note
                               : "it is broken");
    } else if (!strstr(text, read->pasted)) {
        tui_hint(self, "The path was gone before its image was read, which is not attached.");
    } else {
        insert_apart(self, read->block);
        tui_hint(self, "The image goes along; Backspace leaves its path alone.");
    }
}

static void take_clipboard(Tui *self, const Attaching *read)
{
    tui_hint(self, read->note);
    if (read->error)
        tui_error(self, "%s", read->error->message);
    else if (!read->block)
        tui_error(self, "the image of the clipboard cannot be sent: %s",
                  read->note ? read->note : "it is broken");
    else
        tui_insert(self, read->block);
}

static void start_next(Tui *self);

static void on_read(void *self_)
{
    Attaching *self = self_;
    Tui *tui = self->tui;
    g_queue_remove(&input_own(tui)->attaching, self);
    if (self->path)
        take_pasted(tui, self);
    else
        take_clipboard(tui, self);
    attaching_free(self);
    start_next(tui);
    frame_request(tui->look->frames, FRAME_NOW);
}

/* One after the other, in the order in which they were asked for. */
static void start_next(Tui *self)
{
    Attaching *next;
    while ((next = g_queue_peek_head(&input_own(self)->attaching)) && !next->work) {
        next->work = loop_work_start(self->loop, "image", read_image, on_read, next);
        if (next->work)
            return;
        g_queue_remove(&input_own(self)->attaching, next);
        tui_error(self, "%s cannot be read: there is no thread left",
                  next->path ? next->path : "the clipboard");
        attaching_free(next);
    }
}

/* Takes both texts. */
static void tui_ask(Tui *self, char *path, char *pasted)
{
    Attaching *attaching = g_new0(Attaching, 1);
    attaching->tui = self;
    attaching->path = path;
    attaching->pasted = pasted;
    attaching->caps = self->look->caps;
    attaching->settings = settings_ref(self->look->settings);
    g_queue_push_tail(&input_own(self)->attaching, attaching);
    start_next(self);
}

void attach_clipboard(Tui *self)
{
    const char *problem = why_not(self);
    if (problem) {
        tui_error(self, "%s", problem);
    } else if (!g_queue_is_empty(&input_own(self)->attaching)) {
        tui_hint(self, "An image is being read already.");
    } else {
        tui_hint(self, "Reading the clipboard…");
        tui_ask(self, NULL, NULL);
    }
}

// ---- from paths ----

static bool is_image_name(const char *path)
{
    static const char *const suffixes[] = { ".png", ".jpg", ".jpeg", ".gif", ".webp" };
    g_autofree char *lower = g_ascii_strdown(path, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        if (g_str_has_suffix(lower, suffixes[i]))
            return strchr(path, '/') != NULL;
    }
    return false;
}

/* The paths, when there is nothing else: as terminals paste files that are dropped on them, bare,
   quoted, or with backslashes. NULL: it is something else. Caller frees. */
static char **image_paths(const char *text)
{
    g_auto(GStrv) words = NULL;
    if (strchr(text, '\n') || !g_shell_parse_argv(text, NULL, &words, NULL))
        return NULL;
    for (char **word = words; *word; word++) {
        if (!is_image_name(*word))
            return NULL;
    }
    return g_steal_pointer(&words);
}

void attach_pasted(Tui *self, const char *text, size_t size, bool is_last)
{
    if (!self->input->pasted)
        input_own(self)->pasted = g_string_new(NULL);
    if (self->input->pasted->len <= LIMIT_PASTED_PATH_BYTES)
        g_string_append_len(self->input->pasted, text, (gssize)size);
    if (!is_last)
        return;
    g_autoptr(GString) pasted = g_steal_pointer(&input_own(self)->pasted);
    bool is_long = pasted->len > LIMIT_PASTED_PATH_BYTES;
    g_auto(GStrv) paths = is_long || why_not(self) ? NULL : image_paths(g_strstrip(pasted->str));
    for (char **path = paths; path && *path; path++) {
        g_autofree char *expanded = path_expand_home(*path);
        if (self->input->attaching.length < LIMIT_ATTACHED_IMAGES)
            tui_ask(self, path_absolute(expanded, self->slash.place.cwd), g_strdup(pasted->str));
    }
}

void attach_end(Tui *self)
{
    g_queue_clear_full(&input_own(self)->attaching, (GDestroyNotify)attaching_free);
    if (self->input->pasted)
        g_string_free(g_steal_pointer(&input_own(self)->pasted), true);
}

// ---- with a message ----

/* The image of the marker at `text`; NULL: it is none, or not kept any more. Borrowed. */
static json_t *image_at(const Tui *self, const char *text)
{
    char *end = NULL;
    guint64 number = g_ascii_strtoull(text + strlen(MARKER), &end, 10);
    bool is_kept = *end == ']' && number > self->input->attached_before &&
                   number - self->input->attached_before <= self->input->attached->len;
    return is_kept ? self->input->attached->pdata[number - self->input->attached_before - 1] : NULL;
}

/* Is it there already? The same image twice in a text is sent once. */
static bool attach_holds(const json_t *content, const json_t *image)
{
    json_each (content, i, block) {
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
        if (image && !attach_holds(content, image))
            json_array_append(content, image);
    }
    return json_array_size(content) > 1 ? message_user_blocks(g_steal_pointer(&content))
                                        : message_user(text);
}
