/*
 * The template that a repository has for its pull requests, as GitHub puts it into a new one.
 */
#pragma once

#include "base/cancel.h"
#include "base/error.h"

/* Of the commit that is checked out in the repository around `dir`: git is asked, so that no link
   leads to another file. NULL: there is none, or an empty or a very large one. Caller frees. */
char *pr_template_read(const char *dir, Cancel *cancel);
