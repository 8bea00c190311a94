/*
 * What a shell command would do on GitHub: the calls of gh and the pushes of git in it, however
 * they are wrapped (`sh -c`, `git -C`, `env`). It reads what is there and runs nothing, so what
 * a variable or a script holds is not seen: it recognises a second try of what was refused, and is
 * no judge of shell commands.
 */
#pragma once

#include "tool/tool.h"

/* Adds the actions of `command` that do more than read, and the repositories that it reads;
   `is_around` of one that starts gh by a path, or with a PATH of its own. `call` (NULL: none) and
   `cwd` (NULL: its own) say where it runs: which repository is meant where none is named. */
void gh_shell_read(ToolCall *call, const char *cwd, const char *command, Judgement *judgement);

/* The simple commands of a text: arrays of their words (char *). Caller unrefs. */
GPtrArray *gh_shell_split(const char *text);
