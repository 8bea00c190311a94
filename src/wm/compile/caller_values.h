/*
 * The values of a configuration that go into the caller workflow, checked: a value that could be
 * more than itself there is an error that names its key (task-engine §2.2, §7.6). Pure but for
 * KEDGE_WM_REPO and GH_WM_REPO.
 */
#pragma once

#include "wm/task/config.h"

#define WM_HOME_REPOSITORY "kedge-dev/kedge" // where the reusable workflows are
#define WM_HOME_REF        "main"

/* "owner/name" and the ref behind @. Callers free. */
bool wm_caller_repository(const WmConfig *config, GPtrArray *warnings, char **ret_repository,
                          char **ret_ref, GError **error);
/* Runner labels as JSON, ASCII only: ["self-hosted","linux"]. Caller frees. */
bool wm_caller_runs_on(const WmConfig *config, char **ret_json, GError **error);
/* A tag, or "": latest. Caller frees. */
bool wm_caller_version(const WmConfig *config, GPtrArray *warnings, char **ret_version,
                       GError **error);
/* Names in order, none twice. `ret_is_known`: the reusable workflow takes each. New reference. */
bool wm_caller_secrets(const WmConfig *config, json_t **ret_names, bool *ret_is_known,
                       GError **error);
/* Each a map with either `uses` or `run`; `key` is "pre_steps". */
bool wm_caller_check_steps(const json_t *steps, const char *key, GError **error);
const char *wm_caller_install(const WmConfig *config);
/* A release of kedge, of `kedge_version` or the newest. */
bool wm_caller_installs_release(const WmConfig *config);

/* 'text' of an expression of Actions, quotes doubled. Caller frees. */
char *wm_expression_text(const char *text);
