/* See launch_session.h. */
#include "conversation/launch_session.h"

#include "base/log.h"
#include "model/catalogue.h"
#include "model/model_roles.h"
#include "model/model_scope.h"
#include "session/session_find.h"
#include "session/session_index.h"
#include "tool/settings_scope.h"

void launch_session_clear(LaunchSession *self)
{
    g_clear_pointer(&self->session, session_free);
    g_clear_pointer(&self->scope, g_array_unref);
}

static bool fail_elsewhere(const char *value, const char *cwd, GError **error)
{
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "Session \"%s\" is in another project (%s). Use --fork to copy it here.",
                     value, cwd);
}

/* A number alone is of this directory's sessions; a named repository's may be elsewhere, and then
   the person is told where. */
static bool find_of_pull(const LaunchPlace *place, char **ret_path, GError **error)
{
    const char *value = place->wanted->from_pr;
    g_auto(PullRef) pull = { 0 };
    if (!pull_ref_parse(value, &pull))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "--from-pr %s: expected a number, OWNER/REPO#N or the address of a pull "
                         "request",
                         value);
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) here = NULL;
    g_autoptr(json_t) anywhere = NULL;
    if (!session_index_open(place->agent_dir, place->wanted->session_dir, NULL, NULL, NULL, &index,
                            error) ||
        !session_index_opened(index, &pull, place->cwd, &here, error) ||
        !session_index_opened(index, &pull, NULL, &anywhere, error))
        return false;
    const json_t *found = json_array_get(here, 0);
    const json_t *other = pull.repo ? json_array_get(anywhere, 0) : NULL;
    if (!found && other)
        return fail_elsewhere(json_get_text(other, "id"), json_get_text(other, "cwd"), error);
    if (!found)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No session %sopened pull request %s.",
                         pull.repo ? "" : "of this directory ", value);
    *ret_path = g_strdup(json_get_text(found, "path"));
    return true;
}

/* The file that --continue, --resume, --session, --fork or --from-pr mean; NULL: none, a new one.
 */
static bool find_file(const LaunchPlace *place, const SessionPlace *where, char **ret_path,
                      GError **error)
{
    const LaunchWanted *wanted = place->wanted;
    const char *value = wanted->fork ? wanted->fork : wanted->session;
    if (wanted->from_pr)
        return find_of_pull(place, ret_path, error);
    if (!value) {
        *ret_path = wanted->is_continue ? session_find_recent(where) : NULL;
        return true;
    }
    if (*value == '\0')
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "--resume needs a session id or path where no session can be picked");
    bool is_elsewhere = false;
    g_autofree char *cwd = NULL;
    if (!session_find(where, value, ret_path, &is_elsewhere, &cwd, error))
        return false;
    if (is_elsewhere && !wanted->fork) {
        g_clear_pointer(ret_path, g_free);
        return fail_elsewhere(value, cwd, error);
    }
    return true;
}

static bool open_session(const LaunchPlace *place, Session **ret_session, GError **error)
{
    if (place->wanted->no_session) {
        *ret_session = session_new(NULL, place->cwd);
        return true;
    }
    const SessionPlace where = {
        .agent_dir = place->agent_dir,
        .cwd = place->cwd,
        .session_dir = place->wanted->session_dir,
    };
    g_autofree char *path = NULL;
    if (!find_file(place, &where, &path, error))
        return false;

    g_autofree char *dir = session_place_dir(&where);
    g_autofree char *notice = NULL;
    if (!path)
        *ret_session = session_new(dir, place->cwd);
    else if (place->wanted->fork ? !session_fork(path, dir, place->cwd, ret_session, error)
                                 : !session_open(path, place->cwd, ret_session, &notice, error))
        return false;
    if (notice && place->ret_notice)
        *place->ret_notice = g_steal_pointer(&notice);
    else if (notice)
        log_text("%s", notice);
    session_write_breadcrumb(&where, session_path(*ret_session));
    return true;
}

static void tell_notice(const ModelChoice *choice)
{
    if (choice->notice)
        log_text("%s", choice->notice);
}

static bool select_named(const LaunchPlace *place, ModelChoice *choice, GError **error)
{
    const LaunchWanted *wanted = place->wanted;
    if (!model_registry_select(place->registry, wanted->model, wanted->provider, choice, error))
        return false;
    tell_notice(choice);
    return true;
}

/* A model that the session names: taken when it exists and has a key. */
static bool select_saved(const LaunchPlace *place, const char *selector, ModelChoice *choice,
                         const char **ret_problem)
{
    if (!selector)
        return false;
    if (!model_registry_select(place->registry, selector, NULL, choice, NULL)) {
        *ret_problem = "model no longer exists";
        return false;
    }
    if (!model_registry_is_available(place->registry, choice->model, false)) {
        *ret_problem = "no API key available";
        return false;
    }
    tell_notice(choice);
    return true;
}

static bool select_default_role(const LaunchPlace *place, ModelChoice *choice)
{
    g_autofree char *warning = NULL;
    bool is_found = model_role_configured(place->registry, MODEL_ROLE_DEFAULT, choice, &warning);
    if (warning)
        log_warning("%s", warning);
    if (is_found)
        tell_notice(choice);
    return is_found;
}

static char **scope_patterns(const LaunchPlace *place)
{
    if (place->wanted->models)
        return g_strsplit(place->wanted->models, ",", -1);
    GPtrArray *patterns = g_ptr_array_new();
    g_autoptr(json_t) enabled =
        settings_list_in(settings_get_json(place->settings, "enabledModels"), place->cwd);
    json_each (enabled, i, item)
        g_ptr_array_add(patterns, g_strdup(json_string_value(item)));
    g_ptr_array_add(patterns, NULL);
    return (char **)g_ptr_array_free(patterns, FALSE);
}

/* Caller frees; NULL: none. */
static GArray *find_scope(const LaunchPlace *place)
{
    const char *origin = place->wanted->models ? "--models" : "enabledModels";
    g_auto(GStrv) patterns = scope_patterns(place);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    GArray *scope = model_scope_resolve(place->registry, (const char *const *)patterns, warnings);
    for (guint i = 0; i < warnings->len; i++)
        log_warning("%s: %s", origin, (const char *)warnings->pdata[i]);
    return scope;
}

static bool no_models(GError **error)
{
    g_autofree char *text = model_registry_no_key_text();
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s", text);
}

/* Nothing has a key: the first provider's usual one, for which a key is asked. */
static const Model *any_model(const LaunchPlace *place)
{
    size_t count = 0;
    const Model *const *models = model_registry_all(place->registry, &count);
    if (!place->may_lack_key || count == 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (catalogue_is_default(models[i]))
            return models[i];
    }
    return models[0];
}

/* The order of agent-core §2.10. */
static bool choose_model(const LaunchPlace *place, const SessionContext *saved, const GArray *scope,
                         ModelChoice *choice, GError **error)
{
    if (place->wanted->model)
        return select_named(place, choice, error);
    if (scope && !saved->has_messages) {
        *choice = g_array_index(scope, ModelChoice, 0);
        tell_notice(choice);
        return true;
    }
    const char *saved_model = json_get_text(saved->models, "default");
    const char *problem = NULL;
    if (select_saved(place, saved_model, choice, &problem) || select_default_role(place, choice))
        return true;
    *choice = (ModelChoice) { .model = model_registry_default(place->registry) };
    if (!choice->model)
        choice->model = any_model(place);
    if (!choice->model)
        return no_models(error);
    if (problem)
        log_text("Could not restore model %s (%s). Using %s/%s.", saved_model, problem,
                 choice->model->provider, choice->model->id);
    return true;
}

static ThinkingLevel choose_thinking(const LaunchPlace *place, const SessionContext *saved,
                                     const ModelChoice *choice, bool is_resumed)
{
    ThinkingLevel level = THINKING_HIGH;
    thinking_level_parse(settings_get_text(place->settings, "defaultThinkingLevel"), &level);
    if (is_resumed)
        thinking_level_parse(saved->thinking_level, &level);
    if (choice->has_level)
        level = choice->level;
    if (place->wanted->thinking && !thinking_level_parse(place->wanted->thinking, &level))
        log_warning("--thinking %s is not a level; using %s", place->wanted->thinking,
                    thinking_level_name(level));
    return model_clamp_thinking(choice->model, level);
}

bool launch_session_open(const LaunchPlace *place, LaunchSession *ret_session, GError **error)
{
    g_auto(LaunchSession) result = { 0 };
    if (!open_session(place, &result.session, error))
        return false;
    g_auto(SessionContext) saved = { 0 };
    session_build_setup(result.session, &saved);
    bool is_resumed = saved.has_messages;

    ModelChoice choice = { 0 };
    result.scope = find_scope(place);
    if (!choose_model(place, &saved, result.scope, &choice, error))
        return false;
    if (place->wanted->api_key)
        model_registry_set_runtime_key(place->registry, choice.model->provider,
                                       place->wanted->api_key);
    result.model = choice.model;
    result.thinking = choose_thinking(place, &saved, &choice, is_resumed);
    *ret_session = result;
    result = (LaunchSession) { 0 };
    return true;
}

void launch_session_arrange(const Settings *settings, const char *cwd, ModelRegistry *registry)
{
    g_autoptr(json_t) disabled =
        settings_list_in(settings_get_json(settings, "disabledProviders"), cwd);
    model_registry_arrange(registry, disabled, settings_get_json(settings, "modelProviderOrder"));
}

bool launch_session_set_roles(const LaunchWanted *wanted, const Settings *settings, const char *cwd,
                              ModelRegistry *registry, GError **error)
{
    const struct {
        const char *role, *selector;
    } flags[] = { { MODEL_ROLE_SMOL, wanted->smol },
                  { MODEL_ROLE_SLOW, wanted->slow },
                  { MODEL_ROLE_PLAN, wanted->plan } };
    launch_session_arrange(settings, cwd, registry);
    model_roles_set(registry, settings_get_json(settings, "modelRoles"));
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        ModelChoice choice = { 0 };
        if (!flags[i].selector)
            continue;
        if (!model_registry_select(registry, flags[i].selector, NULL, &choice, error)) {
            g_prefix_error(error, "--%s: ", flags[i].role);
            return false;
        }
        tell_notice(&choice);
        model_roles_override(registry, flags[i].role, flags[i].selector);
    }
    return true;
}

bool launch_session_add_fallbacks(const char *list, ModelRegistry *registry, Settings **settings,
                                  GError **error)
{
    g_auto(GStrv) selectors = g_strsplit(list, ",", -1);
    json_t *chain = json_array();
    g_autoptr(json_t) changes =
        json_pack("{s:{s:{s:o}}}", "retry", "fallbackChains", "default", chain);
    for (char **each = selectors; *each; each++) {
        const char *selector = g_strstrip(*each);
        ModelChoice choice = { 0 };
        if (*selector == '\0')
            continue;
        if (!model_registry_select(registry, selector, NULL, &choice, error)) {
            g_prefix_error(error, "--fallback-model: ");
            return false;
        }
        if (!model_registry_find(registry, choice.model->provider, choice.model->id))
            return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                             "--fallback-model: no provider lists the model %s", selector);
        if (!model_registry_is_available(registry, choice.model, false))
            log_warning("--fallback-model: there is no key for %s/%s", choice.model->provider,
                        choice.model->id);
        g_autofree char *name = g_strdup_printf(
            "%s/%s%s%s", choice.model->provider, choice.model->id, choice.has_level ? ":" : "",
            choice.has_level ? thinking_level_name(choice.level) : "");
        json_append_take(chain, json_text(name));
    }
    Settings *changed = settings_with(*settings, changes);
    settings_unref(*settings);
    *settings = changed;
    return true;
}
