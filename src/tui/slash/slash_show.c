/*
 * Slash commands that say how things stand (slash.h).
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include "base/path.h"
#include "model/registry.h"

#include <sys/stat.h>

SLASH(session)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    const char *name = json_get_text(state, "sessionName");
    const char *path = json_get_text(state, "sessionFile");
    slash_say(door, "Name: %s", name ? name : "none yet");
    slash_say(door, "Id: %s", json_get_text(state, "sessionId"));
    slash_say(door, "File: %s", path ? path : "none; this session is in memory only");
    slash_say(door, "Messages: %lld", (long long)json_get_int(state, "messageCount", 0));
    return true;
}

#define CONTEXT_NOTE "Context: " // "Context: AGENTS.md, ~/x; not CLAUDE.md (…)" (PromptOptions)

/* Each file of the system prompt with its size as it is now. */
static void say_files(SlashDoor *door)
{
    const char *names = door->context_files;
    if (str_has_prefix(names, CONTEXT_NOTE))
        names += strlen(CONTEXT_NOTE);
    const char *rest = strstr(names, "; not ");
    g_autofree char *taken = rest ? g_strndup(names, (size_t)(rest - names)) : g_strdup(names);
    g_auto(GStrv) list = g_strsplit(taken, ", ", -1);
    for (char **name = list; *name && **name; name++) {
        g_autofree char *expanded = path_expand_home(*name);
        g_autofree char *path = path_absolute(expanded, door->place.cwd);
        struct stat info;
        if (stat(path, &info) == 0)
            slash_say(door, "Context file: %s (%lld bytes)", *name, (long long)info.st_size);
        else
            slash_say(door, "Context: %s", *name);
    }
    if (rest)
        slash_say(door, "Not %s", rest + strlen("; not "));
}

SLASH(context)
{
    if (door->context_files)
        say_files(door);
    g_autoptr(json_t) state = agent_session_state(door->session);
    const json_t *usage = json_get_object(state, "contextUsage");
    long long window = json_get_int(usage, "contextWindow", 0);
    if (!json_is_number(json_object_get(usage, "tokens")))
        slash_say(door,
                  "The context holds %lld tokens; how many are used is known after the next "
                  "answer.",
                  window);
    else
        slash_say(door, "%lld of %lld tokens are used, %.1f %%. It is %s when it is full.",
                  (long long)json_get_int(usage, "tokens", 0), window,
                  json_number_value(json_object_get(usage, "percent")),
                  agent_session_auto_compaction(door->session) ? "compacted"
                                                               : "not compacted by itself");
    return true;
}

SLASH(usage)
{
    g_autoptr(json_t) stats = agent_session_stats(door->session);
    const json_t *tokens = json_get_object(stats, "tokens");
    slash_say(door, "%lld messages of yours, %lld answers, %lld tool calls.",
              (long long)json_get_int(stats, "userMessages", 0),
              (long long)json_get_int(stats, "assistantMessages", 0),
              (long long)json_get_int(stats, "toolCalls", 0));
    slash_say(door, "Tokens: %lld in, %lld out, %lld read from the cache, %lld written to it.",
              (long long)json_get_int(tokens, "input", 0),
              (long long)json_get_int(tokens, "output", 0),
              (long long)json_get_int(tokens, "cacheRead", 0),
              (long long)json_get_int(tokens, "cacheWrite", 0));
    slash_say(door, "Cost: $%.4f", json_number_value(json_object_get(stats, "cost")));
    return true;
}

SLASH(tools)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    g_autoptr(GString) names = g_string_new(NULL);
    json_each (json_get_array(state, "dumpTools"), i, tool)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", json_get_text(tool, "name"));
    slash_say(door, "The model can use: %s.", names->len > 0 ? names->str : "no tool");
    return true;
}

SLASH(todo)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    const json_t *phases = json_get_array(state, "todoPhases");
    json_each (phases, i, phase) {
        slash_say(door, "%s:", json_get_text(phase, "name"));
        json_each (json_get_array(phase, "tasks"), k, task)
            slash_say(door, "  %s: %s", json_get_text(task, "status"),
                      json_get_text(task, "content"));
    }
    if (json_array_size(phases) == 0)
        slash_say(door, "The list is empty.");
    return true;
}

SLASH(status)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    const json_t *shown = json_get_object(state, "model");
    const ModelRegistry *registry = agent_session_registry(door->session);
    const char *provider = json_get_text(shown, "provider"), *id = json_get_text(shown, "id");
    const Model *model = model_registry_find(registry, provider, id);
    bool has_key = model && model_registry_is_available(registry, model, false);
    g_autofree char *source = has_key ? model_registry_key_source(registry, model) : NULL;
    g_autofree char *hint = !has_key && model ? model_registry_key_hint(model) : NULL;
    slash_say(door, "Model: %s/%s, thinking %s", provider, id,
              json_get_text(state, "thinkingLevel"));
    slash_say(door, "Key: %s", source ? source : hint ? hint : "none");
    if (g_strcmp0(json_get_text(state, "mode"), "plan") == 0)
        slash_say(door, "Mode: plan, kept in %s", json_get_text(state, "planFilePath"));
    slash_say(door, "Directory: %s", door->place.cwd);
    return slash_session(door, "", error) && slash_context(door, "", error);
}

SLASH(output)
{
    const char *text = door->last_output(door->user_data);
    if (door->open_last && door->open_last(door->user_data))
        return true;
    slash_say(door, "%s", text && *text ? text : "Nothing yet.");
    return true;
}
