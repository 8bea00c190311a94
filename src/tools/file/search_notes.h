/*
 * What a search says besides its matches, so that silence is not read as absence (agent-tools
 * §3.6): what could not be read, and which other reading of a glob that found nothing would have
 * found something. One thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct SearchNotes { // { 0 } is empty
    unsigned unread;         // folders and files that could not be read
    GString *unread_names;   // of the first of them
    GPtrArray *readings;     // of globs
    char *hint;              // of something else that would have matched
} SearchNotes;

void search_notes_clear(SearchNotes *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SearchNotes, search_notes_clear)

/* `path` could not be read. */
void search_notes_add_unread(SearchNotes *self, const char *path);

/* From now on: the other readings of this glob, unless one of an earlier one has matched: below any
   folder, and with brackets that are text ("app/[id]"). `base`: the folder that it is looked for
   in, as it was asked for; "": where the search begins. */
void search_notes_add_glob(SearchNotes *self, const char *base, const char *glob);
/* A path below that folder, which no glob has matched. */
void search_notes_try(SearchNotes *self, const char *path);

/* Has any reading matched, or is there a hint? */
bool search_notes_has_hint(const SearchNotes *self);

/* A line for each of both, with a newline before it; of readings and hints only if nothing was
   found
   (`is_empty`), else an empty line before the first. */
void search_notes_append(const SearchNotes *self, bool is_empty, GString *out);
