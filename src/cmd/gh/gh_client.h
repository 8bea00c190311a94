/*
 * kedge by the name `gh`: the other end of gh_door.h, in commands that a model runs.
 *
 * It sends its words to the conversation that the command belongs to, and runs the gh that may be
 * run, as it was allowed, with its own streams; or says why not. Only the main thread.
 */
#pragma once

#include <stdbool.h>

/* Was this program started by the name gh? Before anything else: the environment is gh's. */
bool gh_client_is_meant(void);
int gh_client_main(int argc, char **argv);
