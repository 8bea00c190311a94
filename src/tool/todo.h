/*
 * The todo list of a conversation, `todos.json` beside its session's artifacts (agent-core §3.10,
 * §4.10, §7.11): [{"name":"Build","tasks":[{"content":"Write parser","status":"in_progress",
 * "notes":["…"]}]}]. Statuses are pending, in_progress, completed, abandoned; a flat array of tasks
 * is one phase. What is read is brought to that form; more than TODO_MAX_TASKS tasks are left out.
 *
 * Thread safe: the tool that keeps the list, the run that reminds of it and whoever shows it have
 * threads of their own.
 */
#pragma once

#include "base/json.h"

#define TODO_MAX_TASKS 1000 // of the whole list
#define TODO_MAX_NOTES 50   // of a task

typedef struct TodoList TodoList;

/* `dir`: of the artifacts, need not exist; NULL: the list is in memory only. */
TodoList *todo_list_new(const char *dir);
void todo_list_free(TodoList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TodoList, todo_list_free)

/* Goes on with the list that is in `dir`. */
void todo_list_open(TodoList *self, const char *dir);
/* Takes the list along to `dir`, whose session is a copy; it is written there with a change. */
void todo_list_move(TodoList *self, const char *dir);

bool todo_list_is_stored(TodoList *self); // in a file
/* The phases. New, and the caller's to change. */
json_t *todo_list_phases(TodoList *self);

/* Whether it is a list of phases or of tasks, of which nothing would be passed over. USAGE. */
bool todo_check(const json_t *list, GError **error);
/* Replaces the list. *ret_phases: what was saved; may be NULL. On failure nothing has changed. */
bool todo_list_set(TodoList *self, const json_t *list, json_t **ret_phases, GError **error);
/* The same with what `edit` makes of the phases, which no other change comes between. */
bool todo_list_edit(TodoList *self, void (*edit)(json_t *phases, void *user_data), void *user_data,
                    json_t **ret_phases, GError **error);
/* Empties a list that has been finished for so long. True: it was. */
bool todo_list_clear_finished(TodoList *self, int64_t age_ms, int64_t now_ms);

bool todo_is_open(const json_t *task); // pending or in progress
/* {"content","status"} of what is open. New array. */
json_t *todo_open_tasks(const json_t *phases);
#define TODO_TOOL "todo_write"
/* The phases as a session entry has left them; NULL: it is no result of that tool. New. */
json_t *todo_of_entry(const json_t *entry);
/* What a model that stopped is told. Caller frees. */
char *todo_reminder(const json_t *phases, int64_t attempt, int64_t max_attempts);
