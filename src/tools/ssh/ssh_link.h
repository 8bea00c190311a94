/*
 * Connections of the ssh tool (agent-tools §9.4): one master for each host of a conversation, made
 * by its first command and shared by those after it. A master ends with the conversation, and a
 * moment after kedge when kedge is killed. Its socket is in a directory that only we can enter.
 *
 * ssh is the system's own and reads the person's ssh_config. It never asks for anything: a key must
 * be known to ssh or its agent, and the key of the host must be known and the same as before.
 *
 * Thread safe. Commands on one host may run at once.
 */
#pragma once

#include "tool/context.h"
#include "tools/ssh/ssh_facts.h"

typedef struct SshLinks SshLinks;
typedef struct SshLink SshLink;

/* Those of a conversation. Borrowed. */
SshLinks *ssh_links_of(ToolContext *context);

SshLinks *ssh_links_new(void);
void ssh_links_free(SshLinks *self); // ends them all

/* Connects when there is no connection, and asks what kind of machine it is when that is not known.
   Waits while another call does so. `*ret_link` stays until the conversation ends. Errors:
   NOT_FOUND (no ssh, no key), DENIED (the host's key, our key), TIMEOUT, CANCELLED, FAILED. */
bool ssh_links_connect(SshLinks *self, const SshHost *host, int64_t deadline_ms, Cancel *cancel,
                       SshLink **ret_link, SshFacts *ret_facts, GError **error);

/* The program and arguments that run `command` over it. Caller frees with g_strfreev(). */
char **ssh_link_argv(const SshLink *self, const char *command);
/* The environment of ssh. Caller frees with g_strfreev(). */
char **ssh_link_environment(void);
/* It is gone: the other machine, or the way to it. The next connect makes a new one. */
bool ssh_links_has_lost(SshLinks *self, SshLink *link);
