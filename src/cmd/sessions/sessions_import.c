/*
 * `kedge sessions import`: conversations of other programs go on here.
 */
#include "base/dirs.h"
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/sessions/sessions.h"
#include "session/import.h"

typedef struct ImportOptions {
    const char *from;
    bool is_all;
} ImportOptions;

static const char *const sources[] = { "claude", "codex", NULL };

static const FieldDef options[] = {
    { "from", FIELD_ENUM, offsetof(ImportOptions, from), .values = sources,
      .help = "All of this directory that Claude Code or Codex keeps below your home" },
    { "all", FIELD_BOOLEAN, offsetof(ImportOptions, is_all), .short_flag = 'a',
      .help = "With --from: of all directories" },
    { 0 },
};

/* False when the session could not be taken over, which was said. */
static bool import_one(const char *file, const char *root, const char *cwd)
{
    g_autoptr(GError) error = NULL;
    g_auto(ImportResult) result = { 0 };
    if (!session_import(file, root, cwd, &result, &error)) {
        log_warning("%s", error->message);
        return false;
    }
    g_autofree char *line = g_strdup_printf(
        "%s %s: %zu messages", result.was_there ? "Already there:" : "Imported:", result.id,
        result.messages);
    return cmd_print_line(line);
}

static int import_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ImportOptions given = { 0 };
    if (!cmd_decode_options(options, argc, argv, &given, &kept, words, &error))
        return cmd_fail(error);
    if ((words->len > 0) == (given.from != NULL)) {
        log_text("usage: kedge sessions import FILE… | --from claude|codex [--all]");
        return EXIT_USAGE;
    }
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *root = g_build_filename(agent_dir, "sessions", NULL);
    g_autofree char *home = dirs_home();
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(GPtrArray) found =
        given.from ? session_import_find(home, given.from, given.is_all ? NULL : cwd) : NULL;
    const GPtrArray *files = found ? found : words;
    if (files->len == 0) {
        log_text("No sessions of %s%s.", given.from,
                 given.is_all ? "" : " in this directory; --all looks for those of all");
        return EXIT_FAILED;
    }
    unsigned failed = 0;
    for (unsigned i = 0; i < files->len; i++)
        failed += !import_one(files->pdata[i], root, cwd);
    bool is_bad = found ? failed == files->len : failed > 0; // some of many are no sessions
    return is_bad ? EXIT_FAILED : EXIT_OK;
}

const Command command_sessions_import = {
    .name = "sessions import",
    .summary = "Take over sessions of Claude Code or Codex",
    .usage = "FILE… | --from claude|codex [--all]",
    .options = options,
    .help = "What was said, thought, called and answered, along the branch that was active last. "
            "Their files\nare only read. Then: kedge --resume ID. A session is taken over once.\n"
            "Exit codes: 0 done, 1 a file is no session, or there is none, 2 usage.",
    .run = import_run,
};
