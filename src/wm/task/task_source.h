/*
 * Tasks that come from elsewhere (task-engine §3.7, §3.8): what an argument of `add` or a `source:`
 * names, and the line that records it. Pure but for KEDGE_RAW_BASE_URL.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

typedef enum { WM_FROM_URL, WM_FROM_REPOSITORY, WM_FROM_FILE } WmSourceKind;

typedef struct WmSource {
    WmSourceKind kind;
    char *text;               // trimmed: the URL, or the path
    char *owner, *repo, *ref; // of a repository; the ref is NULL when none was given
    char *path;               // there: of `add` "x" or "sub/x", of `source:` "workflows/x.md"
} WmSource;
void wm_source_clear(WmSource *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmSource, wm_source_clear)

/* An argument of `add`. USAGE for an empty one. */
bool wm_source_of_argument(const char *argument, WmSource *ret_source, GError **error);
/* A `source:`. False: it is neither URL nor owner/repo/path. */
bool wm_source_of_task(const char *source, WmSource *ret_source);

/* "x.md" for .wm/tasks. Caller frees. */
bool wm_source_file_name(const WmSource *self, char **ret_name, GError **error);
/* Where `path` of its repository is fetched without a token. Caller frees. */
char *wm_source_raw_url(const WmSource *self, const char *path);
/* owner/repo/PATH[@ref]. Caller frees. */
char *wm_source_record(const WmSource *self, const char *path);

/* Is `text` a task? Errors are the bare reasons, and *ret_is_split tells whether it at least has a
   frontmatter. *ret_has_source may be NULL. */
bool wm_source_check(const char *text, size_t size, bool *ret_is_split, bool *ret_has_source,
                     GError **error);
/* `text` with a line `source: "…"` behind its opening one, unless it has a source. Caller frees. */
bool wm_source_insert(const char *text, const char *source, char **ret_text, GError **error);
