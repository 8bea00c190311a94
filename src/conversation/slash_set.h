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

/* The command with that name, also in capitals, or that a word of another program means
   (slash_words.h); NULL: none. Borrowed, as all here. */
const SessionCommand *slash_set_find(const SlashSet *self, const char *name);
/* The command that "/name argument" names, and its argument, in `line`; NULL: none. */
const SessionCommand *slash_set_find_typed(const SlashSet *self, const char *line,
                                           const char **ret_argument);

/*
 * What there is to say of a line that names no command, in place of sending it to the model with
 * the whole context: a word of another program, a slip of the fingers, or a single "/word" that
 * nobody has. The same line again is a message. `has` NULL: all of the set can be carried out here,
 * else those it is true of. Every line that is sent comes by here. NULL: it is a message. Caller
 * frees.
 */
char *slash_set_hold(SlashSet *self, const char *line, bool (*has)(const SessionCommand *command));

/* Commands in the order of their sources, without those whose name an earlier one has. False: there
   is no such index. `ret_source` may be NULL. */
bool slash_set_at(const SlashSet *self, size_t index, const SessionCommand **ret_command,
                  const char **ret_source);

/* Two commands with one name that were not reported yet, as a sentence; NULL: none. Caller frees.
 */
char *slash_set_take_clash(SlashSet *self);

/* Called after each change; NULL: no longer. One watcher: the door of the conversation. */
void slash_set_watch(SlashSet *self, void (*changed)(void *user_data), void *user_data);
