/*
 * The list of checks, and how it is shown (gh_doctor.h).
 */
#include "github/doctor/gh_doctor.h"

#include "github/doctor/gh_doctor_check.h"
#include "github/repo_ref.h"

#define TITLE "kedge gh doctor"

static void (*const checks[])(Doctor *) = {
    doctor_check_executable,   doctor_check_version, doctor_check_auth,    doctor_check_accounts,
    doctor_check_cwd,          doctor_check_repo,    doctor_check_remotes, doctor_check_env_set,
    doctor_check_env_external, doctor_check_policy,  doctor_check_aliases, doctor_check_extensions,
    doctor_check_git,          doctor_check_audit,
};

static const char *const state_names[] = { "PASS", "WARN", "FAIL", "SKIP" };

/* The layout of gh-policy §10. Caller frees. */
static char *layout(const CheckList *list)
{
    GString *out = g_string_new(TITLE "\n");
    json_each (list->checks, i, check) {
        const char *recovery = json_get_text(check, "recovery");
        g_string_append_printf(out, "%s  %-*s %s\n", json_get_text(check, "status"),
                               check_list_width(list), json_get_text(check, "id"),
                               json_get_text(check, "text"));
        if (recovery)
            g_string_append_printf(out, "      -> %s\n", recovery);
    }
    for (CheckState state = CHECK_GOOD; state < CHECK_STATES; state++)
        g_string_append_printf(out, "%s%u %s", state == CHECK_GOOD ? "" : ", ", list->counts[state],
                               state_names[state]);
    return g_string_free(out, false);
}

static void doctor_clear(Doctor *self)
{
    g_strfreev(self->known_hosts);
    json_decref(self->list.checks);
    gh_program_clear(&self->program);
    g_clear_pointer(&self->host_logins, g_ptr_array_unref);
    gh_cwd_clear(&self->cwd);
    gh_clone_unref(self->clone);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Doctor, doctor_clear)

typedef struct DoctorArgs {
    bool is_offline;
} DoctorArgs;

static const FieldDef doctor_fields[] = {
    { "offline", FIELD_BOOLEAN, offsetof(DoctorArgs, is_offline),
      .help = "Ask no server: say which logins gh keeps, not whether they are accepted" },
    { 0 },
};

static bool run_doctor(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const DoctorArgs *args = args_;
    const Settings *settings = tool_call_settings(call);
    g_auto(Doctor) doctor = {
        .call = call,
        .settings = settings,
        .is_offline = args->is_offline,
        .known_hosts = repo_known_hosts(settings),
        .list = { .names = state_names, .checks = json_array() },
        .cwd = { .fd = -1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(checks); i++) {
        checks[i](&doctor);
        if (!cancel_check(tool_call_cancel(call), error))
            return false;
    }
    g_autofree char *text = layout(&doctor.list);
    tool_result_add_text(result, text);
    json_t *details = tool_result_details(result);
    json_add(details, "checks:%p failed:%u", json_incref(doctor.list.checks),
             doctor.list.counts[CHECK_BAD]);
    return true;
}

const ToolDef tool_gh_doctor = {
    .name = "gh_doctor",
    .label = "GitHub: doctor",
    .summary = "Check that gh, its logins and this directory can be used",
    .effect = EFFECT_READ,
    .flags = TOOL_HIDDEN | TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_OPEN_WORLD,
    .fields = doctor_fields,
    .args_size = sizeof(DoctorArgs),
    .run = run_doctor,
};
