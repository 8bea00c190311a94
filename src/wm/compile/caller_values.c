/*
 * Checked values for the caller workflow (caller_values.h).
 */
#include "wm/compile/caller_values.h"

#include "base/env.h"

#include <string.h>

#define MAX_LABEL_BYTES   256
#define MAX_VERSION_BYTES 100
#define OTHER_PROGRAM     "an-lee/gh-wm" // its workflows install that
#define CONFIG            WM_CONFIG_PATH ": "
#define WORD              G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS

static bool is_of(const char *text, size_t size, const char *set)
{
    return size > 0 && strspn(text, set) >= size;
}

static bool is_repository(const char *text)
{
    size_t owner = strcspn(text, "/");
    if (text[owner] != '/')
        return false;
    const char *name = text + owner + 1;
    return is_of(text, owner, WORD "-") && is_of(name, strlen(name), WORD "._-");
}

static bool fail_value(const char *key, const char *value, const char *want, GError **error)
{
    g_autoptr(json_t) text = json_text(value);
    g_autofree char *quoted = json_to_text(text);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: %s is not %s", key, quoted, want);
}

static bool take_repository(const char *key, const char *value, char **ret_repository,
                            GError **error)
{
    if (!is_repository(value))
        return fail_value(key, value, "a repository, owner/name", error);
    *ret_repository = g_strdup(value);
    return true;
}

static bool find_repository(const WmConfig *config, GPtrArray *warnings, char **ret_repository,
                            GError **error)
{
    const char *own = env_get_raw("KEDGE_WM_REPO"), *older = env_get_raw("GH_WM_REPO");
    if (own)
        return take_repository("KEDGE_WM_REPO", own, ret_repository, error);
    if (older && strcmp(older, OTHER_PROGRAM) == 0) {
        wm_note(warnings, WM_FILE,
                "GH_WM_REPO=" OTHER_PROGRAM " is not used: its workflows install another program");
        older = NULL;
    }
    if (older)
        return take_repository("GH_WM_REPO", older, ret_repository, error);
    if (config->reusable_repo[0] != '\0')
        return take_repository(CONFIG "workflow.reusable_repo", config->reusable_repo,
                               ret_repository, error);
    *ret_repository = g_strdup(WM_HOME_REPOSITORY);
    return true;
}

bool wm_caller_repository(const WmConfig *config, GPtrArray *warnings, char **ret_repository,
                          char **ret_ref, GError **error)
{
    const char *ref = config->reusable_ref[0] != '\0' ? config->reusable_ref : WM_HOME_REF;
    if (!is_of(ref, strlen(ref), WORD "._/-"))
        return fail_value(CONFIG "workflow.reusable_ref", ref, "a git ref", error);
    g_autofree char *repository = NULL;
    if (!find_repository(config, warnings, &repository, error))
        return false;
    *ret_repository = g_steal_pointer(&repository);
    *ret_ref = g_strdup(ref);
    return true;
}

/* JSON of an array of texts in which no byte is beyond ASCII. */
static char *to_ascii_json(const json_t *list)
{
    g_autofree char *text = json_to_text(list);
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c > 0xffff)
            g_string_append_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
        else if (c >= 0x7f)
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_c(out, (char)c);
    }
    return g_string_free(out, FALSE);
}

bool wm_caller_runs_on(const WmConfig *config, char **ret_json, GError **error)
{
    g_autoptr(json_t) labels = json_array();
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach (config->runs_on, index, item) {
        const char *label = json_string_value(item);
        g_autofree char *key = g_strdup_printf(CONFIG "workflow.runs_on[%zu]", index);
        if (!label || *label == '\0' || strlen(label) > MAX_LABEL_BYTES || strstr(label, "${{"))
            return fail_value(key, label, "a runner label (plain text, no expression)", error);
        json_array_append(labels, item);
    }
    if (json_array_size(labels) == 0)
        json_append_take(labels, json_text("ubuntu-latest"));
    *ret_json = to_ascii_json(labels);
    return true;
}

bool wm_caller_version(const WmConfig *config, GPtrArray *warnings, char **ret_version,
                       GError **error)
{
    const char *version = config->kedge_version, *key = CONFIG "workflow.kedge_version";
    if (config->gh_wm_version[0] != '\0' && config->install != WM_INSTALL_GH_EXTENSION) {
        wm_note(warnings, WM_FILE,
                CONFIG "workflow.gh_wm_extension_version pins gh-wm, not kedge; set "
                       "workflow.kedge_version");
    } else if (version[0] == '\0' && config->gh_wm_version[0] != '\0') {
        version = config->gh_wm_version;
        key = CONFIG "workflow.gh_wm_extension_version";
    }
    size_t size = strlen(version);
    if (size > 0 &&
        (*version == '-' || size > MAX_VERSION_BYTES || !is_of(version, size, WORD "._/+-")))
        return fail_value(key, version, "a release tag", error);
    *ret_version = g_strdup(version);
    return true;
}

static bool is_secret_name(const char *text)
{
    return text && !g_ascii_isdigit(*text) &&
           is_of(text, strlen(text), G_CSET_A_2_Z G_CSET_DIGITS "_");
}

bool wm_caller_secrets(const WmConfig *config, json_t **ret_names, bool *ret_is_known,
                       GError **error)
{
    static const char *const known[] = { "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "KEDGE_API_KEY",
                                         NULL };
    // variables of the agent step: a second one of the name would be no workflow, or another token
    static const char *const taken[] = { "GH_TOKEN",     "EVENT_NAME",
                                         "TASK_NAME",    "WM_RESOLVED_TASKS_JSON",
                                         "WM_HAS_TASKS", NULL };
    g_autoptr(json_t) seen = json_object(), names = json_array();
    bool is_known = true;
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach (config->secrets, index, item) {
        const char *name = json_string_value(item);
        g_autofree char *key = g_strdup_printf(CONFIG "workflow.secrets[%zu]", index);
        if (!is_secret_name(name))
            return fail_value(key, name, "the name of a secret ([A-Z_][A-Z0-9_]*)", error);
        if (g_strv_contains(taken, name))
            return fail_value(key, name, "free: the generated workflow sets this variable", error);
        if (json_object_get(seen, name))
            continue;
        json_object_set(seen, name, item);
        json_array_append(names, item);
        is_known = is_known && g_strv_contains(known, name);
    }
    *ret_names = g_steal_pointer(&names);
    *ret_is_known = is_known;
    return true;
}

bool wm_caller_check_steps(const json_t *steps, const char *key, GError **error)
{
    size_t index = 0;
    json_t *step = NULL;
    json_array_foreach (steps, index, step) {
        bool has_uses = json_object_get(step, "uses") != NULL;
        bool has_run = json_object_get(step, "run") != NULL;
        if (has_uses == has_run)
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             CONFIG "workflow.%s[%zu]: step needs exactly one of uses, run", key,
                             index);
    }
    return true;
}

const char *wm_caller_install(const WmConfig *config)
{
    return config->install == WM_INSTALL_GH_EXTENSION ? "gh-extension"
           : config->install == WM_INSTALL_NONE       ? "none"
                                                      : "release";
}

bool wm_caller_installs_release(const WmConfig *config)
{
    return config->install == WM_INSTALL_RELEASE && json_array_size(config->install_steps) == 0;
}

char *wm_expression_text(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    g_autofree char *doubled = g_strjoinv("''", parts);
    return g_strconcat("'", doubled, "'", NULL);
}
