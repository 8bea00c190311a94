/*
 * The repositories of GitHub that a conversation has read, and which of them are known to be
 * public: what decides whether it may write into another one unasked (common §4.6). What is not
 * known counts as private.
 *
 * Thread safe: calls add, the gate looks, the conversation's owner records.
 */
#pragma once

#include "tool/tool.h"

#define REPO_READS_MAX 256 // more count as one that is not known

typedef struct RepoReads RepoReads;

typedef enum {
    REPO_NOT_KNOWN,
    REPO_PUBLIC,
    REPO_PRIVATE,
} RepoVisibility;

typedef struct RepoRead {
    char *host, *repo; // repo, OWNER/REPO; NULL: some of that host, it is not known which
    RepoVisibility visibility;
} RepoRead;

/* What is added is added to `parent` (NULL: none), too, and what that one has read counts here: a
   child works for its parent, which reads its answer. The parent outlives it. */
RepoReads *repo_reads_new(RepoReads *parent);
void repo_reads_free(RepoReads *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RepoReads, repo_reads_free)

/* `repo` may be NULL. Names compare without case. */
void repo_reads_add(RepoReads *self, const char *host, const char *repo);
void repo_reads_set_visibility(RepoReads *self, const char *host, const char *repo,
                               RepoVisibility visibility);
/* Its own, not the parent's. */
void repo_reads_clear(RepoReads *self);

/* Of RepoRead *, its own and the parent's. Caller unrefs. */
GPtrArray *repo_reads_list(RepoReads *self);

/* Its own as "HOST/OWNER/REPO", or "HOST" for one that is not known, for a record. Caller frees
   with g_strfreev(). */
char **repo_reads_names(RepoReads *self);
unsigned repo_reads_version(RepoReads *self); // grows with each that is new
void repo_reads_add_name(RepoReads *self, const char *name);
