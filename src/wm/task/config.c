/* See config.h. */
#include "wm/task/config.h"

#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "wm/task/notes.h"

#include <string.h>

// ---- values by their dotted names, with the one text of a wrong type (task-engine §2.2) ----

typedef struct ConfigReader {
    const json_t *root;
    GPtrArray *problems; // notes; what is read after one is its default
} ConfigReader;

/* A problem: `<name>: <text>`. */
static void config_fail(ConfigReader *self, const char *name, const char *text)
{
    wm_note(self->problems, WM_KEY(name), "%s: %s", name, text);
}

// A map on the way that is none is the error, with its own name.
static const json_t *config_value(ConfigReader *self, const char *name)
{
    g_auto(GStrv) keys = g_strsplit(name, ".", -1);
    g_autoptr(GString) walked = g_string_new(NULL);
    const json_t *value = self->root;
    for (char **key = keys; *key; key++) {
        if (!json_is_object(value)) {
            config_fail(self, walked->str, "expected a map");
            return NULL;
        }
        value = json_object_get(value, *key);
        if (!value || json_is_null(value))
            return NULL;
        g_string_append_printf(walked, "%s%s", walked->len > 0 ? "." : "", *key);
    }
    return value;
}

static bool config_is_given(ConfigReader *self, const char *name)
{
    return config_value(self, name) != NULL;
}

/* Each takes a dotted name ("workflow.runs_on"); absent and null are the default. */
static char *config_text(ConfigReader *self, const char *name, const char *fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_string(value))
        config_fail(self, name, "expected a string");
    return g_strstrip(g_strdup(json_is_string(value) ? json_string_value(value) : fallback));
}

static int64_t config_int(ConfigReader *self, const char *name, int64_t fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_integer(value))
        config_fail(self, name, "expected an integer");
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

static double config_number(ConfigReader *self, const char *name, double fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_number(value))
        config_fail(self, name, "expected a number");
    return json_is_number(value) ? json_number_value(value) : fallback;
}

static bool config_bool(ConfigReader *self, const char *name, bool fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_boolean(value))
        config_fail(self, name, "expected true or false");
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

/* Trimmed texts, empty ones dropped; a single text is a list of one when `allows_text`. New
   references. */
static json_t *config_texts(ConfigReader *self, const char *name, bool allows_text)
{
    const json_t *value = config_value(self, name);
    json_t *texts = json_array();
    g_autoptr(json_t) one = allows_text && json_is_string(value) ? json_pack("[O]", value) : NULL;
    const json_t *list = one ? one : value;
    const char *wanted =
        allows_text ? "expected a list of strings, or one string" : "expected a list of strings";
    if (list && !json_is_array(list))
        config_fail(self, name, wanted);
    json_each (list, index, item) {
        if (!json_is_string(item))
            config_fail(self, name, wanted);
        const char *written = json_string_value(item);
        g_autofree char *text = g_strstrip(g_strdup(written ? written : ""));
        if (*text)
            json_append_take(texts, json_text(text));
    }
    return texts;
}

static json_t *config_maps(ConfigReader *self, const char *name)
{
    const json_t *value = config_value(self, name);
    bool is_good = !value || json_is_array(value);
    json_each (value, index, item)
        is_good = is_good && json_is_object(item);
    if (!is_good)
        config_fail(self, name, "expected a list of maps");
    return value && is_good ? json_deep_copy(value) : json_array();
}

// ---- the configuration ----

#define DEFAULT_TURNS 100

static bool read_map(const char *root, json_t **ret_map, GError **error)
{
    g_autofree char *path = g_build_filename(root, WM_CONFIG_PATH, NULL);
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) problem = NULL;
    if (!file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, &size, &problem)) {
        if (!error_is(problem, KEDGE_ERROR_NOT_FOUND)) {
            g_propagate_prefixed_error(error, g_steal_pointer(&problem), "%s: ", WM_CONFIG_PATH);
            return false;
        }
        *ret_map = json_object();
        return true;
    }
    g_autoptr(json_t) map = NULL;
    if (!yaml_parse(data, size, WM_CONFIG_PATH, &map, error))
        return false;
    if (!json_is_object(map) && !json_is_null(map))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: expected a map", WM_CONFIG_PATH);
    *ret_map = json_is_null(map) ? json_object() : g_steal_pointer(&map);
    return true;
}

static void read_engine(WmConfig *self, ConfigReader *reader, GPtrArray *warnings)
{
    self->version = config_int(reader, "version", 1);
    if (self->version != 1)
        wm_note(warnings, WM_KEY("version"),
                "version %" G_GINT64_FORMAT " is unknown; read as version 1", self->version);
    self->engine = config_text(reader, "engine", "claude");
    if (!*self->engine) {
        g_free(self->engine);
        self->engine = g_strdup("claude");
    }
    self->model = config_text(reader, "model", "");
    int64_t turns = config_int(reader, "max_turns", DEFAULT_TURNS);
    self->max_turns = turns > 0 ? turns : DEFAULT_TURNS;
    g_autofree char *format = config_text(reader, "claude_output_format", "text");
    self->claude_format = g_ascii_strdown(format, -1);
    self->context_files = config_texts(reader, "context.files", false);
    g_autofree char *event = config_text(reader, "context.event", "none");
    self->summarizes_event = strcmp(event, "summary") == 0;
    if (!self->summarizes_event && strcmp(event, "none") != 0)
        wm_note(warnings, WM_KEY("context", "event"),
                "context.event \"%s\" is unknown (none, summary); read as none", event);
    self->pr_is_draft = config_bool(reader, "pr.draft", false);
    self->pr_reviewers = config_texts(reader, "pr.reviewers", false);
    self->cost_usd = config_number(reader, "limits.cost_usd", 0);
    if (self->cost_usd < 0)
        config_fail(reader, "limits.cost_usd", "expected a number that is not negative");
}

static void read_compat(WmConfig *self, ConfigReader *reader)
{
    g_autofree char *mode = config_text(reader, "compat.gh_aw_expressions", "error");
    self->expressions = strcmp(mode, "warn") == 0  ? WM_EXPRESSIONS_WARN
                        : strcmp(mode, "off") == 0 ? WM_EXPRESSIONS_OFF
                                                   : WM_EXPRESSIONS_ERROR;
    self->expands = config_bool(reader, "compat.gh_aw_expand", true);
    const json_t *gh_aw = config_value(reader, "compat.gh_aw_workflows");
    if (g_strcmp0(json_string_value(gh_aw), "force") == 0)
        self->gh_aw = WM_GH_AW_FORCE;
    else if (!gh_aw || json_is_boolean(gh_aw))
        self->gh_aw = json_is_true(gh_aw) ? WM_GH_AW_ON : WM_GH_AW_OFF;
    else
        config_fail(reader, "compat.gh_aw_workflows", "expected true, false or force");
}

static bool is_secret_name(const char *name)
{
    return *name && !g_ascii_isdigit(*name) &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

static void read_secrets(WmConfig *self, ConfigReader *reader)
{
    static const char *const name = "workflow.secrets";
    self->secrets = config_texts(reader, name, false);
    if (!config_is_given(reader, name))
        json_append_take(self->secrets, json_text("ANTHROPIC_API_KEY"));
    json_each (self->secrets, index, item)
        if (!is_secret_name(json_string_value(item)))
            config_fail(reader, name, "expected names of capital letters, digits and _");
}

static void read_workflow(WmConfig *self, ConfigReader *reader)
{
    self->runs_on = config_texts(reader, "workflow.runs_on", true);
    if (json_array_size(self->runs_on) == 0)
        json_append_take(self->runs_on, json_text("ubuntu-latest"));
    self->pre_steps = config_maps(reader, "workflow.pre_steps");
    self->install_steps = config_maps(reader, "workflow.install_steps");
    g_autofree char *install = config_text(reader, "workflow.install", "release");
    if (strcmp(install, "gh-extension") == 0)
        self->install = WM_INSTALL_GH_EXTENSION;
    else if (strcmp(install, "none") == 0)
        self->install = WM_INSTALL_NONE;
    else if (strcmp(install, "release") != 0)
        config_fail(reader, "workflow.install", "expected release, gh-extension or none");
    static const char *const claude = "workflow.install_claude_code";
    bool installs = config_bool(reader, claude, false);
    self->installs_claude = !config_is_given(reader, claude) ? WM_UNSET : installs ? WM_YES : WM_NO;
    self->kedge_version = config_text(reader, "workflow.kedge_version", "");
    self->gh_wm_version = config_text(reader, "workflow.gh_wm_extension_version", "");
    self->reusable_repo = config_text(reader, "workflow.reusable_repo", "");
    self->reusable_ref = config_text(reader, "workflow.reusable_ref", "");
    read_secrets(self, reader);
}

static bool read_config(const char *root, GPtrArray *warnings, WmConfig **ret_config,
                        WmNote **ret_problem, GError **error)
{
    g_autoptr(json_t) map = NULL;
    if (!read_map(root, &map, error))
        return false;
    guint first = wm_notes_count(warnings);
    g_autoptr(GPtrArray) problems = wm_notes_new();
    ConfigReader reader = { map, problems };
    g_autoptr(WmConfig) self = g_new0(WmConfig, 1);
    self->all = json_incref(map);
    read_engine(self, &reader, warnings);
    read_compat(self, &reader);
    read_workflow(self, &reader);
    if (config_is_given(&reader, "gates.roles"))
        self->gate_roles = config_texts(&reader, "gates.roles", true);
    wm_notes_set_path(warnings, first, WM_CONFIG_PATH);
    wm_notes_set_path(problems, 0, WM_CONFIG_PATH);
    if (problems->len == 0) {
        *ret_config = g_steal_pointer(&self);
        return true;
    }
    g_autofree char *text = wm_note_show(problems->pdata[0], 0);
    *ret_problem = g_ptr_array_steal_index(problems, 0);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s", text);
}

bool wm_config_read(const char *root, GPtrArray *warnings, WmConfig **ret_config, GError **error)
{
    g_autoptr(WmNote) problem = NULL;
    return read_config(root, warnings, ret_config, &problem, error);
}

WmNote *wm_config_problem(const char *root)
{
    g_autoptr(WmConfig) config = NULL;
    WmNote *problem = NULL;
    read_config(root, NULL, &config, &problem, NULL);
    return problem;
}

void wm_config_free(WmConfig *self)
{
    if (!self)
        return;
    char *texts[] = { self->engine,        self->model,         self->claude_format,
                      self->kedge_version, self->gh_wm_version, self->reusable_repo,
                      self->reusable_ref };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    json_t *values[] = {
        self->all,       self->context_files, self->pr_reviewers, self->runs_on,
        self->pre_steps, self->install_steps, self->secrets,      self->gate_roles
    };
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        json_decref(values[i]);
    g_free(self);
}
