/*
 * `kedge sessions export` and `kedge --export`: a session as a page (agent-core §4.12).
 */
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/sessions/sessions.h"
#include "export/export.h"

typedef struct ExportOptions {
    const char *session_dir;
} ExportOptions;

static const FieldDef options[] = {
    { "sessionDir", FIELD_STRING, offsetof(ExportOptions, session_dir), .value_name = "DIR",
      .help = "Directory of the session files" },
    { 0 },
};

bool sessions_export(const char *name, const char *out, const char *session_dir, GError **error)
{
    g_autofree char *path = NULL;
    if (strchr(name, '/') || g_str_has_suffix(name, ".jsonl"))
        path = g_strdup(name);
    else if (!sessions_find_file(name, session_dir, &path, error))
        return false;
    g_autofree char *default_name = out ? NULL : export_default_name(path);
    const char *target = out ? out : default_name;
    if (!export_file(path, NULL, NULL, target, error))
        return false;
    g_autofree char *line = g_strconcat("Exported to: ", target, NULL);
    return cmd_print_line(line) ||
           fail_with(error, KEDGE_ERROR_IO, "the name of the page could not be printed");
}

static int export_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ExportOptions given = { 0 };
    if (!cmd_decode_options(options, argc, argv, &given, &kept, words, &error))
        return cmd_fail(error);
    if (words->len < 1 || words->len > 2) {
        log_text("usage: kedge sessions export ID|PATH [OUT.html]");
        return EXIT_USAGE;
    }
    const char *out = words->len > 1 ? words->pdata[1] : NULL;
    if (!sessions_export(words->pdata[0], out, given.session_dir, &error))
        return cmd_fail(error);
    return EXIT_OK;
}

const Command command_sessions_export = {
    .name = "sessions export",
    .summary = "Write a session as one HTML file that loads nothing",
    .usage = "ID|PATH [OUT.html]",
    .options = options,
    .help = "By default kedge-session-NAME.html here. All branches are in it, tool results too: "
            "look at it\nbefore you hand it on.",
    .run = export_run,
};
