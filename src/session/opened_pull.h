/*
 * Pull requests that a session opened, as its messages show it: a call that creates one (the tools
 * `github`, `gh` and `bash`, or a person's own command), and the address in its result. Internal to
 * session, but for pull_ref_parse(). Pure.
 */
#pragma once

#include "base/json.h"

typedef struct PullRef {
    char *host; // "github.com"; NULL: not said
    char *repo; // "harbor/tidepool"; NULL: not said
    int64_t number;
} PullRef;

void pull_ref_clear(PullRef *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PullRef, pull_ref_clear)

/* "90", "#90", "harbor/tidepool#90" or "https://github.com/harbor/tidepool/pull/90". */
bool pull_ref_parse(const char *text, PullRef *ret_ref);

/* A toolCall block. */
bool opened_pull_is_call(const json_t *call);
#define PULL_COMMAND_MAX_BYTES ((size_t)1024 * 1024)
/* A shell command; of a longer one only that much is looked at. */
bool opened_pull_is_command(const char *command);
/* The first line of a result that is the address of a pull request, or "URL: " and that. */
bool opened_pull_in_text(const char *text, PullRef *ret_ref);
