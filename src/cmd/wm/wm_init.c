/*
 * `kedge wm init`: a configuration, three tasks to begin with, and the caller workflow
 * (task-engine §3.2).
 */
#include "base/env.h"
#include "base/file.h"
#include "base/git_dir.h"
#include "base/path.h"
#include "cmd/wm/wm_here.h"
#include "cmd/wm/wm_pin.h"
#include "wm/compile/caller.h"
#include "wm/compile/starters.h"
#include "wm/task/repo_file.h"
#include "wm/task/wm_log.h"

typedef struct InitOptions {
    bool is_forced;
} InitOptions;

static const FieldDef init_options[] = {
    { "force", FIELD_BOOLEAN, offsetof(InitOptions, is_forced),
      .help = "Overwrite the configuration and the starter tasks" },
    { 0 },
};

/* GitHub reads .github/workflows of the top directory only. */
static void say_of_place(void)
{
    g_autofree char *here = g_get_current_dir(), *real = path_real(here);
    g_autofree char *top = git_dir_work_tree(here);
    if (!top)
        wm_say("wm: this is no git repository yet: git init");
    else if (g_strcmp0(top, real) != 0)
        wm_say("wm: the repository begins at %s: only there GitHub looks for workflows", top);
}

static void say_what_next(void)
{
    wm_say("Next: a key for the agent's model as a secret of the repository, such as");
    wm_say("  gh secret set ANTHROPIC_API_KEY");
    wm_say("  git add .wm .github && git commit -m Tasks && git push");
    wm_say(
        "then write \"/agent what is this repository about?\" under an issue. Before that, here:");
    wm_say("  kedge wm rehearse answer --issue N    shows what it would do, and writes nothing");
}

/* The configuration begins with what this kedge was built from, if that is the repository whose
   workflows will be called. */
static bool write_starter(const WmStarter *starter, GError **error)
{
    g_auto(WmPin) build = { 0 };
    g_autofree char *pinned = NULL;
    bool is_elsewhere = env_get_raw("KEDGE_WM_REPO") || env_get_raw("GH_WM_REPO");
    if (strcmp(starter->path, WM_CONFIG_PATH) == 0 && !is_elsewhere) {
        wm_pin_of_build(&build);
        if (!wm_pin_text(&build, starter->text, &pinned, error))
            return false;
    }
    return wm_repo_file_write(".", starter->path, pinned ? pinned : starter->text, NULL, error);
}

static bool init(const InitOptions *options, GError **error)
{
    for (const WmStarter *starter = wm_starters; starter->path; starter++) {
        if (!options->is_forced && file_exists(starter->path))
            wm_say("kept existing %s", starter->path);
        else if (!write_starter(starter, error))
            return false;
    }
    return wm_here_compile(&(WmCompile) { .root = "." }, error);
}

static int init_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    InitOptions options = { 0 };
    if (!wm_decode(&command_wm_init, argc, argv, &options, &kept, NULL, 0, 0, &error) ||
        !init(&options, &error))
        return wm_fail(command_wm_init.name, error);
    wm_say("Initialized .wm/ and " WM_CALLER_PATH);
    wm_pin_say();
    say_of_place();
    say_what_next();
    return EXIT_OK;
}

const Command command_wm_init = {
    .name = "wm init",
    .summary = "Begin with tasks: .wm/, starter tasks, the caller workflow",
    .usage = "[--force]",
    .options = init_options,
    .help = "Works on the current directory, which should be the top of a repository. Files that "
            "are there are\nkept.\n\n"
            "  kedge wm init",
    .run = init_run,
};
