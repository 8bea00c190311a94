/*
 * What the eval tool may use (agent-tools §1.2, §9.2, §9.3): which languages are on, their
 * interpreters, and the environment of a kernel. Thread safe.
 */
#pragma once

#include "base/cancel.h"
#include "tool/context.h"
#include "tools/eval/eval_input.h"

/* By the settings `eval.py` and `eval.js`, and KEDGE_PY and KEDGE_JS above them. */
bool eval_is_enabled(const Settings *settings, EvalLanguage language);
/* Besides: there is an interpreter on PATH, or a virtual environment names one. */
bool eval_is_available(const Settings *settings, EvalLanguage language, const char *cwd);

/* Absolute paths, in the order in which they are tried. NULL-terminated; caller frees. `*ret_note`
   (NULL before; `ret_note` may be NULL) says which environment of `cwd` is passed over. */
char **eval_interpreters(EvalLanguage language, const char *cwd, Cancel *cancel, char **ret_note);

/* A short list of names out of ours, and what `env.pass` names; no keys, no tokens. The bin
   directory of a virtual environment that `program` is in comes first on PATH. Caller frees. */
char **eval_environment(ToolContext *context, const char *program);
