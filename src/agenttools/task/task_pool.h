/*
 * Open stores of one conversation (ToolContext), so that the calls of a long-lived process do not
 * open the database each time. A call takes one, alone, and gives it back. Thread safe.
 */
#pragma once

#include "agenttools/task/task_place.h"
#include "agenttools/task/task_sql.h"

typedef struct TaskPool TaskPool;

/* Of the call's context; freed with it. Borrowed. */
TaskPool *task_pool_of(const OperationCall *call);

/* An open store of that place. Waits while as many are out as one process may have open: one for
   SQLite, where more would only wait for one another. `warnings` gets texts (char *). */
bool task_pool_take(TaskPool *self, const OperationCall *call, const TaskPlace *place,
                    TaskSql **ret_sql, GPtrArray *warnings, GError **error);
/* `is_good` false: it failed, and is closed. */
void task_pool_give(TaskPool *self, const TaskPlace *place, TaskSql *sql, bool is_good);
