/*
 * Footnotes of a document: text[^label], and [^label]: what it says, on a line of its own, with
 * indented lines that go on. Not in fences. One thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define NOTES_MAX 1000 // definitions of a document

typedef struct NotePart { // a paragraph's worth of the document, without its indentation
    size_t from, to;
} NotePart;

typedef struct Note {
    char *label;
    unsigned number;   // by first reference, from 1; 0: none yet
    size_t first_line; // where [^label]: stands, 1-based
    GArray *parts;     // of NotePart
} Note;

typedef struct Notes {
    GPtrArray *list;      // of Note *, in order of definition
    GHashTable *by_label; // → Note *
    GPtrArray *numbered;  // of Note *, in order of reference
} Notes;

/* Finds the definitions and blanks their lines in `text`, whose offsets stay; `whole` is the same
   text and keeps them. */
Notes *notes_take(char *text, const char *whole, size_t size);
void notes_free(Notes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Notes, notes_free)

/* Is there a reference at `text`: "[^label]"? Numbers it. *ret_size: of the reference. */
const Note *notes_refer(Notes *self, const char *text, size_t size, size_t *ret_size,
                        bool *ret_is_first);
/* Those without a reference come last. */
void notes_number_rest(Notes *self);
