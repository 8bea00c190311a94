/*
 * The virtual environment that lies in a directory, `.venv` or `venv` (agent-tools §9.2). Its
 * Python, and the modules that this loads by itself, are programs: one that may have come with the
 * repository or from somebody else is passed over, since no one was asked whether they may run.
 *
 * Used is one that was made where it lies, belongs to the person (or root), has no file that git
 * tracks, and whose Python is not itself in the repository. A person who wants another one names it
 * in VIRTUAL_ENV. Thread safe; asks git.
 */
#pragma once

#include "base/cancel.h"

/* The path of its Python; NULL: there is none, or it is passed over, and then `*ret_note` says so.
   `ret_note` may be NULL. Caller frees both. */
char *eval_venv_python(const char *dir, Cancel *cancel, char **ret_note);
