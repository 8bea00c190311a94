/*
 * Is there a gh that will do, and is it logged in (gh_doctor_check.h).
 */
#include "github/doctor/gh_doctor_check.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/path.h"
#include "base/secrets.h"
#include "base/yaml.h"
#include "github/classify/command_table.h"
#include "github/gh_env.h"
#include "github/gh_login.h"
#include "github/safe/gh_aliases.h"
#include "github/safe/gh_auth_status.h"
#include "github/safe/gh_exec.h"

#include <sys/stat.h>

#define NEEDS_GH     "needs a usable gh"
#define CONFIG_HINT  "in ~/.kedge/agent/config.yml"
#define UPGRADE_HINT "newer packages: https://github.com/cli/cli#installation"
#define JSON_SINCE                                                                                 \
    {                                                                                              \
        {                                                                                          \
            2, 81, 0                                                                               \
        }                                                                                          \
    } // of `auth status --json`

/* Other programs of the name than `path`, as "A, B"; NULL: none. Caller frees. */
static char *other_programs(const char *name, const char *path)
{
    g_autofree char *used = path_real(path);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_add(seen, g_steal_pointer(&used));
    const char *search = env_get_raw("PATH");
    g_auto(GStrv) dirs = g_strsplit(search != NULL ? search : "", ":", -1);
    g_autoptr(GString) others = g_string_new(NULL);
    for (char **dir = dirs; *dir; dir++) {
        g_autofree char *file = g_build_filename(*dir, name, NULL);
        struct stat info;
        if (!g_path_is_absolute(*dir) || stat(file, &info) != 0 || !S_ISREG(info.st_mode) ||
            access(file, X_OK) != 0 || !g_hash_table_add(seen, path_real(file)))
            continue;
        g_autofree char *shown = path_shorten_home(file);
        g_string_append_printf(others, "%s%s", others->len > 0 ? ", " : "", shown);
    }
    return others->len > 0 ? g_strdup(others->str) : NULL;
}

void doctor_check_executable(Doctor *self)
{
    const char *cwd = tool_call_cwd(self->call);
    const char *name = settings_get_text(self->settings, "gh.executable");
    self->program.path = gh_env_find_executable(self->settings, cwd, cwd);
    if (!self->program.path) {
        const GhFacts facts = { .executable = name };
        g_autofree char *message = gh_kind_message(GH_KIND_NO_EXECUTABLE, &facts);
        check_list_add(&self->list, "executable", CHECK_BAD,
                       "or name its absolute path as gh.executable " CONFIG_HINT, "%s", message);
        return;
    }
    g_autofree char *shown = path_shorten_home(self->program.path);
    g_autofree char *others =
        strchr(name, '/') == NULL ? other_programs(name, self->program.path) : NULL;
    if (others)
        check_list_add(&self->list, "executable", CHECK_WARNING,
                       "if that is not the one you mean, set gh.executable " CONFIG_HINT,
                       "%s; there is also %s", shown, others);
    else
        check_list_add(&self->list, "executable", CHECK_GOOD, NULL, "%s", shown);
}

static void judge_version(Doctor *self)
{
    const GhProgram *gh = &self->program;
    g_autofree char *minimum = gh_program_minimum(self->settings);
    GhVersion version;
    if (!gh_version_parse(gh->version_text, &version)) {
        check_list_add(&self->list, "version", CHECK_WARNING, NULL,
                       "%s is no release; taken as newer than all (minimum %s)", gh->version_text,
                       minimum);
        return;
    }
    unsigned newest = command_newest_version();
    if (COMMAND_VERSION(version.part[0], version.part[1]) > newest)
        check_list_add(&self->list, "version", CHECK_WARNING,
                       "commands that are newer will be asked about",
                       "%s is newer than the commands kedge knows (up to %u.%u)", gh->version_text,
                       newest / 1000, newest % 1000);
    else
        check_list_add(&self->list, "version", CHECK_GOOD, NULL, "%s (minimum %s)",
                       gh->version_text, minimum);
}

void doctor_check_version(Doctor *self)
{
    if (!self->program.path) {
        check_list_add(&self->list, "version", CHECK_SKIPPED, NULL, NEEDS_GH);
        return;
    }
    const char *cwd = tool_call_cwd(self->call);
    gh_program_clear(&self->program);
    g_autoptr(GError) error = NULL;
    if (gh_program_find(self->settings, cwd, cwd, tool_call_cancel(self->call), &self->program,
                        &error))
        judge_version(self);
    else
        check_list_add(&self->list, "version", CHECK_BAD, UPGRADE_HINT, "%s", error->message);
}

/* Where `auth status` runs: anywhere that is allowed. */
static bool open_any_cwd(const Doctor *self, GhCwd *ret_cwd, GError **error)
{
    const GhCwdSpec here = { .settings = self->settings, .workspace = tool_call_cwd(self->call) };
    if (gh_cwd_open(&here, ret_cwd, NULL))
        return true;
    g_autofree char *home = dirs_home();
    const GhCwdSpec there = { .settings = self->settings, .workspace = home };
    return gh_cwd_open(&there, ret_cwd, error);
}

/* The logins at `host`; NULL with *ret_failure set (caller frees). */
static GPtrArray *ask_logins(Doctor *self, const GhCwd *cwd, const char *host, char **ret_failure)
{
    const GhVersion json_since = JSON_SINCE;
    bool has_json = gh_version_compare(self->program.version, json_since) >= 0;
    const char *const argv[] = { "auth",  "status", "--hostname", host, has_json ? "--json" : NULL,
                                 "hosts", NULL };
    const GhExec spec = {
        .argv = argv,
        .command = "auth status",
        .host = host,
        // gh looks for a token of the environment only at hosts it has heard of; to set it always
        // would make a missing login look like a bad one
        .set_host = gh_login_variable(host) ? host : NULL,
        .cwd = cwd,
        .timeout_s = DOCTOR_CHECK_S,
    };
    g_auto(GhOutcome) outcome = { .exit_status = -1 };
    gh_exec(self->call, &spec, &outcome);
    if (!outcome.has_run || outcome.kind == GH_KIND_TIMEOUT || outcome.signal != 0) {
        *ret_failure = outcome.kind == GH_KIND_TIMEOUT
                           ? g_strdup_printf("no answer within %d s", DOCTOR_CHECK_S)
                           : g_strdup(outcome.message);
        return NULL;
    }
    GPtrArray *logins = has_json ? gh_auth_status_read_json(outcome.output, host) : NULL;
    if (logins)
        return logins;
    // which of the streams carries the lines has changed over the versions
    g_autofree char *text = g_strconcat(outcome.output, "\n", outcome.error_output, NULL);
    return gh_auth_status_read_text(text, host);
}

static void add_refused(Doctor *self, const char *id, const char *host, const GhLogin *login)
{
    bool is_from_environment = gh_login_is_from_environment(login);
    g_autofree char *recovery =
        is_from_environment ? g_strdup_printf("set a valid token in %s, or unset it", login->source)
                            : gh_login_advice(host);
    check_list_add(&self->list, id, CHECK_BAD, recovery, "the token%s%s (%s) is not accepted",
                   login->login != NULL ? " of " : "", login->login != NULL ? login->login : "",
                   login->source != NULL ? login->source : "source unknown");
}

static void add_working(Doctor *self, const char *id, const char *host, const GhLogin *login)
{
    g_autofree char *text =
        g_strdup_printf("logged in as %s (%s)", login->login != NULL ? login->login : "?",
                        login->source != NULL ? login->source : "source unknown");
    if (login->missing_scopes) {
        g_autofree char *recovery = g_strdup_printf("gh auth refresh --hostname %s --scopes %s",
                                                    host, login->missing_scopes);
        check_list_add(&self->list, id, CHECK_WARNING, recovery,
                       "%s; the token lacks the scopes %s", text, login->missing_scopes);
    } else if (gh_login_is_from_environment(login)) {
        check_list_add(&self->list, id, CHECK_WARNING, "unset it to use the login that gh keeps",
                       "%s; the token comes from the environment", text);
    } else {
        check_list_add(&self->list, id, CHECK_GOOD, NULL, "%s", text);
    }
}

static void add_auth(Doctor *self, const char *host, const GPtrArray *logins, const char *failure)
{
    g_autofree char *id = g_strconcat("auth:", host, NULL);
    const GhLogin *login = logins != NULL ? gh_auth_status_active(logins) : NULL;
    if (!logins) {
        check_list_add(&self->list, id, CHECK_BAD,
                       "check the network, and the proxy if there is one", "%s", failure);
    } else if (!login) {
        g_autofree char *recovery = gh_login_advice(host);
        check_list_add(&self->list, id, CHECK_BAD, recovery, "not logged in");
    } else if (login->state == GH_LOGIN_TIMEOUT) {
        check_list_add(&self->list, id, CHECK_BAD,
                       "check the network, and the proxy if there is one",
                       "%s did not answer gh in time", host);
    } else if (login->state == GH_LOGIN_REFUSED) {
        add_refused(self, id, host, login);
    } else {
        add_working(self, id, host, login);
    }
}

/* What gh would send to `host`, as far as its files and the environment say. Where gh keeps a token
   in the keyring of the system, its file has the account without one. */
static void add_kept(Doctor *self, const json_t *hosts, const char *host)
{
    g_autofree char *id = g_strconcat("auth:", host, NULL);
    const json_t *kept = json_get_object(hosts, host);
    const char *user = json_get_text(kept, "user");
    if (gh_login_variable(host)) {
        check_list_add(&self->list, id, CHECK_GOOD, NULL, "a token of the environment; not tried");
    } else if (json_object_size(kept) > 0) {
        check_list_add(&self->list, id, CHECK_GOOD, NULL, "gh keeps a login%s%s; not tried",
                       user != NULL ? " of " : "", user != NULL ? user : "");
    } else {
        g_autofree char *recovery = gh_login_advice(host);
        check_list_add(&self->list, id, CHECK_BAD, recovery, "not logged in");
    }
}

static void check_auth_offline(Doctor *self)
{
    g_autofree char *dir = gh_config_dir();
    g_autofree char *path = g_build_filename(dir, "hosts.yml", NULL);
    g_autoptr(json_t) hosts = NULL;
    g_autoptr(GError) error = NULL;
    if (!yaml_read_file(path, &hosts, &error) && !error_is(error, KEDGE_ERROR_NOT_FOUND))
        check_list_add(&self->list, "hosts", CHECK_BAD, "gh auth login", "%s", error->message);
    for (char **host = self->known_hosts; *host; host++) {
        add_kept(self, hosts, *host);
        g_ptr_array_add(self->host_logins, NULL);
    }
}

static void logins_free(void *data)
{
    if (data)
        g_ptr_array_unref(data);
}

void doctor_check_auth(Doctor *self)
{
    self->host_logins = g_ptr_array_new_with_free_func(logins_free);
    bool has_gh = self->program.version_text != NULL;
    if (has_gh && self->is_offline) {
        check_auth_offline(self);
        return;
    }
    g_auto(GhCwd) cwd = { .fd = -1 };
    g_autoptr(GError) error = NULL;
    bool can_run = has_gh && open_any_cwd(self, &cwd, &error);
    for (char **host = self->known_hosts; *host; host++) {
        GPtrArray *logins = NULL;
        g_autofree char *failure = error != NULL ? g_strdup(error->message) : NULL;
        if (can_run && !cancel_has_fired(tool_call_cancel(self->call)))
            logins = ask_logins(self, &cwd, *host, &failure);
        g_ptr_array_add(self->host_logins, logins);
        if (has_gh) {
            add_auth(self, *host, logins, failure);
        } else {
            g_autofree char *id = g_strconcat("auth:", *host, NULL);
            check_list_add(&self->list, id, CHECK_SKIPPED, NULL, NEEDS_GH);
        }
    }
}

void doctor_check_accounts(Doctor *self)
{
    for (unsigned i = 0; i < self->host_logins->len; i++) {
        const char *host = self->known_hosts[i];
        const GPtrArray *logins = self->host_logins->pdata[i];
        g_autofree char *id = g_strconcat("accounts:", host, NULL);
        if (!logins || logins->len == 0) {
            check_list_add(&self->list, id, CHECK_SKIPPED, NULL, "needs a login");
        } else if (logins->len == 1) {
            check_list_add(&self->list, id, CHECK_GOOD, NULL, "one account");
        } else {
            const GhLogin *active = gh_auth_status_active(logins);
            g_autofree char *recovery = g_strdup_printf("gh auth switch --hostname %s", host);
            check_list_add(&self->list, id, CHECK_WARNING, recovery,
                           "%u accounts; the active one is %s", logins->len,
                           active->login != NULL ? active->login : "not named");
        }
    }
}
