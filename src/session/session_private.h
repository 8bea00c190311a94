/*
 * What a Session is made of, for the files that work on it. Internal to session.
 */
#pragma once

#include "session/entry_list.h"
#include "session/session.h"
#include "session/store.h"

#include <pthread.h>

struct Session {
    json_t *header;
    EntryList *entries;
    const EntryHead *leaf;  // NULL: no leaf
    char *path;             // NULL: in memory
    Store *store;           // NULL until the file is made
    char *artifacts_source; // of a fork: copied when the file is made; NULL afterwards
    bool is_header_written;
    size_t written;
    bool needs_rewrite; // the file holds an older version's form
    bool is_dirty;      // something to write; a fork that no one goes on with leaves no file
    bool is_unsynced;
    bool is_worth_keeping; // a prompt or answer came, or session_keep(): nothing is written before
    bool is_failing;
    bool is_place_lost;    // the file of its name is another one, or none
    char *notice;          // not yet taken; NULL: none
    bool is_loss_reported; // that entries cannot be read again
    GError *first_error;   // not yet taken
    pthread_mutex_t lock;  // guards the rest; the leaf is changed under it
    char *wanted_title;    // NULL: as the header has it
    bool is_title_automatic;
};

/* Takes the references. */
Session *session_new_with(json_t *header, EntryList *entries, const char *path);
char *session_path_for_header(const char *dir, const json_t *header); // caller frees

/* An entry behind the leaf, to be filled and appended. */
json_t *session_start_entry(Session *self, const char *type);
/* Takes the reference. */
const char *session_append_entry(Session *self, json_t *entry);
