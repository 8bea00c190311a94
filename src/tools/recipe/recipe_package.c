/*
 * The scripts of package.json files, those of a workspace's packages too (recipe_package.h).
 */
#include "tools/recipe/recipe_package.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/yaml.h"
#include "tools/recipe/recipe_pattern.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define WALK_DEPTH  3 // below what a pattern names, for one that goes deeper than a directory
#define MATCH_STEPS ((size_t)5000000) // to compare all the directories with all the patterns

static const struct {
    const char *lock, *program;
} managers[] = {
    { "bun.lockb", "bun" },  { "bun.lock", "bun" },          { "pnpm-lock.yaml", "pnpm" },
    { "yarn.lock", "yarn" }, { "package-lock.json", "npm" },
};

static const char *manager_of(const char *dir)
{
    for (size_t i = 0; i < G_N_ELEMENTS(managers); i++) {
        g_autofree char *path = g_build_filename(dir, managers[i].lock, NULL);
        if (file_exists(path))
            return managers[i].program;
    }
    return "npm";
}

/* NULL: there is none, or it cannot be used. New reference. */
static json_t *read_package(const char *dir)
{
    g_autofree char *text = recipe_file_text(dir, "package.json");
    json_t *root = NULL;
    if (text)
        json_parse_text(text, &root, NULL);
    return root;
}

static char *script_command(const RecipeRunner *runner, const char *name)
{
    return g_strconcat(runner->program, " run ", name, NULL);
}

/* `package` is NULL for the project's own, or what comes before a slash; `below` its directory. */
static void add_scripts(RecipeRunner *runner, const json_t *root, const char *package,
                        const char *below)
{
    json_each_member (json_get_object(root, "scripts"), key, value) {
        g_autofree char *name = package ? g_strconcat(package, "/", key, NULL) : g_strdup(key);
        g_autofree char *command = script_command(runner, key);
        bool is_script = json_is_string(value) && recipe_is_name(key, strlen(key));
        if (is_script && !recipe_add(runner, name, command, below))
            return;
    }
}

// ---- the packages of a workspace ----

typedef struct Walk {
    RecipeRunner *runner;
    const char *root;
    const RecipePattern *pattern; // of a path below `root`
    size_t *steps;                // that may be taken to compare paths with patterns
    unsigned *left;               // entries that may be looked at
    unsigned *packages;           // that may be read
    GHashTable *visited;          // of char *: directories that were packages of an earlier pattern
} Walk;

static bool is_plain_directory(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A person is shown it: nothing in it is hidden, or turns the rest around. */
static bool is_showable(const char *path)
{
    if (!g_utf8_validate(path, -1, NULL))
        return false;
    for (; *path != '\0'; path = g_utf8_next_char(path))
        if (*path != ' ' && !g_unichar_isgraph(g_utf8_get_char(path)))
            return false;
    return true;
}

static void add_package(Walk *self, const char *below)
{
    if (*self->packages == 0 || !is_showable(below) ||
        !g_hash_table_add(self->visited, g_strdup(below)))
        return;
    g_autofree char *dir = g_build_filename(self->root, below, NULL);
    g_autoptr(json_t) root = read_package(dir);
    if (!root)
        return;
    (*self->packages)--;
    const char *given = json_get_text(root, "name");
    g_autofree char *base = g_path_get_basename(below);
    const char *name = given && recipe_is_name(given, strlen(given)) ? given : base;
    add_scripts(self->runner, root, name, below);
}

/* Names of the directories in `dir` but hidden ones, links and node_modules. */
static GPtrArray *recipe_package_subdirectories(const char *dir, unsigned *left)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    DIR *handle = opendir(dir);
    const struct dirent *found = NULL;
    while (handle && *left > 0 && (found = readdir(handle))) {
        bool is_other = found->d_name[0] == '.' || strcmp(found->d_name, "node_modules") == 0;
        g_autofree char *path = g_build_filename(dir, found->d_name, NULL);
        (*left)--;
        if (!is_other && is_plain_directory(path))
            g_ptr_array_add(names, g_strdup(found->d_name));
    }
    if (handle)
        closedir(handle);
    g_ptr_array_sort(names, str_compare);
    return names;
}

static void walk_walk(Walk *self, const char *below, unsigned depth)
{
    g_autofree char *dir = g_build_filename(self->root, below, NULL);
    g_autoptr(GPtrArray) names = recipe_package_subdirectories(dir, self->left);
    for (guint i = 0; i < names->len && self->runner->tasks->len < self->runner->max_tasks; i++) {
        g_autofree char *inner = g_build_filename(below, names->pdata[i], NULL);
        if (recipe_pattern_matches(self->pattern, inner, self->steps))
            add_package(self, inner);
        if (depth > 1)
            walk_walk(self, inner, depth - 1);
    }
}

/* "packages/" → "packages"; NULL when it leads elsewhere, or nowhere. */
static char *clean_pattern(const char *pattern)
{
    g_autofree char *text = g_strdup(str_has_prefix(pattern, "./") ? pattern + 2 : pattern);
    for (size_t size = strlen(text); size > 0 && text[size - 1] == '/'; size--)
        text[size - 1] = '\0';
    bool leads_elsewhere = *text == '\0' || *text == '/' || *text == '!' || strstr(text, "..");
    return leads_elsewhere ? NULL : g_steal_pointer(&text);
}

/* Links on the way would lead out of the project. */
static bool is_below(const char *root, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autofree char *at = g_strdup(root);
    for (char **part = parts; *part; part++) {
        char *inner = g_build_filename(at, *part, NULL);
        g_free(at);
        at = inner;
        if (!is_plain_directory(at))
            return false;
    }
    return true;
}

static void add_pattern(Walk *self, const char *given)
{
    g_autofree char *pattern = clean_pattern(given);
    if (!pattern)
        return;
    g_autoptr(RecipePattern) parsed = recipe_pattern_new(pattern);
    if (!parsed)
        return;
    size_t plain = strcspn(pattern, "*?");
    if (pattern[plain] == '\0') {
        if (is_below(self->root, pattern))
            add_package(self, pattern);
        return;
    }
    const char *slash = g_strrstr_len(pattern, (gssize)plain, "/");
    g_autofree char *base = slash ? g_strndup(pattern, (size_t)(slash - pattern)) : g_strdup("");
    bool is_flat = !strchr(slash ? slash + 1 : pattern, '/') && !strstr(pattern, "**");
    if (*base && !is_below(self->root, base))
        return;
    self->pattern = parsed;
    walk_walk(self, base, is_flat ? 1 : WALK_DEPTH);
    self->pattern = NULL;
}

/* `workspaces` of package.json, or `packages` of pnpm's own file. New reference, or NULL. */
static json_t *workspace_patterns(const char *dir, const json_t *root)
{
    const json_t *given = json_object_get(root, "workspaces");
    if (json_is_object(given))
        given = json_object_get(given, "packages");
    if (json_is_array(given))
        return json_incref((json_t *)given);
    g_autofree char *text = recipe_file_text(dir, "pnpm-workspace.yaml");
    g_autoptr(json_t) workspace = NULL;
    if (text)
        yaml_parse(text, strlen(text), "pnpm-workspace.yaml", &workspace, NULL);
    json_t *packages = json_get_array(workspace, "packages");
    return packages ? json_incref(packages) : NULL;
}

static void add_workspace(RecipeRunner *runner, const char *dir, const json_t *root)
{
    g_autoptr(json_t) patterns = workspace_patterns(dir, root);
    unsigned left = LIMIT_RECIPE_ENTRIES, packages = LIMIT_RECIPE_PACKAGES;
    size_t steps = MATCH_STEPS;
    Walk self = {
        .runner = runner,
        .root = dir,
        .steps = &steps,
        .left = &left,
        .packages = &packages,
        .visited = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    json_each (patterns, i, pattern) {
        if (i >= LIMIT_RECIPE_PACKAGES || runner->tasks->len >= runner->max_tasks)
            break;
        if (json_is_string(pattern))
            add_pattern(&self, json_string_value(pattern));
    }
    g_hash_table_unref(self.visited);
}

static bool pkg_read(const char *dir, RecipeRunner *runner)
{
    static const char *const names[] = { "package.json", NULL };
    if (!recipe_first_file(dir, names))
        return false;
    g_autoptr(json_t) root = read_package(dir);
    runner->program = manager_of(dir);
    runner->separator = strcmp(runner->program, "npm") == 0 ? "--" : NULL;
    add_scripts(runner, root, NULL, NULL);
    if (runner->tasks->len < runner->max_tasks)
        add_workspace(runner, dir, root);
    return true;
}

const RecipeKind recipe_pkg = { .name = "pkg", .read = pkg_read, .command = script_command };
