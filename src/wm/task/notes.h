/*
 * What is wrong with a task or the configuration, each with its place: which file, and which key of
 * its YAML or where in its body. Who shows a note adds the path, and `validate` the line.
 *
 * A list of notes is a GPtrArray of WmNote *; where NULL is passed for one, no one wants them.
 */
#pragma once

#include "base/error.h"

#include <glib.h>

typedef struct WmNote {
    char *path;        // of the file, below the root; NULL: the text says it, or there is none
    char *key;         // "on.issues.types": of the YAML; NULL: none
    size_t before_end; // of the body: this many bytes before its end; 0: it is not of the body
    char *text;        // without the path
} WmNote;

typedef struct WmNotePlace {
    const char *const *key;
    size_t before_end;
} WmNotePlace;

#define WM_FILE     ((WmNotePlace) { 0 }) // the whole of it
#define WM_KEY(...) ((WmNotePlace) { .key = (const char *const[]) { __VA_ARGS__, NULL } })

void wm_note_free(WmNote *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmNote, wm_note_free)
GPtrArray *wm_notes_new(void);

/* Adds one, without a path. */
void wm_note(GPtrArray *notes, WmNotePlace place, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Gives `path` to those from `first` on that have none. */
void wm_notes_set_path(GPtrArray *notes, guint first, const char *path);
/* How many there are: the `first` of the next; 0 for NULL. */
guint wm_notes_count(const GPtrArray *notes);

/* "PATH: TEXT", or "PATH: line N: TEXT" where `line` is above 0. Caller frees. */
char *wm_note_show(const WmNote *self, int line);
