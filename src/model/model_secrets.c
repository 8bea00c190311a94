/*
 * Keys of models.yml, and of the older models.json (model_secrets.h).
 */
#include "model/model_secrets.h"

#include "base/env.h"
#include "base/secrets.h"
#include "base/yaml.h"

#include <glib.h>

typedef void (*VariableFunc)(const char *name);

/* The name of a variable, or the value itself (agent-core §2.9). */
static void take(const char *written, VariableFunc take_variable)
{
    if (!written)
        return;
    if (env_is_name(written) && env_get_raw(written))
        take_variable(written);
    else
        secrets_register(written);
}

/* Of headers only what a variable holds and what authorizes is a secret. */
static void take_headers(const json_t *headers, VariableFunc take_variable)
{
    json_each_member (headers, name, value) {
        const char *written = json_string_value(value);
        bool is_variable = written && env_is_name(written) && env_get_raw(written);
        g_autofree char *lower = g_ascii_strdown(name, -1);
        if (is_variable || strstr(lower, "auth") || strstr(lower, "key") || strstr(lower, "token"))
            take(written, take_variable);
    }
}

static void take_provider(const json_t *config, VariableFunc take_variable)
{
    take(json_get_text(config, "apiKey"), take_variable);
    take_headers(json_get_object(config, "headers"), take_variable);
    json_each (json_get_array(config, "models"), i, model)
        take_headers(json_get_object(model, "headers"), take_variable);
}

static void take_all(const char *agent_dir, VariableFunc take_variable)
{
    g_autofree char *yaml = g_build_filename(agent_dir, "models.yml", NULL);
    g_autofree char *json = g_build_filename(agent_dir, "models.json", NULL);
    g_autoptr(json_t) root = NULL;
    if (!yaml_read_file(yaml, &root, NULL) && !json_read_file(json, &root, NULL))
        return;
    json_each_member (json_get_object(root, "providers"), name, config)
        take_provider(config, take_variable);
}

void model_secrets_take(const char *agent_dir)
{
    take_all(agent_dir, secrets_take_variable);
}

void model_secrets_learn(const char *agent_dir)
{
    take_all(agent_dir, secrets_learn_variable);
}
