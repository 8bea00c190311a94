/*
 * A directory of its own with files of tasks, for unit tests of src/workflow/.
 */
#pragma once

#include "unit.h"

#include "base/file.h"

#include <string.h>

typedef struct RepoFixture {
    char *root;
} RepoFixture;

static inline RepoFixture repo_new(void)
{
    RepoFixture self = { .root = g_dir_make_tmp("kedge-wm-XXXXXX", NULL) };
    assert_non_null(self.root);
    return self;
}

static inline void repo_clear(RepoFixture *self)
{
    if (self->root)
        assert_true(file_remove_tree(self->root, NULL));
    g_clear_pointer(&self->root, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RepoFixture, repo_clear)

/* `path` is below the root; its directories are made. */
static inline void repo_put(const RepoFixture *self, const char *path, const char *text)
{
    g_autofree char *whole = g_build_filename(self->root, path, NULL);
    g_autofree char *dir = g_path_get_dirname(whole);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(whole, text, strlen(text), 0600, NULL));
}
