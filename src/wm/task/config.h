/*
 * `.wm/config.yml` (task-engine §2.2). Immutable once read; a missing file is all defaults.
 */
#pragma once

#include "base/json.h"
#include "wm/task/notes.h"

#define WM_CONFIG_PATH ".wm/config.yml"

typedef enum { WM_EXPRESSIONS_ERROR, WM_EXPRESSIONS_WARN, WM_EXPRESSIONS_OFF } WmExpressions;
typedef enum { WM_GH_AW_OFF, WM_GH_AW_ON, WM_GH_AW_FORCE } WmGhAw;
typedef enum { WM_INSTALL_RELEASE, WM_INSTALL_GH_EXTENSION, WM_INSTALL_NONE } WmInstall;
typedef enum { WM_UNSET = -1, WM_NO, WM_YES } WmSwitch;

typedef struct WmConfig {
    json_t *all; // the whole map; {}
    int64_t version;
    char *engine;          // "claude" by default
    char *model;           // "" when unset
    int64_t max_turns;     // 100 by default
    char *claude_format;   // "text", "json", "stream-json", as the file says; see engine.h
    json_t *context_files; // array of strings, here and below; never NULL
    bool summarizes_event; // context.event: summary
    bool pr_is_draft;
    json_t *pr_reviewers;
    WmExpressions expressions;
    bool expands; // compat.gh_aw_expand
    WmGhAw gh_aw;
    json_t *runs_on;
    json_t *pre_steps, *install_steps; // arrays of objects, keys in source order
    WmInstall install;
    WmSwitch installs_claude;
    char *kedge_version, *gh_wm_version; // "" when unset
    char *reusable_repo, *reusable_ref;  // "" when unset; the ref then is "main"
    json_t *secrets;                     // array of names
    json_t *gate_roles;                  // NULL: unset; else an array of roles, ["all"] for all
    double cost_usd;                     // limits.cost_usd; 0: unset
} WmConfig;

/* Of the repository at `root`. `warnings`: notes.h. Errors begin with the path. */
bool wm_config_read(const char *root, GPtrArray *warnings, WmConfig **ret_config, GError **error);
/* The value that makes it fail, with its place; NULL: it does not, or as a whole. */
WmNote *wm_config_problem(const char *root);
void wm_config_free(WmConfig *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmConfig, wm_config_free)
