/*
 * Help, list and schemas of the operations (manual.h).
 */
#include "agenttools/manual.h"

#include "base/str.h"

const FieldDef manual_common_options[] = {
    { "json", FIELD_BOOLEAN, 0, .help = "Read the input as JSON from standard input" },
    { "input", FIELD_STRING, 0, .value_name = "FILE",
      .help = "Read the JSON from FILE (- is standard input)" },
    { "compact", FIELD_BOOLEAN, 0, .help = "Print the answer on one line" },
    { "meta", FIELD_BOOLEAN, 0, .help = "Add meta: version, operation, duration" },
    { "strict", FIELD_BOOLEAN, 0, .help = "Unknown fields are errors, not warnings" },
    { "verbose", FIELD_BOOLEAN, 0, .help = "Say on standard error what is done" },
    { "cwd", FIELD_STRING, 0, .value_name = "DIR", .help = "Work in this directory" },
    { "timeout", FIELD_INTEGER, 0, .min = 1, .value_name = "MS",
      .problem = "Invalid timeout value: {value}. Must be a positive integer.",
      .help = "Give up after this many milliseconds" },
    { "schema", FIELD_BOOLEAN, 0, .help = "Print the JSON Schemas of input and output" },
    { "help", FIELD_BOOLEAN, 0, .short_flag = 'h', .help = "Print this" },
    { 0 },
};

static const struct {
    const char *name, *summary;
} modules[] = {
    { "emit", "Record workflow events, checked against the workflow's state machine" },
    { "feedback", "Read and answer what a person annotated and edited in Arcade" },
    { "github-pr", "Reviews, comments and reactions on GitHub pull requests" },
    { "task", "A durable queue that any number of worker processes share" },
    { "rp1-root-dir", "Where the project, its .rp1 directory and its code are" },
    { "comment-extract", "Comments of source files, by scope and changed lines" },
    { "mmd-validate", "Check Mermaid diagrams" },
};

const char *manual_module_summary(const char *module)
{
    for (size_t i = 0; i < G_N_ELEMENTS(modules); i++)
        if (strcmp(modules[i].name, module) == 0)
            return modules[i].summary;
    return "";
}

char *manual_name(const OperationDef *operation)
{
    return operation->operation ? g_strdup_printf("%s %s", operation->module, operation->operation)
                                : g_strdup(operation->module);
}

const OperationDef *manual_find(const OperationDef *const *operations, const char *module,
                                const char *operation)
{
    for (; *operations; operations++)
        if (strcmp((*operations)->module, module) == 0 &&
            g_strcmp0((*operations)->operation, operation) == 0)
            return *operations;
    return NULL;
}

bool manual_has_module(const OperationDef *const *operations, const char *module)
{
    for (; *operations; operations++)
        if (strcmp((*operations)->module, module) == 0)
            return true;
    return false;
}

char *manual_operation_names(const OperationDef *const *operations, const char *module)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (; *operations; operations++)
        if (strcmp((*operations)->module, module) == 0 && (*operations)->operation)
            g_ptr_array_add(names, (void *)(*operations)->operation);
    g_ptr_array_add(names, NULL);
    return g_strjoinv(", ", (char **)names->pdata);
}

const char *manual_nearest_module(const OperationDef *const *operations, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (; *operations; operations++)
        g_ptr_array_add(names, (void *)(*operations)->module);
    g_ptr_array_add(names, NULL);
    return str_nearest(name, (const char *const *)names->pdata);
}

static void append_lines(const OperationDef *const *operations, const char *module, GString *out)
{
    for (; *operations; operations++) {
        if (strcmp((*operations)->module, module) != 0)
            continue;
        g_autofree char *name = manual_name(*operations);
        g_string_append_printf(out, "  %-26s %s\n", name, (*operations)->tool.summary);
    }
}

char *manual_help_root(const OperationDef *const *operations)
{
    GString *out = g_string_new("Deterministic JSON utilities for agent workflows\n\n"
                                "Usage: kedge agent-tools MODULE [OPERATION] [options]\n"
                                "       kedge agent-tools --list | --version\n\n"
                                "Every operation takes its fields as flags or as one JSON object "
                                "on standard input,\n"
                                "and prints one JSON object: success, tool, data or errors. The "
                                "exit code is 0 when\n"
                                "success is true, else 1.\n");
    for (size_t i = 0; i < G_N_ELEMENTS(modules); i++) {
        g_string_append_printf(out, "\n%s: %s\n", modules[i].name, modules[i].summary);
        append_lines(operations, modules[i].name, out);
    }
    g_string_append(out, "\nOptions of every operation:\n");
    field_append_help(manual_common_options, out);
    g_string_append(
        out, "\nExamples:\n"
             "  kedge agent-tools rp1-root-dir\n"
             "  kedge agent-tools task create --type build --description \"Build main\"\n"
             "  echo '{\"owner\":\"o\",\"repo\":\"r\",\"pr_number\":42}' |\n"
             "      kedge agent-tools github-pr fetch-comments\n"
             "\nEnvironment:\n"
             "  KEDGE_STATE_DB, RP1_DB   the database (~/.kedge/agent-tools.db)\n"
             "  KEDGE_TASK_DB            another store for the queue: a path or postgres://…\n"
             "  GITHUB_TOKEN, GH_TOKEN   credentials of github-pr\n"
             "\n`kedge agent-tools MODULE OPERATION --help` explains one. Over MCP: `kedge "
             "mcp --tools\nagent-tools`.\n");
    return g_string_free(out, FALSE);
}

static bool is_list(const FieldDef *field)
{
    return field && (field->type == FIELD_STRING_LIST || field->type == FIELD_STRING_OR_LIST);
}

static void append_synopsis(const OperationDef *operation, GString *out)
{
    g_autofree char *name = manual_name(operation);
    g_string_append_printf(out, "\nUsage: kedge agent-tools %s", name);
    for (const char *const *word = operation->words; word && *word; word++) {
        const FieldDef *field = field_find(operation->tool.fields, *word);
        g_autofree char *kebab = str_to_kebab(*word);
        g_autofree char *upper = g_ascii_strup(kebab, -1);
        g_string_append_printf(out, field->is_required ? " %s%s" : " [%s%s]", upper,
                               is_list(field) ? "…" : "");
    }
    g_string_append(out, " [options]\n");
    if (operation->stdin_field)
        g_string_append_printf(out, "       kedge agent-tools %s [options] < TEXT      (the %s)\n",
                               name, operation->stdin_field);
    g_string_append_printf(out, "       echo '{…}' | kedge agent-tools %s --json\n", name);
}

static const char *type_word(FieldType type)
{
    static const char *const words[] = {
        [FIELD_STRING] = "string",
        [FIELD_INTEGER] = "integer",
        [FIELD_NUMBER] = "number",
        [FIELD_BOOLEAN] = "boolean",
        [FIELD_ENUM] = "string",
        [FIELD_STRING_LIST] = "strings",
        [FIELD_STRING_OR_LIST] = "strings",
        [FIELD_OBJECT_LIST] = "objects",
        [FIELD_INTEGER_LIST] = "integers",
        [FIELD_OBJECT] = "object",
        [FIELD_STRING_MAP] = "object",
        [FIELD_JSON] = "any JSON",
    };
    return words[type];
}

/* The input by its JSON names: what a flag's help cannot show. */
static void append_json_fields(const FieldDef *fields, unsigned indent, GString *out)
{
    for (const FieldDef *field = fields; field->name; field++) {
        if (field->is_hidden)
            continue;
        g_string_append_printf(out, "%*s%-*s %s%s\n", (int)indent, "", 26 - (int)indent,
                               field->name, type_word(field->type),
                               field->is_required ? ", required" : "");
        if (field->item_fields && indent < 6)
            append_json_fields(field->item_fields, indent + 2, out);
    }
}

static void append_output(const OperationDef *operation, GString *out)
{
    static const char *const titles[] = {
        [OUTPUT_OBJECT] = "Output, in data",
        [OUTPUT_OBJECT_OR_NULL] = "Output, in data (null when there is none)",
        [OUTPUT_LIST] = "Output, data is an array of",
    };
    g_string_append_printf(out, "\n%s:\n", titles[operation->shape]);
    for (const FieldDef *field = operation->output; field->name; field++)
        g_string_append_printf(out, "  %-24s %s\n", field->name, field->help ? field->help : "");
}

char *manual_help_operation(const OperationDef *operation)
{
    GString *out = g_string_new(operation->tool.summary);
    g_string_append_c(out, '\n');
    append_synopsis(operation, out);
    if (operation->tool.fields[0].name) {
        g_string_append(out, "\nFields, as flags:\n");
        field_append_help(operation->tool.fields, out);
        g_string_append(out, "\nThe same in JSON:\n");
        append_json_fields(operation->tool.fields, 2, out);
    }
    append_output(operation, out);
    g_string_append(out, "\nOptions of every operation:\n");
    field_append_help(manual_common_options, out);
    g_string_append(out, "\nExamples:\n");
    for (const OperationExample *example = operation->examples; example->command; example++)
        g_string_append_printf(out, "  %s\n", example->command);
    if (operation->environment)
        g_string_append_printf(out, "\nEnvironment:\n  %s\n", operation->environment);
    g_string_append_printf(out, "\nChanges: %s\n",
                           operation->changes             ? operation->changes
                           : operation_mutates(operation) ? "kedge's own database only"
                                                          : "nothing");
    return g_string_free(out, FALSE);
}

static void append_module_examples(const OperationDef *const *operations, const char *module,
                                   GString *out)
{
    g_string_append(out, "\nExamples:\n");
    for (; *operations; operations++)
        if (strcmp((*operations)->module, module) == 0)
            g_string_append_printf(out, "  %s\n", (*operations)->examples[0].command);
}

char *manual_help_module(const OperationDef *const *operations, const char *module)
{
    GString *out = g_string_new(manual_module_summary(module));
    g_string_append_printf(out, "\n\nUsage: kedge agent-tools %s OPERATION [options]\n\n", module);
    g_string_append(out, "Operations:\n");
    append_lines(operations, module, out);
    append_module_examples(operations, module, out);
    for (const OperationDef *const *each = operations; *each; each++) {
        if (strcmp((*each)->module, module) != 0 || !(*each)->operation)
            continue;
        g_autofree char *name = manual_name(*each);
        g_string_append_printf(out, "\n%s: %s\n", name, (*each)->tool.summary);
        field_append_help((*each)->tool.fields, out);
    }
    const OperationDef *own = manual_find(operations, module, NULL);
    if (own) { // what the module does by itself
        g_autofree char *text = manual_help_operation(own);
        g_string_append_printf(out, "\n%s", text);
        return g_string_free(out, FALSE);
    }
    g_string_append(out, "\nOptions of every operation:\n");
    field_append_help(manual_common_options, out);
    return g_string_free(out, FALSE);
}

json_t *manual_list(const OperationDef *const *operations)
{
    json_t *tools = json_array();
    for (; *operations; operations++) {
        json_append_take(tools,
                         json_make("name:%s operation:%s? description:%s mutates:%i",
                                   (*operations)->module, (*operations)->operation,
                                   (*operations)->tool.summary, operation_mutates(*operations)));
    }
    return json_make("tools:%p", tools);
}

json_t *manual_version(void)
{
    return json_make("version:%s schema_version:%d", KEDGE_VERSION, AGENT_TOOLS_SCHEMA_VERSION);
}

static json_t *input_schema(const OperationDef *operation)
{
    json_t *schema = json_object();
    json_set_text(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    g_autoptr(json_t) fields = field_schema(operation->tool.fields);
    json_object_update(schema, fields);
    return schema;
}

static json_t *manual_examples(const OperationDef *operation)
{
    json_t *list = json_array();
    for (const OperationExample *example = operation->examples; example->command; example++) {
        json_t *input = NULL, *output = NULL;
        if (!example->input || !json_parse_text(example->input, &input, NULL))
            continue;
        json_t *item = json_make("input:%p", input);
        if (example->output && json_parse_text(example->output, &output, NULL))
            json_set_take(item, "output", output);
        json_append_take(list, item);
    }
    return list;
}

json_t *manual_schema(const OperationDef *operation)
{
    json_t *mcp = json_make("name:%s", operation->tool.name);
    return json_make("tool:%s operation:%s? schema_version:%d description:%s mutates:%i "
                     "input:%p output:%p mcp:%p examples:%p",
                     operation->module, operation->operation, AGENT_TOOLS_SCHEMA_VERSION,
                     operation->tool.summary, operation_mutates(operation), input_schema(operation),
                     operation_data_schema(operation), mcp, manual_examples(operation));
}
