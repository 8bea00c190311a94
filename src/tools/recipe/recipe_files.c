/*
 * just, make, task and cargo: their files, their commands, and what they say of themselves
 * (recipe_files.h).
 */
#include "tools/recipe/recipe_files.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/yaml.h"
#include "tools/recipe/recipe_lines.h"

#include <dirent.h>
#include <string.h>

#define MODULE_DEPTH 5 // of just, in one another

static char *command_of(const char *program, const char *name)
{
    return g_strconcat(program, " ", name, NULL);
}

// ---- just ----

static bool just_read(const char *dir, RecipeRunner *runner)
{
    static const char *const names[] = { "justfile", "Justfile", "JUSTFILE", ".justfile", NULL };
    const char *name = recipe_first_file(dir, names);
    if (!name)
        return false;
    g_autofree char *text = recipe_file_text(dir, name);
    if (text)
        recipe_parse_just(text, runner);
    runner->has_more = true; // imports, modules, aliases
    return true;
}

static char *just_command(const RecipeRunner *runner G_GNUC_UNUSED, const char *name)
{
    return command_of("just", name);
}

/* `prefix` is "module::". */
static void just_take_module(const json_t *module, const char *prefix, unsigned depth,
                             RecipeRunner *runner)
{
    static const char *const parts[] = { "recipes", "aliases" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        json_each_member (json_get_object(module, parts[i]), key, value) {
            g_autofree char *name = g_strconcat(prefix, key, NULL);
            recipe_add_name(runner, name);
        }
    json_each_member (json_get_object(module, "modules"), key, value) {
        g_autofree char *inner = g_strconcat(prefix, key, "::", NULL);
        if (depth < MODULE_DEPTH)
            just_take_module(value, inner, depth + 1, runner);
    }
}

static void just_take(const json_t *list, RecipeRunner *runner)
{
    just_take_module(list, "", 0, runner);
}

const RecipeKind recipe_just = {
    .name = "just",
    .read = just_read,
    .command = just_command,
    .argv = (const char *const[]) { "just", "--dump", "--dump-format=json", NULL },
    .take = just_take,
};

// ---- make ----

static bool make_read(const char *dir, RecipeRunner *runner)
{
    static const char *const names[] = { "GNUmakefile", "makefile", "Makefile", NULL };
    const char *name = recipe_first_file(dir, names);
    if (!name)
        return false;
    g_autofree char *text = recipe_file_text(dir, name);
    if (text)
        recipe_parse_make(text, runner);
    else
        runner->has_more = true;
    return true;
}

static char *make_command(const RecipeRunner *runner G_GNUC_UNUSED, const char *name)
{
    return command_of("make", name);
}

const RecipeKind recipe_make = { .name = "make", .read = make_read, .command = make_command };

// ---- task ----

static bool task_read(const char *dir, RecipeRunner *runner)
{
    static const char *const names[] = {
        "Taskfile.yml",       "taskfile.yml",       "Taskfile.yaml",
        "taskfile.yaml",      "Taskfile.dist.yml",  "taskfile.dist.yml",
        "Taskfile.dist.yaml", "taskfile.dist.yaml", NULL
    };
    const char *name = recipe_first_file(dir, names);
    if (!name)
        return false;
    g_autofree char *text = recipe_file_text(dir, name);
    g_autoptr(json_t) root = NULL;
    if (text)
        yaml_parse(text, strlen(text), name, &root, NULL);
    json_each_member (json_get_object(root, "tasks"), key, value) {
        if (!json_get_bool(value, "internal", false))
            recipe_add_name(runner, key);
    }
    runner->has_more = true; // includes, aliases, wildcards
    return true;
}

static char *task_command(const RecipeRunner *runner G_GNUC_UNUSED, const char *name)
{
    return command_of("task", name);
}

static void task_take(const json_t *list, RecipeRunner *runner)
{
    json_each (json_get_array(list, "tasks"), i, value) {
        const char *name = json_get_text(value, "name");
        if (name)
            recipe_add_name(runner, name);
        json_each (json_get_array(value, "aliases"), j, alias) {
            if (json_is_string(alias))
                recipe_add_name(runner, json_string_value(alias));
        }
    }
}

// without --no-status it runs the `status` commands of all tasks
const RecipeKind recipe_task = {
    .name = "task",
    .read = task_read,
    .command = task_command,
    .argv = (const char *const[]) { "task", "--list-all", "--json", "--no-status", NULL },
    .take = task_take,
};

// ---- cargo ----

static const struct {
    const char *kind; // before the name: "bin/tidepool"
    const char *dir;
    const char *command;
} targets[] = {
    { "bin", "src/bin", "cargo run --bin" },
    { "example", "examples", "cargo run --example" },
    { "test", "tests", "cargo test --test" },
};

static char *cargo_command(const RecipeRunner *runner G_GNUC_UNUSED, const char *name)
{
    const char *slash = strchr(name, '/');
    for (size_t i = 0; slash && i < G_N_ELEMENTS(targets); i++) {
        bool is_it = strlen(targets[i].kind) == (size_t)(slash - name) &&
                     str_has_prefix(name, targets[i].kind);
        if (is_it && recipe_is_name(slash + 1, strlen(slash + 1)))
            return command_of(targets[i].command, slash + 1);
    }
    return NULL;
}

static void cargo_add(RecipeRunner *runner, const char *kind, const char *target)
{
    g_autofree char *name = g_strconcat(kind, "/", target, NULL);
    recipe_add_name(runner, name);
}

/* "fmt.rs", or a directory with a main.rs. */
static void cargo_add_entry(RecipeRunner *runner, const char *kind, const char *dir,
                            const char *entry)
{
    if (g_str_has_suffix(entry, ".rs")) {
        g_autofree char *target = g_strndup(entry, strlen(entry) - strlen(".rs"));
        cargo_add(runner, kind, target);
        return;
    }
    g_autofree char *main_file = g_build_filename(dir, entry, "main.rs", NULL);
    if (file_exists(main_file))
        cargo_add(runner, kind, entry);
}

static void cargo_read_dir(RecipeRunner *runner, const char *kind, const char *dir)
{
    DIR *handle = opendir(dir);
    if (!handle)
        return;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const struct dirent *found = NULL;
    while (names->len < LIMIT_RECIPE_ENTRIES && (found = readdir(handle))) {
        if (found->d_name[0] != '.')
            g_ptr_array_add(names, g_strdup(found->d_name));
    }
    closedir(handle);
    g_ptr_array_sort(names, str_compare);
    for (guint i = 0; i < names->len && runner->tasks->len < runner->max_tasks; i++)
        cargo_add_entry(runner, kind, dir, names->pdata[i]);
}

/* The binary of src/main.rs has the package's name. */
static void cargo_add_main(RecipeRunner *runner, const char *dir, const char *manifest)
{
    g_autofree char *main_file = g_build_filename(dir, "src", "main.rs", NULL);
    if (!file_exists(main_file))
        return;
    g_autoptr(GRegex) regex = g_regex_new("^\\[package\\][^\\n]*\\n(?:(?!\\[|name\\b)[^\\n]*\\n)*+"
                                          "name\\s*=\\s*[\"']([A-Za-z0-9_-]+)[\"']",
                                          G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(regex, manifest, 0, &match))
        return;
    g_autofree char *name = g_match_info_fetch(match, 1);
    cargo_add(runner, "bin", name);
}

static bool cargo_read(const char *dir, RecipeRunner *runner)
{
    static const char *const names[] = { "Cargo.toml", NULL };
    const char *name = recipe_first_file(dir, names);
    if (!name)
        return false;
    g_autofree char *manifest = recipe_file_text(dir, name);
    if (manifest)
        cargo_add_main(runner, dir, manifest);
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        g_autofree char *place = g_build_filename(dir, targets[i].dir, NULL);
        cargo_read_dir(runner, targets[i].kind, place);
    }
    runner->has_more = true; // other members of the workspace, names of their own
    runner->separator = "--";
    return true;
}

static void cargo_take(const json_t *list, RecipeRunner *runner)
{
    size_t n = 0;
    json_each (json_get_array(list, "packages"), i, package) {
        json_each (json_get_array(package, "targets"), j, target) {
            const char *name = json_get_text(target, "name");
            json_each (json_get_array(target, "kind"), k, kind) {
                for (n = 0; name && n < G_N_ELEMENTS(targets); n++)
                    if (g_strcmp0(json_string_value(kind), targets[n].kind) == 0)
                        cargo_add(runner, targets[n].kind, name);
            }
        }
    }
}

const RecipeKind recipe_cargo = {
    .name = "cargo",
    .read = cargo_read,
    .command = cargo_command,
    .argv =
        (const char *const[]) { "cargo", "metadata", "--no-deps", "--format-version", "1", NULL },
    .take = cargo_take,
};
