/*
 * The queue that a call works on: its transactions, the moves of a task from one status to another
 * with their history, leases and dependents (agent-tools-cli §3).
 *
 * Everything that reads or changes tasks is a TaskBody, run inside one transaction. It may run
 * again after another transaction got in its way, so it sets what it returns again and has no
 * effect but on the store. Errors leave the store as it was.
 */
#pragma once

#include "agenttools/operation.h"
#include "agenttools/task/task_record.h"

typedef struct TaskQueue { // all borrowed
    OperationCall *call;
    const char *db; // --db, or NULL
    Answer *answer; // gets the warnings of opening
} TaskQueue;

typedef struct TaskTx {
    TaskSql *sql;
    int64_t now_ms; // the store's clock
    bool has_woken; // some task may have become ready
} TaskTx;

typedef bool (*TaskBody)(TaskTx *tx, void *data, GError **error);

typedef enum {
    TASK_READS,   // changes nothing, unless leases have to be taken back first
    TASK_CHANGES, // leases that have expired are taken back first
    TASK_STATS,   // as TASK_CHANGES, but the body calls task_reclaim() itself
} TaskMode;

/* Errors: of answer_error(), or CANCELLED. */
bool task_queue_run(const TaskQueue *self, TaskMode mode, TaskBody body, void *data,
                    GError **error);
/* Until something may have become ready, at most `timeout_ms`. */
bool task_queue_wait(const TaskQueue *self, int64_t timeout_ms, GError **error);
/* All of `timeout_ms`, without the store. */
bool task_queue_pause(const TaskQueue *self, int64_t timeout_ms, GError **error);
/* The store cannot be reached or is busy: another try may do. What was under way may be done. */
bool task_queue_can_come_back(const GError *error);

/* Takes back leases that have expired and lets go of delays that are over (task_reclaim.c). */
bool task_reclaim(TaskTx *tx, GError **error);
/* Is there a lease to be taken back? */
bool task_has_expired(TaskTx *tx, bool *ret_has_expired, GError **error);

/* NOT_FOUND `Task 9 not found`. */
bool task_find(TaskTx *tx, int64_t id, Task **ret_task, GError **error);
/* The same, locked until the end of the transaction: for those that change it. */
bool task_load(TaskTx *tx, int64_t id, Task **ret_task, GError **error);
/* Writes it back, with its move from `from` in the history; `worker` and `note` may be NULL. What
   follows from the move for its dependents is done as well. */
bool task_move(TaskTx *tx, Task *task, TaskStatus from, const char *worker, const char *note,
               GError **error);
/* Writes it back without a move. */
bool task_save(TaskTx *tx, Task *task, GError **error);
bool task_add_event(TaskTx *tx, int64_t id, TaskStatus from, TaskStatus to, const char *worker,
                    const char *note, GError **error);

/* Sets the fields for the status; task_move() then writes them. */
void task_set_pending(Task *self, int64_t now_ms, int64_t available_at);
void task_set_finished(Task *self, TaskStatus status, int64_t now_ms);
void task_set_text(char **text, const char *value); // value may be NULL

/* The record, with dependencies. New reference. */
bool task_record(TaskTx *tx, const Task *task, json_t **ret_record, GError **error);

/* What a dependent that is cancelled is told: "Cancelled: dependency 7 failed". Caller frees. */
char *task_dependents_reason(int64_t id, TaskStatus status);
