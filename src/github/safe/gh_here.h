/*
 * What gh refuses to a model's call because of what it does on this machine, and not on GitHub: a
 * shell, which may change its files anyway and ends what runs too long, may do it. Pure.
 */
#pragma once

#include "github/classify/classify.h"

/* `argv` is what was classified, without "gh". True: it is blocked for that reason alone, and as
   far as GitHub sees it reads. */
bool gh_here_only(const char *const *argv, const Classified *classified,
                  const ClassifyOptions *options);
