/*
 * gh inside of what a model runs: `gh` by its name in a shell, a kernel, a recipe, a hook of git is
 * the judged gh (gh-policy §19).
 *
 * Each conversation has a folder of its own, which comes first on PATH of such children. Its `gh`
 * is a link to kedge (gh_client.h), which asks over the socket beside it; the folder is private,
 * its name cannot be guessed, and it goes with the conversation. A thread answers: what a client
 * asks for is a call of a tool like any other (lent_calls.h), and what it may run it runs itself,
 * with its own streams, directory and terminal. Thread safe.
 */
#pragma once

#include "tool/lent_calls.h"

extern const CommandDoor gh_command_door;
