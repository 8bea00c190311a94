/*
 * Hooks: what else has a say in a conversation and in each of its calls (common §4.4). The ones
 * before a call see the checked arguments, and may put others in their place or stop the call
 * before anybody is asked; the ones after it see the result, and may change it, before it is
 * cleaned and bounded.
 *
 * A HookList belongs to a conversation. Hooks are added to it and taken away while it goes on; they
 * run in the order in which they were added, and several calls may be in the same hook at once. A
 * call that has begun keeps the hooks that there were then: one that saw it before sees it after.
 */
#pragma once

#include "tool/tool.h"

typedef struct ToolHook { // what is NULL is not called
    const char *name;
    // ---- of a call; on its thread ----
    /* False: the call does not run, and the error's message is the text for the model. Other
       arguments (a new reference in *ret_changed, untouched otherwise) are decoded and checked like
       the first ones; `arguments` are those that were given, as they were understood. */
    bool (*before)(ToolCall *call, const json_t *arguments, json_t **ret_changed, void *user_data,
                   GError **error);
    /* Of every call that ran, also of one that failed. */
    void (*after)(ToolCall *call, ToolResult *result, void *user_data);
    void *user_data;
    /* What the tool itself cannot know of a call that it has judged: adds to the judgement. */
    void (*judged)(ToolCall *call, const json_t *arguments, Judgement *judgement, void *user_data);
    /* The call has its permit and runs next, and is not a read: nothing of it has been done yet.
       `paths` (of char *) are the files that its arguments name, absolute; a command may touch
       others, and an internal URL (internal_url.h) stays one. */
    void (*starts)(ToolCall *call, const GPtrArray *paths, void *user_data);
    // ---- of the conversation; on the thread that works on it, and `cancel` ends the wait ----
    /* It goes on in this session from now on. A hook that is added later has missed the first. */
    void (*session_start)(const char *session_id, void *user_data);
    /* Before a person's prompt is sent (not what is steered into a run): another message (a new
       reference in *ret_changed) may take its place. False: it is not sent, and the error is that
       of the command. */
    bool (*prompt)(const json_t *message, json_t **ret_changed, Cancel *cancel, void *user_data,
                   GError **error);
    /* Before a compaction; `reason` as in its events. False: there is none, and the error says
       why. */
    bool (*compaction)(const char *reason, Cancel *cancel, void *user_data, GError **error);
    /* A prompt has ended; `end` as in the data of its command_end. */
    void (*stop)(const char *end, void *user_data);
} ToolHook;

typedef struct HookList HookList;

HookList *hook_list_new(void);
void hook_list_free(HookList *self); // no one uses it any more
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HookList, hook_list_free)

/* Thread safe, these two. `hook` is copied; `destroy` (may be NULL) frees its user_data when it was
   taken away and no call knows it any more. Returns its number, which is never 0. */
unsigned hook_list_add(HookList *self, const ToolHook *hook, GDestroyNotify destroy);
/* One that is not there is passed over. */
void hook_list_remove(HookList *self, unsigned number);
/* `table` is NULL-terminated (NULL: none). */
void hook_list_add_table(HookList *self, const ToolHook *const *table);

/* Those that there are now, of const ToolHook *: they stay as they are. A new reference. */
GPtrArray *hook_list_take(const HookList *self);

// ---- for those who work on the conversation ----

void hook_list_session_start(const HookList *self, const char *session_id);
/* Each sees what the one before it made. *ret_message: what is to be sent, a new reference. */
bool hook_list_prompt(const HookList *self, json_t *message, Cancel *cancel, json_t **ret_message,
                      GError **error);
bool hook_list_compaction(const HookList *self, const char *reason, Cancel *cancel, GError **error);
void hook_list_stop(const HookList *self, const char *end);
