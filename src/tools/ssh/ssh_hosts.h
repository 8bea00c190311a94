/*
 * Hosts of the ssh tool (agent-tools §9.4): the person's own ssh.json in the agent directory,
 * written by hand or by `kedge ssh`. A repository's are said to be there and not used: whoever
 * wrote them would decide where commands run and with which key, and no one can trust a repository
 * yet (common §3).
 *
 * What is in the file becomes arguments of a program and is held to that: no entry begins with "-"
 * or holds what a shell or ssh would read as more than a name. Thread safe.
 */
#pragma once

#include "base/json.h"

typedef struct SshHost {
    char *name;         // what a call says
    char *address;      // what ssh is given: a host name, an address, or a Host of ssh_config
    char *user;         // NULL: ssh's own choice
    char *key_path;     // absolute; NULL: ssh's own choice
    char *description;  // one line; NULL: none
    int port;           // 0: ssh's own choice
    bool has_no_compat; // a Windows host keeps its own shell
} SshHost;

SshHost *ssh_host_copy(const SshHost *self);
void ssh_host_free(SshHost *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SshHost, ssh_host_free)

/* "deploy@10.0.0.5:2222", as far as it is said. Caller frees. */
char *ssh_host_target(const SshHost *self);

/* Of one entry of "hosts"; the text says what is wrong with it. NULL and *ret_problem, or the host;
   the caller's either way. */
SshHost *ssh_host_parse(const char *name, const json_t *item, char **ret_problem);

/* All entries of a file's text that can be used, of SshHost *; `warnings` (may be NULL) gets a text
   for each that cannot. `path` is for these. */
GPtrArray *ssh_hosts_parse(const char *text, const char *path, GPtrArray *warnings);

/* The person's own; empty without a file. Caller unrefs. */
GPtrArray *ssh_hosts_load(GPtrArray *warnings);
const SshHost *ssh_hosts_find(const GPtrArray *hosts, const char *name); // NULL: none

char *ssh_hosts_path(void); // of the person's own; caller frees
/* The first file of hosts that a repository brings along; NULL: none. Caller frees. */
char *ssh_hosts_of_project(const char *cwd);
