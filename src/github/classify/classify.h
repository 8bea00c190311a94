/*
 * The class of a gh command before it runs: read, write, destructive, blocked or unknown, with a
 * reason that a person can judge (gh-policy §2, §3, §4). Pure: no process, no file, no network;
 * thread safe; microseconds a call.
 */
#pragma once

#include "github/classify/command_parse.h"

#define CLASSIFY_MAX_ELEMENT_BYTES (64 * 1024)
#define CLASSIFY_MAX_TOTAL_BYTES   120000

typedef struct ClassifyOptions {
    const char *const *known_hosts; // NULL-terminated, lower case; github.com is always known
    const char *gh_version;         // "2.92.0"; NULL or without a number: as new as the table
} ClassifyOptions;

typedef struct Classified {
    Effect effect;
    char *reason;            // "merges a pull request"
    const CommandNode *node; // NULL: the first word is not in the table
    char *command; // what messages call it: "pr view", "api DELETE", "api graphql mutation"; "-":
                   // no word
    CommandArgs *args;     // the parse; its indexes count the elements of the caller's argv
    bool stripped_gh;      // argv[0] was "gh": not handed on
    size_t words_end;      // index behind the last command word
    bool has_unknown_word; // the next word is neither a command nor a flag: maybe an alias or an
                           // extension
    size_t unknown_word;   // its index
    // of `api`
    char *api_method; // upper case; NULL: another command
    char *api_path;   // decoded, without the host and slashes at the ends; NULL: the endpoint is
                      // refused or missing
    char *api_host;   // named by the endpoint itself; NULL: it is relative
    bool is_graphql;
} Classified;

void classified_clear(Classified *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Classified, classified_clear)

/* Errors: USAGE, the text behind "Invalid arguments: " of gh-policy §7.1. `options` may be NULL. */
bool classify_argv(const char *const *argv, const ClassifyOptions *options,
                   Classified *ret_classified, GError **error);

/* read < write < unknown < destructive < blocked (the enum has another order). */
int classify_rank(Effect effect);
