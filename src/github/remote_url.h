/*
 * Remote URLs of git, and the hosts in them (gh-policy §1.4). Whether a host is known is not asked
 * here. Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct RemoteUrl {
    char *host; // lower case, without port and one leading www.; ssh.github.com is github.com
    char *owner, *repo; // as written, without .git
} RemoteUrl;

void remote_url_clear(RemoteUrl *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RemoteUrl, remote_url_clear)

/* False when the URL names no repository on a host, or is in any way unusual. User information is
 * dropped. */
bool remote_url_parse(const char *url, RemoteUrl *ret_url);

/* The ssh forms only, with the host as written: a name that only the user's ssh configuration may
 * know. */
bool remote_url_parse_alias(const char *url, RemoteUrl *ret_url);

/* The host of any URL of these schemes or scp form, whatever its path; NULL: none. Caller frees. */
char *remote_url_host(const char *url);

/* The normal form of a host name as of RemoteUrl; NULL: not a host name. Caller frees. */
char *remote_host_normalise(const char *host);

bool remote_owner_is_valid(const char *owner);
bool remote_repo_is_valid(const char *repo);
