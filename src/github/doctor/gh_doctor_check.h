/*
 * What the checks of the doctor share. Private to gh_doctor*.c.
 */
#pragma once

#include "base/check_list.h"
#include "github/safe/gh_context_git.h"
#include "github/safe/gh_cwd.h"
#include "github/safe/gh_program.h"
#include "tool/tool.h"

#define DOCTOR_CHECK_S 10 // of each check

typedef struct Doctor {
    ToolCall *call;
    const Settings *settings;
    bool is_offline; // no server is asked
    char **known_hosts;
    CheckList list;
    // what the checks found out so far
    GhProgram program;      // path NULL: there is no gh to use
    GPtrArray *host_logins; // for each known host a GPtrArray of GhLogin *; entries may be NULL
    GhCwd cwd;              // fd -1: it cannot be used
    GhClone *clone;         // NULL: the same
} Doctor;

/* Each adds one check, or one for each host. */
void doctor_check_executable(Doctor *self);
void doctor_check_version(Doctor *self);
void doctor_check_auth(Doctor *self);
void doctor_check_accounts(Doctor *self);
void doctor_check_cwd(Doctor *self);
void doctor_check_repo(Doctor *self);
void doctor_check_remotes(Doctor *self);
void doctor_check_env_set(Doctor *self);
void doctor_check_env_external(Doctor *self);
void doctor_check_policy(Doctor *self);
void doctor_check_aliases(Doctor *self);
void doctor_check_extensions(Doctor *self);
void doctor_check_git(Doctor *self);
void doctor_check_audit(Doctor *self);
