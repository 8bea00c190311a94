/*
 * ToolSet: the tools of a conversation, or of a server: static definitions and those made while the
 * program runs (DynamicTool), in a fixed order (agent-tools §1.2).
 *
 * Some may wait until they are found (tool_discovery.h): they are in the set and can be called, but
 * a model is not offered them before. Who waits was settled when the set was chosen.
 *
 * Immutable and reference counted; thread safe. Whoever runs calls holds a reference meanwhile:
 * other tools are another set, and the dynamic definitions of this one stay as they are until its
 * last call has ended.
 */
#pragma once

#include "tool/dynamic_tool.h"

/* `table` is NULL-terminated (NULL: no tools) and its definitions outlive all use. */
ToolSet *tool_set_new(const ToolDef *const *table);
ToolSet *tool_set_ref(const ToolSet *self); // it is immutable: sharing it changes nothing
void tool_set_unref(ToolSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ToolSet, tool_set_unref)

/* The tools of `self` and behind them `tools`, each of which gets a reference; they wait where
   `settings` (NULL: none) say so. USAGE when a name is there already, also as an alias: what is
   known by a name must not become something else. */
bool tool_set_add(const ToolSet *self, DynamicTool *const *tools, size_t count,
                  const Settings *settings, ToolSet **ret_set, GError **error);
/* Is it offered with these settings on this machine? */
bool tool_is_available(const ToolDef *tool, const Settings *settings);
/* Those that `keeps` says yes to. */
ToolSet *tool_set_filter(const ToolSet *self, bool (*keeps)(const ToolDef *tool, void *user_data),
                         void *user_data);
/* Those of a session: `names` (NULL-terminated; NULL or empty: all that are not hidden), in any
   case, aliases resolved, without doubles, in the order of the set when no names are given, each in
   the form for these settings; behind them what comes with them. What is named does not wait.
   Unknown names are appended to `unknown` when that is given. */
ToolSet *tool_set_select(const ToolSet *self, const Settings *settings, const char *const *names,
                         GPtrArray *unknown);

/* The same tools, each in the form that is offered with these settings to this model (NULL: none is
   known); see ToolDef.variant. */
ToolSet *tool_set_for_model(const ToolSet *self, const Settings *settings, const char *model_id);

/* The same tools, told of without a project: calls will be in a directory that is not known yet. */
ToolSet *tool_set_for_any_project(const ToolSet *self);

/* Those that wait; none where nothing can find them. */
ToolSet *tool_set_waiting(const ToolSet *self);
/* What a model is offered: those that do not wait, and behind them those of `found`
   (NULL-terminated; NULL: none), in that order, each with the one that it needs. */
ToolSet *tool_set_offered(const ToolSet *self, const char *const *found);

/* All borrowed from the set. */
const Settings *tool_set_settings(const ToolSet *self); // it was made for these; NULL: for none
size_t tool_set_count(const ToolSet *self);
const ToolDef *tool_set_at(const ToolSet *self, size_t index);
const ToolDef *tool_set_find(const ToolSet *self, const char *name); // aliases too; NULL: none

/* The nearest name to one that is not there; NULL: none is near.
   Borrowed. */
const char *tool_set_nearest(const ToolSet *self, const char *name);

/* JSON Schema of the tool's arguments. New reference, the caller's to change. */
json_t *tool_schema(const ToolDef *tool);
/* What a model is told of a tool that is offered beside these. Caller frees. */
char *tool_description(const ToolDef *tool, const ToolSet *offered);
/* {"name","description","parameters"} as a model is told. New reference. */
json_t *tool_describe(const ToolDef *tool, const ToolSet *offered);
