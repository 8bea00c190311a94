/*
 * The modes of edit (agent-tools §3.3): one tool, of which each mode is a form with other
 * arguments. A mode is one ToolDef, last in its file, and a line in edit.c. Private to the edit
 * tool. Thread safe.
 */
#pragma once

#include "tool/tool.h"

// what all forms have in common; the rest is theirs
#define EDIT_FLAGS (TOOL_EXCLUSIVE | TOOL_NON_ABORTABLE | TOOL_CAN_DESTROY | TOOL_WRITES_PLAN)
#define EDIT_TOOL                                                                                  \
    .name = "edit", .label = "Edit", .summary = "Replace text in a file", .effect = EFFECT_WRITE

extern const ToolDef tool_edit_hashline;
extern const ToolDef tool_edit_replace;
extern const ToolDef tool_edit_patch;
extern const ToolDef tool_edit_apply_patch;

/* The value of an environment variable; NULL when it says nothing (unset, empty, `auto`). */
const char *edit_mode_variable(const char *name);

/* Adds one file to what the call would write. */
void edit_mode_judge_file(const ToolCall *call, Judgement *judgement, const char *path);

/* Do places count that are only alike? KEDGE_EDIT_FUZZY, else edit.fuzzyMatch. */
bool edit_mode_is_fuzzy(const Settings *settings, bool *ret_is_fuzzy, GError **error);
