/*
 * A workflow task: one Markdown file with frontmatter (task-engine §2.1, §2.3). Immutable once
 * read; may be read by several threads.
 */
#pragma once

#include "wm/task/config.h"
#include "wm/task/notes.h"

#define WM_TASKS_DIR      ".wm/tasks"
#define WM_MAX_TASK_BYTES ((size_t)1024 * 1024)
#define WM_MAX_MINUTES    480 // of timeout-minutes

typedef struct WmTask {
    char *name;    // "implement"
    char *path;    // ".wm/tasks/implement.md": below the root, with /; the id of its schedules
    json_t *front; // the frontmatter, an object
    char *body;    // trimmed
    json_t *on;    // normal form of its triggers (triggers.h): an object of objects
    json_t
        *inlined; // of each file that the body names ({{#import}}): its text, or null; NULL: none
    GPtrArray *imported;     // of char *: paths of the files that it took; NULL: it has none
    GPtrArray *import_notes; // of char *: what was not taken of them
} WmTask;

/* `text` is a whole file; `path` as above. Errors `implement.md: missing opening ---`. What is
   wrong but harmless goes to `warnings` (notes.h). */
bool wm_task_parse(const char *text, size_t size, const char *path, GPtrArray *warnings,
                   WmTask **ret_task, GError **error);
void wm_task_free(WmTask *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmTask, wm_task_free)

/* Frontmatter and body of a text, before YAML, trimmed (task-engine §2.1 splitting). Caller frees
 * both. */
bool wm_task_split(const char *text, size_t size, char **ret_yaml, char **ret_body, GError **error);
/* The rule of D42, and its words for messages. */
#define WM_NAME_RULE                                                                               \
    "1 to 100 bytes, without control characters and / \\ \" : < > | * ?, no . or - first"
bool wm_task_name_is_valid(const char *name);

/* What the frontmatter says, with the defaults of the configuration. Callers free the texts. */
char *wm_task_engine(const WmTask *self, const WmConfig *config); // lower case, trimmed
char *wm_task_model(const WmTask *self, const WmConfig *config);  // "" when none
int64_t wm_task_max_turns(const WmTask *self, const WmConfig *config);
int64_t wm_task_timeout_minutes(const WmTask *self); // 1 to 480
/* WM_TASK_TOOLS; NULL without a key `tools`. */
char *wm_task_tools(const WmTask *self);
double wm_task_cost_usd(const WmTask *self,
                        const WmConfig *config); // 0: no cap (task-engine §10.5)
/* `on.reaction`: NULL when absent or "none". USAGE-worded errors of task-engine §5.2. Borrowed. */
bool wm_task_reaction(const WmTask *self, const char **ret_reaction, GError **error);
const char *wm_task_description(const WmTask *self); // "" when none
const char *wm_task_source(const WmTask *self);      // NULL when none
/* Borrowed; NULL when absent. Either spelling of keys (D12) is policy.h's business. */
const json_t *wm_task_safe_outputs(const WmTask *self);
/* The normalized crons of on.schedule, in order (char *, owned); entries that are none go to
   `warnings`. *ret_any: it matches every tick (task-engine §4.5). */
GPtrArray *wm_task_crons(const WmTask *self, GPtrArray *warnings, bool *ret_any);
