/*
 * `kedge wm add`: a task of somebody else, copied or fetched (task-engine §3.7).
 */
#include "base/file.h"
#include "cmd/wm/wm_here.h"
#include "wm/task/task_bundle.h"
#include "wm/task/task_fetch.h"
#include "wm/task/wm_log.h"

typedef struct AddOptions {
    bool is_forced;
} AddOptions;

static const FieldDef add_options[] = {
    { "force", FIELD_BOOLEAN, offsetof(AddOptions, is_forced),
      .help = "Overwrite a task of that name" },
    { 0 },
};

typedef struct Add {
    const char *argument;
    bool is_forced;
} Add;

/* The two places of a repository where a task is looked for. */
static bool fetch_shorthand(const WmSource *source, const char *cwd, Cancel *cancel,
                            WmFetched *ret_fetched, GError **error)
{
    g_autofree char *lower = g_ascii_strdown(source->path, -1);
    g_autofree char *file =
        g_strconcat(source->path, g_str_has_suffix(lower, ".md") ? NULL : ".md", NULL);
    g_autofree char *first = g_strconcat("workflows/", file, NULL);
    g_autofree char *second = g_strconcat(WM_TASKS_DIR "/", file, NULL);
    const char *const paths[] = { first, second, NULL };
    if (!wm_fetch(source, paths, cwd, cancel, ret_fetched, error))
        return false;
    if (ret_fetched->status == 404)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "task \"%s\" not found in %s/%s on %s (tried workflows/ and .wm/tasks/)",
                         file, source->owner, source->repo, source->ref ? source->ref : "main");
    g_autofree char *status = wm_status_text(ret_fetched->status);
    return ret_fetched->status == 200 ||
           fail_with(error, KEDGE_ERROR_FAILED, "HTTP %s from %s", status, ret_fetched->url);
}

static bool get(const WmSource *source, Cancel *cancel, WmFetched *ret_fetched, GError **error)
{
    g_autofree char *cwd = g_get_current_dir();
    if (source->kind == WM_FROM_FILE) {
        ret_fetched->status = 200;
        return file_read(source->text, WM_MAX_TASK_BYTES, &ret_fetched->text, &ret_fetched->size,
                         error);
    }
    if (source->kind == WM_FROM_REPOSITORY)
        return fetch_shorthand(source, cwd, cancel, ret_fetched, error);
    if (!wm_fetch(source, NULL, cwd, cancel, ret_fetched, error))
        return false;
    g_autofree char *status = wm_status_text(ret_fetched->status);
    return ret_fetched->status == 200 || fail_with(error, KEDGE_ERROR_FAILED, "HTTP %s", status);
}

static bool check(const WmFetched *fetched, GError **error)
{
    bool is_split = false;
    if (wm_source_check(fetched->text, fetched->size, &is_split, NULL, error))
        return true;
    g_prefix_error(error, "%s",
                   is_split ? "task frontmatter YAML: "
                            : "task file must start with YAML frontmatter (---): ");
    return false;
}

/* What it imports, from where it came: `record` says where in a repository that is. */
static bool add_imports(const Add *self, const WmSource *source, const char *record,
                        const char *path, Cancel *cancel, GPtrArray *files, GError **error)
{
    g_auto(WmSource) there = { 0 };
    bool is_found = source->kind == WM_FROM_REPOSITORY && wm_source_of_task(record, &there);
    return wm_bundle(is_found ? &there : source, ".", path, self->is_forced, cancel, files, error);
}

static bool add(void *data, Cancel *cancel, GError **error)
{
    const Add *self = data;
    g_auto(WmSource) source = { 0 };
    g_auto(WmFetched) fetched = { 0 };
    g_autofree char *name = NULL, *recorded = NULL;
    if (!wm_source_of_argument(self->argument, &source, error) ||
        !wm_source_file_name(&source, &name, error))
        return false;
    g_autofree char *path = g_strconcat(WM_TASKS_DIR "/", name, NULL);
    g_autoptr(GPtrArray) files = wm_fresh_new();
    if (!self->is_forced && file_exists(path))
        return fail_with(error, KEDGE_ERROR_FAILED, "%s already exists (use --force to overwrite)",
                         path);
    if (!get(&source, cancel, &fetched, error) || !check(&fetched, error) ||
        (fetched.record && !wm_source_insert(fetched.text, fetched.record, &recorded, error)))
        return false;
    wm_fresh_add_first(files, path, recorded ? recorded : fetched.text);
    if (!add_imports(self, &source, fetched.record, path, cancel, files, error) ||
        !wm_here_compile(&(WmCompile) { .root = ".", .fresh = files }, error))
        return false;
    if (source.kind == WM_FROM_URL && !fetched.record)
        wm_say("wm: %s: no source recorded, the address holds a secret", path);
    return true;
}

static int add_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    AddOptions options = { 0 };
    if (!wm_decode(&command_wm_add, argc, argv, &options, &kept, words, 1, 1, &error))
        return wm_fail(command_wm_add.name, error);
    Add self = { .argument = g_ptr_array_index(words, 0), .is_forced = options.is_forced };
    return wm_work(command_wm_add.name, add, &self);
}

const Command command_wm_add = {
    .name = "wm add",
    .summary = "Add a task: of a repository, an address or a file",
    .usage = "[--force] OWNER/REPO/TASK[@REF]|URL|PATH",
    .options = add_options,
    .help =
        "A task of a repository is looked for in its workflows/ and .wm/tasks/. Where it came from "
        "is\nrecorded in its frontmatter, for `kedge wm update`. Read a task of others before you "
        "commit it.",
    .run = add_run,
};
