/*
 * SlashSet: the commands that a person types, "/compact FOCUS", as one set made of sources: those
 * of the conversation (session_commands.h), of a terminal, of whatever else offers some. A source,
 * or a single command of it, can be added and taken away while the program runs; completion, /help
 * and the lists of other doors are read from the set.
 *
 * Of two commands with one name, the one whose source was added first is used, and the other is
 * reported once; it is used when the first is taken away. On the thread of the conversation's
 * owner.
 */
#pragma once

#include "conversation/command.h"

typedef struct SlashSet SlashSet;

SlashSet *slash_set_new(void);
void slash_set_free(SlashSet *self); // NULL allowed

/* Adds those rows of the table (it ends with a row without names) that can be typed. Table and
   source's name stay as they are until they are taken away. */
void slash_set_add(SlashSet *self, const char *source, const SessionCommand *commands);
/* Takes one command of a source away, or with `name` NULL the whole source; false: not there. */
bool slash_set_remove(SlashSet *self, const char *source, const char *name);
bool slash_set_has_source(const SlashSet *self, const char *source);

/* The command with that name or alias; NULL: none. Borrowed, as all here. */
const SessionCommand *slash_set_find(const SlashSet *self, const char *name);

/* Commands in the order of their sources, without those whose name an earlier one has. False: there
   is no such index. `ret_source` may be NULL. */
bool slash_set_at(const SlashSet *self, size_t index, const SessionCommand **ret_command,
                  const char **ret_source);

/* The nearest name to one that is not there; NULL: none is near. */
const char *slash_set_nearest(const SlashSet *self, const char *name);

/* Two commands with one name that were not reported yet, as a sentence; NULL: none. Caller frees.
 */
char *slash_set_take_clash(SlashSet *self);

/* Called after each change; NULL: no longer. One watcher: the door of the conversation. */
void slash_set_watch(SlashSet *self, void (*changed)(void *user_data), void *user_data);
