/*
 * Which tasks an event starts (task-engine §4). wm_match() is pure; wm_resolve() asks GitHub only
 * where a gate needs it (task-engine §10.1, §10.2).
 */
#pragma once

#include "wm/task/api.h"
#include "wm/task/event.h"
#include "wm/task/project.h"

/* MatchOnOR and the cron of `cron` (NULL: none given). `ret_reason` (may be NULL) says why not, or
   what matched; the caller frees. */
bool wm_match(const WmTask *task, const WmEvent *event, const char *cron, char **ret_reason);
/* Loop guard 1 (task-engine §4.2): `bots` are those whom a task lets through. */
bool wm_event_is_automated(const WmEvent *event);
/* Loop guard 2 (task-engine §4.3) for a text with a mark, of whose author GitHub says that it does
   not know him: matching lets it pass, and the sender's role decides. */
bool wm_event_has_doubtful_mark(const WmTask *task, const WmEvent *event);

typedef struct WmResolve { // all borrowed
    const WmProject *project;
    const WmEvent *event;
    const char *force_task; // blank counts as NULL
    const char *cron;       // WM_SCHEDULE_CRON; NULL
    bool explains;          // a line per task on standard error
    /* For gates only, made on first use; NULL: no network, gates that need it are closed. */
    bool (*open_api)(void *user_data, Cancel *cancel, WmApi **ret_api, GError **error);
    void *user_data;
} WmResolve;

/* Names in order, at most 256 (Actions' matrix). New reference. */
bool wm_resolve(const WmResolve *self, Cancel *cancel, json_t **ret_names, GError **error);
