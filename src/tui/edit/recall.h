/*
 * The prompts of before, by Up and Down (agent-core §4.11, §7.4). They are read on a worker at the
 * first wish; the text that was being written comes back at the end. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"

typedef struct Recall Recall;

/* `on_ready`: what was wished for while they were being read can be had now. */
Recall *recall_new(Loop *loop, const char *agent_dir, LoopFunc on_ready, void *user_data);
void recall_free(Recall *self); // waits for its worker
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recall, recall_free)

/* The prompt before, or after, the one that is shown; `text` is what the editor holds. NULL: there
   is none (yet). Borrowed until the next call. */
const char *recall_previous(Recall *self, const char *text);
const char *recall_next(Recall *self, const char *text);
/* Editing leaves it: the next wish begins at the newest. */
void recall_leave(Recall *self);
/* Kept for the next time, too, on a worker; not when `is_private`. */
void recall_add(Recall *self, const char *prompt, const char *cwd, bool is_private);
