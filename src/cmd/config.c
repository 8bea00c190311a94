/*
 * `kedge config`: the settings, shown and changed (agent-core §1.8, §5).
 */
#include "base/dirs.h"
#include "base/edit_file.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/visible.h"
#include "base/yaml.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/outline.h"
#include "tool/settings_path.h"
#include "tool/settings_reference.h"
#include "tool/settings_save.h"
#include "tool/settings_value.h"
#include "tui/term/keymap_reference.h"

typedef struct ConfigOptions {
    bool is_json, has_origin, is_markdown;
} ConfigOptions;

#define JSON_OPTION                                                                                \
    {                                                                                              \
        "json", FIELD_BOOLEAN, offsetof(ConfigOptions, is_json), .help = "Print JSON"              \
    }
#define ORIGIN_OPTION                                                                              \
    {                                                                                              \
        "origin", FIELD_BOOLEAN, offsetof(ConfigOptions, has_origin),                              \
            .help = "Say where the value comes from: default, user or project"                     \
    }

static const FieldDef list_options[] = { JSON_OPTION, ORIGIN_OPTION, { 0 } };
static const FieldDef set_options[] = { JSON_OPTION, { 0 } };
static const FieldDef schema_options[] = {
    { "markdown", FIELD_BOOLEAN, offsetof(ConfigOptions, is_markdown),
      .help = "Print the reference page in place of the schema" },
    { 0 },
};
static const FieldDef keys_options[] = {
    JSON_OPTION,
    { "markdown", FIELD_BOOLEAN, offsetof(ConfigOptions, is_markdown),
      .help = "Print the tables of the reference page, with the default keys" },
    { 0 },
};

/* Values may begin with a dash: `set K -1`. */
static bool field_def_decode(const FieldDef *fields, int argc, char *const *argv,
                             ConfigOptions *options, json_t **ret_kept, GPtrArray *words,
                             GError **error)
{
    g_autoptr(GPtrArray) flags = g_ptr_array_new();
    for (int i = 0; i < argc; i++) {
        bool is_end = strcmp(argv[i], "--") == 0;
        bool is_flag = argv[i][0] == '-' && argv[i][1] != '\0' && !g_ascii_isdigit(argv[i][1]) &&
                       argv[i][1] != '.';
        if (!is_end)
            g_ptr_array_add(is_flag ? flags : words, argv[i]);
        for (i += is_end; is_end && i < argc; i++)
            g_ptr_array_add(words, argv[i]);
    }
    return cmd_decode_options(fields, (int)flags->len, (char *const *)flags->pdata, options,
                              ret_kept, NULL, error);
}

/* Exit 1 with the sentence alone, as the specification has it; others as every command. */
static int config_do_fail(const GError *error)
{
    if (!error_is(error, KEDGE_ERROR_FAILED))
        return cmd_fail(error);
    log_text("%s", error->message);
    return EXIT_FAILED;
}

static int fail_unknown(const char *name, const GError *error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++)
        g_ptr_array_add(names, (void *)keys[i].key);
    g_ptr_array_add(names, NULL);
    const char *nearest = str_nearest(name, (const char *const *)names->pdata);
    log_text("%s", error->message);
    log_text(nearest ? "Did you mean %s?" : "`kedge config list` shows them all", nearest);
    return EXIT_FAILED;
}

static int config_usage(const char *text)
{
    log_text("usage: kedge config %s", text);
    return EXIT_USAGE;
}

static const char *origin_text(const Settings *settings, const SettingKey *key)
{
    static const char *const texts[] = {
        [SETTING_FROM_DEFAULT] = "default",
        [SETTING_FROM_USER] = "user",
        [SETTING_FROM_PROJECT] = "project",
    };
    return texts[settings_origin(settings, key->key)];
}

/* Borrowed; NULL: unset. */
static const json_t *value_of(const Settings *settings, const SettingPath *path)
{
    const json_t *value = settings_get_json(settings, path->key->key);
    return path->entry ? json_object_get(value, path->entry) : value;
}

static json_t *json_or_null(const json_t *value)
{
    return value ? json_deep_copy(value) : json_null();
}

static json_t *config_describe(const Settings *settings, const SettingPath *path, bool has_origin)
{
    json_t *object =
        json_make("value:%p type:%s description:%s", json_or_null(value_of(settings, path)),
                  setting_type_name(path->key->type), path->key->help);
    if (has_origin)
        json_set_text(object, "origin", origin_text(settings, path->key));
    return object;
}

static void append_item(const Settings *settings, const SettingKey *key, bool has_origin,
                        GString *out)
{
    const json_t *value = settings_get_json(settings, key->key);
    g_autofree char *text = value ? setting_value_text(value) : g_strdup("(unset)");
    g_string_append_printf(out, "  %s = ", key->key);
    visible_append(out, text); // a cloned repository may have written it
    g_string_append_printf(out, " (%s)", setting_type_name(key->type));
    if (has_origin)
        g_string_append_printf(out, "  [%s]", origin_text(settings, key));
    g_string_append_c(out, '\n');
}

static char *list_text(const Settings *settings, const char *filter, bool has_origin)
{
    g_autoptr(GString) out = g_string_new(NULL);
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (const char *const *group = setting_groups(); *group; group++) {
        size_t before = out->len;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(setting_group(keys[i].key), *group) != 0 ||
                (filter && !str_contains_nocase(keys[i].key, filter)))
                continue;
            if (out->len == before)
                g_string_append_printf(out, "%s%s\n", before > 0 ? "\n" : "", *group);
            append_item(settings, &keys[i], has_origin, out);
        }
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static char *list_json(const Settings *settings, const char *filter, bool has_origin)
{
    g_autoptr(json_t) object = json_object();
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (filter && !str_contains_nocase(keys[i].key, filter))
            continue;
        const SettingPath path = { .key = &keys[i] };
        json_set_take(object, keys[i].key, config_describe(settings, &path, has_origin));
    }
    return json_to_pretty(object);
}

static Settings *load_here(void)
{
    g_autofree char *cwd = g_get_current_dir();
    return cmd_load_settings(cwd);
}

static int list_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ConfigOptions options = { 0 };
    if (!field_def_decode(list_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    if (words->len > 1)
        return config_usage("list [TEXT] [--origin] [--json]");
    const char *filter = words->len > 0 ? words->pdata[0] : NULL;
    g_autoptr(Settings) settings = load_here();
    g_autofree char *text = options.is_json ? list_json(settings, filter, options.has_origin)
                                            : list_text(settings, filter, options.has_origin);
    bool has_end = !options.is_json; // the text ends with a newline already
    return (has_end ? cmd_print(text) : cmd_print_line(text)) ? EXIT_OK : EXIT_FAILED;
}

/* As it is for programs; on a terminal it gives no commands there. Caller frees. */
static char *text_for_output(const json_t *value)
{
    g_autofree char *text = setting_value_text(value);
    return isatty(STDOUT_FILENO) ? visible_lines(text) : g_steal_pointer(&text);
}

static int get_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ConfigOptions options = { 0 };
    if (!field_def_decode(list_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    if (words->len != 1)
        return config_usage("get KEY [--origin] [--json]");
    g_auto(SettingPath) path = { 0 };
    if (!setting_path_parse(words->pdata[0], &path, &error))
        return fail_unknown(words->pdata[0], error);
    g_autoptr(Settings) settings = load_here();
    g_autofree char *text = NULL;
    if (options.is_json) {
        g_autoptr(json_t) object = json_make("key:%s", (const char *)words->pdata[0]);
        g_autoptr(json_t) rest = config_describe(settings, &path, options.has_origin);
        json_object_update(object, rest);
        text = json_to_text(object);
    } else {
        g_autofree char *value = text_for_output(value_of(settings, &path));
        text = options.has_origin
                   ? g_strdup_printf("%s  [%s]", value, origin_text(settings, path.key))
                   : g_steal_pointer(&value);
    }
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

/* Saved for the user; a project that has its own value is told of. */
static int config_save(const char *name, const SettingPath *path, const json_t *value, bool is_json)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *agent_dir = dirs_agent();
    const SettingChange change = { .parts = (const char *const *)path->parts, .value = value };
    if (!settings_save(agent_dir, &change, 1, NULL, &error))
        return cmd_fail(error);
    g_autoptr(Settings) settings = load_here();
    const json_t *now = value ? value : value_of(settings, path);
    g_autofree char *text = NULL;
    if (is_json) {
        g_autoptr(json_t) object = json_make("key:%s value:%p", name, json_or_null(now));
        text = json_to_text(object);
    } else {
        g_autofree char *shown = now ? text_for_output(now) : g_strdup("(unset)");
        text = g_strdup_printf("%s = %s", name, shown);
    }
    if (settings_origin(settings, path->key->key) == SETTING_FROM_PROJECT)
        log_warning("%s is set by this project, too: see `kedge config get %s --origin`", name,
                    name);
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

static int set_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ConfigOptions options = { 0 };
    if (!field_def_decode(set_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    if (words->len < 2)
        return config_usage("set KEY VALUE… [--json]");
    g_auto(SettingPath) path = { 0 };
    if (!setting_path_parse(words->pdata[0], &path, &error))
        return fail_unknown(words->pdata[0], error);
    const char *name = words->pdata[0];
    g_ptr_array_add(words, NULL);
    g_autofree char *text = g_strjoinv(" ", (char **)words->pdata + 1);
    g_autoptr(json_t) value = NULL;
    if (!setting_path_parse_value(&path, text, &value, &error))
        return config_do_fail(error);
    return config_save(name, &path, value, options.is_json);
}

static int unset_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ConfigOptions options = { 0 };
    if (!field_def_decode(set_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    if (words->len != 1)
        return config_usage("unset KEY [--json]");
    g_auto(SettingPath) path = { 0 };
    if (!setting_path_parse(words->pdata[0], &path, &error))
        return fail_unknown(words->pdata[0], error);
    return config_save(words->pdata[0], &path, NULL, options.is_json);
}

static int edit_run(const CommandEnv *env, int argc, char *const *argv)
{
    if (argc > 0)
        return config_usage("edit");
    g_autoptr(GError) error = NULL;
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *path = settings_user_path(agent_dir);
    if (!file_make_dirs(agent_dir, 0700, &error) || !edit_file(path, &error))
        return cmd_fail(error);
    g_autoptr(json_t) value = NULL;
    if (file_exists(path) && !yaml_read_file(path, &value, &error))
        return cmd_fail(error);
    settings_unref(load_here()); // says what does not fit
    return EXIT_OK;
}

static int path_run(const CommandEnv *env, int argc, char *const *argv)
{
    if (argc > 0)
        return config_usage("path");
    g_autofree char *agent_dir = dirs_agent();
    return cmd_print_line(agent_dir) ? EXIT_OK : EXIT_FAILED;
}

static int schema_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    ConfigOptions options = { 0 };
    if (!cmd_decode_options(schema_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (options.is_markdown) {
        g_autofree char *page = settings_page();
        return cmd_print(page) ? EXIT_OK : EXIT_FAILED;
    }
    g_autoptr(json_t) schema = settings_schema();
    g_autofree char *text = json_to_pretty(schema);
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

/* Yours as they are here; for the page, the default keys. */
static int keys_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    ConfigOptions options = { 0 };
    if (!cmd_decode_options(keys_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *path = keymap_path(agent_dir);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Keymap) keymap = keymap_load(options.is_markdown ? NULL : path, warnings);
    for (unsigned i = 0; i < warnings->len; i++)
        log_warning("%s", (char *)warnings->pdata[i]);
    if (options.is_json) {
        g_autoptr(json_t) object = keymap_json(keymap);
        g_autofree char *json = json_to_pretty(object);
        return cmd_print_line(json) ? EXIT_OK : EXIT_FAILED;
    }
    g_autofree char *text = options.is_markdown ? keymap_markdown(keymap) : keymap_text(keymap);
    return cmd_print(text) ? EXIT_OK : EXIT_FAILED;
}

static const Command command_list = {
    .name = "config list",
    .summary = "Show every setting with its value here",
    .usage = "[TEXT] [options]",
    .options = list_options,
    .help = "TEXT: only settings whose name contains it.",
    .run = list_run,
};
static const Command command_get = {
    .name = "config get",
    .summary = "Print the value of a setting",
    .usage = "KEY [options]",
    .options = list_options,
    .help = "KEY may name an entry of a map: modelRoles.default.\n"
            "Exit codes: 0 printed, 1 there is no such setting, 2 usage.",
    .run = get_run,
};
static const Command command_set = {
    .name = "config set",
    .summary = "Save a setting for you",
    .usage = "KEY VALUE… [--json]",
    .options = set_options,
    .help = "Into ~/.kedge/agent/config.yml, whose comments, order and other keys stay. Lists and "
            "maps are\nJSON; an entry of a map can be set by itself:\n"
            "  kedge config set retry.maxRetries 5\n"
            "  kedge config set env.pass '[\"MY_TOKEN\"]'\n"
            "  kedge config set modelRoles.smol anthropic/claude-haiku-4-5",
    .run = set_run,
};
static const Command command_unset = {
    .name = "config unset",
    .summary = "Remove a setting of yours, so that the default counts",
    .usage = "KEY [--json]",
    .options = set_options,
    .run = unset_run,
};
static const Command command_reset = {
    .name = "config reset",
    .summary = "The same as unset",
    .usage = "KEY [--json]",
    .options = set_options,
    .run = unset_run,
};
static const Command command_edit = {
    .name = "config edit",
    .summary = "Open config.yml in $VISUAL or $EDITOR, and check it afterwards",
    .usage = "",
    .run = edit_run,
};
static const Command command_path = {
    .name = "config path",
    .summary = "Print the directory of config.yml",
    .usage = "",
    .run = path_run,
};
static const Command command_schema = {
    .name = "config schema",
    .summary = "Print the JSON Schema of config.yml, for editors",
    .usage = "[--markdown]",
    .options = schema_options,
    .run = schema_run,
};
static const Command command_keys = {
    .name = "config keys",
    .summary = "Show what every key does in the terminal",
    .usage = "[--json|--markdown]",
    .options = keys_options,
    .help = "~/.kedge/agent/keybindings.json changes them: an action and its key, or a list of "
            "keys:\n"
            "  { \"app.model.select\": \"ctrl+x\", \"tui.editor.undo\": [\"ctrl+-\", \"alt+u\"] }\n"
            "What is wrong in that file is reported on standard error; the rest of it holds.",
    .run = keys_run,
};

static const Command *const subcommands[] = {
    &command_list, &command_get,  &command_set,    &command_unset, &command_reset,
    &command_edit, &command_path, &command_schema, &command_keys,  NULL,
};

static int config_run(const CommandEnv *env, int argc, char *const *argv)
{
    static const char *const names[] = { "list", "get",  "set",    "unset", "reset",
                                         "edit", "path", "schema", "keys",  NULL };
    if (argc == 0)
        return config_usage(
            "list|get|set|unset|edit|path|schema|keys …; `kedge config --help` explains them");
    return cmd_unknown_subcommand("config", argv[0], names);
}

/* The keys, for those that take one. */
static void config_outline(const CommandEnv *env, Outline *self)
{
    static const char *const takes_key[] = { "get", "set", "unset", "reset" };
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < G_N_ELEMENTS(takes_key); i++)
        for (size_t j = 0; j < count; j++)
            g_ptr_array_add(outline_find(self, takes_key[i])->words, (void *)keys[j].key);
}

const Command command_config = {
    .name = "config",
    .summary = "Show and change settings",
    .usage = "SUBCOMMAND …",
    .subcommands = subcommands,
    .help = "Yours are in ~/.kedge/agent/config.yml, a project's in .kedge/config.yml; the nearer "
            "one wins,\nexcept for what guards you.\n"
            "  kedge config list --origin\n"
            "  kedge config set steeringMode all\n"
            "All settings: docs/settings.md.",
    .outline = config_outline,
    .run = config_run,
};
