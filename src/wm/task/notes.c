/* See notes.h. */
#include "wm/task/notes.h"

void wm_note_free(WmNote *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->key);
    g_free(self->text);
    g_free(self);
}

static void release_note(void *note)
{
    wm_note_free(note);
}

GPtrArray *wm_notes_new(void)
{
    return g_ptr_array_new_with_free_func(release_note);
}

void wm_note(GPtrArray *notes, WmNotePlace place, const char *format, ...)
{
    if (!notes)
        return;
    WmNote *note = g_new0(WmNote, 1);
    note->key = place.key ? g_strjoinv(".", (char **)place.key) : NULL;
    note->before_end = place.before_end;
    va_list arguments;
    va_start(arguments, format);
    note->text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_ptr_array_add(notes, note);
}

guint wm_notes_count(const GPtrArray *notes)
{
    return notes ? notes->len : 0;
}

void wm_notes_set_path(GPtrArray *notes, guint first, const char *path)
{
    for (guint i = first; i < wm_notes_count(notes); i++) {
        WmNote *note = notes->pdata[i];
        if (!note->path)
            note->path = g_strdup(path);
    }
}

char *wm_note_show(const WmNote *self, int line)
{
    if (!self->path)
        return g_strdup(self->text);
    return line > 0 ? g_strdup_printf("%s: line %d: %s", self->path, line, self->text)
                    : g_strdup_printf("%s: %s", self->path, self->text);
}
