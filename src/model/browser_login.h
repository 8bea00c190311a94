/*
 * Logging in to a provider on its page in a browser, for those that document it for programs of
 * other people: OAuth with PKCE (S256). The browser comes back to an address of this machine with a
 * code, which is changed for a key; the verifier that makes the code worth something never leaves
 * the process before.
 *
 * Not thread safe.
 */
#pragma once

#include "base/http.h"

typedef struct BrowserLogin BrowserLogin;

/* Is there such a page? */
bool browser_login_exists(const char *provider);

/* `base_url` is the provider's, which decides where page and exchange are. */
BrowserLogin *browser_login_new(const char *provider, const char *base_url);
void browser_login_free(BrowserLogin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BrowserLogin, browser_login_free)

/* The path that the browser comes back to: not to be guessed. Borrowed. */
const char *browser_login_path(const BrowserLogin *self);
/* The page to open; `port` is where the browser is waited for. Caller frees. */
char *browser_login_url(const BrowserLogin *self, unsigned port);

/* A key and no code: what a person pasted. */
bool browser_login_is_key(const char *text);

/* The code in `text`: the query the browser came back with, the whole address, or the code alone.
   DENIED when the page said no, USAGE when there is none or the address is another login's. Caller
   frees. */
bool browser_login_read_code(const BrowserLogin *self, const char *text, char **ret_code,
                             GError **error);

/* Changes it for a key. Blocks. Caller frees, and wipes. */
bool browser_login_finish(const BrowserLogin *self, HttpClient *http, const char *code,
                          Cancel *cancel, char **ret_key, GError **error);
