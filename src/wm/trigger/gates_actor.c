/*
 * The role of the actor (gates_private.h; task-engine §10.1): closed when it cannot be known.
 */
#include "wm/trigger/gates_private.h"

#include "wm/task/trigger_words.h"
#include "wm/trigger/match_private.h"

#include <string.h>

// A role that is written may be a synonym.
static const char *plain_role(const char *role)
{
    return strcmp(role, "maintainer") == 0 ? "maintain" : role;
}

static bool is_known_role(const char *role)
{
    static const char *const roles[] = { "admin", "maintain", "write", "triage", "read", NULL };
    return role && g_strv_contains(roles, role);
}

/* `role_name` says more than `permission`; of a role that an organization made up, `permission` is
   what it is on. */
static char *role_in(const json_t *answer)
{
    const char *name = json_get_text(answer, "role_name");
    const char *permission = json_get_text(answer, "permission");
    return g_strdup(is_known_role(name) ? name : permission ? permission : "none");
}

static bool ask_role(WmGates *self, const char *login, Cancel *cancel, char **ret_role,
                     GError **error)
{
    if (!wm_login_is_valid(login))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "the event names no sender");
    WmApi *api;
    if (!wm_gate_api(self, cancel, &api, error))
        return false;
    g_autofree char *part = wm_encode(login);
    g_autofree char *path = wm_path(api, "/collaborators/%s/permission", part);
    g_autoptr(json_t) answer = NULL;
    g_autoptr(GError) problem = NULL;
    if (wm_api_get(api, path, cancel, &answer, &problem)) {
        *ret_role = role_in(answer);
        return true;
    }
    if (wm_api_status(problem) == 404) {
        *ret_role = g_strdup("none");
        return true;
    }
    return pass_error(error, &problem);
}

// One question for each actor; "" with the cause in *ret_cause. Borrowed.
static const char *role_of(WmGates *self, const char *login, Cancel *cancel, const char **ret_cause)
{
    const char *known = g_hash_table_lookup(self->roles, login);
    if (!known) {
        char *role = NULL;
        g_autoptr(GError) error = NULL;
        if (!ask_role(self, login, cancel, &role, &error))
            g_hash_table_insert(self->causes, g_strdup(login), g_strdup(error->message));
        g_hash_table_insert(self->roles, g_strdup(login), role ? role : g_strdup(""));
        known = g_hash_table_lookup(self->roles, login);
    }
    *ret_cause = g_hash_table_lookup(self->causes, login);
    return known;
}

// "admin, maintain or write". Caller frees.
static char *any_of(const json_t *roles)
{
    GString *out = g_string_new(NULL);
    size_t size = json_array_size(roles);
    json_each (roles, index, item)
        g_string_append_printf(out, "%s%s",
                               index == 0          ? ""
                               : index + 1 == size ? " or "
                                                   : ", ",
                               json_string_value(item));
    return g_string_free(size > 0 ? out : g_string_append(out, "a role that on.roles names"),
                         FALSE);
}

// The roles of a list or text in their plain names; NULL: no such gate. New reference.
static json_t *roles_of(const json_t *value)
{
    if (!value)
        return NULL;
    g_autoptr(json_t) written = wm_trigger_list(value);
    json_t *roles = json_array();
    json_each (written, index, item)
        json_append_take(roles, json_text(plain_role(json_string_value(item))));
    return roles;
}

bool wm_gate_mark(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    static const char *const strangers[] = { "none", "read", "triage", NULL };
    if (!wm_event_has_doubtful_mark(task, self->resolve->event))
        return true;
    const char *cause = NULL;
    const char *role = role_of(self, wm_gate_actor(self->resolve->event), cancel, &cause);
    return (!cause && g_strv_contains(strangers, role)) ||
           wm_gate_refuse(task, ret_reason, "a task wrote this%s%s", cause ? ", or else: " : "",
                          cause ? cause : "");
}

bool wm_gate_roles(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    const json_t *own = wm_gate_value(task, "roles");
    g_autoptr(json_t) wanted = roles_of(own ? own : self->resolve->project->config->gate_roles);
    g_autoptr(json_t) skipped = roles_of(wm_gate_value(task, "skip-roles"));
    if (wm_list_has(wanted, "all"))
        g_clear_pointer(&wanted, json_decref);
    if (!wanted && !skipped)
        return true;

    const char *login = wm_gate_actor(self->resolve->event), *cause = NULL;
    const char *role = role_of(self, login, cancel, &cause);
    if (cause)
        return wm_gate_refuse(task, ret_reason, "actor gate: %s", cause);
    if (wm_list_has(skipped, role))
        return wm_gate_refuse(task, ret_reason,
                              "actor gate: @%s has role %s, which is in "
                              "on.skip-roles",
                              login, role);
    if (!wanted || wm_list_has(wanted, role))
        return true;
    g_autofree char *need = any_of(wanted);
    return wm_gate_refuse(task, ret_reason, "actor gate: @%s has role %s, need %s", login, role,
                          need);
}
