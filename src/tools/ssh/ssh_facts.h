/*
 * What is known of the machine behind a host of the ssh tool (agent-tools §9.4): its system and the
 * shell that gets the commands, and how a command is worded for that shell. Found by asking once,
 * and kept in ~/.kedge/remote-host/NAME.json, a cache that can be deleted.
 *
 * What the other machine says is only ever looked up in lists of words. Pure, but for load and
 * store; thread safe.
 */
#pragma once

#include "tools/ssh/ssh_hosts.h"

typedef enum { SSH_OS_UNKNOWN, SSH_OS_LINUX, SSH_OS_MACOS, SSH_OS_WINDOWS } SshOs;

typedef enum {
    SSH_SHELL_UNKNOWN, // spoken to as if it were a sh
    SSH_SHELL_SH,
    SSH_SHELL_BASH,
    SSH_SHELL_ZSH,
    SSH_SHELL_CMD,
    SSH_SHELL_POWERSHELL,
} SshShell;

typedef struct SshFacts {
    SshOs os;
    SshShell shell;        // of the person on that machine
    SshShell compat_shell; // BASH or SH that a Windows machine also has; else UNKNOWN
    bool is_compat;        // commands go through it
} SshFacts;

/* Commands that ask: the first is understood by every shell; the second settles the system where
   the first does not; the others look for a POSIX shell on Windows and print `ssh_compat_mark`. */
extern const char ssh_probe_shell[];
extern const char ssh_probe_system[];
extern const char ssh_probe_bash[];
extern const char ssh_probe_sh[];
extern const char ssh_compat_mark[];

SshFacts ssh_facts_parse(const char *output); // of ssh_probe_shell
SshOs ssh_facts_parse_system(const char *output);

/* The words of the file, and of a tool's description: "linux", "bash", "bash on windows". */
const char *ssh_os_name(SshOs os);
const char *ssh_shell_name(const SshFacts *self);

/* False: nothing is known, or it was of another machine. */
bool ssh_facts_load(const SshHost *host, SshFacts *ret_facts);
void ssh_facts_store(const SshHost *host, const SshFacts *self); // as far as it can be written

/* `command` as the machine's shell gets it, in `cwd` (NULL: where it begins; ~ and ~/… are the home
   directory there). USAGE for a directory that the shell cannot be told safely; LIMIT. */
bool ssh_facts_word(const SshFacts *self, const char *command, const char *cwd, char **ret_text,
                    GError **error);
