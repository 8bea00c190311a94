/*
 * What the files of gates share (gates.h).
 */
#pragma once

#include "wm/task/gate_date.h"
#include "wm/trigger/gates.h"

struct WmGates {
    const WmResolve *resolve;
    int64_t now_ms;
    WmApi *api;         // made on first use
    GError *api_error;  // why there is none
    GHashTable *roles;  // login → role, "" for an error; owns both
    GHashTable *causes; // login → text of that error; owns both
    json_t *deadlines;  // of .wm/stop-after.json; NULL: not read yet
};

/* The value of a gate as written; NULL: absent or null. */
const json_t *wm_gate_value(const WmTask *task, const char *key);
/* The sender's login as it is written; "" when there is none. Borrowed. */
const char *wm_gate_actor(const WmEvent *event);
bool wm_gate_api(WmGates *self, Cancel *cancel, WmApi **ret_api, GError **error);
/* Says `wm: <task>: <reason>; skipped` and keeps the reason; false, to be returned. */
bool wm_gate_refuse(const WmTask *task, char **ret_reason, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Each: false with *ret_reason when the task is skipped. */
bool wm_gate_mark(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason);
bool wm_gate_roles(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason);
bool wm_gate_searches(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason);
bool wm_gate_runs(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason);
