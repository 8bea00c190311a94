/*
 * What starts the generated workflow: the union of the triggers of all tasks (task-engine §7.1).
 * Which task an event is for, `resolve` says. Pure.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Of WmTask *, in the order of the workflow: {"issues": {"types": ["labeled", "opened"]}, "push":
   {}, "workflow_run": {"workflows": ["CI"]}, "schedule": ["0 1 * * *"]}; without types: of every
   kind. workflow_dispatch, which is always there, is not in it. `warnings` gets what cannot be
   written (char *, with the task's path). New reference. */
json_t *wm_union(const GPtrArray *tasks, GPtrArray *warnings);
