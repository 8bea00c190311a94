/*
 * Who may ask Arcade anything (agent-tools-cli §5.5 rule 2, §5.5 rule 3): what the headers of a
 * request must say, and the token. Errors are those of reply.h. Thread safe.
 */
#pragma once

#include "base/error.h"

#define GUARD_NONCE_DIGITS      32
#define GUARD_TOKEN_DIGITS      64 // 256 bits, hexadecimal
#define GUARD_FAILURES_A_SECOND 10

typedef struct Guard Guard;

/* `token` NULL: a new one from the kernel's random source. `port` is the one that was bound. */
bool guard_new(unsigned port, const char *token, Guard **ret_guard, GError **error);
void guard_free(Guard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Guard, guard_free)

const char *guard_token(const Guard *self);

/* The HMAC-SHA-256 of `nonce` under the token, in hex: for a page that wants to know whom it talks
   to before it shows its token. Caller frees; NULL unless `nonce` is GUARD_NONCE_DIGITS of hex. */
char *guard_prove(const Guard *self, const char *nonce);

/* Could this be a token of ours? */
bool guard_is_token(const char *text);

typedef struct GuardHeaders { // NULL: not sent
    const char *host, *origin, *sec_fetch_site, *sec_fetch_mode, *sec_fetch_dest;
    bool is_page; // a GET of the shell page, which holds no data: a link elsewhere may lead to it
} GuardHeaders;

/* 403 unless `Host` is ours (against DNS rebinding) and a page of another origin did not send it.
 */
bool guard_check_source(const Guard *self, const GuardHeaders *headers, GError **error);

/* Is this `Bearer TOKEN`? A wrong one is not counted. */
bool guard_is_right(const Guard *self, const char *authorization);

/* 401 unless `authorization` (NULL: not sent) is `Bearer TOKEN`; 429 for wrong ones that come too
   fast. The right token passes at any time. `now_ms` is monotonic. */
bool guard_check_token(Guard *self, const char *authorization, gint64 now_ms, GError **error);
