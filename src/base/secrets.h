/*
 * The secrets of the process (common §10): keys and tokens, taken out of the environment
 * and the argument vector once, at start, before the first thread and the first child. From then on
 * a value is had from here only; /proc/PID/environ and /proc/PID/cmdline no longer show it.
 *
 * Values live in memory that is locked where that is allowed, until the process exits, and are
 * wiped then. A value of 8 bytes or more that is no common word is *known*: base/mask.h takes it
 * out of what leaves. Thread safe, but for the functions that say otherwise.
 */
#pragma once

#include "base/secret_names.h"

#include <glib.h>

/* No other process of the user may look into this one, and there is no core file; before any secret
   is read. False: KEDGE_ALLOW_DEBUG leaves the process open for a debugger. */
bool secrets_close_process(void);

/* Every variable of a secret kind: its value is kept, its bytes are zeroed, its name is unset.
   Before the first thread. */
void secrets_take_environment(void);
/* The same for one variable that a models file names; children get it as little as a provider's
   key. Before the first thread. */
void secrets_take_variable(const char *name);
/* The same two in a program that is not ours: the environment stays as it is, and the values are
   known and withheld from children all the same. Any time; again is fine. */
void secrets_learn_environment(void);
void secrets_learn_variable(const char *name);
/* The value of --api-key, in both forms, before `--`: argv points to a copy, the bytes that others
   see are zeroed. */
void secrets_take_arguments(int argc, char **argv);

/* A value that came from elsewhere under the name of a variable: a `.env` file of the user, a
   program with libkedge in it. What the environment has under that name is known from then on, but
   does not replace it. */
void secrets_set(const char *name, const char *value);
/* A value without a name that is to be masked: what gh hands out, a key that is written in a
   file, the user part of a URL. */
void secrets_register(const char *value);

/* Only in a copy of the process, by fork(), that goes on without them: its values become empty.
   Takes no lock, allocates nothing. */
void secrets_drop_copy(void);

/* The value of a variable, borrowed until the process exits; NULL when unset or empty. A variable
   that no one took (a program that began without secrets_take_environment(), such as a test) is
   read where it is. */
const char *secrets_get(const char *name);

/* The store decides who gets this variable, wherever else it may be. */
bool secrets_holds(const char *name);
/* Appends "NAME=value" (owned by `env`) for what a child gets of the store: tokens, and what `pass`
   (may be NULL) names. `is_safe` leaves GitHub's tokens out. */
void secrets_add_for_child(GPtrArray *env, const char *const *pass, bool is_safe);
/* The same for an agent program (env_for_agent()): keys, too. */
void secrets_add_for_agent(GPtrArray *env);

/* For base/mask.h: how many values are known (it only grows), and each of them. */
unsigned secrets_count_known(void);
/* Borrowed, until the process exits. */
const char *secrets_known(unsigned index);
