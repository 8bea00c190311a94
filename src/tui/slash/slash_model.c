/*
 * Slash commands about models and their keys, and what a model is to call (slash.h).
 */
#include "tui/slash/slash_private.h"

#include "base/utf8.h"
#include "model/message.h"
#include "model/registry.h"

enum { LISTED_MODELS = 40 };

// ---- /model ----

static void list_models(SlashDoor *door)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    g_autoptr(json_t) models = agent_session_available_models(door->session);
    const json_t *current = json_get_object(state, "model");
    slash_list(door, "model");
    size_t count = json_array_size(models);
    json_each (models, i, model) {
        const char *provider = json_get_text(model, "provider"), *id = json_get_text(model, "id");
        if (i == LISTED_MODELS)
            break;
        g_autofree char *name = g_strdup_printf("%s/%s", provider, id);
        json_append_take(door->listed, json_text(name));
        slash_say(door, "%zu. %s", i + 1, name);
    }
    if (count > LISTED_MODELS)
        slash_say(door, "%zu more; `kedge --list-models` has all.", count - LISTED_MODELS);
    slash_say(door, "In use: %s/%s, thinking %s. /model NUMBER or NAME takes another.",
              json_get_text(current, "provider"), json_get_text(current, "id"),
              json_get_text(state, "thinkingLevel"));
}

SLASH(model)
{
    if (!*argument && slash_show(door, SLASH_LIST_MODELS))
        return true;
    if (!*argument) {
        list_models(door);
        return true;
    }
    ModelChoice choice = { 0 };
    ModelRegistry *registry = agent_session_registry(door->session);
    const char *meant = NULL;
    if (!slash_listed(door, "model", argument, &meant, error) ||
        !model_registry_select(registry, meant, NULL, &choice, error) ||
        !slash_command(door, "set_model",
                       json_pack("{s:s, s:s}", "provider", choice.model->provider, "modelId",
                                 choice.model->id),
                       SLASH_ID "model", error))
        return false;
    if (choice.has_level)
        agent_session_set_thinking(door->session, choice.level);
    if (choice.notice)
        slash_say(door, "%s", choice.notice);
    slash_say(door, "The model is %s/%s from the next turn on.", choice.model->provider,
              choice.model->id);
    return true;
}

SLASH(thinking)
{
    ThinkingLevel level = THINKING_OFF;
    if (*argument && !thinking_level_parse(argument, &level))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/thinking takes off, minimal, low, medium, high or xhigh, not \"%s\"",
                         argument);
    if (*argument)
        agent_session_set_thinking(door->session, level);
    slash_say(door, "Thinking: %s.", thinking_level_name(agent_session_thinking(door->session)));
    return true;
}

// ---- /force ----

SLASH(force)
{
    g_autofree char *tool = g_strndup(argument, strcspn(argument, " \t\n"));
    g_autofree char *prompt = utf8_trim(argument + strlen(tool));
    g_autoptr(json_t) message = *prompt ? message_user(prompt) : NULL;
    bool is_pending = false;
    if (!*tool)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/force takes the name of a tool; /tools lists "
                         "them");
    if (!agent_session_force_tool(door->session, tool, error)) {
        g_prefix_error(error, "/tools lists them: ");
        return false;
    }
    if (!message) {
        slash_say(door, "The next answer is a call of %s.", tool);
        return true;
    }
    bool is_sent =
        agent_session_prompt(door->session, message, "steer", SLASH_PROMPT_ID, &is_pending, error);
    if (!is_sent)
        agent_session_force_tool(door->session, NULL, NULL);
    return is_sent;
}

// ---- /login ----

static void list_providers(SlashDoor *door)
{
    const ModelRegistry *registry = agent_session_registry(door->session);
    g_auto(GStrv) names = model_registry_providers(registry);
    g_autoptr(GString) without = g_string_new(NULL);
    for (char **name = names; *name; name++) {
        g_autofree char *source = model_registry_provider_source(registry, *name);
        if (source)
            slash_say(door, "%s: %s", *name, source);
        else
            g_string_append_printf(without, "%s%s", without->len > 0 ? ", " : "", *name);
    }
    slash_say(door, "Without a key: %s. /login PROVIDER asks for one.", without->str);
}

SLASH(login)
{
    if (!*argument && slash_show(door, SLASH_LIST_PROVIDERS))
        return true;
    if (!*argument) {
        list_providers(door);
        return true;
    }
    if (!model_registry_knows_provider(agent_session_registry(door->session), argument))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "there is no provider \"%s\"; /login lists "
                         "them",
                         argument);
    door->ask_key(argument, door->user_data);
    return true;
}
