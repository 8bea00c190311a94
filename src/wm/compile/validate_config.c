/*
 * Keys and values of `.wm/config.yml` that no one reads, or not as they were meant
 * (validate_task.h).
 */
#include "wm/compile/validate_task.h"

#include "base/file.h"
#include "base/str.h"

#include <string.h>

static const struct {
    const char *key;
    const char *const *inner; // NULL: no map
} keys[] = {
    { "version", NULL },
    { "engine", NULL },
    { "model", NULL },
    { "max_turns", NULL },
    { "claude_output_format", NULL },
    { "context", (const char *const[]) { "files", "event", NULL } },
    { "pr", (const char *const[]) { "draft", "reviewers", NULL } },
    { "limits", (const char *const[]) { "cost_usd", NULL } },
    { "gates", (const char *const[]) { "roles", NULL } },
    { "compat",
      (const char *const[]) { "gh_aw_expressions", "gh_aw_expand", "gh_aw_workflows", NULL } },
    { "workflow",
      (const char *const[]) { "runs_on", "pre_steps", "install_steps", "install",
                              "install_claude_code", "kedge_version", "gh_wm_extension_version",
                              "reusable_repo", "reusable_ref", "secrets", NULL } },
};

static void check_inner(const char *outer, const char *const *known, const json_t *map,
                        GPtrArray *warnings)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        g_autofree char *hint = str_did_you_mean(key, known);
        if (!g_strv_contains(known, key))
            wm_note(warnings, WM_KEY(outer, key), "%s.%s is not a key kedge reads%s; ignored",
                    outer, key, hint);
    }
}

static void check_key(const char *key, const json_t *value, GPtrArray *warnings)
{
    const char *known[G_N_ELEMENTS(keys) + 1] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        known[i] = keys[i].key;
        if (strcmp(keys[i].key, key) != 0)
            continue;
        if (keys[i].inner)
            check_inner(key, keys[i].inner, value, warnings);
        return;
    }
    g_autofree char *hint = str_did_you_mean(key, known);
    wm_note(warnings, WM_KEY(key), "%s is not a key kedge reads%s; ignored", key, hint);
}

static void check_word(const WmConfig *config, const char *outer, const char *key,
                       const char *const *known, const char *otherwise, GPtrArray *warnings)
{
    const json_t *map = outer ? json_get_object(config->all, outer) : config->all;
    const char *text = json_get_text(map, key);
    g_autofree char *trimmed = g_strstrip(g_strdup(text ? text : ""));
    if (!*trimmed || g_strv_contains(known, trimmed))
        return;
    g_autofree char *values = g_strjoinv(", ", (char **)known);
    g_autofree char *address = outer ? g_strconcat(outer, ".", key, NULL) : g_strdup(key);
    wm_note(warnings, WM_KEY(address), "%s: expected one of %s, not \"%.60s\"; read as %s", address,
            values, trimmed, otherwise);
}

static void check_files(const char *root, const WmConfig *config, GPtrArray *warnings)
{
    size_t index;
    json_t *item;
    json_array_foreach (config->context_files, index, item) {
        g_autofree char *path = g_build_filename(root, json_string_value(item), NULL);
        if (!file_exists(path))
            wm_note(warnings, WM_KEY("context", "files"),
                    "context.files: there is no file \"%s\"; no prompt gets it",
                    json_string_value(item));
    }
}

static void check_roles(const WmConfig *config, GPtrArray *warnings)
{
    size_t index;
    json_t *role;
    json_array_foreach (config->gate_roles, index, role)
        if (!wm_role_is_known(json_string_value(role)))
            wm_note(warnings, WM_KEY("gates", "roles"),
                    "gates.roles: \"%s\" is not a role of GitHub", json_string_value(role));
}

void wm_config_validate(const char *root, const WmConfig *config, GPtrArray *warnings)
{
    static const char *const formats[] = { "text", "json", "stream-json", NULL };
    static const char *const expressions[] = { "error", "warn", "off", NULL };
    guint first = warnings->len;
    const char *key;
    json_t *value;
    json_object_foreach (config->all, key, value)
        check_key(key, value, warnings);
    check_word(config, NULL, "claude_output_format", formats, "text", warnings);
    check_word(config, "compat", "gh_aw_expressions", expressions, "error", warnings);
    check_files(root, config, warnings);
    check_roles(config, warnings);
    wm_notes_set_path(warnings, first, WM_CONFIG_PATH);
}
