/*
 * What the files of the classifier share.
 */
#pragma once

#include "github/classify/classify.h"

typedef struct Verdict {
    Effect effect;
    char *reason;
} Verdict;

/* Takes the class and the reason when the class is higher. */
void verdict_raise(Verdict *self, Effect effect, const char *reason);
/* Whatever was there before. */
void verdict_set(Verdict *self, Effect effect, const char *reason);

/* gh-policy §4: raises, and fills the api_* members and `command`. */
void classify_api(const ClassifyOptions *options, Classified *self, Verdict *verdict);

/* gh-policy §3.2: raises to blocked when a reference names an unknown host or no repository. */
void classify_refs(const ClassifyOptions *options, const CommandArgs *args, Verdict *verdict);

/* `host` in lower case, nothing else is normalised. */
bool classify_host_is_known(const ClassifyOptions *options, const char *host);

/* Is this a command that the installed gh does not have yet? (gh-policy §3.1, step 2) */
bool classify_is_newer(const ClassifyOptions *options, const CommandNode *node);
