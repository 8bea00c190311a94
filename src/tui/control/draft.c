/* See draft.h. */
#include "tui/control/draft.h"
#include "base/str.h"
#include "tui/control/tui_own.h"

#include "base/file.h"
#include "base/utf8.h"
#include "tui/edit/first_draft.h"

#include <unistd.h>

enum { KEEP_AFTER_MS = 1000 };

struct Draft {
    char *path;        // of the session, where the text is now; NULL: it is not there
    FirstDraft *first; // the same without a session; NULL
    unsigned kept;     // changes of the editor
    LoopSource *timer; // NULL: all of them are kept
    bool has_failed;   // which was said
};

Draft *draft_new(void)
{
    return g_new0(Draft, 1);
}

void draft_free(Draft *self)
{
    first_draft_leave(self->first);
    g_free(self->path);
    g_free(self);
}

/* NULL: the session has no file. Caller frees. */
static char *draft_path(Tui *self)
{
    const char *path = json_get_text(tui_snapshot(self), "sessionFile");
    if (!path || !file_exists(path) || !g_str_has_suffix(path, ".jsonl"))
        return NULL;
    g_autofree char *dir = g_strndup(path, strlen(path) - strlen(".jsonl"));
    return g_build_filename(dir, "draft.txt", NULL);
}

/* It need not be on the disk: a machine that goes down may take the last second with it. */
static bool write_draft(const char *path, const char *text, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    return file_make_dirs(dir, 0700, error) &&
           file_write_volatile(path, text, strlen(text), 0600, error);
}

static bool write_first(Tui *self, Draft *draft, const char *text, GError **error)
{
    if (!json_get_text(tui_snapshot(self), "sessionFile")) // in memory only, as it was asked for
        return true;
    if (!draft->first)
        draft->first = first_draft_open(self->slash.place.agent_dir, self->slash.place.cwd, error);
    return draft->first && first_draft_write(draft->first, text, error);
}

/* Where it is not any more: another session is open, or there is nothing to be kept. */
static void leave_place(Draft *draft, const char *path)
{
    if (draft->path && g_strcmp0(draft->path, path) != 0)
        unlink(draft->path);
    if (path)
        first_draft_remove(g_steal_pointer(&draft->first));
    g_free(draft->path);
    draft->path = g_strdup(path);
}

void draft_keep(Tui *self)
{
    Draft *draft = self->input->draft;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = editor_text(self->input->editor), *path = draft_path(self);
    loop_remove(self->loop, g_steal_pointer(&draft->timer));
    draft->kept = editor_changes(self->input->editor);
    if (utf8_is_blank(text)) {
        leave_place(draft, NULL);
        first_draft_remove(g_steal_pointer(&draft->first));
        return;
    }
    bool is_kept = path ? write_draft(path, text, &error) : write_first(self, draft, text, &error);
    if (is_kept)
        leave_place(draft, path);
    else if (!draft->has_failed)
        tui_error(self, "the draft could not be kept: %s", error->message);
    draft->has_failed = !is_kept;
}

void tui_write_before(Tui *self, const char *text)
{
    g_autofree char *draft = editor_text(self->input->editor);
    g_autofree char *both =
        utf8_is_blank(draft) ? g_strdup(text) : g_strconcat(text, "\n\n", draft, NULL);
    editor_set_text(self->input->editor, both);
    frame_request(self->look->frames, FRAME_NOW);
}

void draft_take(Tui *self)
{
    g_autofree char *path = draft_path(self), *data = NULL;
    g_autofree char *own = editor_text(self->input->editor);
    size_t size = 0;
    if (!path || g_strcmp0(path, self->input->draft->path) == 0 ||
        !file_read(path, LIMIT_EDITOR_BYTES, &data, &size, NULL))
        return;
    g_autofree char *text = utf8_from_bytes(data, size);
    if (str_has_prefix(own, text)) // it could not be written since, and is there already
        return;
    tui_write_before(self, text);
    draft_keep(self);
}

void draft_take_left(Tui *self)
{
    Draft *draft = self->input->draft;
    g_autofree char *path = draft_path(self);
    if (path || !editor_is_empty(self->input->editor) ||
        !json_get_text(tui_snapshot(self), "sessionFile"))
        return;
    g_autofree char *text = first_draft_take(self->slash.place.agent_dir, self->slash.place.cwd,
                                             LIMIT_EDITOR_BYTES, &draft->first);
    if (!text)
        return;
    tui_write_before(self, text);
    tui_hint(self, "This was not sent before. Ctrl+C clears it.");
}

static void on_timer(void *self_)
{
    Tui *self = self_;
    self->input->draft->timer = NULL;
    draft_keep(self);
}

void draft_note(Tui *self)
{
    Draft *draft = self->input->draft;
    if (!draft->timer && draft->kept != editor_changes(self->input->editor))
        draft->timer = loop_add_timer(self->loop, KEEP_AFTER_MS, on_timer, self);
}
