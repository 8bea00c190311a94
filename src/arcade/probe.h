/*
 * Asking a server on 127.0.0.1 who it is, without libcurl and whatever proxies it would use. Blocks
 * for two seconds at most.
 */
#pragma once

#include "base/error.h"

/* Does an Arcade answer on this port? *ret_version (may be NULL) is what it says of itself. */
bool probe_is_arcade(unsigned port, char **ret_version);
/* … and is this its token? */
bool probe_takes_token(unsigned port, const char *token);
