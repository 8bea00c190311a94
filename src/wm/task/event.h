/*
 * An event of GitHub: its name and its payload (task-engine §4.1, §5.1).
 */
#pragma once

#include "base/json.h"

#define WM_MAX_PAYLOAD_BYTES ((size_t)32 * 1024 * 1024)

#define WM_NO_EVENT "unknown" // the name where none is given

typedef struct WmEvent {
    char *name;      // trimmed; or WM_NO_EVENT
    json_t *payload; // an object
} WmEvent;

/* NULL: GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, then "unknown" and {}. */
bool wm_event_read(const char *name, const char *path, WmEvent *ret_event, GError **error);
void wm_event_clear(WmEvent *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmEvent, wm_event_clear)

typedef struct WmNumbers { // 0: none
    int64_t issue, pull;   // a comment on a pull request: both the same (D19)
    int64_t comment;
} WmNumbers;
/* `given` is --issue, the last resort; 0: none. */
WmNumbers wm_event_numbers(const WmEvent *self, int64_t given);

/* payload.repository.default_branch; NULL. Borrowed. */
const char *wm_event_default_branch(const WmEvent *self);

/* The text of the event, cleaned (task-engine §5.4): texts are never NULL. */
typedef struct WmSanitized {
    char *title, *body, *text;
    char *mark; // 16 hex digits that are in none of them, other ones each time: for a fence
} WmSanitized;
void wm_event_sanitize(const WmEvent *self, WmSanitized *ret_text);
void wm_sanitized_clear(WmSanitized *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmSanitized, wm_sanitized_clear)
