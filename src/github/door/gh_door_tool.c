/* See gh_door_tool.h. */
#include "github/door/gh_door_tool.h"

#include "base/timefmt.h"
#include "github/door/gh_door_link.h"
#include "github/safe/gh_call.h"
#include "tool/lent_calls.h"

typedef struct DoorArgs {
    const json_t *args;
    const char *cwd;
    GhContextEnv env;
} DoorArgs;

static const FieldDef door_fields[] = {
    { "args", FIELD_STRING_LIST, offsetof(DoorArgs, args), .is_required = true, .min_items = 1 },
    { "cwd", FIELD_STRING, offsetof(DoorArgs, cwd), .is_required = true },
    { "repo", FIELD_STRING, offsetof(DoorArgs, env.repo) },
    { "host", FIELD_STRING, offsetof(DoorArgs, env.host) },
    { 0 },
};

static bool gh_door_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                          GError **error)
{
    const DoorArgs *args = args_;
    GhCall *prepared = gh_call_open_command(call, args->cwd, &args->env, error);
    if (!prepared)
        return false;
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    json_each (args->args, i, arg) {
        g_ptr_array_add(argv, (char *)json_string_value(arg));
    }
    g_ptr_array_add(argv, NULL);
    const GhCallSpec spec = { .args = (const char *const *)argv->pdata };
    return gh_call_judge(call, prepared, &spec, ret_judgement, error);
}

static void set_end(GhCall *self, int status, int signal)
{
    const GhEnd end = {
        .exit_status = status,
        .signal = signal,
        .command = self->classified.node ? command_path(self->classified.node) : NULL,
        .argv = gh_call_argv(self),
        .output = "",
        .error_output = "",
    };
    self->outcome.exit_status = signal ? -1 : status;
    self->outcome.signal = signal;
    gh_call_set_kind(self, gh_kind_of_end(&end),
                     &(GhFacts) { .exit_status = status, .signal = signal });
}

static bool gh_door_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                        GError **error)
{
    GhCall *self = tool_call_prepared(call);
    g_autoptr(json_t) words = json_array();
    for (const char *const *arg = gh_call_argv(self); *arg; arg++)
        json_append_take(words, json_text(*arg));
    g_autoptr(json_t) order =
        json_make("path:%s args:%p host:%s repo:%s", self->program.path, json_incref(words),
                  self->target.env_host, self->target.env_repo);
    int status = 0, signal = 0;
    int64_t start = time_monotonic_ms();
    self->outcome.has_run = true;
    self->outcome.gh_version = g_strdup(self->program.version_text);
    g_autoptr(GError) ended = NULL;
    if (gh_door_link_run(lent_calls_user_data(call), order, tool_call_cancel(call), &status,
                         &signal, &ended))
        set_end(self, status, signal);
    else
        gh_call_set_kind(self, GH_KIND_CANCELLED, &(GhFacts) { 0 });
    self->outcome.duration_ms = time_monotonic_ms() - start;
    gh_call_answer(call, self, "", result);
    return true;
}

const ToolDef gh_door_tool = {
    .name = "gh",
    .label = "GitHub: gh",
    .summary = "A gh command of a shell",
    .effect = EFFECT_WRITE,
    .judge = gh_door_judge,
    .flags = TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_GITHUB | TOOL_GH | TOOL_OPEN_WORLD |
             TOOL_CAN_DESTROY | TOOL_HIDDEN,
    .fields = door_fields,
    .args_size = sizeof(DoorArgs),
    .run = gh_door_run,
    .refused = gh_call_refused,
    .finished = gh_call_finished,
};
