/*
 * The list of write_guard.h: what a file is called, or where it is, that other programs run later.
 * Private to this room.
 */
#pragma once

#include "tool/write_guard.h"

#include <sys/stat.h>

#define WHY_GIT  "git runs it, or is led by it"
#define WHY_HOOK "git or a manager of its hooks runs it"

typedef struct WritePlace { // a file, or a folder with all below it
    char *named, *real;
    const char *why;
    struct stat file; // st_mode 0: it is no file
} WritePlace;

typedef struct WritePlaceList { // of a workspace and a home; surveys share one
    gint ref_count;             // atomic
    GArray *places;             // of WritePlace
    GPtrArray *homes;           // of the person, as they are named and where their links end
} WritePlaceList;

struct WriteSurvey {
    ToolContext *context;   // borrowed
    char *root, *real_root; // of the workspace
    WritePlaceList *list;   // a reference
    GHashTable *hooks;      // work tree → where its hooks are, "" where git has them
};

/* The repository of `cwd`, or that itself. Caller frees. */
char *write_workspace_root(const char *cwd);

/* Why a file of this name is on the list, wherever it is; NULL: it is not. */
const char *write_pattern_find(const char *path, GuardLevel *ret_level);

/* Why an absolute path of a hidden file or folder of a home, which is not the workspace, is not
   written like any other; NULL: it is none. */
const char *write_hidden_find(const WriteSurvey *self, const char *path);
