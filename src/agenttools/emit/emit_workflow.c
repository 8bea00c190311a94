/*
 * agent-tools emit workflow: list, show and check definitions of run workflows (agent-tools-cli
 * §4.3).
 */
#include "agenttools/agenttools.h"
#include "agenttools/emit/emit_options.h"
#include "agenttools/emit/emit_place.h"
#include "base/file.h"
#include "base/path.h"
#include "base/utf8.h"

typedef struct WorkflowArgs {
    const char *action, *name, *project;
} WorkflowArgs;

static const char *const actions[] = { "list", "show", "validate", NULL };
static const char *const words[] = { "action", "name", NULL };

static const FieldDef workflow_fields[] = {
    { "action", FIELD_ENUM, offsetof(WorkflowArgs, action), .is_required = true, .values = actions,
      .help = "list all, show NAME, validate FILE" },
    { "name", FIELD_STRING, offsetof(WorkflowArgs, name), .refuses_blank = true,
      .help = "Name of the workflow, or the file (.mmd, or .md with a section STATE-MACHINE)" },
    { "project", FIELD_STRING, offsetof(WorkflowArgs, project), EMIT_PROJECT },
    { 0 },
};

static const FieldDef state_fields[] = {
    { "id", FIELD_STRING, 0, .is_required = true, .help = "Name of the step" },
    { "label", FIELD_STRING, 0, .help = "What to show for it" },
    { "initial", FIELD_BOOLEAN, 0, .is_required = true, .help = "A run may begin here" },
    { "terminal", FIELD_BOOLEAN, 0, .is_required = true, .help = "A run may end here" },
    { 0 },
};

static const FieldDef transition_fields[] = {
    { "from", FIELD_STRING, 0, .is_required = true, .help = "State" },
    { "to", FIELD_STRING, 0, .is_required = true, .help = "State that may follow" },
    { "label", FIELD_STRING, 0, .help = "Text of the arrow" },
    { 0 },
};

// clang-format off
#define MACHINE_FIELDS(is_needed)                                                                  \
    { "name", FIELD_STRING, 0, .is_required = is_needed, .help = "Name of the workflow" },         \
    { "source", FIELD_STRING, 0, .is_required = is_needed, .help = "File, or built-in" },          \
    { "states", FIELD_OBJECT_LIST, 0, .is_required = is_needed, .item_fields = state_fields,       \
      .help = "In file order" },                                                                   \
    { "transitions", FIELD_OBJECT_LIST, 0, .is_required = is_needed,                               \
      .item_fields = transition_fields, .help = "In file order" },                                 \
    { "order", FIELD_STRING_LIST, 0, .is_required = is_needed,                                     \
      .help = "States that can be reached, breadth first" }
// clang-format on

static const FieldDef machine_fields[] = { MACHINE_FIELDS(true), { 0 } };

static const FieldDef workflow_output[] = {
    MACHINE_FIELDS(false),
    { "workflows", FIELD_OBJECT_LIST, 0, .item_fields = machine_fields, .help = "Of list" },
    { 0 },
};

#define EXAMPLE_MACHINE(name, source)                                                              \
    "{\"name\":\"" name "\",\"source\":\"" source "\",\"states\":["                                \
    "{\"id\":\"plan\",\"label\":null,\"initial\":true,\"terminal\":false},"                        \
    "{\"id\":\"build\",\"label\":null,\"initial\":false,\"terminal\":false},"                      \
    "{\"id\":\"review\",\"label\":null,\"initial\":false,\"terminal\":true}],"                     \
    "\"transitions\":[{\"from\":\"plan\",\"to\":\"build\",\"label\":null},"                        \
    "{\"from\":\"build\",\"to\":\"review\",\"label\":null}],"                                      \
    "\"order\":[\"plan\",\"build\",\"review\"]}"

static const OperationExample workflow_examples[] = {
    { "kedge agent-tools emit workflow list", "{\"action\":\"list\"}",
      "{\"workflows\":[" EXAMPLE_MACHINE("build-fast", "built-in") "]}" },
    { "kedge agent-tools emit workflow show build-fast",
      "{\"action\":\"show\",\"name\":\"build-fast\"}", EXAMPLE_MACHINE("build-fast", "built-in") },
    { "kedge agent-tools emit workflow validate .rp1/workflows/own.mmd",
      "{\"action\":\"validate\",\"name\":\".rp1/workflows/own.mmd\"}",
      EXAMPLE_MACHINE("own", "/srv/app/.rp1/workflows/own.mmd") },
    { 0 },
};

static void warn_of(const Workflow *workflow, Answer *answer)
{
    answer_warn_all(answer, workflow->warnings);
}

static void answer_with(const Workflow *workflow, Answer *answer)
{
    warn_of(workflow, answer);
    answer_set_data(answer, workflow_to_json(workflow));
}

/* A definition that is wrong is told, and does not hide the others. */
static bool emit_workflow_list(const WorkflowPlaces *places, Answer *answer)
{
    json_t *workflows = json_array();
    g_auto(GStrv) names = workflow_names(places);
    for (char **name = names; *name; name++) {
        g_autoptr(Workflow) workflow = NULL;
        g_autoptr(GError) cause = NULL;
        if (!workflow_find(*name, places, &workflow, &cause))
            answer_warn(answer, "%s: %s", *name, cause->message);
        else if (workflow)
            json_append_take(workflows, workflow_to_json(workflow));
    }
    answer_set_data(answer, json_make("workflows:%p", workflows));
    return true;
}

static bool emit_workflow_show(const char *name, const WorkflowPlaces *places, Answer *answer,
                               GError **error)
{
    g_autoptr(Workflow) workflow = NULL;
    if (!workflow_find(name, places, &workflow, error))
        return false;
    if (!workflow)
        return workflow_fail_not_found(name, places, error);
    answer_with(workflow, answer);
    return true;
}

static bool emit_workflow_validate(const char *cwd, const char *file, Answer *answer,
                                   GError **error)
{
    g_autofree char *path = path_absolute(file, cwd);
    g_autofree char *base = g_path_get_basename(path);
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!file_read(path, LIMIT_WORKFLOW_BYTES, &data, &size, error))
        return false;
    g_autofree char *text = utf8_from_bytes(data, size);
    bool is_markdown = g_str_has_suffix(base, ".md");
    unsigned first_line = 1;
    g_autofree char *section = is_markdown ? workflow_section(text, &first_line) : NULL;
    if (is_markdown && !section)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "No section '## STATE-MACHINE' with a mermaid stateDiagram-v2 in %s",
                            file);
    char *dot = strrchr(base, '.');
    if (dot)
        *dot = '\0';
    g_autoptr(Workflow) workflow = NULL;
    if (!workflow_parse(base, path, section ? section : text, first_line, &workflow, error))
        return false;
    answer_with(workflow, answer);
    return true;
}

static bool workflow_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const WorkflowArgs *args = args_;
    bool is_list = strcmp(args->action, "list") == 0;
    if (!is_list && !args->name)
        answer_fail_field(answer, "name",
                          "Validation failed: name is required and must be a non-empty string");
    emit_check_project(args->project, answer);
    if (answer_has_failed(answer))
        return true;
    if (strcmp(args->action, "validate") == 0)
        return emit_workflow_validate(call->cwd, args->name, answer, error);

    g_auto(EmitPlace) place = { 0 };
    g_autoptr(GError) cause = NULL;
    // outside of any project there are still the user's own and the built-in ones
    if (!emit_place_find(call->cwd, args->project, call->cancel, NULL, &place, &cause) &&
        !answer_error_is(cause, ANSWER_GIT))
        return pass_error(error, &cause);
    const WorkflowPlaces places = emit_place_workflows(&place);
    return is_list ? emit_workflow_list(&places, answer)
                   : emit_workflow_show(args->name, &places, answer, error);
}

const OperationDef operation_emit_workflow = {
    .tool = OPERATION_TOOL(workflow, WorkflowArgs, 0, .name = "emit_workflow",
                           .label = "Workflow definitions",
                           .summary = "List, show or check the state machines of workflows"),
    EMIT_PARTS(workflow, "workflow"),
    .words = words,
};
