/*
 * Waits on 127.0.0.1, at a port of the kernel's choice, for the one request with which a browser
 * comes back from a page where somebody has logged in. Everything else is answered 404: browsers
 * open connections that they do not use, and other programs of this machine may knock.
 *
 * Not thread safe; never blocks. At most LIMIT_CALLBACK_CONNECTIONS connections, of which the
 * oldest goes, and LIMIT_CALLBACK_REQUEST_BYTES of each.
 */
#pragma once

#include "base/error.h"

typedef struct CallbackServer CallbackServer;

/* `path` is what must be asked for, "/callback/…", and should be hard to guess. */
bool callback_server_new(const char *path, CallbackServer **ret_server, GError **error);
void callback_server_free(CallbackServer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallbackServer, callback_server_free)

unsigned callback_server_port(const CallbackServer *self);

/* For poll(): readable when callback_server_step() has something to do. */
int callback_server_fd(const CallbackServer *self);

/* Does it. The query of the awaited request, as it came ("" without one) once it is there, else
   NULL. Caller frees. */
char *callback_server_step(CallbackServer *self);
