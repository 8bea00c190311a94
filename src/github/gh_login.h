/*
 * What to do where GitHub takes no login: the same words at every door. Reads the environment.
 */
#pragma once

/* The variable whose token gh sends to `host`; while it is set, gh looks at no login of its own,
   and refuses `gh auth login`. NULL: none is set. */
const char *gh_login_variable(const char *host);
/* "set a valid token in GH_TOKEN, or unset it", or the command of gh that logs in. Caller frees. */
char *gh_login_advice(const char *host);
