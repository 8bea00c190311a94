/*
 * Operations of `kedge agent-tools` (agent-tools-cli §1): each is a ToolDef on the spine that
 * answers with an envelope (answer.h). One OperationDef drives validation, --help, --schema, --list
 * and MCP.
 *
 * A definition ends its file and looks like this:
 *
 *   const OperationDef operation_task_get = {
 *       .tool = OPERATION_TOOL(get, GetArgs, 0, .name = "task_get", .label = "Queue task",
 *                              .summary = "Show one queue task"),
 *       OPERATION_PARTS(get, "task", "get", get_output), …
 *   };
 *
 * and is one line of src/tool_table.c. run() is a plain function on a worker; it blocks and obeys
 * call->cancel, which also fires when the operation's time is over.
 */
#pragma once

#include "agenttools/answer.h"
#include "tool/tool.h"

typedef struct OperationCall { // of the running operation; all borrowed
    ToolCall *tool_call;       // tool_call_now_ms() is the time
    Cancel *cancel;
    const char *cwd;
    const Settings *settings;
} OperationCall;

typedef struct OperationExample {
    const char *command; // a shell line that runs; shown by --help
    const char *input;   // JSON text, for --schema
    const char *output;  // JSON text of `data`
} OperationExample;

typedef enum { OUTPUT_OBJECT, OUTPUT_OBJECT_OR_NULL, OUTPUT_LIST } OutputShape;

typedef struct OperationDef {
    ToolDef tool;             // first: an operation is a tool
    const char *module;       // "github-pr"
    const char *operation;    // "submit-review"; NULL: what the module itself does
    const char *const *words; // fields that positional arguments fill, in order; a list field
                              // takes the rest; NULL: none
    const char *stdin_field; // field that raw standard input fills (agent-tools-cli §1.3 2c); NULL:
                             // JSON only
    const FieldDef *output;           // of `data`, for the schema and the help
    OutputShape shape;                // OUTPUT_LIST: `data` is an array of such objects
    const OperationExample *examples; // two at least; ends with one without a command
    const char *environment;          // --help: variables that count; NULL: none
    const char *changes; // --help: what it changes outside kedge's records; NULL: nothing
    int64_t timeout_ms;  // 0: 30 s
    int64_t (*extra_ms)(const void *args); // more time, that the arguments ask for; may be NULL
    bool (*run)(OperationCall *call, const void *args, Answer *answer, GError **error);
} OperationDef;

#define OPERATION_FLAGS (TOOL_ENVELOPE | TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_HIDDEN)
#define OPERATION_HOOKS                                                                            \
    .run = operation_run, .refused = operation_refused, .output_schema = operation_output_schema
/* The tool of an operation whose fields are `name`_fields and whose arguments are an `args_type`;
   it reads unless it says more. */
#define OPERATION_TOOL(name_, args_type, flags_, ...)                                              \
    {                                                                                              \
        .fields = name_##_fields, .args_size = sizeof(args_type),                                  \
        .flags = OPERATION_FLAGS | (flags_), OPERATION_HOOKS, __VA_ARGS__                          \
    }

/* What is named after the operation `name`: name_examples, name_run(). */
#define OPERATION_PARTS(name, module_, operation_, output_)                                        \
    .module = module_, .operation = operation_, .output = output_, .examples = name##_examples,    \
    .run = name##_run

/* ToolDef hooks of every operation. */
bool operation_run(ToolCall *call, const void *args, ToolResult *result, GError **error);
void operation_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result);
json_t *operation_output_schema(const ToolDef *tool); // of the envelope
/* JSON Schema of `data`. New reference. */
json_t *operation_data_schema(const OperationDef *self);

/* The operation whose tool this is; NULL when it is none. */
const OperationDef *operation_of(const ToolDef *tool);
/* False for one that changes nothing anywhere, kedge's records included (agent-tools-cli §1.1). */
bool operation_mutates(const OperationDef *self);

/* The envelope in the result of an operation's call; borrowed. */
const json_t *operation_envelope(const ToolResult *result);
