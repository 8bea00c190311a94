/*
 * User information of URLs is a secret (common §10 rule 4): what comes before the host in a
 * remote URL of git, as `https://x-access-token:TOKEN@github.com/…`, becomes a known value.
 *
 * A password is one whatever it is; a user name only where it is a token itself, since a person's
 * name is in every second line of a repository. Starts no process. Thread safe.
 */
#pragma once

/* All URLs in `text`. */
void url_secrets_register(const char *text);

/* Those of git's configuration: of the repository that holds `cwd`, a linked worktree's too, and
   the user's. What cannot be read is left out. */
void url_secrets_take(const char *cwd);
