/*
 * What the commands of `kedge wm` share that work on the repository in the current directory, or
 * ask GitHub about it.
 */
#pragma once

#include "cmd/wm/wm.h"
#include "wm/compile/compile.h"
#include "wm/task/api.h"
#include "wm/task/project.h"

/* Each text as `wm: <text>` on standard error. */
void wm_print_warnings(const GPtrArray *warnings);

/* The tasks that can be loaded, of these those that are `wanted` (NULL: all); what is wrong with
   the others is said, and they are left out. An error when none is left because of that. */
bool wm_here_load(const char *root, const WmWanted *wanted, WmProject **ret_project,
                  GError **error);

/* wm_compile() with its warnings, and `Updated …`. */
bool wm_here_compile(const WmCompile *options, GError **error);

/* A piece of work with its outcome (interrupt.h): the exit code; an error is reported. `command` as
   in wm_fail(). */
int wm_work(const char *command, bool (*run)(void *data, Cancel *cancel, GError **error),
            void *data);

/* --repo, or what is around the current directory (task-engine §8.2). */
bool wm_here_api(const char *repo, Cancel *cancel, WmApi **ret_api, GError **error);
/* A positive number of an issue, `#7` too; USAGE. */
bool wm_issue_number(const char *word, int64_t *ret_number, GError **error);
/* Text of others on one line of standard output, made visible. */
void wm_append_line(GString *out, const char *text);
