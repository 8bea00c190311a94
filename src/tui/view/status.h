/*
 * The status line below everything, full width, and the short rule above the editor with the first
 * segments (tui §4.1, §17; agent-core §7.6): segments, presets, what is left out when it is narrow.
 * Pure.
 */
#pragma once

#include "base/json.h"
#include "tool/settings.h"
#include "tui/text/row.h"

typedef struct StatusFacts { // all borrowed; NULL, 0 or -1: not known, and not shown
    const char *provider, *model, *thinking, *mode, *cwd, *home, *session_name, *host;
    const char *vim;        // the mode of the vim keys; NULL: they are not in use
    const char *session_id; // as short as it is to be shown
    const char *branch;     // git
    int staged, unstaged, untracked;
    const char *pull;   // "#12 ✓"
    const char *notice; // in front of all: an open question, a running check
    double cost;
    int64_t tokens_in, tokens_out, cache_read, cache_write, context_window;
    double context_percent, tokens_per_second; // -1: not known
    gint64 elapsed_ms;
    const char *clock; // "14:05"
    int subagents;
} StatusFacts;

typedef struct StatusLayout StatusLayout;

/* By statusLine.preset and what else is there; a segment no one knows goes to `warnings`. */
StatusLayout *status_layout_new(const Settings *settings, GPtrArray *warnings);
void status_layout_free(StatusLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StatusLayout, status_layout_free)
bool status_layout_has(const StatusLayout *self, const char *segment);

Row *status_row(const StatusLayout *self, const StatusFacts *facts, const Theme *theme, int width);
/* At most 60 cells. `border` is the editor mode's token. */
Row *status_rule(const StatusFacts *facts, const Theme *theme, ThemeToken border, int width);
