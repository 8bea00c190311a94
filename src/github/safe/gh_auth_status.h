/*
 * What `gh auth status` says about one host: the JSON of gh 2.81 and newer, the lines of older ones
 * (gh-policy §10). Judged by what is said, not by the exit status, which is 0 before 2.54 even for
 * a token that is refused. Pure.
 */
#pragma once

#include "base/json.h"

typedef enum {
    GH_LOGIN_WORKS,
    GH_LOGIN_REFUSED, // the host does not take the token
    GH_LOGIN_TIMEOUT, // the host did not answer
} GhLoginState;

typedef struct GhLogin {
    GhLoginState state;
    char *login;          // NULL: not said
    char *source;         // "keyring", "GH_TOKEN", a file; NULL: not said
    char *missing_scopes; // "read:org"; NULL: none
    bool is_active;
} GhLogin;

/* Lists of GhLogin *, in gh's order; empty: not logged in. Caller unrefs. */
GPtrArray *gh_auth_status_read_text(const char *text, const char *host);
/* NULL: it is not the JSON of `auth status --json hosts`. */
GPtrArray *gh_auth_status_read_json(const char *text, const char *host);

/* The active one, else the first; NULL for an empty list. Borrowed. */
const GhLogin *gh_auth_status_active(const GPtrArray *logins);
bool gh_login_is_from_environment(const GhLogin *self);
