/*
 * Texts that go to GitHub: markers, footers, what is cut, what is defused (task-engine §2.6
 * messages, task-engine §6.6). Pure but for the environment that placeholders name.
 */
#pragma once

#include "wm/task/policy.h"

#define WM_MAX_COMMENT_BYTES ((size_t)60000)
#define WM_MAX_BODY_BYTES    ((size_t)65000)
#define WM_MARKER_PREFIX     "<!-- wm-agent:"

/* "\n\n<!-- wm-agent:fix -->". Caller frees, here and below. */
char *wm_body_marker(const char *task_name);
/* A comment: text, footer (expanded; NULL: none), marker; cut so that the marker stays. An empty
   text and no footer: "". */
char *wm_body_comment(const char *text, const char *footer, const char *task_name);
/* Of an issue or pull request that is made: text and marker. */
char *wm_body_made(const char *text, const char *task_name);
/* Of one that is there already: no marker, because others may have written it. */
char *wm_body_plain(const char *text);
/* For every text of an agent, before the two above: markers of kedge in it are broken; without
   `keeps_mentions` @name stands in back-quotes. */
char *wm_body_defuse(const char *text, bool keeps_mentions);
/* {workflow_name} and the rest, in one pass; `status` is "" but for run-failure:
   wm_message_status(). */
char *wm_message_expand(const char *template_text, const char *task_name, const char *event_name,
                        const char *status);
/* "failed (<first error>)", on one line and cut; "failed" for NULL. */
char *wm_message_status(const char *first_error);
