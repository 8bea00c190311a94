/*
 * Which store a call of the queue works on (agent-tools-cli §3.8): --db, else KEDGE_TASK_DB, else
 * the setting agentTools.taskDb, else the agent-tools database. Pure but for the environment.
 */
#pragma once

#include "agenttools/operation.h"

typedef struct TaskPlace {
    char *path;    // of an SQLite file; NULL for PostgreSQL
    char *url;     // of a PostgreSQL database, password and all; NULL for SQLite. Never printed
    bool is_named; // by --db, the environment or the settings
} TaskPlace;

void task_place_clear(TaskPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TaskPlace, task_place_clear)

/* `db` is what --db says, or NULL. Errors: of answer_error(). */
bool task_place_find(const OperationCall *call, const char *db, TaskPlace *ret_place,
                     GError **error);
/* For a call that only reads: *ret_is_there is false for an SQLite file that is yet to be made;
   NOT_FOUND when whoever named it named a directory that does not exist either. */
bool task_place_look(const TaskPlace *self, bool *ret_is_there, GError **error);
/* path or url: equal for equal places. Borrowed. */
const char *task_place_key(const TaskPlace *self);

/* A store's URL as a person may see it, without user, password and parameters:
   "postgres://db.example:5432/queue". Caller frees. */
char *task_place_show_url(const char *url);
