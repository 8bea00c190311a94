/*
 * `kedge wm assign`: gives an issue the label that starts a task (task-engine §3.9).
 */
#include "cmd/wm/wm_here.h"

typedef struct AssignOptions {
    const char *label, *repo;
} AssignOptions;

static const FieldDef assign_options[] = {
    { "label", FIELD_STRING, offsetof(AssignOptions, label), .refuses_blank = true,
      .default_text = "\"agent\"", .help = "Label to add" },
    { "repo", FIELD_STRING, offsetof(AssignOptions, repo), .value_name = "OWNER/NAME",
      .help = "Repository (default: GITHUB_REPOSITORY, or the remote origin)" },
    { 0 },
};

typedef struct Assign {
    const AssignOptions *options;
    int64_t number;
} Assign;

static bool assign(void *data, Cancel *cancel, GError **error)
{
    const Assign *self = data;
    g_autoptr(WmApi) api = NULL;
    if (!wm_here_api(self->options->repo, cancel, &api, error))
        return false;
    g_autofree char *path = wm_path(api, "/issues/%" G_GINT64_FORMAT "/labels", self->number);
    g_autoptr(json_t) body = json_object(), labels = json_array();
    json_append_take(labels, json_text(self->options->label));
    json_object_set(body, "labels", labels);
    const WmCall call = { .method = "POST", .path = path, .body = body };
    return wm_api_call(api, &call, cancel, NULL, error);
}

static int assign_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    AssignOptions options = { 0 };
    Assign self = { .options = &options };
    if (!wm_decode(&command_wm_assign, argc, argv, &options, &kept, words, 1, 1, &error) ||
        !wm_issue_number(g_ptr_array_index(words, 0), &self.number, &error))
        return wm_fail(command_wm_assign.name, error);
    return wm_work(command_wm_assign.name, assign, &self);
}

const Command command_wm_assign = {
    .name = "wm assign",
    .summary = "Give an issue the label that starts a task",
    .usage = "[options] ISSUE",
    .options = assign_options,
    .run = assign_run,
};
