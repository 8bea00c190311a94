/*
 * The name of what gh would log in with, so that what one account has seen is not shown to another
 * (github-tool §7.10). Reads the environment and gh's hosts.yml; thread safe.
 */
#pragma once

#include <stdbool.h>

/* "<host>:" and 32 hex digits; NULL when there is neither a token nor a login. `ret_is_login`: it
   is of hosts.yml alone. Caller frees. */
char *credential_key(const char *host, bool *ret_is_login);
