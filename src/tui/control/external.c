/*
 * The person's editor (external.h): a worker waits for it, since the run goes on.
 */
#include "tui/control/external.h"
#include "tui/control/tui_own.h"

#include "base/dirs.h"
#include "base/edit_file.h"
#include "base/file.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "base/worker.h"
#include "tui/view/dialog.h"

#include <signal.h>

enum { END_PATIENCE_MS = 500, END_STEP_MS = 10 };

struct External {
    Tui *tui;
    Worker *worker;
    char *dir, *path;    // of the file, in a directory of its own
    ExternalTaken taken; // of what it is then; NULL: it is only shown
    char *subject;
    GError *error;
    int running; // atomic: the editor's process group; 0: none
};

static void external_free(External *self)
{
    if (self->dir)
        file_remove_tree(self->dir, NULL);
    g_free(self->dir);
    g_free(self->path);
    g_free(self->subject);
    g_clear_error(&self->error);
    g_free(self);
}

static bool write_text(External *self, const char *name, const char *text, GError **error)
{
    g_autofree char *dir = g_build_filename(dirs_temp(), "kedge-draft-XXXXXX", NULL);
    if (!g_mkdtemp(dir)) // 0700
        return fail_with(error, KEDGE_ERROR_FAILED, "no file for an editor can be made in %s",
                         dirs_temp());
    self->path = g_build_filename(dir, name, NULL);
    self->dir = g_steal_pointer(&dir);
    return file_write_atomic(self->path, text, strlen(text), 0600, error);
}

static bool read_text(const External *self, GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!self->taken)
        return true;
    if (!file_read(self->path, LIMIT_EDITOR_BYTES, &data, &size, error))
        return false;
    g_autofree char *text = utf8_from_bytes(data, size);
    g_strchomp(text);
    self->taken(self->tui, self->subject, text);
    return true;
}

static void on_end(void *self_)
{
    External *self = self_;
    Tui *tui = self->tui;
    g_autoptr(GError) error = g_steal_pointer(&self->error);
    worker_join(self->worker);
    terminal_take(tui->look->terminal);
    frame_release(tui->look->frames);
    input_own(tui)->external = NULL;
    if (error || !read_text(self, &error)) // what was written before stays
        tui_error(tui, "%s", error->message);
    external_free(self);
    if (tui->panels->is_asking)
        dialog_note_focus(tui->panels->panel, time_monotonic_ms());
    tui->input->after_external(tui);
    frame_request(tui->look->frames, FRAME_NOW);
}

/* On the worker. */
static void external_run(void *self_)
{
    External *self = self_;
    edit_file_running(self->path, &self->running, &self->error);
    loop_post(self->tui->loop, on_end, self);
}

static void open_editor(Tui *self, const char *name, const char *text, const char *subject,
                        ExternalTaken taken)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) bytes = g_string_new(NULL);
    External *external = g_new0(External, 1);
    external->tui = self;
    external->subject = g_strdup(subject);
    external->taken = taken;
    if (!write_text(external, name, text, &error)) {
        tui_error(self, "%s", error->message);
        external_free(external);
        return;
    }
    screen_wipe(self->look->screen, terminal_size(self->look->terminal), bytes);
    terminal_write(self->look->terminal, bytes->str, bytes->len);
    frame_hold(self->look->frames);
    terminal_give(self->look->terminal);
    input_own(self)->external = external;
    external->worker = worker_start("editor", external_run, external);
    if (!external->worker)
        external_run(external);
}

static void take_draft(Tui *self, const char *subject G_GNUC_UNUSED, const char *text)
{
    editor_set_text(self->input->editor, text);
}

void external_edit(Tui *self)
{
    g_autofree char *text = editor_text(self->input->editor);
    if (!self->input->external)
        open_editor(self, "message.md", text, NULL, take_draft);
}

void external_change(Tui *self, const char *text, const char *subject, ExternalTaken taken)
{
    if (!self->input->external)
        open_editor(self, "text.md", text, subject, taken);
}

void external_show(Tui *self, const char *text)
{
    if (!self->input->external)
        open_editor(self, "shown.txt", text, NULL, NULL);
}

/* It may be one that stays, and is killed then. */
static void end_editor(External *self)
{
    for (int i = 0; i < END_PATIENCE_MS / END_STEP_MS; i++) {
        int group = g_atomic_int_get(&self->running);
        if (group == 0)
            return;
        if (i == 0)
            kill(-group, SIGHUP);
        g_usleep(END_STEP_MS * 1000);
    }
    int group = g_atomic_int_get(&self->running);
    if (group != 0)
        kill(-group, SIGKILL);
}

void external_end(Tui *self)
{
    if (!self->input->external)
        return;
    External *external = g_steal_pointer(&input_own(self)->external);
    end_editor(external);
    worker_join(external->worker);
    terminal_take(self->look->terminal);
    if (external->taken == take_draft)
        read_text(external, NULL); // what was saved in it
    external_free(external);
}
