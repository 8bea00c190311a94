/*
 * Opening a scope, and its changed lines (comment_scope.h).
 */
#include "agenttools/comments/comment_scope.h"

#include "agenttools/answer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"

void comment_scope_free(CommentScope *self)
{
    if (!self)
        return;
    g_free(self->root);
    g_free(self->base);
    g_ptr_array_unref(self->files);
    g_strfreev(self->words);
    g_free(self);
}

// ---- branch, unstaged, staged, all ----

/* Takes the words. */
static bool list_diff(CommentScope *self, const ScopeSpec *spec, char **words, Cancel *cancel,
                      GError **error)
{
    static const char *const untracked[] = { "--others", "--exclude-standard", NULL };
    self->words = words;
    self->has_diff = true;
    if (!comment_git_diff(self->root, (const char *const *)words, self->has_blobs, cancel,
                          self->files, error))
        return false;
    if (!spec->has_untracked || self->has_blobs)
        return true;
    guint tracked = self->files->len;
    if (!comment_git_list(self->root, untracked, cancel, self->files, error))
        return false;
    for (guint i = tracked; i < self->files->len; i++) {
        ScopeFile *file = g_ptr_array_index(self->files, i);
        file->is_untracked = file->is_new = true;
    }
    return true;
}

static char **make_words(const char *first, const char *second)
{
    const char *words[] = { first, second, NULL };
    return g_strdupv((char **)words);
}

static bool open_branch(CommentScope *self, const ScopeSpec *spec, Cancel *cancel, GError **error)
{
    if (str_is_empty(spec->base))
        return answer_error_field(
            error, "base", "Validation failed: base is required and must be a non-empty string");
    g_autofree char *base = NULL, *head = NULL, *merge_base = NULL;
    if (!comment_git_commit(self->root, spec->base, "base", cancel, &base, error) ||
        !comment_git_commit(self->root, "HEAD", "revision", cancel, &head, error) ||
        !comment_git_merge_base(self->root, head, "HEAD", base, spec->base, cancel, &merge_base,
                                error))
        return false;
    return list_diff(self, spec, make_words(merge_base, NULL), cancel, error);
}

static bool open_unstaged(CommentScope *self, const ScopeSpec *spec, Cancel *cancel, GError **error)
{
    // a file with conflicts is compared with our side of them
    return list_diff(self, spec, make_words("--ours", NULL), cancel, error);
}

static bool open_staged(CommentScope *self, const ScopeSpec *spec, Cancel *cancel, GError **error)
{
    self->has_blobs = true;
    return list_diff(self, spec, make_words("--cached", NULL), cancel, error);
}

static bool open_all(CommentScope *self, const ScopeSpec *spec, Cancel *cancel, GError **error)
{
    static const char *const tracked[] = { "--cached", NULL };
    static const char *const both[] = { "--cached", "--others", "--exclude-standard", NULL };
    return comment_git_list(self->root, spec->has_untracked ? both : tracked, cancel, self->files,
                            error);
}

// ---- ranges ----

/* `A..B` and `A...B`; an empty side is HEAD. */
static bool is_range(const char *scope)
{
    return strstr(scope, "..") != NULL && strspn(scope, ".") < strlen(scope);
}

static bool open_range(CommentScope *self, const ScopeSpec *spec, Cancel *cancel, GError **error)
{
    const char *dots = strstr(spec->scope, "..");
    bool is_symmetric = dots[2] == '.';
    const char *right = dots + (is_symmetric ? 3 : 2);
    g_autofree char *left = g_strndup(spec->scope, (size_t)(dots - spec->scope));
    const char *a = *left != '\0' ? left : "HEAD", *b = *right != '\0' ? right : "HEAD";
    g_autofree char *from = NULL, *to = NULL;
    if (!comment_git_commit(self->root, a, "base", cancel, &from, error) ||
        !comment_git_commit(self->root, b, "revision", cancel, &to, error))
        return false;
    g_autofree char *merge_base = NULL;
    if (is_symmetric &&
        !comment_git_merge_base(self->root, from, a, to, b, cancel, &merge_base, error))
        return false;
    if (!self->base)
        self->base = g_strdup(a);
    self->has_blobs = true;
    return list_diff(self, spec, make_words(is_symmetric ? merge_base : from, to), cancel, error);
}

// ---- files ----

static gint compare_ranges(gconstpointer a, gconstpointer b)
{
    const LineRange *left = a, *right = b;
    return left->first < right->first ? -1 : left->first > right->first;
}

/* Ascending and apart. */
static void tidy_ranges(GArray *ranges)
{
    g_array_sort(ranges, compare_ranges);
    guint kept = 0;
    for (guint i = 1; i < ranges->len; i++) {
        LineRange *last = &g_array_index(ranges, LineRange, kept);
        const LineRange range = g_array_index(ranges, LineRange, i);
        if (range.first <= last->last)
            last->last = MAX(last->last, range.last);
        else
            g_array_index(ranges, LineRange, ++kept) = range;
    }
    g_array_set_size(ranges, kept + 1);
}

/* "10-40,55" → ranges; false when it is something else. */
static bool parse_lines(const char *text, GArray *ranges)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    for (char **part = parts; *part; part++) {
        g_auto(GStrv) ends = g_strsplit(g_strstrip(*part), "-", 2);
        int64_t first = 0, last = 0;
        if (!ends[0] || !str_parse_int(ends[0], &first) || first < 1)
            return false;
        last = first;
        if (ends[1] && (!str_parse_int(ends[1], &last) || last < first))
            return false;
        const LineRange range = { (size_t)first, (size_t)last };
        g_array_append_val(ranges, range);
    }
    if (ranges->len == 0)
        return false;
    tidy_ranges(ranges);
    return true;
}

/* Relative to the root; the directory's links are resolved, the file's own is not. NULL: outside.
   Caller frees. */
static char *path_in_root(const CommentScope *self, const char *cwd, const char *path)
{
    g_autofree char *whole = path_absolute(path, cwd);
    g_autofree char *dir = g_path_get_dirname(whole), *name = g_path_get_basename(whole);
    g_autofree char *real_dir = path_real(dir);
    g_autofree char *real = g_build_filename(real_dir != NULL ? real_dir : dir, name, NULL);
    if (!path_is_inside(real, self->root) || strcmp(real, self->root) == 0)
        return NULL;
    const char *relative = real + strlen(self->root);
    return g_strdup(*relative == '/' ? relative + 1 : relative);
}

static bool add_named(CommentScope *self, const ScopeSpec *spec, const char *path, size_t number,
                      GError **error)
{
    g_autofree char *relative = path_in_root(self, spec->cwd, path);
    if (!relative) {
        g_autofree char *field = g_strdup_printf("files[%zu]", number);
        return answer_error_field(
            error, field, "Validation failed: %s must be a path inside the repository", field);
    }
    ScopeFile *file = scope_file_new(relative);
    file->is_named = true;
    g_ptr_array_add(self->files, file);
    return true;
}

/* `comment-extract files a.c b.c`: the first of the words fell on base. */
static bool is_base_a_file(const ScopeSpec *spec)
{
    if (str_is_empty(spec->base))
        return false;
    g_autofree char *path = path_absolute(spec->base, spec->cwd);
    return file_exists(path) && !file_is_directory(path);
}

static bool open_files(CommentScope *self, const ScopeSpec *spec, Cancel *cancel G_GNUC_UNUSED,
                       GError **error)
{
    bool has_base = is_base_a_file(spec);
    if (has_base && !add_named(self, spec, spec->base, 0, error))
        return false;
    if (has_base)
        g_clear_pointer(&self->base, g_free);
    json_each (spec->files, number, path) {
        if (!add_named(self, spec, json_string_value(path), number, error))
            return false;
    }
    if (self->files->len == 0)
        return answer_error_field(error, "files",
                                  "Validation failed: files is required and must name a file");
    self->has_diff = spec->lines != NULL;
    if (!spec->lines)
        return true;
    if (self->files->len > 1)
        return answer_error_field(error, "lines",
                                  "Validation failed: lines needs exactly one file");
    ScopeFile *file = g_ptr_array_index(self->files, 0);
    file->changed = g_array_new(FALSE, FALSE, sizeof(LineRange));
    if (!parse_lines(spec->lines, file->changed))
        return answer_error_field(error, "lines",
                                  "Validation failed: lines must be line numbers such as 10-40,55");
    return true;
}

// ---- opening ----

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    const ScopeFile *const *left = a, *const *right = b;
    return strcmp((*left)->path, (*right)->path);
}

/* By path; of several with one path (conflicts, names given twice) the first. */
static void sort_files(GPtrArray *files)
{
    g_ptr_array_sort(files, compare_paths); // stable
    for (guint i = files->len; i > 1; i--) {
        const ScopeFile *file = g_ptr_array_index(files, i - 1);
        const ScopeFile *before = g_ptr_array_index(files, i - 2);
        if (strcmp(file->path, before->path) == 0)
            g_ptr_array_remove_index(files, i - 1);
    }
}

typedef struct ScopeKind {
    const char *name;
    bool (*open)(CommentScope *self, const ScopeSpec *spec, Cancel *cancel, GError **error);
} ScopeKind;

static const ScopeKind kinds[] = {
    { "branch", open_branch }, { "unstaged", open_unstaged }, { "staged", open_staged },
    { "all", open_all },       { "files", open_files },
};

static const ScopeKind *find_kind(const char *scope)
{
    static const ScopeKind range = { "A..B", open_range };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].name, scope) == 0)
            return &kinds[i];
    }
    return is_range(scope) ? &range : NULL;
}

bool comment_scope_open(const ScopeSpec *spec, Cancel *cancel, CommentScope **ret_scope,
                        GError **error)
{
    const ScopeKind *kind = find_kind(spec->scope);
    if (!kind)
        return answer_error_field(
            error, "scope",
            "Invalid scope \"%s\": expected branch, unstaged, staged, all, files "
            "or a commit range A..B",
            spec->scope);
    g_auto(CommentRepo) repo = { 0 };
    bool is_repo = false;
    if (!comment_repo_find(spec->cwd, cancel, &repo, &is_repo, error))
        return false;
    if (!is_repo) {
        *ret_scope = NULL;
        return true;
    }
    if (repo.is_bare && kind->open != open_range)
        return answer_error(error, ANSWER_GIT, answer_field("scope"),
                            "Scope \"%s\" needs a work tree, and this repository has none here",
                            spec->scope);
    g_autoptr(CommentScope) self = g_new0(CommentScope, 1);
    self->root = path_real(repo.root);
    if (!self->root)
        self->root = g_steal_pointer(&repo.root);
    self->base = g_strdup(spec->base);
    self->files = g_ptr_array_new_with_free_func((GDestroyNotify)scope_file_free);
    if (!kind->open(self, spec, cancel, error))
        return false;
    sort_files(self->files);
    *ret_scope = g_steal_pointer(&self);
    return true;
}

// ---- changed lines ----

bool comment_scope_find_changes(CommentScope *self, GPtrArray *files, Cancel *cancel,
                                GError **error)
{
    if (!self->words)
        return true; // they were given
    g_autoptr(GPtrArray) asked = g_ptr_array_new();
    for (guint i = 0; i < files->len; i++) {
        ScopeFile *file = g_ptr_array_index(files, i);
        if (!file->is_new)
            g_ptr_array_add(asked, file);
    }
    return comment_git_changes(self->root, (const char *const *)self->words, asked, cancel, error);
}

bool scope_file_has_changed(const ScopeFile *self, size_t first, size_t last)
{
    if (self->is_new || !self->changed)
        return self->is_new;
    guint low = 0, high = self->changed->len; // to the first range that does not end before
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(self->changed, LineRange, middle).last < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->changed->len && g_array_index(self->changed, LineRange, low).first <= last;
}

// ---- which of its files are read ----

void comment_filter_clear(CommentFilter *self)
{
    g_clear_pointer(&self->include, g_ptr_array_unref);
    g_clear_pointer(&self->exclude, g_ptr_array_unref);
}

/* As a glob for whole paths. Caller frees. */
static char *whole_glob(const char *glob)
{
    bool is_path = strchr(glob, '/') != NULL;
    const char *from_root = *glob == '/' ? glob + 1 : glob;
    const char *below = g_str_has_suffix(glob, "/") ? "**" : "";
    return g_strconcat(is_path ? "" : "**/", from_root, below, NULL);
}

static bool filter_compile(const json_t *globs, const char *field, GPtrArray **ret_regexes,
                           GError **error)
{
    if (json_array_size(globs) == 0)
        return true;
    g_autoptr(GPtrArray) regexes = g_ptr_array_new_with_free_func((GDestroyNotify)g_regex_unref);
    json_each (globs, i, item) {
        g_autofree char *glob = whole_glob(json_string_value(item));
        g_autoptr(GError) cause = NULL;
        GRegex *regex = NULL;
        if (!glob_compile(glob, &regex, &cause)) {
            return answer_error_field(error, field, "Validation failed: %s[%zu]: %s", field, i,
                                      cause->message);
        }
        g_ptr_array_add(regexes, regex);
    }
    *ret_regexes = g_steal_pointer(&regexes);
    return true;
}

bool comment_filter_init(CommentFilter *self, const json_t *include, const json_t *exclude,
                         GError **error)
{
    return filter_compile(include, "include", &self->include, error) &&
           filter_compile(exclude, "exclude", &self->exclude, error);
}

static bool is_matched(const GPtrArray *regexes, const char *path)
{
    for (guint i = 0; regexes && i < regexes->len; i++) {
        if (g_regex_match(g_ptr_array_index(regexes, i), path, 0, NULL))
            return true;
    }
    return false;
}

bool comment_filter_takes(const CommentFilter *self, const char *path)
{
    g_autofree char *text = utf8_from_bytes(path, strlen(path));
    return (self->include == NULL || is_matched(self->include, text)) &&
           !is_matched(self->exclude, text);
}

static bool is_in_unread_directory(const char *path)
{
    static const char *const names[] = { ".git", ".next",        ".rp1",   "build", "coverage",
                                         "dist", "node_modules", "vendor", NULL };
    g_autofree char *dir = g_path_get_dirname(path);
    g_auto(GStrv) parts = g_strsplit(dir, "/", -1);
    for (char **part = parts; *part; part++) {
        if (g_strv_contains(names, *part))
            return true;
    }
    return false;
}

const char *comment_filter_reason(const ScopeFile *file)
{
    switch (file->sort) {
    case FILE_DELETED:
        return "deleted";
    case FILE_SUBMODULE:
        return "submodule";
    case FILE_SYMLINK:
        return "symlink";
    case FILE_TEXT:
        break;
    }
    return !file->is_named && is_in_unread_directory(file->path) ? "excluded directory" : NULL;
}
