/*
 * Providers and their keys: the first step of a person who has none (agent-core §2.11, §7.9).
 */
#include "tui/control/pick.h"

#include "base/utf8.h"
#include "model/registry.h"
#include "tui/control/key_panel.h"
#include "tui/control/pick_list.h"

#define LOCAL_SERVER "local" // not a provider's name: what is said of it is how to have one

// ---- a key ----

/* There was no key for any model: now one can be chosen as at a start. */
static void choose_first_model(Tui *tui)
{
    ModelRegistry *registry = agent_session_registry(tui->run->session);
    const json_t *current = json_get_object(tui_snapshot(tui), "model");
    const Model *now = model_registry_find(registry, json_get_text(current, "provider"),
                                           json_get_text(current, "id"));
    const Model *model = model_registry_default(registry);
    if (now && model_registry_is_available(registry, now, false))
        return;
    if (model && agent_session_set_model(tui->run->session, model->provider, model->id, NULL))
        tui_say(tui, "The model is %s/%s; /model takes another.", model->provider, model->id);
}

static void on_key_given(const char *provider, const char *key, void *tui_)
{
    Tui *tui = tui_;
    g_autoptr(GError) error = NULL;
    g_autofree char *trimmed = key ? utf8_trim(key) : NULL;
    if (!trimmed || *trimmed == '\0') {
        tui_say(tui, "No key was taken.");
    } else if (!model_registry_store_key(agent_session_registry(tui->run->session), provider,
                                         trimmed, &error)) {
        tui_error(tui, "%s", error->message);
    } else {
        tui_say(tui, "The key for %s is stored.", provider);
        choose_first_model(tui);
    }
    if (trimmed)
        explicit_bzero(trimmed, strlen(trimmed));
    tui_stale(tui);
}

void pick_ask_key(const char *provider, void *tui_)
{
    Tui *tui = tui_;
    const KeyPanelSpec spec = {
        .provider = provider,
        .theme = tui->look->theme,
        .given = on_key_given,
        .user_data = tui,
    };
    tui_open_panel(tui, key_panel_new(&spec));
}

// ---- whose ----

static void choose_provider(Tui *tui, const char *provider)
{
    if (g_str_equal(provider, LOCAL_SERVER))
        tui_say(tui,
                "Ollama, llama.cpp and LM Studio are found where they usually listen: start "
                "one, and kedge again. Others are named in %s/models.yml.",
                tui->slash.place.agent_dir);
    else
        pick_ask_key(provider, tui);
}

void pick_provider(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Whose models? Their key is asked for then",
        .hint = "Enter takes it, Esc leaves, typing looks for one",
        .empty = "There is no provider.",
        .keeps_order = true,
        .chosen = choose_provider,
    };
    const ModelRegistry *registry = agent_session_registry(tui->run->session);
    g_auto(GStrv) names = model_registry_providers(registry);
    GPtrArray *items = pick_items_new();
    for (char **name = names; *name; name++) {
        g_autofree char *source = model_registry_provider_source(registry, *name);
        pick_items_add(items, *name, source ? source : "no key yet", *name, false);
    }
    pick_items_add(items, "a server of my own", "without a key", LOCAL_SERVER, false);
    pick_list_open(tui, items, 0, &spec);
}

void pick_provider_at_start(Tui *tui)
{
    const AgentSessionOptions *conversation = tui->options->conversation;
    const ModelRegistry *registry = agent_session_registry(tui->run->session);
    if (!model_registry_is_available(registry, conversation->model, conversation->is_model_named))
        pick_provider(tui);
}
