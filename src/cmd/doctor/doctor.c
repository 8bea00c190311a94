/*
 * `kedge doctor`: what is missing on this machine, and the command that fixes it. Changes nothing;
 * asks no server without --online. What it says of git and GitHub is from `kedge gh doctor`.
 */
#include "base/str.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/doctor/doctor_check.h"
#include "github/doctor/gh_doctor.h"

#define OFFLINE_MS (INT64_C(1) * 1000) // for all that starts gh

typedef struct DoctorOptions {
    bool is_json, is_online, fixes_nothing;
    const char *cwd;
    GPtrArray *warnings; // of the settings
} DoctorOptions;

static const FieldDef doctor_options[] = {
    { "json", FIELD_BOOLEAN, offsetof(DoctorOptions, is_json),
      .help = "Print an array of {id, status, text, recovery?}" },
    { "online", FIELD_BOOLEAN, offsetof(DoctorOptions, is_online),
      .help = "Ask GitHub, too, whether it accepts the logins of gh" },
    { "fix-nothing", FIELD_BOOLEAN, offsetof(DoctorOptions, fixes_nothing),
      .help = "Change nothing, which is what happens without it, too" },
    { "cwd", FIELD_STRING, offsetof(DoctorOptions, cwd), .value_name = "DIR",
      .help = "Look at this directory" },
    { 0 },
};

static const char *const state_names[] = { "ok", "warning", "missing", "skipped" };

/* What fails of GitHub is no more than a warning: kedge works without. What depends on the
   directory is reported only when it fails; `kedge gh doctor` has all of it. */
static void add_github(Health *self, const ToolResult *result)
{
    if (result->is_error) {
        g_autofree char *text = tool_result_text(result);
        check_list_add(&self->list, "gh", CHECK_WARNING, "kedge gh doctor", "%s", text);
        return;
    }
    json_each (json_get_array(result->details, "checks"), i, check) {
        const char *id = json_get_text(check, "id");
        const char *status = json_get_text(check, "status");
        bool is_failure = strcmp(status, "FAIL") == 0;
        bool is_main = strcmp(id, "executable") == 0 || strcmp(id, "version") == 0 ||
                       str_has_prefix(id, "auth:");
        bool is_git = strcmp(id, "git") == 0;
        if (strcmp(status, "SKIP") == 0 || (!is_main && !is_git && !is_failure))
            continue;
        g_autofree char *name = g_strconcat(is_git ? "" : "gh ", id, NULL);
        bool is_good = strcmp(status, "PASS") == 0;
        check_list_add(&self->list, name, is_good ? CHECK_GOOD : CHECK_WARNING,
                       json_get_text(check, "recovery"), "%s", json_get_text(check, "text"));
    }
}

/* "ok       git    2.39.5", and what fixes it after an arrow. Caller frees. */
static char *layout(const Health *self)
{
    const CheckList *list = &self->list;
    GString *out = g_string_new(NULL);
    json_each (list->checks, i, check) {
        const char *recovery = json_get_text(check, "recovery");
        g_string_append_printf(out, "%-7s  %-*s  %s%s%s\n", json_get_text(check, "status"),
                               check_list_width(list), json_get_text(check, "id"),
                               json_get_text(check, "text"), recovery ? " -> " : "",
                               recovery ? recovery : "");
    }
    g_string_append_printf(out, "%u missing, %u warning%s", list->counts[CHECK_BAD],
                           list->counts[CHECK_WARNING],
                           list->counts[CHECK_WARNING] == 1 ? "" : "s");
    return g_string_free(out, FALSE);
}

static int show(ToolContext *context, const ToolResult *result, void *user_data)
{
    const DoctorOptions *options = user_data;
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(json_t) checks = json_array();
    Health health = {
        .settings = tool_context_settings(context),
        .cwd = cwd,
        .list = { .names = state_names, .checks = checks },
    };
    health_check_model(&health);
    health_check_ancestors(&health);
    health_check_settings(&health, options->warnings);
    health_check_files(&health);
    health_check_terminal(&health);
    health_check_programs(&health);
    health_check_libraries(&health);
    add_github(&health, result);
    g_autofree char *text = options->is_json ? json_to_pretty(checks) : layout(&health);
    return cmd_print_line(text) && health.list.counts[CHECK_BAD] == 0 ? EXIT_OK : EXIT_FAILED;
}

static int doctor_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    DoctorOptions options = { .warnings = warnings };
    if (!cmd_decode_options(doctor_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    g_autoptr(json_t) arguments = json_make("offline:%i", !options.is_online);
    const DirectCall call = {
        .env = env,
        .tool = &tool_gh_doctor,
        .arguments = arguments,
        .cwd = options.cwd,
        .timeout_ms = options.is_online ? 0 : OFFLINE_MS,
        .settings_warnings = warnings,
        .show = show,
        .user_data = &options,
    };
    return direct_run(&call);
}

const Command command_doctor = {
    .name = "doctor",
    .summary = "Say what is missing on this machine, and how to fix it",
    .usage = "[--json] [--online]",
    .options = doctor_options,
    .help = "A line for each check: a model and where its key comes from (never the key), kedge's\n"
            "own files, the terminal, programs, libraries, gh and its logins. What follows\n"
            "-> fixes it. Changes nothing, and asks no server without --online.\n"
            "  ok       fine\n"
            "  warning  kedge works, with something less\n"
            "  missing  kedge needs it\n"
            "Exit codes: 0 nothing is missing, 1 something is.\n"
            "`kedge gh doctor` says more about GitHub and this directory.",
    .run = doctor_run,
};
