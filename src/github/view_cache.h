/*
 * What was read of issues, pull requests and diffs, kept in one SQLite file of the user
 * (github-tool §7.7): ~/.kedge/cache/github-cache.db, or KEDGE_GITHUB_CACHE_DB.
 *
 * Best effort: it never makes a read fail. A file that cannot be used (broken, locked, of a newer
 * kedge, on a full disk) is left alone, and view_cache_take_problem() says so once. One per
 * ToolContext; opened on first use; thread safe. Several processes share the file.
 */
#pragma once

#include "base/db.h"
#include "github/view_workers.h"
#include "tool/context.h"

typedef struct ViewCache ViewCache;

typedef struct ViewKey {  // all borrowed
    const char *auth_key; // credential_key()
    const char *repo;     // lower case, without the default host: view_cache_repo()
    const char *kind;     // "issue", "pr", "pr-diff"
    int64_t number;
    int64_t comments; // 0: without, 1: with, 2: as threads
} ViewKey;

typedef struct ViewRow {
    int64_t fetched_at;
    json_t *payload;
    char *rendered;
    char *source_url; // NULL: unknown
} ViewRow;

void view_row_clear(ViewRow *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ViewRow, view_row_clear)

/* Borrowed; lives as long as the context. */
ViewCache *view_cache_of(ToolContext *context);

/* The path of the file. Caller frees. */
char *view_cache_path(void);
/* How a repository is named in it. Caller frees. */
char *view_cache_repo(const char *repo, const Settings *settings);

/* False when there is none that can be used. */
bool view_cache_read(ViewCache *self, const ViewKey *key, Cancel *cancel, ViewRow *ret_row);
void view_cache_write(ViewCache *self, const ViewKey *key, const ViewRow *row, Cancel *cancel);
void view_cache_drop(ViewCache *self, const ViewKey *key, Cancel *cancel);
/* Everything about an item, whoever read it. `repo` NULL: of that number in every repository;
   `number` 0: all of the repository. */
void view_cache_drop_item(ViewCache *self, const char *repo, int64_t number, Cancel *cancel);
/* At most once a minute: what is older than `before` goes. */
void view_cache_sweep(ViewCache *self, int64_t now_ms, int64_t before, Cancel *cancel);
/* gh's own login for a host: what an earlier login has read goes. */
void view_cache_note_login(ViewCache *self, const char *host, const char *auth_key, Cancel *cancel);

/* A sentence about why nothing is kept; NULL: nothing new to say. Caller frees. */
char *view_cache_take_problem(ViewCache *self);

/* Work that nobody waits for but the end of the context, which fires the token first. Borrowed. */
ViewWorkers *view_cache_workers(ViewCache *self);

// ---- for `kedge gh cache` ----

typedef struct ViewListing {
    char *repo, *kind, *source_url;
    int64_t number, comments, fetched_at, bytes;
} ViewListing;

/* The file with its tables, which are made where they are not. */
bool view_cache_open(const char *path, Cancel *cancel, Db **ret_db, GError **error);
/* Newest first. An absent file is an empty list. */
bool view_cache_list(Cancel *cancel, GPtrArray **ret_list, GError **error);
/* Forgets all of it; a file that cannot be read is removed. */
bool view_cache_clear(Cancel *cancel, GError **error);
