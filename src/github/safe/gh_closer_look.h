/*
 * The closer look at a command line whose class is unknown (gh-policy §5.3): is its word an alias
 * or an extension of this gh? Reads gh's configuration, starts nothing.
 */
#pragma once

#include "github/classify/classify.h"

/* Replaces *argv and *classified by an alias's expansion and its class; what is executed is then
   the expansion. A shell alias and an extension make the call blocked. Errors: USAGE, as of
   classify_argv(). */
bool gh_closer_look(const ClassifyOptions *options, char ***argv, Classified *classified,
                    GError **error);
