/*
 * `kedge gh doctor`: the checks of src/github/doctor/gh_doctor.h, shown.
 */
#include "github/doctor/gh_doctor.h"

#include "base/log.h"
#include "cmd/cli/direct.h"
#include "cmd/gh/gh_command.h"

typedef struct DoctorOptions {
    bool is_json;
    const char *cwd;
} DoctorOptions;

static const FieldDef doctor_options[] = {
    { "json", FIELD_BOOLEAN, offsetof(DoctorOptions, is_json),
      .help = "Print an array of {id, status, text, recovery?}" },
    { "cwd", FIELD_STRING, offsetof(DoctorOptions, cwd), .value_name = "DIR",
      .help = "Look at this directory" },
    { 0 },
};

static int show(ToolContext *context, const ToolResult *result, void *user_data)
{
    const DoctorOptions *options = user_data;
    g_autofree char *text = tool_result_text(result);
    if (result->is_error) {
        log_text("%s", text);
        return cmd_exit_code(result->failure);
    }
    g_autofree char *json =
        options->is_json ? json_to_pretty(json_get_array(result->details, "checks")) : NULL;
    bool is_well = json_get_int(result->details, "failed", 1) == 0;
    return cmd_print_line(json ? json : text) && is_well ? EXIT_OK : EXIT_FAILED;
}

static int doctor_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    DoctorOptions options = { 0 };
    if (!cmd_decode_options(doctor_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    const DirectCall call = {
        .env = env,
        .tool = &tool_gh_doctor,
        .cwd = options.cwd,
        .show = show,
        .user_data = &options,
    };
    return direct_run(&call);
}

const Command command_gh_doctor = {
    .name = "gh doctor",
    .summary = "Check that gh, its logins and this directory can be used",
    .usage = "[--json]",
    .options = doctor_options,
    .help = "Starts `gh --version`, `gh auth status` for each known host, and git; changes "
            "nothing. A line\n"
            "that begins with -> says what to do about the one above it.\n"
            "  PASS  fine      WARN  works, but look at it      FAIL  does not work\n"
            "  SKIP  something that failed before it is needed\n"
            "Exit codes: 0 nothing failed, 1 something did.",
    .run = doctor_run,
};
