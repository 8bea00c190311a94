/*
 * What a person has allowed for the rest of a conversation: writes of one kind in one repository
 * (gh-policy §5.4), or to one file (common §4.3). It is said in one sentence, and what was allowed
 * is what that sentence says. Never what destroys or is not known; a child of the conversation asks
 * for itself.
 *
 * In memory only. Thread safe: the conversation's owner adds, the gate looks.
 */
#pragma once

#include "tool/tool.h"

#define ALLOWANCES_MAX 64 // more are asked about each time

typedef struct Allowances Allowances;

Allowances *allowances_new(void);
void allowances_free(Allowances *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Allowances, allowances_free)

/* "gh issue comment on github.com/o/r": as what such a call could be allowed; NULL: only once.
   Caller frees. */
char *allowance_of(const Judgement *judgement);

bool allowances_add(Allowances *self, const char *allowance); // false: there is no room for it
bool allowances_have(Allowances *self, const char *allowance);
/* In the order in which they were allowed; NULL-terminated. Caller frees with g_strfreev(). */
char **allowances_list(Allowances *self);
void allowances_clear(Allowances *self);
