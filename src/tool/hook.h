/*
 * Hooks: what else has a say in every call of a conversation (common §4.4). The ones before see the
 * checked arguments, and may put others in their place or stop the call before anybody is asked;
 * the ones after see the result, and may change it, before it is cleaned and bounded.
 *
 * They run in the order in which they were added, on the thread of the call; several calls may be
 * in the same hook at once.
 */
#pragma once

#include "tool/tool.h"

typedef struct ToolHook {
    const char *name;
    /* False: the call does not run, and the error's message is the text for the model. Other
       arguments (a new reference in *ret_changed, untouched otherwise) are decoded and checked like
       the first ones; `arguments` are those that were given, as they were understood. NULL: none.
     */
    bool (*before)(ToolCall *call, const json_t *arguments, json_t **ret_changed, void *user_data,
                   GError **error);
    /* Of every call that ran, also of one that failed. NULL: none. */
    void (*after)(ToolCall *call, ToolResult *result, void *user_data);
    void *user_data;
    /* What the tool itself cannot know of a call that it has judged: adds to the judgement. NULL:
       nothing. */
    void (*judged)(ToolCall *call, const json_t *arguments, Judgement *judgement, void *user_data);
} ToolHook;

/* Before the first call. `hooks` is NULL-terminated (NULL: none) and outlives the context. */
void tool_context_add_hooks(ToolContext *self, const ToolHook *const *hooks);
const GPtrArray *tool_context_hooks(const ToolContext *self); // of const ToolHook *; borrowed
