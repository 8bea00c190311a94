/*
 * Choosing a model and asking it (ask_model.h).
 */
#include "changes/ask_model.h"

#include "agent/fallback_chain.h"
#include "base/dirs.h"
#include "base/log.h"
#include "model/model_roles.h"
#include "tool/settings_scope.h"

void ask_model_clear(AskModel *self)
{
    g_clear_pointer(&self->http, http_client_free);
    g_clear_pointer(&self->registry, model_registry_free);
    g_clear_pointer(&self->settings, settings_unref);
}

static void tell(const char *notice)
{
    if (notice)
        log_text("%s", notice);
}

/* NULL: no one has chosen one, or one that cannot be used, which is said. */
static const Model *model_of_role(const AskModel *self, const char *role)
{
    g_autofree char *warning = NULL;
    ModelChoice choice = { 0 };
    model_role_configured(self->registry, role, &choice, &warning);
    if (warning)
        log_warning("%s", warning);
    tell(choice.notice);
    return choice.model;
}

static bool choose(AskModel *self, const char *selector, const char *const *roles, GError **error)
{
    ModelChoice choice = { 0 };
    if (selector) {
        if (!model_registry_select(self->registry, selector, NULL, &choice, error))
            return false;
        tell(choice.notice);
        self->model = choice.model;
        self->is_named = true;
        return true;
    }
    for (; *roles && !self->model; roles++) {
        self->model = model_of_role(self, *roles);
        if (!self->role && fallback_chain_of(self->settings, *roles))
            self->role = *roles; // of what it is for, whichever model does it
    }
    if (!self->model)
        self->model = model_registry_default(self->registry);
    if (self->model)
        return true;
    g_autofree char *text = model_registry_no_key_text();
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s", text);
}

bool ask_model_open(Settings *settings, const char *cwd, const char *selector,
                    const char *const *roles, AskModel *ret_self, GError **error)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *models = g_build_filename(agent_dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    AskModel self = { .settings = settings,
                      .registry = model_registry_new(models, &warning),
                      .http = http_client_new() };
    if (warning)
        log_warning("%s", warning);
    g_autoptr(json_t) disabled =
        settings_list_in(settings_get_json(self.settings, "disabledProviders"), cwd);
    model_registry_arrange(self.registry, disabled,
                           settings_get_json(self.settings, "modelProviderOrder"));
    model_roles_set(self.registry, settings_get_json(self.settings, "modelRoles"));
    if (!settings_check_guards(settings, error) || !choose(&self, selector, roles, error)) {
        ask_model_clear(&self);
        return false;
    }
    *ret_self = self;
    return true;
}

SummaryContext ask_model_context(const AskModel *self)
{
    return (SummaryContext) {
        .http = self->http,
        .registry = self->registry,
        .settings = self->settings,
        .model = self->model,
        .is_model_named = self->is_named,
        .role = self->role,
    };
}
