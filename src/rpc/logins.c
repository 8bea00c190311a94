/* See logins.h. */
#include "rpc/logins.h"

#include "base/limits.h"

typedef struct Login { // a dialog that is open
    json_t *id;        // of the command; NULL: none
    char *provider;
} Login;

struct RpcLogins {
    RpcLink *link;
    GHashTable *open; // id of the dialog → Login *
    unsigned next_id;
};

static void login_free(gpointer self_)
{
    Login *self = self_;
    json_decref(self->id);
    g_free(self->provider);
    g_free(self);
}

RpcLogins *rpc_logins_new(RpcLink *link)
{
    RpcLogins *self = g_new0(RpcLogins, 1);
    self->link = link;
    self->open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, login_free);
    return self;
}

void rpc_logins_free(RpcLogins *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->open);
    g_free(self);
}

json_t *rpc_logins_providers(RpcLogins *self)
{
    const ModelRegistry *registry = agent_session_registry(self->link->session);
    g_auto(GStrv) names = model_registry_providers(registry);
    json_t *list = json_array();
    for (char **name = names; *name; name++) {
        g_autofree char *source = model_registry_provider_source(registry, *name);
        json_append_take(list, json_make("id:%s name:%s available:%i authenticated:%i source:%s",
                                         *name, *name, true, source != NULL, source));
    }
    return json_make("providers:%p", list);
}

static bool store(RpcLogins *self, const char *provider, const char *key, json_t **ret_data,
                  GError **error)
{
    if (!model_registry_store_key(agent_session_registry(self->link->session), provider, key,
                                  error))
        return false;
    *ret_data = json_object();
    json_set_text(*ret_data, "providerId", provider);
    return true;
}

static void ask(RpcLogins *self, const char *provider, const json_t *id)
{
    Login *login = g_new0(Login, 1);
    login->id = id ? json_deep_copy(id) : NULL;
    login->provider = g_strdup(provider);
    g_autofree char *dialog = g_strdup_printf("login-%u", ++self->next_id);
    g_autofree char *title = g_strdup_printf("API key for %s", provider);
    json_t *request = json_make("type:%s id:%s method:%s title:%s isSecret:%i",
                                "extension_ui_request", dialog, "input", title, true);
    g_hash_table_insert(self->open, g_steal_pointer(&dialog), login);
    rpc_link_send(self->link, request);
}

bool rpc_logins_login(RpcLogins *self, const char *provider, const char *key, const json_t *id,
                      json_t **ret_data, GError **error)
{
    const ModelRegistry *registry = agent_session_registry(self->link->session);
    if (!model_registry_knows_provider(registry, provider))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Unknown provider: %s", provider);
    if (key)
        return store(self, provider, key, ret_data, error);
    if (g_hash_table_size(self->open) >= LIMIT_WAITING_COMMANDS)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%d logins wait already; answer or cancel them",
                         LIMIT_WAITING_COMMANDS);
    ask(self, provider, id);
    return true;
}

bool rpc_logins_answer(RpcLogins *self, const json_t *response)
{
    const char *dialog = json_get_text(response, "id");
    const Login *login = dialog ? g_hash_table_lookup(self->open, dialog) : NULL;
    if (!login)
        return false;
    const char *key = json_get_text(response, "value");
    json_t *data = NULL;
    g_autoptr(GError) error = NULL;
    if (!key)
        fail_with(&error, KEDGE_ERROR_CANCELLED, "Login cancelled");
    else
        store(self, login->provider, key, &data, &error);
    rpc_link_respond(self->link, login->id, "login", data, error ? error->message : NULL);
    g_hash_table_remove(self->open, dialog);
    return true;
}

void rpc_logins_cancel(RpcLogins *self)
{
    GHashTableIter iter;
    void *dialog = NULL;
    void *login = NULL;
    g_hash_table_iter_init(&iter, self->open);
    while (g_hash_table_iter_next(&iter, &dialog, &login))
        rpc_link_respond(self->link, ((Login *)login)->id, "login", NULL, "Login cancelled");
    g_hash_table_remove_all(self->open);
}
