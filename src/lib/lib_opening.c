/* See lib_opening.h. */
#include "lib/lib_opening.h"

#include "base/dirs.h"
#include "base/log.h"
#include "base/secrets.h"
#include "lib/lib_process.h"
#include "model/model_secrets.h"
#include "tool/settings_keys.h"
#include "tool/settings_value.h"
#include "tool_table.h"

#include <signal.h>

void lib_opening_clear(LibOpening *self)
{
    g_clear_pointer(&self->cwd, g_free);
    g_clear_pointer(&self->agent_dir, g_free);
    g_clear_pointer(&self->settings, settings_unref);
    launch_session_clear(&self->session);
    g_clear_pointer(&self->registry, model_registry_free);
    g_clear_pointer(&self->all_tools, tool_set_unref);
    g_clear_pointer(&self->tools, tool_set_unref);
}

bool lib_struct_read(const void *given, void *ret_ours, size_t size, const char *name,
                     GError **error)
{
    size_t given_size = 0;
    if (given)
        memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s: its member size is not set", name);
    const char *bytes = given;
    for (size_t i = size; i < given_size; i++)
        if (bytes[i] != 0)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "%s: it holds members that libkedge %s does not know", name,
                             KEDGE_VERSION);
    memset(ret_ours, 0, size);
    memcpy(ret_ours, given, MIN(size, given_size));
    return true;
}

/* The kernel would reap our children, and their exit statuses would be lost. */
static bool check_process(GError **error)
{
    struct sigaction action = { 0 };
    bool is_ignored = sigaction(SIGCHLD, NULL, &action) == 0 &&
                      ((action.sa_flags & SA_NOCLDWAIT) || action.sa_handler == SIG_IGN);
    return !is_ignored ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "this process ignores SIGCHLD: how a command ended could not be known");
}

static bool check_texts(const kedge_options *options, GError **error)
{
    const char *const texts[] = { options->cwd,           options->model,
                                  options->api_key,       options->thinking,
                                  options->session,       options->session_dir,
                                  options->settings,      options->tools,
                                  options->system_prompt, options->append_system_prompt };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        if (texts[i] && !g_utf8_validate(texts[i], -1, NULL))
            return fail_with(error, KEDGE_ERROR_USAGE, "kedge_options: a text is not UTF-8");
    return true;
}

static bool check_options(const kedge_options *options, GError **error)
{
    ThinkingLevel level = THINKING_OFF;
    if (options->api_key && !options->model)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "api_key needs model: a key must not go to "
                         "whichever provider happens to be the default");
    if (options->max_turns < 0 || options->max_cost < 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "max_turns and max_cost must not be negative");
    if (options->thinking && !thinking_level_parse(options->thinking, &level))
        return fail_with(error, KEDGE_ERROR_USAGE, "thinking: %s is not a level",
                         options->thinking);
    if (options->session && (options->no_session || options->continues_recent))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "session goes neither with no_session nor with continues_recent");
    return true;
}

static bool find_place(LibOpening *self, GError **error)
{
    g_autofree char *here = g_get_current_dir();
    self->cwd = g_canonicalize_filename(self->given.cwd ? self->given.cwd : here, here);
    self->agent_dir = dirs_agent();
    if (g_file_test(self->cwd, G_FILE_TEST_IS_DIR))
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "cwd: no such directory: %s", self->cwd);
}

/* What a file says wrongly is passed over with a warning; a program is told. */
static bool check_changes(const json_t *changes, GError **error)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    if (!json_is_object(changes))
        return fail_with(error, KEDGE_ERROR_USAGE, "settings: it must be a JSON object");
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_get_path(changes, keys[i].key);
        if (!value || setting_value_fits(&keys[i], value))
            continue;
        g_autofree char *wanted = setting_wanted(&keys[i]);
        return fail_with(error, KEDGE_ERROR_USAGE, "settings: %s: %s", keys[i].key, wanted);
    }
    return true;
}

static bool load_settings(LibOpening *self, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Settings) loaded = settings_load(self->agent_dir, self->cwd, warnings);
    settings_warn_unknown(loaded, warnings);
    for (unsigned i = 0; i < warnings->len; i++)
        log_warning("%s", (const char *)warnings->pdata[i]);
    g_autoptr(json_t) changes = NULL;
    if (self->given.settings && !json_parse_text(self->given.settings, &changes, error)) {
        g_prefix_error(error, "settings: ");
        return false;
    }
    if (changes && !check_changes(changes, error))
        return false;
    self->settings = changes ? settings_with(loaded, changes) : settings_ref(loaded);
    return settings_check_guards(self->settings, error);
}

static bool choose_tools(LibOpening *self, GError **error)
{
    const char *given = self->given.tools;
    self->all_tools = tool_set_new(tool_table);
    if (given && !*given) {
        self->tools = tool_set_new(NULL);
        return true;
    }
    g_auto(GStrv) names = given ? g_strsplit(given, ",", -1) : NULL;
    g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(g_free);
    self->tools =
        tool_set_select(self->all_tools, self->settings, (const char *const *)names, unknown);
    if (unknown->len == 0)
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "tools: there is no tool %s",
                     (const char *)unknown->pdata[0]);
}

static bool open_session(LibOpening *self, GError **error)
{
    g_autofree char *path = g_build_filename(self->agent_dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    self->registry = model_registry_new(path, &warning);
    if (warning)
        log_warning("%s", warning);
    const LaunchWanted wanted = {
        .model = self->given.model,
        .api_key = self->given.api_key,
        .thinking = self->given.thinking,
        .session = self->given.session,
        .session_dir = self->given.session_dir,
        .no_session = self->given.no_session != 0,
        .is_continue = self->given.continues_recent != 0,
    };
    const LaunchPlace place = {
        .wanted = &wanted,
        .settings = self->settings,
        .registry = self->registry,
        .agent_dir = self->agent_dir,
        .cwd = self->cwd,
        .may_lack_key = true,
    };
    return launch_session_set_roles(&wanted, self->settings, self->cwd, self->registry, error) &&
           launch_session_open(&place, &self->session, error);
}

bool lib_opening_make(const kedge_options *options, LibOpening *ret_opening, GError **error)
{
    lib_process_init();
    g_auto(LibOpening) self = { 0 };
    if (!lib_struct_read(options, &self.given, sizeof self.given, "kedge_options", error) ||
        !check_texts(&self.given, error) || !check_options(&self.given, error) ||
        !check_process(error) || !find_place(&self, error))
        return false;
    secrets_learn_environment();
    model_secrets_learn(self.agent_dir);
    if (self.given.api_key)
        secrets_register(self.given.api_key);
    if (!load_settings(&self, error) || !choose_tools(&self, error) || !open_session(&self, error))
        return false;
    *ret_opening = self;
    self = (LibOpening) { 0 };
    return true;
}

AgentSessionOptions lib_opening_take(LibOpening *self)
{
    return (AgentSessionOptions) {
        .settings = self->settings,
        .registry = g_steal_pointer(&self->registry),
        .session = g_steal_pointer(&self->session.session),
        .place = { self->agent_dir, self->cwd, self->given.session_dir },
        .all_tools = self->all_tools,
        .tools = self->tools,
        .run_shell = shell_for_users,
        .run_python = python_for_users,
        .tables = &context_tables,
        .model = self->session.model,
        .model_scope = self->session.scope,
        .is_model_named = self->given.model != NULL,
        .thinking = self->session.thinking,
        .system_prompt = self->given.system_prompt,
        .append_prompt = self->given.append_system_prompt,
        .allow_writes = self->given.allow_writes != 0,
        .allow_hint = "allow_writes",
        .max_turns = self->given.max_turns,
        .max_cost = self->given.max_cost,
    };
}
