/*
 * Context files (agent-core §8.2): one of the user, and one for each directory from the repository
 * root down to where the work is.
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
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>

#define CONTEXT_TOTAL_BYTES (2 * MIB)

/* Highest priority first. */
static const char *const project_names[] = {
    ".kedge/AGENTS.md",  ".claude/CLAUDE.md",
    "CLAUDE.md",         ".agent/AGENTS.md",
    ".agents/AGENTS.md", "AGENTS.md",
    ".gemini/GEMINI.md", ".github/copilot-instructions.md",
};
static const char *const user_names[] = {
    ".claude/CLAUDE.md", ".agent/AGENTS.md",  ".agents/AGENTS.md",
    ".codex/AGENTS.md",  ".gemini/GEMINI.md",
};

char *prompt_read_file(const char *path)
{
    g_auto(Fd) fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
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

static bool add_file(GPtrArray *files, const char *path)
{
    char *text = prompt_read_file(path);
    if (!text || utf8_is_blank(text)) {
        g_free(text);
        return false;
    }
    ContextFile *file = g_new0(ContextFile, 1);
    file->path = g_strdup(path);
    file->text = text;
    g_ptr_array_add(files, file);
    return true;
}

static void warn(GPtrArray *warnings, const char *format, const char *path)
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

/* The file of one directory; *has_own notes that a .kedge/AGENTS.md was taken, as only the nearest
 * counts. */
static void add_project_file(GPtrArray *files, const char *dir, const char *root, bool *has_own,
                             GPtrArray *warnings)
{
    g_autofree char *base = g_path_get_basename(dir);
    bool is_hidden = base[0] == '.';
    for (size_t i = 0; i < G_N_ELEMENTS(project_names); i++) {
        bool is_own = i == 0;
        if ((is_own && *has_own) || (is_hidden && g_str_equal(project_names[i], "AGENTS.md")))
            continue;
        g_autofree char *path = g_build_filename(dir, project_names[i], NULL);
        if (leads_out(path, root)) {
            warn(warnings, "leads out of the project; not read", path);
            continue;
        }
        if (add_file(files, path)) {
            *has_own = *has_own || is_own;
            return;
        }
    }
}

static void add_user_file(GPtrArray *files, const char *agent_dir)
{
    g_autofree char *own = g_build_filename(agent_dir, "AGENTS.md", NULL);
    if (add_file(files, own))
        return;
    g_autofree char *home = dirs_home();
    for (size_t i = 0; i < G_N_ELEMENTS(user_names); i++) {
        g_autofree char *path = g_build_filename(home, user_names[i], NULL);
        if (add_file(files, path))
            return;
    }
}

/* Nearest first. */
static GPtrArray *collect_files(const char *agent_dir, const char *cwd, GPtrArray *warnings)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(context_file_free);
    g_autofree char *start = path_absolute(cwd, NULL);
    g_autofree char *root = walk_root(start);
    bool has_own = false;
    for (g_autofree char *dir = g_strdup(start); dir && path_is_inside(dir, root);) {
        add_project_file(files, dir, root, &has_own, warnings);
        char *parent = parent_of(dir);
        g_free(dir);
        dir = parent;
    }
    add_user_file(files, agent_dir);
    return files;
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

char *prompt_context_files(const char *agent_dir, const char *cwd, GPtrArray *warnings)
{
    g_autoptr(GPtrArray) files = collect_files(agent_dir, cwd, warnings);
    size_t total = 0;
    guint count = 0; // of the nearest ones, as many as fit
    for (; count < files->len; count++) {
        const ContextFile *file = files->pdata[count];
        total += strlen(file->text);
        if (total > CONTEXT_TOTAL_BYTES) {
            warn(warnings, "context files too large together; not read", file->path);
            break;
        }
    }

    GString *out = g_string_new(NULL);
    for (guint i = count; i > 0; i--) {
        const ContextFile *file = files->pdata[i - 1];
        if (is_repeated(files, i - 1))
            continue;
        bool has_newline = g_str_has_suffix(file->text, "\n");
        g_string_append_printf(out, "<file path=\"%s\">\n%s%s</file>\n", file->path, file->text,
                               has_newline ? "" : "\n");
    }
    return g_string_free(out, FALSE);
}
