/*
 * Origin: where a text that a model reads came from, and who wrote it, as far as that is known
 * where it was read. It is for what decides how far a text is to be trusted; a hook after the call
 * sees it (hook.h). Nothing of it is written into a session.
 */
#pragma once

#include "session/github_mark.h"

typedef enum {
    ORIGIN_UNKNOWN, // of a tool that does not say: what it was told, and its own words
    ORIGIN_FILE,    // of this machine; `url` is its path
    ORIGIN_URL,     // an internal one, which `url` is
    ORIGIN_GITHUB,
    ORIGIN_COMMAND, // what programs have printed
} OriginKind;

typedef struct Origin { // NULL: unknown
    OriginKind kind;
    char *url;
    char *host, *repo; // of GitHub; OWNER/REPO
    char *author;      // login of who began it; comments on it are by others, too
} Origin;

void origin_clear(Origin *self);

void origin_set(Origin *self, OriginKind kind, const char *url);
void origin_set_github(Origin *self, const GithubMark *mark);
/* Of {"author":{"login"}}, as GitHub has it; without one it stays as it was. */
void origin_set_author(Origin *self, const json_t *item);
void origin_copy(Origin *self, const Origin *from);
