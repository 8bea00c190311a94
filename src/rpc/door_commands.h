/*
 * Commands of the RPC door itself, beside those of the conversation: how much the client is told,
 * tools that it has, the session as a page, keys, answers to what it was asked.
 */
#pragma once

#include "base/field.h"
#include "rpc/host_tools.h"

typedef struct DoorCommand {
    const char *name;
    const char *help; // one line
    const FieldDef *fields;
    bool is_answer; // to a frame of ours: it gets no response
    bool is_asking; // without data it has asked first, and responds itself
    /* *ret_data may stay NULL. `frame` is the whole line. */
    bool (*run)(RpcLink *link, HostTools *tools, const void *args, const json_t *frame,
                json_t **ret_data, GError **error);
} DoorCommand;

/* The table; ends with an entry without a name. */
const DoorCommand *rpc_door_commands(void);
const DoorCommand *rpc_door_command_find(const char *name); // NULL: there is none

/* Decodes and carries out. */
bool rpc_door_command_run(const DoorCommand *command, RpcLink *link, HostTools *tools,
                          const json_t *frame, json_t **ret_data, GError **error);
