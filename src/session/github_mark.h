/*
 * What a tool result says about the thing of GitHub that it is about: host, repository, number and
 * address, `details.github` of the message. Small enough to stay where the output does not: in
 * transcripts, exports, and results that were cut away. Pure.
 */
#pragma once

#include "base/json.h"

typedef enum {
    GITHUB_REPOSITORY,
    GITHUB_ISSUE,
    GITHUB_PULL,
    GITHUB_RUN,
} GithubKind;

typedef struct GithubMark { // borrowed
    const char *host;       // "github.com"
    const char *repo;       // OWNER/REPO; NULL: of no repository
    GithubKind kind;
    int64_t number; // 0: none
} GithubMark;

/* {"host","repository","kind","number","url"}, without what is unknown. New reference. */
json_t *github_mark_to_json(const GithubMark *mark);

/* "GitHub: github.com/o/r pull request 9 https://…", one line, of the details of a result (may be
   NULL); NULL: they name nothing. Text of others: the caller makes it visible. Caller frees. */
char *github_mark_line(const json_t *details);
