/*
 * The merge is git's (`git merge-file`), on three files in a private directory.
 */
#include "agenttools/feedback/edit_merge.h"

#include "agenttools/answer.h"
#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/line_diff.h"
#include "base/str.h"
#include "github/git.h"

#define MERGE_TIMEOUT_MS (20 * 1000)
#define MERGED_BYTES     (64 * MIB) // three texts of an edit, and conflict marks
#define FIRST_FAILURE    128        // below: the number of conflicts
/* Longer than any that a text holds. */
#define MARK_SIZE   "61"
#define OURS_MARK   "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<"
#define MIDDLE_MARK "============================================================="
#define END_MARK    ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>"

static bool fail_git(GError **error, const char *why)
{
    return answer_error(error, ANSWER_GIT, NULL, "Git command failed: %s", why);
}

static bool write_part(const char *dir, const char *name, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return file_write_atomic(path, text, strlen(text), 0600, error);
}

/* Leaves the result, with marks where there are conflicts, in `ours`. */
static bool run_merge(const char *dir, Cancel *cancel, bool *ret_is_clean, GError **error)
{
    const char *const args[] = {
        "-c",
        "merge.conflictStyle=merge",
        "merge-file",
        "-q",
        "--marker-size=" MARK_SIZE,
        "--",
        "ours",
        "base",
        "theirs",
        NULL,
    };
    g_auto(GitResult) result = { 0 };
    g_autoptr(GError) failure = NULL;
    if (!git_run(dir, args, MERGE_TIMEOUT_MS, cancel, &result, &failure)) {
        if (error_is(failure, KEDGE_ERROR_NOT_FOUND))
            return fail_git(error, "git is not installed or not on PATH");
        g_propagate_error(error, g_steal_pointer(&failure));
        return false;
    }
    if (result.exit_status >= FIRST_FAILURE) {
        g_auto(GStrv) lines = g_strsplit(result.error_output, "\n", 2);
        g_autofree char *why = g_strdup_printf("git merge-file: %s", lines[0] ? lines[0] : "");
        return fail_git(error, why);
    }
    *ret_is_clean = result.exit_status == 0;
    return true;
}

typedef struct Conflict { // lines of the merged text without marks
    size_t from, to;
} Conflict;

/* The merged text with our side of each conflict alone; *ret_conflicts says where they are. */
static char *take_ours(const char *merged, GArray *conflicts)
{
    enum { OUTSIDE, OURS, THEIRS } where = OUTSIDE;
    GString *text = g_string_new(NULL);
    size_t number = 0;
    Conflict conflict = { 0 };
    for (const char *line = merged, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        end += *end == '\n';
        if (where == OUTSIDE && g_str_has_prefix(line, OURS_MARK)) {
            where = OURS;
            conflict.from = number;
        } else if (where == OURS && g_str_has_prefix(line, MIDDLE_MARK)) {
            where = THEIRS;
            conflict.to = number;
            g_array_append_val(conflicts, conflict);
        } else if (where == THEIRS && g_str_has_prefix(line, END_MARK)) {
            where = OUTSIDE;
        } else if (where != THEIRS) {
            g_string_append_len(text, line, end - line);
            number++;
        }
    }
    return g_string_free(text, FALSE);
}

/* Numbers in `ours` for those in the merged text, which differs by what merged well. */
static char *name_conflicts(const char *ours, const char *merged)
{
    g_autoptr(GArray) conflicts = g_array_new(FALSE, FALSE, sizeof(Conflict));
    g_autofree char *resolved = take_ours(merged, conflicts);
    g_autoptr(LineDiff) diff = line_diff_new(ours, resolved);
    GString *names = g_string_new(NULL);
    LineChange change = { 0 };
    ptrdiff_t shift = 0;
    bool has_change = line_diff_next(diff, &change);
    for (unsigned i = 0; i < conflicts->len; i++) {
        const Conflict *conflict = &g_array_index(conflicts, Conflict, i);
        for (; has_change && change.after + change.added <= conflict->from;
             has_change = line_diff_next(diff, &change))
            shift += (ptrdiff_t)change.deleted - (ptrdiff_t)change.added;
        size_t count = conflict->to - conflict->from;
        size_t first = (size_t)((ptrdiff_t)conflict->from + shift) + (count > 0);
        size_t last = count > 0 ? first + count - 1 : first;
        g_string_append_printf(names, "%s%zu", names->len > 0 ? ", " : "", MAX(first, 1));
        if (last > first)
            g_string_append_printf(names, "-%zu", last);
    }
    return g_string_free(names, FALSE);
}

static bool merge_in(const char *dir, const char *ours, const char *base, const char *theirs,
                     Cancel *cancel, char **ret_text, char **ret_conflicts, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "ours", NULL);
    g_autofree char *merged = NULL;
    bool is_clean = false;
    if (!write_part(dir, "ours", ours, error) || !write_part(dir, "base", base, error) ||
        !write_part(dir, "theirs", theirs, error) || !run_merge(dir, cancel, &is_clean, error) ||
        !file_read(path, MERGED_BYTES, &merged, NULL, error))
        return false;
    *ret_text = is_clean ? g_steal_pointer(&merged) : NULL;
    *ret_conflicts = is_clean ? NULL : name_conflicts(ours, merged);
    return true;
}

bool edit_merge(const char *ours, const char *base, const char *theirs, Cancel *cancel,
                char **ret_text, char **ret_conflicts, GError **error)
{
    if (strcmp(ours, base) == 0 || strcmp(ours, theirs) == 0 || strcmp(base, theirs) == 0) {
        *ret_text = g_strdup(strcmp(ours, base) == 0 ? theirs : ours);
        *ret_conflicts = NULL;
        return true;
    }
    g_autofree char *dir = g_build_filename(dirs_temp(), "kedge-merge-XXXXXX", NULL);
    if (!g_mkdtemp(dir)) // mode 0700
        return fail_with_errno(error, errno, "cannot make a temporary directory");
    bool is_merged = merge_in(dir, ours, base, theirs, cancel, ret_text, ret_conflicts, error);
    file_remove_tree(dir, NULL);
    return is_merged;
}
