/*
 * References of the generated workflow that nobody can move (task-engine §3.6): the commit at which
 * the reusable workflows are called, and the release that is installed there.
 */
#pragma once

#include "wm/task/config.h"

typedef struct WmPin {
    char *commit;  // 40 hex digits; NULL: not known
    char *version; // a tag of a release; NULL: not known
} WmPin;
void wm_pin_clear(WmPin *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmPin, wm_pin_clear)

bool wm_pin_is_commit(const char *ref);
/* What this kedge was built from, where others can fetch that. */
void wm_pin_of_build(WmPin *ret_pin);
/* `build` as tools/build-commit prints it; `version` is that of this kedge. */
void wm_pin_parse(const char *build, const char *version, WmPin *ret_pin);
/* A configuration with what is known of the pin, all else as it was. Caller frees. */
bool wm_pin_text(const WmPin *self, const char *config, char **ret_text, GError **error);
/* The same of .wm/config.yml. */
bool wm_pin_write(const WmPin *self, GError **error);
/* What of the generated workflow can still be moved, and the command that pins it; or what it is
   pinned to. Of the current directory. */
void wm_pin_say(void);
