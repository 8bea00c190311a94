/*
 * What the parts of the server share. Private to this room.
 */
#pragma once

#include "arcade/arcade.h"
#include "arcade/connections.h"
#include "arcade/guard.h"
#include "arcade/hub.h"
#include "arcade/mhd.h"
#include "arcade/store.h"
#include "base/cancel.h"

#define ARCADE_IDLE_SECONDS 60

struct Arcade {
    char *cwd;
    Guard *guard;
    Connections *connections;
    Store *store;
    Hub *hub;
    int64_t comment_ms;
    Cancel *cancel; // fires when the server is to end
};

/* MHD's callbacks; `arcade` is a struct Arcade. */
enum MHD_Result serve_request(void *arcade, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *data_size, void **request);
void serve_completed(void *arcade, struct MHD_Connection *connection, void **request,
                     enum MHD_RequestTerminationCode code);
/* Leaves URLs encoded: request.c decodes them. */
size_t serve_unescape(void *arcade, struct MHD_Connection *connection, char *text);
