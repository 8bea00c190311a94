/*
 * What a run says on GitHub besides its outputs: a reaction, status comments, checkpoints
 * (task-engine §5.5, §5.8). None of it ever fails a run.
 */
#pragma once

#include "wm/run/pipeline.h"

/* `on.reaction` on the comment, issue or pull request of the event. */
void wm_notify_react(WmPipeline *self, const char *reaction, Cancel *cancel);

/* `template_text` is one of the policy's messages; NULL: no comment. `status` as in
   wm_message_expand(). True when it was posted. */
bool wm_notify_status(WmPipeline *self, const char *template_text, const char *status,
                      Cancel *cancel);

/* With WM_CHECKPOINT=1: what the run before left, and what this one leaves. */
void wm_notify_load_checkpoint(WmPipeline *self, Cancel *cancel);
void wm_notify_post_checkpoint(WmPipeline *self, Cancel *cancel);
