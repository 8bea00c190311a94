/*
 * `git status --porcelain=v1 -z`, the marks of operations in the git directory, `git rev-list
 * --left-right --count` (worktree_state.h).
 */
#include "github/ops/worktree_state.h"

#include "base/file.h"
#include "base/str.h"
#include "github/git.h"

#define MAX_SHOWN_PATHS 10
#define MAX_REF_BYTES   4096

void worktree_state_clear(WorktreeState *self)
{
    g_clear_pointer(&self->paths, g_ptr_array_unref);
    *self = (WorktreeState) { 0 };
}

static bool git_dir_of(const char *path, Cancel *cancel, char **ret_dir, GError **error)
{
    const char *const args[] = { "rev-parse", "--absolute-git-dir", NULL };
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!git_must_bytes(path, args, cancel, &data, &size, error))
        return false;
    if (size > 0 && data[size - 1] == '\n')
        data[size - 1] = '\0';
    *ret_dir = g_steal_pointer(&data);
    return true;
}

bool worktree_rebased_ref(const char *path, Cancel *cancel, char **ret_ref, GError **error)
{
    static const char *const files[] = { "rebase-merge/head-name", "rebase-apply/head-name" };
    g_autofree char *dir = NULL, *ref = NULL;
    if (!git_dir_of(path, cancel, &dir, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(files) && !ref; i++) {
        g_autofree char *file = g_build_filename(dir, files[i], NULL);
        if (file_read(file, MAX_REF_BYTES, &ref, NULL, NULL))
            g_strchomp(ref);
    }
    *ret_ref = g_steal_pointer(&ref);
    return true;
}

/* The operation that has left a mark in the worktree's git directory. */
static bool read_operation(const char *path, Cancel *cancel, const char **ret_operation,
                           GError **error)
{
    static const struct {
        const char *mark, *name;
    } marks[] = {
        { "rebase-merge", "rebase" }, { "rebase-apply", "rebase" },
        { "MERGE_HEAD", "merge" },    { "CHERRY_PICK_HEAD", "cherry-pick" },
        { "REVERT_HEAD", "revert" },  { "BISECT_LOG", "bisect" },
    };
    g_autofree char *data = NULL;
    if (!git_dir_of(path, cancel, &data, error))
        return false;
    *ret_operation = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(marks) && !*ret_operation; i++) {
        g_autofree char *mark = g_build_filename(data, marks[i].mark, NULL);
        if (file_exists(mark))
            *ret_operation = marks[i].name;
    }
    return true;
}

/* A name on one line, whatever is in it. */
static char *shown_path(const char *path)
{
    char *text = g_utf8_make_valid(path, -1);
    for (char *c = text; *c != '\0'; c++) {
        if (g_ascii_iscntrl(*c))
            *c = '?';
    }
    return text;
}

bool worktree_state_read(const char *path, Cancel *cancel, WorktreeState *ret_state, GError **error)
{
    const char *const args[] = { "status", "--porcelain=v1", "-z", "--untracked-files=normal",
                                 NULL };
    g_auto(WorktreeState) state = { .paths = g_ptr_array_new_with_free_func(g_free) };
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!read_operation(path, cancel, &state.operation, error) ||
        !git_must_bytes(path, args, cancel, &data, &size, error))
        return false;
    for (const char *entry = data; entry < data + size; entry += strlen(entry) + 1) {
        if (strlen(entry) < 4) // "XY path"
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             "git status printed something unexpected");
        bool is_untracked = str_has_prefix(entry, "??");
        state.changed += is_untracked ? 0 : 1;
        state.untracked += is_untracked ? 1 : 0;
        g_ptr_array_add(state.paths, shown_path(entry + 3));
        bool has_source = entry[0] == 'R' || entry[0] == 'C';
        if (has_source) // the old name follows
            entry += strlen(entry) + 1;
    }
    *ret_state = state;
    state = (WorktreeState) { 0 };
    return true;
}

bool worktree_state_is_clean(const WorktreeState *self)
{
    return self->operation == NULL && self->changed == 0 && self->untracked == 0;
}

char *worktree_state_counts(const WorktreeState *self)
{
    if (self->changed == 0)
        return g_strdup_printf("%u untracked", self->untracked);
    if (self->untracked == 0)
        return g_strdup_printf("%u changed", self->changed);
    return g_strdup_printf("%u changed, %u untracked", self->changed, self->untracked);
}

char *worktree_state_text(const WorktreeState *self)
{
    if (worktree_state_is_clean(self))
        return g_strdup("clean");
    bool is_dirty = self->changed > 0 || self->untracked > 0;
    g_autofree char *counts = worktree_state_counts(self);
    g_autofree char *dirty = is_dirty ? g_strdup_printf("dirty (%s)", counts) : g_strdup("");
    if (!self->operation)
        return g_steal_pointer(&dirty);
    return g_strdup_printf("%s in progress%s%s", self->operation, is_dirty ? ", " : "", dirty);
}

char *worktree_state_paths(const WorktreeState *self)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < MIN(self->paths->len, MAX_SHOWN_PATHS); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               (char *)g_ptr_array_index(self->paths, i));
    if (self->paths->len > MAX_SHOWN_PATHS)
        g_string_append_printf(text, ", and %u more", self->paths->len - MAX_SHOWN_PATHS);
    return g_string_free(text, FALSE);
}

bool worktree_compare(const char *path, const char *commit, Cancel *cancel, int64_t *ret_ahead,
                      int64_t *ret_behind, GError **error)
{
    g_autofree char *range = g_strconcat("HEAD...", commit, NULL);
    const char *const args[] = { "rev-list",         "--left-right", "--count",
                                 "--end-of-options", range,          NULL };
    g_autofree char *output = NULL;
    if (!git_must(path, args, 0, cancel, &output, error))
        return false;
    g_auto(GStrv) counts = g_strsplit(output, "\t", 2);
    if (g_strv_length(counts) != 2 || !str_parse_int(counts[0], ret_ahead) ||
        !str_parse_int(counts[1], ret_behind))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "git rev-list printed something unexpected");
    return true;
}
