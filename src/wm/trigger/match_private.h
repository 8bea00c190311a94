/*
 * What the files of matching share (match.h): one task, one event, one trigger at a time.
 */
#pragma once

#include "wm/trigger/match.h"

typedef struct Match { // all borrowed
    const WmTask *task;
    const WmEvent *event;
    const char *cron;      // NULL: none given
    const char *key;       // of the trigger that is looked at
    const json_t *options; // its object
    GString *why;          // what spoke against a match so far; NULL: no one asks
} Match;

/* Adds `<key>: <text>` to the reasons; false, to be returned. */
bool wm_match_refuse(const Match *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Of the payload; "" for what is absent. Borrowed. */
const char *wm_match_text(const Match *self, const char *object, const char *key);
const char *wm_match_action(const Match *self);
char *wm_match_label(const Match *self); // trimmed; caller frees
bool wm_match_is_event(const Match *self, const char *name);
/* Loop guard 2: a comment or review that a task wrote, an issue or pull request that one opened; of
   this task, also the labels that it gave what it opened, and the branch of its run. */
bool wm_match_is_own(const Match *self);
/* `list` may be NULL; its items are texts. */
bool wm_list_has(const json_t *list, const char *text);

/* slash_command and label_command (task-engine §4.4, §10.13): does the event concern them; does it
 * match? */
bool wm_command_concerns(const Match *self);
bool wm_slash_command_matches(const Match *self);
bool wm_label_command_matches(const Match *self);

/* Events that no sender starts: schedule, workflow_dispatch, none. */
bool wm_event_is_exempt(const WmEvent *event);
