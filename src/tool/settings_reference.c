/*
 * What the table of settings says about itself (settings_reference.h).
 */
#include "tool/settings_reference.h"

#include "tool/settings_value.h"

static const char *const groups[] = {
    "Models",    "Conversation", "Tools", "Tasks and agents", "Commands", "GitHub", "Guard",
    "Interface", "Other",        NULL
};

/* A first word of keys, or a whole key, and its heading. */
static const struct {
    const char *word, *group;
} group_words[] = {
    { "model", "Models" },
    { "modelRoles", "Models" },
    { "enabledModels", "Models" },
    { "disabledProviders", "Models" },
    { "providers", "Models" },
    { "modelProviderOrder", "Models" },
    { "modelTags", "Models" },
    { "defaultThinkingLevel", "Models" },
    { "cycleOrder", "Models" },
    { "thinkingBudgets", "Models" },
    { "temperature", "Models" },
    { "topP", "Models" },
    { "topK", "Models" },
    { "minP", "Models" },
    { "presencePenalty", "Models" },
    { "repetitionPenalty", "Models" },
    { "serviceTier", "Models" },
    { "retry", "Models" },
    { "steeringMode", "Conversation" },
    { "followUpMode", "Conversation" },
    { "interruptMode", "Conversation" },
    { "compaction", "Conversation" },
    { "contextPromotion", "Conversation" },
    { "branchSummary", "Conversation" },
    { "ttsr", "Conversation" },
    { "todo", "Conversation" },
    { "plan", "Conversation" },
    { "memory", "Conversation" },
    { "autoResume", "Conversation" },
    { "titles", "Conversation" },
    { "find", "Tools" },
    { "astGrep", "Tools" },
    { "astEdit", "Tools" },
    { "grep", "Tools" },
    { "read", "Tools" },
    { "readLineNumbers", "Tools" },
    { "readHashLines", "Tools" },
    { "edit", "Tools" },
    { "tools", "Tools" },
    { "bash", "Tools" },
    { "recipe", "Tools" },
    { "bashInterceptor", "Tools" },
    { "calc", "Tools" },
    { "ls", "Tools" },
    { "checkpoint", "Tools" },
    { "inspect_image", "Tools" },
    { "shellPath", "Tools" },
    { "fetch", "Tools" },
    { "web_search", "Tools" },
    { "browser", "Tools" },
    { "lsp", "Tools" },
    { "notebook", "Tools" },
    { "async", "Tools" },
    { "eval", "Tools" },
    { "python", "Tools" },
    { "mcp", "Tools" },
    { "skills", "Tools" },
    { "extensions", "Tools" },
    { "repeatToolDescriptions", "Tools" },
    { "task", "Tasks and agents" },
    { "tasks", "Tasks and agents" },
    { "agentTools", "Tasks and agents" },
    { "irc", "Tasks and agents" },
    { "commit", "Commands" },
    { "commands", "Commands" },
    { "stats", "Commands" },
    { "review", "Commands" },
    { "github", "GitHub" },
    { "gh", "GitHub" },
    { "env", "Guard" },
    { "permissions", "Guard" },
    { "trust", "Guard" },
    { "sandbox", "Guard" },
    { "net", "Guard" },
    { "undo", "Guard" },
    { "secrets", "Guard" },
    { "budget", "Guard" },
    { "limits", "Guard" },
    { "loop", "Guard" },
    { "audit", "Guard" },
    { "theme", "Interface" },
    { "symbolPreset", "Interface" },
    { "colorBlindMode", "Interface" },
    { "statusLine", "Interface" },
    { "terminal", "Interface" },
    { "images", "Interface" },
    { "tui", "Interface" },
    { "display", "Interface" },
    { "startup", "Interface" },
    { "hideThinkingBlock", "Interface" },
    { "completion", "Interface" },
    { "editor", "Interface" },
    { "doubleEscapeAction", "Interface" },
    { "treeFilterMode", "Interface" },
    { "autocompleteMaxVisible", "Interface" },
    { "ask", "Interface" },
};

const char *const *setting_groups(void)
{
    return groups;
}

const char *setting_group(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(group_words); i++) {
        size_t size = strlen(group_words[i].word);
        if (strncmp(key, group_words[i].word, size) == 0 && (key[size] == '.' || key[size] == 0))
            return group_words[i].group;
    }
    return "Other";
}

/* Who may set it, as a clause: "user and project". */
static const char *setting_scope_text(SettingScope scope)
{
    switch (scope) {
    case SETTING_ANYWHERE:
        return "user and project";
    case SETTING_USER_ONLY:
    case SETTING_USER_COSTS:
        return "user only";
    case SETTING_WITH_TRUST:
        return "user; a project's once it is trusted";
    case SETTING_MAY_LOWER:
        return "user; a project can only lower it";
    case SETTING_MAY_CAP:
        return "user; a project can only set a lower limit";
    case SETTING_MAY_TURN_ON:
        return "user; a project can only turn it on";
    case SETTING_MAY_TURN_OFF:
        return "user; a project can only turn it off";
    case SETTING_MAY_TIGHTEN:
        break;
    }
    return "user; a project can only make it stricter";
}

static json_t *key_schema(const SettingKey *key)
{
    static const char *const types[] = {
        [SETTING_BOOLEAN] = "boolean", [SETTING_NUMBER] = "number", [SETTING_STRING] = "string",
        [SETTING_ENUM] = "string",     [SETTING_ARRAY] = "array",   [SETTING_RECORD] = "object",
    };
    json_t *schema = json_make("type:%s description:%s", types[key->type], key->help);
    if (key->type == SETTING_ENUM) {
        json_t *values = json_array();
        for (size_t i = 0; key->values[i]; i++)
            json_append_take(values, json_text(key->values[i]));
        json_set_take(schema, "enum", values);
    }
    json_t *value = NULL;
    if (json_parse_text(key->default_json, &value, NULL) && !json_is_null(value))
        json_set_take(schema, "default", value);
    else
        json_decref(value);
    return schema;
}

/* The "properties" in which the last part of a key stands, made on the way. */
static json_t *properties_of(json_t *schema, char **parts)
{
    for (;; parts++) {
        json_t *properties = json_object_get(schema, "properties");
        if (!properties) {
            properties = json_object();
            json_set_take(schema, "properties", properties);
        }
        if (!parts[1])
            return properties;
        json_t *inner = json_object_get(properties, parts[0]);
        if (!inner) {
            inner = json_make("type:%s", "object");
            json_set_take(properties, parts[0], inner);
        }
        schema = inner;
    }
}

json_t *settings_schema(void)
{
    json_t *schema = json_object();
    json_set_text(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_add(schema, "title:%s type:%s", "Settings of kedge (config.yml)", "object");
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        g_auto(GStrv) parts = g_strsplit(keys[i].key, ".", -1);
        const char *last = parts[g_strv_length(parts) - 1];
        json_set_take(properties_of(schema, parts), last, key_schema(&keys[i]));
    }
    return schema;
}

static void append_cell(const char *text, GString *out)
{
    for (const char *p = text; *p; p++)
        g_string_append_printf(out, *p == '|' ? "\\|" : "%c", *p);
}

static void append_type(const SettingKey *key, GString *out)
{
    g_string_append(out, " | ");
    if (key->type != SETTING_ENUM)
        g_string_append(out, setting_type_name(key->type));
    for (size_t i = 0; key->type == SETTING_ENUM && key->values[i]; i++)
        g_string_append_printf(out, "%s`%s`", i > 0 ? ", " : "", key->values[i]);
}

static void append_row(const SettingKey *key, GString *out)
{
    g_autoptr(json_t) value = NULL;
    json_parse_text(key->default_json, &value, NULL);
    g_autofree char *text = setting_value_text(value);
    g_string_append_printf(out, "| `%s`", key->key);
    append_type(key, out);
    g_string_append(out, *text ? " | `" : " | ");
    append_cell(*text ? text : "unset", out);
    g_string_append_printf(out, "%s | %s | ", *text ? "`" : "", setting_scope_text(key->scope));
    append_cell(key->help, out);
    g_string_append(out, " |\n");
}

char *settings_page(void)
{
    g_autoptr(GString) out = g_string_new(
        "# Settings\n\n"
        "<!-- Made of the table of settings: kedge config schema --markdown > docs/settings.md "
        "-->\n\n"
        "Your own settings are in `~/.kedge/agent/config.yml`; a project has `.kedge/config.yml` "
        "and\n"
        "`.kedge/settings.json`. What is set nearer to the work wins: a flag, then the project, "
        "then "
        "your own\n"
        "file, then the default. Maps are merged key by key, other values replace one another. A "
        "project can\n"
        "set only what the last column but one allows: it chooses how the work is done, and "
        "neither "
        "raises cost nor\n"
        "answers for you nor says which model, host or program is used. A conversation that is on "
        "takes a file\n"
        "that has changed up at its next prompt, but for what guards you (models, hosts, programs, "
        "policies,\n"
        "secrets), which counts from the next start.\n\n"
        "```sh\n"
        "kedge config list                       # every setting and its value\n"
        "kedge config get retry.maxRetries\n"
        "kedge config set retry.maxRetries 5     # comments and order of the file stay\n"
        "kedge config set modelRoles.smol anthropic/claude-haiku-4-5\n"
        "kedge config unset retry.maxRetries     # the default again\n"
        "kedge config schema > settings.schema.json\n"
        "```\n\n"
        "In the file, dots are levels: `retry.maxRetries` is `maxRetries` below `retry`. For "
        "editors "
        "that know YAML\n"
        "schemas, `# yaml-language-server: $schema=settings.schema.json` in its first line gives "
        "completion.\n");
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t group = 0; groups[group]; group++) {
        bool has_heading = false;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(setting_group(keys[i].key), groups[group]) != 0)
                continue;
            if (!has_heading)
                g_string_append_printf(out,
                                       "\n## %s\n\n| Setting | Type or values | Default | Who may "
                                       "set it | Meaning |\n|---|---|---|---|---|\n",
                                       groups[group]);
            has_heading = true;
            append_row(&keys[i], out);
        }
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}
