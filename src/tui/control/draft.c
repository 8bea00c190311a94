/* See draft.h. */
#include "tui/control/draft.h"
#include "tui/control/tui_own.h"

#include "base/file.h"
#include "base/utf8.h"

#include <unistd.h>

enum { KEEP_AFTER_MS = 1000, LONG_BYTES = 200 };

/* NULL: the session has no file. Caller frees. */
static char *draft_path(Tui *self)
{
    const char *path = json_get_text(tui_snapshot(self), "sessionFile");
    if (!path || !file_exists(path) || !g_str_has_suffix(path, ".jsonl"))
        return NULL;
    g_autofree char *dir = g_strndup(path, strlen(path) - strlen(".jsonl"));
    return g_build_filename(dir, "draft.txt", NULL);
}

static bool write_draft(const char *path, const char *text, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    return file_make_dirs(dir, 0700, error) &&
           file_write_atomic(path, text, strlen(text), 0600, error);
}

void draft_keep(Tui *self)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = editor_text(self->input->editor), *path = draft_path(self);
    loop_remove(self->loop, g_steal_pointer(&input_own(self)->draft_timer));
    if (utf8_is_blank(text)) {
        if (path)
            unlink(path);
    } else if (!path || !write_draft(path, text, &error)) {
        recall_add(self->input->recall, text, self->slash.place.cwd, !self->options->keeps_history);
        if (error)
            tui_error(self, "the draft could not be kept: %s", error->message);
    }
}

void draft_take(Tui *self)
{
    g_autofree char *path = draft_path(self), *data = NULL;
    size_t size = 0;
    if (!path || !editor_is_empty(self->input->editor) ||
        !file_read(path, LIMIT_EDITOR_BYTES, &data, &size, NULL))
        return;
    g_autofree char *text = utf8_from_bytes(data, size);
    editor_set_text(self->input->editor, text);
    unlink(path);
}

static void on_timer(void *self_)
{
    Tui *self = self_;
    g_autofree char *path = draft_path(self);
    input_own(self)->draft_timer = NULL;
    if (path) // else it would be one more prompt at each pause
        draft_keep(self);
}

void draft_note(Tui *self)
{
    size_t cursor = 0;
    loop_remove(self->loop, g_steal_pointer(&input_own(self)->draft_timer));
    if (strlen(editor_shown(self->input->editor, &cursor)) > LONG_BYTES)
        input_own(self)->draft_timer = loop_add_timer(self->loop, KEEP_AFTER_MS, on_timer, self);
}
