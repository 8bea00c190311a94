/*
 * Where the project, its .rp1 directory and its code are (agent-tools-cli §6). Runs git; blocks;
 * thread safe; changes nothing.
 */
#pragma once

#include "base/cancel.h"

typedef enum { ROOT_ENV, ROOT_GIT_COMMON_DIR, ROOT_CWD } RootSource;

typedef struct RootDir {
    char *root;          // absolute path of .rp1; need not exist
    bool is_worktree;    // a linked worktree
    char *worktree_name; // its branch; NULL: none, or detached
    RootSource source;
    char *project_root;
    char *code_root;
    char *kb_root, *work_root;
    bool exists;   // root is a directory
    char *warning; // NULL: none
} RootDir;

void root_dir_clear(RootDir *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RootDir, root_dir_clear)

/* Errors of answer_error(), code GIT. */
bool root_dir_find(const char *cwd, Cancel *cancel, RootDir *ret_root, GError **error);

/* The main repository's path for one inside a linked worktree, else `path` itself (agent-tools-cli
   §3.3). Never fails: what git cannot tell stays as it is. Caller frees. */
char *root_dir_main(const char *path, Cancel *cancel);
