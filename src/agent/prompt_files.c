/*
 * Context files (agent-core §8.2): one of the user, and for each directory from the repository root
 * down to where the work is one for all agents and one for Claude.
 *
 * These files come with a repository that somebody else may have written. So they are bounded, must
 * be regular files, and a link that leads out of the repository is not followed: it could carry a
 * private file to the model.
 */
#include "agent/prompt_private.h"

#include "base/dirs.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/own_file.h"
#include "base/path.h"
#include "base/special_files.h"
#include "base/str.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>

#define CONTEXT_TOTAL_BYTES (2 * MIB)

/* Highest priority first; of a directory one of each of the first two kinds counts, and one of the
   others where it has neither. */
static const char *const agents_names[] = {
    ".kedge/AGENTS.md", ".agent/AGENTS.md", ".agents/AGENTS.md", "AGENTS.md", NULL,
};
static const char *const claude_names[] = { ".claude/CLAUDE.md", "CLAUDE.md", NULL };
static const char *const other_names[] = {
    ".gemini/GEMINI.md",
    ".github/copilot-instructions.md",
    NULL,
};
static const char *const user_names[] = {
    ".claude/CLAUDE.md", ".agent/AGENTS.md",  ".agents/AGENTS.md",
    ".codex/AGENTS.md",  ".gemini/GEMINI.md",
};

char *prompt_read_file(const char *path)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0)
        return NULL;

    g_autoptr(GString) bytes = g_string_new(NULL);
    if (!fd_read_all(fd, LIMIT_CONTEXT_FILE_BYTES + 1, path, bytes, NULL))
        return NULL;
    bool is_cut = bytes->len > LIMIT_CONTEXT_FILE_BYTES;
    size_t kept = is_cut ? utf8_boundary_before(bytes->str, bytes->len, LIMIT_CONTEXT_FILE_BYTES)
                         : bytes->len;
    g_autofree char *text = utf8_from_bytes(bytes->str, kept);
    if (!is_cut)
        return g_steal_pointer(&text);
    g_autofree char *size = str_format_bytes((uint64_t)info.st_size);
    return g_strdup_printf("%s\n[Cut: only the first %zu KiB of %s are shown]\n", text,
                           LIMIT_CONTEXT_FILE_BYTES / KIB, size);
}

static char *parent_of(const char *path)
{
    char *parent = g_path_get_dirname(path);
    if (!g_str_equal(parent, path))
        return parent;
    g_free(parent);
    return NULL;
}

char *prompt_repo_root(const char *cwd)
{
    for (g_autofree char *dir = g_strdup(cwd); dir;) {
        g_autofree char *git = g_build_filename(dir, ".git", NULL);
        if (file_exists(git))
            return g_steal_pointer(&dir);
        char *parent = parent_of(dir);
        g_free(dir);
        dir = parent;
    }
    return NULL;
}

/* Where the walk upwards ends: the repository, else home, else the directory itself. */
static char *walk_root(const char *cwd)
{
    char *root = prompt_repo_root(cwd);
    if (root)
        return root;
    g_autofree char *home = dirs_home();
    return g_strdup(path_is_inside(cwd, home) ? home : cwd);
}

typedef struct ContextFile {
    char *path;
    char *text;
} ContextFile;

static void context_file_free(gpointer data)
{
    ContextFile *self = data;
    g_free(self->path);
    g_free(self->text);
    g_free(self);
}

/* Somebody else's, or where everybody can write: said, not read (common §3). */
static bool is_refused(const char *path, GPtrArray *warnings)
{
    struct stat info;
    g_autoptr(GError) error = NULL;
    bool is_there = stat(path, &info) == 0 && (S_ISREG(info.st_mode) || special_file_is(&info));
    if (!is_there || own_file_check(path, &info, &error))
        return false;
    if (warnings)
        g_ptr_array_add(warnings, g_strdup(error->message));
    return true;
}

/* NULL: no such file, a blank one, or one that is refused. */
static ContextFile *read_context_file(const char *path, GPtrArray *warnings)
{
    if (is_refused(path, warnings))
        return NULL;
    g_autofree char *text = prompt_read_file(path);
    if (!text || utf8_is_blank(text))
        return NULL;
    ContextFile *file = g_new0(ContextFile, 1);
    file->path = g_strdup(path);
    file->text = g_steal_pointer(&text);
    return file;
}

static bool add_file(GPtrArray *files, const char *path, GPtrArray *warnings)
{
    ContextFile *file = read_context_file(path, warnings);
    if (file)
        g_ptr_array_add(files, file);
    return file != NULL;
}

static void prompt_files_warn(GPtrArray *warnings, const char *format, const char *path)
{
    if (warnings)
        g_ptr_array_add(warnings, g_strdup_printf("%s: %s", path, format));
}

static bool leads_out(const char *path, const char *root)
{
    g_autofree char *real = path_real(path);
    g_autofree char *real_root = path_real(root);
    return real && real_root && !path_is_inside(real, real_root);
}

typedef struct Collection {
    GPtrArray *files; // of ContextFile, nearest first
    const char *root; // nothing outside is read
    bool has_own;     // a .kedge/AGENTS.md was taken: only the nearest counts
    GPtrArray *warnings;
    GPtrArray *left_out; // of char *: "PATH (REASON)"
} Collection;

/* The first of `names` that `dir` has; NULL: none. */
static ContextFile *find_file(Collection *self, const char *dir, const char *const *names)
{
    g_autofree char *base = g_path_get_basename(dir);
    for (; *names; names++) {
        bool is_own = str_has_prefix(*names, ".kedge/");
        if ((is_own && self->has_own) || (base[0] == '.' && g_str_equal(*names, "AGENTS.md")))
            continue;
        g_autofree char *path = g_build_filename(dir, *names, NULL);
        if (leads_out(path, self->root)) {
            prompt_files_warn(self->warnings, "leads out of the project; not read", path);
            continue;
        }
        ContextFile *file = read_context_file(path, self->warnings);
        if (file) {
            self->has_own = self->has_own || is_own;
            return file;
        }
    }
    return NULL;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* The only text of `file` is `@` and a path that leads to `target`. */
static bool only_imports(const ContextFile *file, const ContextFile *target)
{
    g_autofree char *text = utf8_trim(file->text);
    if (text[0] != '@' || strchr(text, '\n'))
        return false;
    g_autofree char *dir = g_path_get_dirname(file->path);
    g_autofree char *expanded = path_expand_home(text + 1);
    g_autofree char *path = path_absolute(expanded, dir);
    return is_same_file(path, target->path);
}

static void leave_out(Collection *self, ContextFile *file, const char *reason,
                      const ContextFile *instead)
{
    g_autofree char *name = g_path_get_basename(instead->path);
    g_ptr_array_add(self->left_out, g_strdup_printf("%s (%s %s)", file->path, reason, name));
    context_file_free(file);
}

/* Two files that are one: the agents file stays, unless it says no more than where the other is. */
static void drop_duplicate(Collection *self, ContextFile **agents, ContextFile **claude)
{
    g_autofree char *left = utf8_trim((*agents)->text);
    g_autofree char *right = utf8_trim((*claude)->text);
    if (g_str_equal(left, right) || is_same_file((*agents)->path, (*claude)->path))
        leave_out(self, g_steal_pointer(claude), "same as", *agents);
    else if (only_imports(*claude, *agents))
        leave_out(self, g_steal_pointer(claude), "imports", *agents);
    else if (only_imports(*agents, *claude))
        leave_out(self, g_steal_pointer(agents), "imports", *claude);
}

static void add_project_files(Collection *self, const char *dir)
{
    ContextFile *agents = find_file(self, dir, agents_names);
    ContextFile *claude = find_file(self, dir, claude_names);
    if (agents && claude)
        drop_duplicate(self, &agents, &claude);
    if (!agents && !claude)
        agents = find_file(self, dir, other_names);
    // nearest first: what is to come after comes before
    if (claude)
        g_ptr_array_add(self->files, claude);
    if (agents)
        g_ptr_array_add(self->files, agents);
}

static void add_user_file(GPtrArray *files, const char *agent_dir, GPtrArray *warnings)
{
    g_autofree char *own = g_build_filename(agent_dir, "AGENTS.md", NULL);
    if (add_file(files, own, warnings))
        return;
    g_autofree char *home = dirs_home();
    for (size_t i = 0; i < G_N_ELEMENTS(user_names); i++) {
        g_autofree char *path = g_build_filename(home, user_names[i], NULL);
        if (add_file(files, path, warnings))
            return;
    }
}

static void collect_files(Collection *self, const char *agent_dir, const char *cwd)
{
    g_autofree char *start = path_absolute(cwd, NULL);
    g_autofree char *root = walk_root(start);
    self->root = root;
    for (g_autofree char *dir = g_strdup(start); dir && path_is_inside(dir, root);) {
        add_project_files(self, dir);
        char *parent = parent_of(dir);
        g_free(dir);
        dir = parent;
    }
    self->root = NULL;
    add_user_file(self->files, agent_dir, self->warnings);
}

static bool is_repeated(const GPtrArray *files, guint index)
{
    const ContextFile *file = files->pdata[index];
    for (guint i = 0; i < index; i++) {
        const ContextFile *nearer = files->pdata[i];
        if (g_str_equal(nearer->text, file->text))
            return true;
    }
    return false;
}

/* "~/.kedge/agent/AGENTS.md", "src/CLAUDE.md": what a person knows it by. Caller frees. */
static char *shown_path(const char *path, const char *cwd)
{
    if (path_is_inside(path, cwd) && strlen(path) > strlen(cwd) + 1)
        return g_strdup(path + strlen(cwd) + 1);
    return path_shorten_home(path);
}

/* "Context: AGENTS.md, CLAUDE.md; not src/CLAUDE.md (imports AGENTS.md)" */
static void write_note(const GPtrArray *taken, const GPtrArray *left_out, const char *cwd,
                       GString *note)
{
    g_string_append(note, "Context: ");
    for (guint i = 0; i < taken->len; i++) {
        g_autofree char *path = shown_path(taken->pdata[i], cwd);
        g_string_append_printf(note, "%s%s", i > 0 ? ", " : "", path);
    }
    if (taken->len == 0)
        g_string_append(note, "no files");
    for (guint i = 0; i < left_out->len; i++) {
        g_autofree char *path = shown_path(left_out->pdata[i], cwd);
        g_string_append_printf(note, "%s%s", i > 0 ? ", " : "; not ", path);
    }
}

char *prompt_context_files(const char *agent_dir, const char *cwd, GPtrArray *warnings,
                           GString *note)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(context_file_free);
    g_autoptr(GPtrArray) left_out = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) taken = g_ptr_array_new(); // paths, borrowed
    Collection collection = { .files = files, .warnings = warnings, .left_out = left_out };
    collect_files(&collection, agent_dir, cwd);
    size_t total = 0;
    guint count = 0; // of the nearest ones, as many as fit
    for (; count < files->len; count++) {
        const ContextFile *file = files->pdata[count];
        total += strlen(file->text);
        if (total > CONTEXT_TOTAL_BYTES) {
            prompt_files_warn(warnings, "context files too large together; not read", file->path);
            break;
        }
    }

    GString *out = g_string_new(NULL);
    for (guint i = count; i > 0; i--) {
        const ContextFile *file = files->pdata[i - 1];
        if (is_repeated(files, i - 1))
            continue;
        g_ptr_array_add(taken, file->path);
        bool has_newline = g_str_has_suffix(file->text, "\n");
        g_string_append_printf(out, "<file path=\"%s\">\n%s%s</file>\n", file->path, file->text,
                               has_newline ? "" : "\n");
    }
    if (note)
        write_note(taken, left_out, cwd, note);
    return g_string_free(out, FALSE);
}
