/*
 * The tools that a conversation has found (agent-tools §3.31), by name, in the order in which they
 * were: the order in which requests carry them.
 *
 * Shared by reference; thread safe: the tool that searches, the run that asks the model and the
 * owner of the conversation have threads of their own.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define FOUND_TOOLS_MAX       256 // more are not offered; each of them is still run when it is called
#define FOUND_TOOLS_MAX_BYTES 64 // of a name

typedef struct FoundTools FoundTools;

FoundTools *found_tools_new(void);
FoundTools *found_tools_ref(FoundTools *self);
void found_tools_unref(FoundTools *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FoundTools, found_tools_unref)

/* Behind those that are there, once. False: there is no room for it. */
bool found_tools_add(FoundTools *self, const char *name);
/* In place of those that are there. `names` is NULL-terminated. */
void found_tools_set(FoundTools *self, const char *const *names);

/* NULL-terminated; caller frees with g_strfreev(). `ret_version` may be NULL. */
char **found_tools_names(FoundTools *self, unsigned *ret_version);
/* Another number when the names have become others; 0: there never were any. */
unsigned found_tools_version(FoundTools *self);
