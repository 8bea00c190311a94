/*
 * What tests of the task engine share: a repository with a task in a directory of its own, and a
 * run directory in it.
 */
#pragma once

#include "unit.h"

#include "base/file.h"
#include "wm/task/project.h"

#include <string.h>

typedef struct WmFixture {
    char *root, *run_dir;
    WmProject project;
    WmTask *task;
} WmFixture;

static inline char *wm_fixture_path(const WmFixture *self, const char *name)
{
    return g_build_filename(self->root, name, NULL);
}

static inline void wm_fixture_write(const WmFixture *self, const char *name, const char *text,
                                    unsigned mode)
{
    g_autofree char *path = wm_fixture_path(self, name);
    g_autofree char *dir = g_path_get_dirname(path);
    g_autoptr(GError) error = NULL;
    assert_true(file_make_dirs(dir, 0755, &error));
    assert_true(file_write_atomic(path, text, strlen(text), mode, &error));
}

/* NULL when it is not there. Caller frees. */
static inline char *wm_fixture_read(const WmFixture *self, const char *name)
{
    g_autofree char *path = wm_fixture_path(self, name);
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

/* `config` (NULL: none) and the frontmatter and body of a task named `fix`. */
static inline WmFixture wm_fixture_new(const char *config, const char *front, const char *body)
{
    WmFixture self = { .root = g_dir_make_tmp("kedge-wm-XXXXXX", NULL) };
    self.run_dir = wm_fixture_path(&self, ".wm/runs/fix-1");
    assert_int_equal(g_mkdir_with_parents(self.run_dir, 0755), 0);
    if (config)
        wm_fixture_write(&self, WM_CONFIG_PATH, config, 0644);
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf("---\n%s\n---\n%s", front, body);
    self.project.root = self.root;
    if (!wm_config_read(self.root, NULL, &self.project.config, &error) ||
        !wm_task_parse(text, strlen(text), WM_TASKS_DIR "/fix.md", NULL, &self.task, &error))
        fail_msg("%s", error->message);
    return self;
}

static inline void wm_fixture_end(WmFixture *self)
{
    assert_true(file_remove_tree(self->root, NULL));
    wm_config_free(self->project.config);
    wm_task_free(self->task);
    g_free(self->root);
    g_free(self->run_dir);
    *self = (WmFixture) { 0 };
}
