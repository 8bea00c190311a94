/*
 * The addresses of issues, pull requests, diffs, checks and Actions runs (github-tool §7.1 to
 * §7.3): taking them apart. Pure, but for the settings that say which hosts are known.
 */
#pragma once

#include "tool/settings.h"

typedef enum {
    ITEM_ISSUE,
    ITEM_PR,
    ITEM_RUN,
} ItemScheme;

typedef enum {
    ITEM_LIST,    // `number` is 0
    ITEM_SINGLE,  // an issue, a pull request
    ITEM_DIFF,    // the list of its files
    ITEM_FILE,    // one of them, `part`
    ITEM_PATCH,   // the whole diff
    ITEM_CHECKS,  // of a pull request
    ITEM_RUN_ONE, // an Actions run
    ITEM_RUN_JOB, // a job of it, `part`
} ItemView;

typedef enum {
    COMMENTS_OFF,
    COMMENTS_FLAT,    // review comments in the order of the API
    COMMENTS_THREADS, // review comments by their threads
} ItemComments;

typedef struct ItemUrl {
    ItemScheme scheme;
    ItemView view;
    char *repo;      // [HOST/]OWNER/REPO; NULL: the current one
    int64_t number;  // of the item or run; 0: a list, or the pull request of the current branch
    bool is_current; // pr://current
    int64_t part;    // number of the file, from 1; id of the job
    ItemComments comments;
    bool is_fresh;                 // ?fresh: what is kept does not do
    char *file;                    // ?file=: only what is about this path; NULL: all
    int64_t line;                  // ?line= of it; 0: all
    const char *state;             // of a list: one of the known words
    int64_t limit;                 // of a list
    char *author, *label, *commit; // of a list; NULL: any
} ItemUrl;

void item_url_clear(ItemUrl *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ItemUrl, item_url_clear)

/* "issue", "pr", "run". */
const char *item_scheme_name(ItemScheme scheme);

/* `url` without the selector of `read`. USAGE with the text of github-tool §7.2, §7.3. */
bool item_url_parse(const char *url, const Settings *settings, ItemUrl *ret_url, GError **error);
