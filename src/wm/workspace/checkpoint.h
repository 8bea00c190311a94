/*
 * Checkpoints (task-engine §5.8): what one run leaves for the next one of the same issue, in a
 * comment. Comments of strangers are none, and what is in one is text for a prompt.
 */
#pragma once

#include "wm/task/api.h"

#define WM_CHECKPOINT_PREFIX "<!-- wm-checkpoint:"

typedef struct WmCheckpoint { // all borrowed; NULL counts as ""
    const char *branch, *sha, *summary;
    gint64 at_ms;
} WmCheckpoint;

/* WM_CHECKPOINT=1. */
bool wm_checkpoint_is_on(void);

/* `<!-- wm-checkpoint: {…} -->`: whatever the summary holds, it ends where it should. Caller
   frees. */
char *wm_checkpoint_text(const WmCheckpoint *self);
/* The summary of the first one in a comment's text, trimmed. NULL: none that parses. Caller
   frees. */
char *wm_checkpoint_parse(const char *body);
/* That of the last one in GitHub's list of comments, oldest first, whose author may say so. NULL:
   none, or an empty one. Caller frees. */
char *wm_checkpoint_of_comments(const json_t *comments);
/* Asks for all comments of an issue or pull request. *ret_hint: NULL when there is none. */
bool wm_checkpoint_load(WmApi *api, int64_t number, Cancel *cancel, char **ret_hint,
                        GError **error);

/* What an agent said at last, else the end of its transcript: trimmed, 2000 bytes and "…". Caller
   frees. */
char *wm_checkpoint_summary(const char *last_response, const char *tail);
