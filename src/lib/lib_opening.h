/*
 * What a conversation is made of, from kedge_options: settings, models, session and tools, as
 * `kedge --mode rpc` would choose them.
 */
#pragma once

#include "conversation/agent_session.h"
#include "conversation/launch_session.h"
#include "lib/kedge.h"

typedef struct LibOpening {
    kedge_options given; // with our size; its texts are the caller's
    char *cwd, *agent_dir;
    Settings *settings;
    ModelRegistry *registry;
    LaunchSession session;
    ToolSet *all_tools, *tools;
} LibOpening;

void lib_opening_clear(LibOpening *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LibOpening, lib_opening_clear)

/* Copies what a caller's header knows of a struct of `size` bytes into one of ours. USAGE: `given`
   is NULL, has no size, or says something that this library does not know. */
bool lib_struct_read(const void *given, void *ret_ours, size_t size, const char *name,
                     GError **error);

bool lib_opening_make(const kedge_options *options, LibOpening *ret_opening, GError **error);
/* Loop, scope and can_ask are the caller's to add. Once: session and registry change hands. */
AgentSessionOptions lib_opening_take(LibOpening *self);
