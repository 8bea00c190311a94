/*
 * What is done to a .git that somebody else wrote, before git looks at it (quarantine.h).
 *
 * Only what git needs to find commits is left. The configuration is written again; of the old one,
 * which is kept beside it, three values count, each of which is one of a fixed set.
 */
#include "wm/workspace/quarantine.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define OLD_CONFIG "config.untrusted"
#define NEW_CONFIG "config.kedge"
#define GIT_MS     (10 * 1000)

#define MAX_REF_FILES 200000 // branches, tags and their logs, and what is beside them
#define MAX_REF_DEPTH 64     // of a name's parts

static const char *const removed[] = {
    "hooks",
    "config.worktree",
    "info/attributes",
    "info/grafts",
    "refs/replace",
    "objects/info/alternates",
    "objects/info/http-alternates",
    "objects/info/commit-graph", // these three are caches, and say what is in objects
    "objects/info/commit-graphs",
    "objects/pack/multi-pack-index",
    "commondir",
    "worktrees",
    "modules",
};

/* git writes to what stands in these; a link would lead it out of the work tree. Those of `deep`
   have directories of any name in them. */
static const char *const directories[] = { "", "objects" };
static const char *const deep[] = { "refs", "logs" };

/* Values of the old configuration that say how commits are stored. */
static const struct {
    const char *key, *value;
    const char *section, *line; // in the new one
} kept[] = {
    { "extensions.objectformat", "sha256", "extensions", "objectFormat = sha256" },
    { "extensions.refstorage", "reftable", "extensions", "refStorage = reftable" },
    { "remote.origin.promisor", "true", "extensions", "partialClone = origin" },
};

static bool is_kind(const char *path, mode_t kind)
{
    struct stat info;
    return lstat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

static bool fail_link(const char *path, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED, "refusing %s: it is a symlink", path);
}

/* A link below `path`, however deep. `entries` counts down. */
static bool check_links(const char *path, int depth, int *entries, GError **error)
{
    if (is_kind(path, S_IFLNK))
        return fail_link(path, error);
    g_autoptr(GDir) dir = is_kind(path, S_IFDIR) ? g_dir_open(path, 0, NULL) : NULL;
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *entry = g_build_filename(path, name, NULL);
        if (depth == 0 || --*entries < 0)
            return fail_with(error, KEDGE_ERROR_LIMIT, "refusing %s: too many files below it",
                             path);
        if (!check_links(entry, depth - 1, entries, error))
            return false;
    }
    return true;
}

/* A link in `path` itself, but for a HEAD: git has made such ones, and only reads it here. */
static bool check_entries(const char *path, int *entries, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *entry = g_build_filename(path, name, NULL);
        if (is_kind(entry, S_IFLNK) && strcmp(name, "HEAD") != 0)
            return fail_link(entry, error);
        if (--*entries < 0)
            return fail_with(error, KEDGE_ERROR_LIMIT, "refusing %s: too many files in it", path);
    }
    return true;
}

static bool check_git_dir(const char *git_dir, GError **error)
{
    if (!is_kind(git_dir, S_IFDIR))
        return fail_with(error, KEDGE_ERROR_DENIED, "refusing %s: it is not a directory of its own",
                         git_dir);
    int entries = MAX_REF_FILES;
    for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
        g_autofree char *path = g_build_filename(git_dir, directories[i], NULL);
        if (!check_entries(path, &entries, error))
            return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(deep); i++) {
        g_autofree char *path = g_build_filename(git_dir, deep[i], NULL);
        if (!check_links(path, MAX_REF_DEPTH, &entries, error))
            return false;
    }
    return true;
}

static bool remove_all(const char *git_dir, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(removed); i++) {
        g_autofree char *path = g_build_filename(git_dir, removed[i], NULL);
        if (!file_remove_tree(path, error))
            return false;
    }
    return true;
}

/* config → config.untrusted. After a run that was ended in between only the latter is there. */
static bool set_old_aside(const char *git_dir, char **ret_path, GError **error)
{
    g_autofree char *config = g_build_filename(git_dir, "config", NULL);
    g_autofree char *old = g_build_filename(git_dir, OLD_CONFIG, NULL);
    if (file_exists(config)) {
        if (!file_remove_tree(old, error))
            return false;
        if (rename(config, old) != 0)
            return fail_with_errno(error, errno, "cannot set %s aside", config);
    }
    *ret_path = g_steal_pointer(&old);
    return true;
}

/* Does the old configuration, without what it includes, say so? No repository is opened for it. */
static bool quarantine_says(const char *path, const char *key, const char *value)
{
    const GitSpec spec = {
        .dir = "/",
        .args = (const char *const[]) { "config", "--file", path, "--no-includes", "--get",
                                        "--end-of-options", key, NULL },
        .timeout_ms = GIT_MS,
    };
    g_auto(GitResult) result = { 0 };
    return is_kind(path, S_IFREG) && git_start(&spec, NULL, &result, NULL) &&
           result.exit_status == 0 && str_equal_nocase(result.output, value);
}

/* Caller frees. */
static char *new_config(const char *old, const char *origin_url)
{
    g_autoptr(GString) extensions = g_string_new(NULL);
    bool is_promisor = false;
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) {
        if (!quarantine_says(old, kept[i].key, kept[i].value))
            continue;
        g_string_append_printf(extensions, "\t%s\n", kept[i].line);
        is_promisor = is_promisor || str_has_prefix(kept[i].key, "remote.");
    }
    return g_strdup_printf("[core]\n\trepositoryformatversion = %d\n\tbare = false\n%s%s"
                           "[remote \"origin\"]\n\turl = %s\n"
                           "\tfetch = +refs/heads/*:refs/remotes/origin/*\n%s",
                           extensions->len > 0 ? 1 : 0, extensions->len > 0 ? "[extensions]\n" : "",
                           extensions->str, origin_url, is_promisor ? "\tpromisor = true\n" : "");
}

/* Under another name first, so that git never finds half of it. */
static bool write_config(const char *git_dir, const char *text, GError **error)
{
    g_autofree char *draft = g_build_filename(git_dir, NEW_CONFIG, NULL);
    g_autofree char *config = g_build_filename(git_dir, "config", NULL);
    if (!file_remove_tree(draft, error))
        return false;
    g_auto(Fd) fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot write %s", draft);
    if (!fd_write_all(fd, text, strlen(text), draft, error))
        return false;
    if (rename(draft, config) != 0)
        return fail_with_errno(error, errno, "cannot replace %s", config);
    return true;
}

/* It becomes a line of a file that git reads. */
static bool is_plain_url(const char *url)
{
    for (const char *at = url; *at != '\0'; at++)
        if (*at <= 0x20 || *at >= 0x7f || strchr("\"\\#;", *at))
            return false;
    return *url != '\0';
}

bool wm_quarantine(const char *root, const char *origin_url, GError **error)
{
    if (!is_plain_url(origin_url))
        return fail_with(error, KEDGE_ERROR_DENIED, "refusing to push to \"%s\": not a plain URL",
                         origin_url);
    g_autofree char *git_dir = g_build_filename(root, ".git", NULL);
    g_autofree char *old = NULL;
    if (!check_git_dir(git_dir, error) || !remove_all(git_dir, error) ||
        !set_old_aside(git_dir, &old, error))
        return false;
    g_autofree char *text = new_config(old, origin_url);
    return write_config(git_dir, text, error);
}
