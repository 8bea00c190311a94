/*
 * `kedge sessions check`: what is wrong with a session file, and what a request with it would need
 * repaired (safety §8.3).
 */
#include "agent/request_check.h"
#include "base/dirs.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "base/visible.h"
#include "cmd/cli/commands.h"
#include "cmd/sessions/sessions.h"
#include "model/registry.h"
#include "session/session_check.h"

#define EXIT_REPAIRED 3

typedef struct CheckOptions {
    bool is_json;
    const char *session_dir, *target;
} CheckOptions;

static const FieldDef options[] = {
    { "target", FIELD_STRING, offsetof(CheckOptions, target), .value_name = "PROVIDER/MODEL|API",
      .help = "Of a request to that model or wire; default: to the model that answered last" },
    { "json", FIELD_BOOLEAN, offsetof(CheckOptions, is_json), .help = "Print JSON" },
    { "sessionDir", FIELD_STRING, offsetof(CheckOptions, session_dir), .value_name = "DIR",
      .help = "Directory of the session files" },
    { 0 },
};

static const char *const words[] = {
    [SESSION_CLEAN] = "clean",
    [SESSION_REPAIRED] = "repaired",
    [SESSION_NOT_USABLE] = "not usable",
};
static const int codes[] = {
    [SESSION_CLEAN] = EXIT_OK,
    [SESSION_REPAIRED] = EXIT_REPAIRED,
    [SESSION_NOT_USABLE] = EXIT_FAILED,
};

static ModelRegistry *open_registry(void)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *models = g_build_filename(agent_dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    ModelRegistry *registry = model_registry_new(models, &warning);
    if (warning)
        log_warning("%s", warning);
    return registry;
}

/* Who gave the last answer, as far as the session says. Caller frees; NULL: no one, or by a wire of
   tomorrow. */
static Model *model_of(const json_t *answer, ModelApi *api)
{
    ModelApi own;
    if (!api && model_api_parse(json_get_text(answer, "api"), &own))
        api = &own;
    if (!api)
        return NULL;
    const char *provider = json_get_text(answer, "provider");
    const char *id = json_get_text(answer, "model");
    Model *model = model_new(provider ? provider : "", id ? id : "", *api, "");
    model->accepts_images = true;
    model->is_reasoning = true;
    return model;
}

/* Without a model there is no one to ask. *ret_own is to be freed when it was made. */
static bool find_target(const char *wanted, const json_t *answer, ModelRegistry *registry,
                        ModelChoice *ret_choice, Model **ret_own, GError **error)
{
    ModelApi api;
    if (wanted && !model_api_parse(wanted, &api)) {
        if (!model_registry_select(registry, wanted, NULL, ret_choice, error))
            return false;
        if (ret_choice->notice)
            log_text("%s", ret_choice->notice);
        return true;
    }
    const char *provider = json_get_text(answer, "provider");
    const char *id = json_get_text(answer, "model");
    if (!wanted && provider && id)
        ret_choice->model = model_registry_find(registry, provider, id);
    if (!ret_choice->model)
        ret_choice->model = *ret_own = model_of(answer, wanted ? &api : NULL);
    return true;
}

/* What a request would need, as request_check() says it, and to whom; NULL: no one is asked. */
static bool check_request(const char *path, const char *wanted, json_t **ret_report, GError **error)
{
    g_auto(SessionCopy) copy = { 0 };
    if (!session_read(path, &copy, error))
        return false;
    g_autoptr(ModelRegistry) registry = open_registry();
    g_autoptr(Model) own = NULL;
    ModelChoice choice = { 0 };
    if (!find_target(wanted, request_check_last_answer(&copy), registry, &choice, &own, error))
        return false;
    const Model *model = choice.model;
    if (!model)
        return true;
    json_t *report = request_check(&copy, model, choice.has_level ? &choice.level : NULL);
    g_autofree char *name = g_strdup_printf("%s/%s", model->provider, model->id);
    json_add(report, "target:%s api:%s", name, model_api_name(model->api));
    *ret_report = report;
    return true;
}

static bool needs_repair(const json_t *request)
{
    return json_object_size(json_get_object(request, "rules")) > 0;
}

static int print_report(const char *path, SessionHealth health, const GPtrArray *problems,
                        const json_t *request, bool is_json)
{
    json_t *list = json_array();
    g_autoptr(json_t) report = json_object();
    g_autofree char *head = g_strdup_printf("%s: %s\n", path, words[health]);
    g_autoptr(GString) out = g_string_new(head);
    json_add(report, "path:%s status:%s problems:%p", path, words[health], list);
    for (unsigned i = 0; i < problems->len; i++) {
        json_append_take(list, json_text(problems->pdata[i]));
        g_string_append(out, "  ");
        visible_append(out, problems->pdata[i]);
        g_string_append_c(out, '\n');
    }
    if (request)
        json_object_set(report, "request", (json_t *)request);
    if (needs_repair(request))
        request_check_append(out, request);
    g_autofree char *json = is_json ? json_to_pretty(report) : NULL;
    bool is_printed = is_json ? cmd_print_line(json) : cmd_print(out->str);
    return is_printed ? codes[health] : EXIT_FAILED;
}

static int check_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    CheckOptions given = { 0 };
    if (!cmd_decode_options(options, argc, argv, &given, &kept, names, &error))
        return cmd_fail(error);
    if (names->len != 1) {
        log_text("usage: kedge sessions check ID|PATH [--target PROVIDER/MODEL|API] [--json]");
        return EXIT_USAGE;
    }
    g_autofree char *cwd = g_get_current_dir();
    g_autofree char *path = NULL;
    if (file_exists(names->pdata[0]))
        path = path_absolute(names->pdata[0], cwd); // also what is no session file
    else if (!sessions_find_file(names->pdata[0], given.session_dir, &path, &error))
        return cmd_fail(error);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) request = NULL;
    SessionHealth health = session_check(path, problems);
    if (health != SESSION_NOT_USABLE && !check_request(path, given.target, &request, &error))
        return cmd_fail(error);
    if (needs_repair(request))
        health = SESSION_REPAIRED;
    return print_report(path, health, problems, request, given.is_json);
}

const Command command_sessions_check = {
    .name = "sessions check",
    .summary = "Say what is wrong with a session file, and change nothing",
    .usage = "ID|PATH [--target PROVIDER/MODEL|API] [--json]",
    .options = options,
    .help = "Also what a request with it would need repaired; none is sent.\n"
            "Exit codes: 0 clean, 3 usable, but something is put right or left out when it is "
            "opened\nor sent, 1 not usable.",
    .run = check_run,
};
