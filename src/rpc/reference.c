/* See reference.h. */
#include "rpc/reference.h"

#include "base/field_reference.h"
#include "conversation/session_commands.h"
#include "rpc/door_commands.h"

static const char head[] =
    "# Commands of `kedge --mode rpc`\n\n"
    "<!-- made by: kedge rpc --reference -->\n\n"
    "A program starts `kedge --mode rpc`, writes one JSON object a line to its standard input, and "
    "reads one a line from its\n"
    "standard output. The first is `{\"type\":\"ready\"}`. A command is `{\"id\":\"1\",\"type\":"
    "\"get_state\"}` with its fields beside; its answer\n"
    "has the same `id`: "
    "`{\"id\":\"1\",\"type\":\"response\",\"command\":\"get_state\",\"success\":true,"
    "\"data\":{…}}`, or `\"success\":false` and\n"
    "`\"error\"`. Everything else that comes is an event. A prompt is answered at once, and its "
    "run "
    "ends with the event `agent_end`.\n\n"
    "Commands are carried out in the order in which they come; those marked *at once* also while "
    "another takes its time. When the\n"
    "input ends, what runs is stopped and the program ends. [embedding.md](embedding.md) shows "
    "clients that need no knowledge of this.\n\n"
    "**The end of a prompt.** One `agent_end`, after whatever follows of itself: other attempts, "
    "repairs, summaries. After it comes\n"
    "`{\"type\":\"prompt_result\",\"id\":\"1\",\"agentInvoked\":true,\"status\":"
    "\"completed\",\"sessionSettled\":true}`, from which on the next prompt is taken:\n\n"
    "| field | is |\n|---|---|\n"
    "| `id` | that of the command `prompt`, `continue` or `abort_and_prompt`; left out where it "
    "had "
    "none |\n"
    "| `agentInvoked` | false: it ended before a run began, without a key, say |\n"
    "| `status` | `completed`, `aborted` or `error` |\n"
    "| `error` | with `error` only: `{\"message\":\"…\",\"retryable\":false}`, since what could be "
    "tried again was |\n"
    "| `sessionSettled` | false: something else runs still; `{\"type\":\"session_settled\"}` comes "
    "when it has ended |\n";

static const char door_head[] =
    "\n# Of the connection itself\n\n"
    "Answers to `extension_ui_request` and `host_tool_call` get no response.\n";

static const char at_once[] = " *At once.*";
static const char asking[] = " When it has to ask, the dialog comes first and the answer after it.";

static void append_command(GString *out, const char *name, const char *help, const char *when,
                           const FieldDef *fields)
{
    g_string_append_printf(out, "\n## %s\n\n%s.%s\n", name, help, when);
    field_reference_append(out, fields);
}

char *rpc_reference_markdown(void)
{
    g_autoptr(GString) out = g_string_new(head);
    for (const SessionCommand *command = session_commands(); command->name; command++)
        append_command(out, command->name, command->help, command->is_urgent ? at_once : "",
                       command->fields);
    g_string_append(out, door_head);
    for (const DoorCommand *command = rpc_door_commands(); command->name; command++)
        append_command(out, command->name, command->help, command->is_asking ? asking : at_once,
                       command->fields);
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* The arguments, with what every command has. */
static json_t *command_schema(const char *name, const char *help, const FieldDef *fields)
{
    json_t *schema = field_schema(fields);
    json_t *type = json_object(), *properties = json_object();
    json_set_text(type, "const", name);
    json_set_take(properties, "type", type);
    if (!field_find(fields, "id")) {
        json_set_take(properties, "id", json_make("type:%s", "string"));
    }
    json_object_update(properties, json_get_object(schema, "properties"));
    json_set_take(schema, "properties", properties);
    json_t *required = json_get_array(schema, "required");
    if (!required) {
        required = json_array();
        json_set_take(schema, "required", required);
    }
    json_array_insert_new(required, 0, json_text("type"));
    json_set_text(schema, "description", help);
    json_object_del(schema, "additionalProperties"); // what is not known is passed over
    return schema;
}

json_t *rpc_reference_schema(void)
{
    json_t *choices = json_array();
    for (const SessionCommand *command = session_commands(); command->name; command++)
        json_append_take(choices, command_schema(command->name, command->help, command->fields));
    for (const DoorCommand *command = rpc_door_commands(); command->name; command++)
        json_append_take(choices, command_schema(command->name, command->help, command->fields));
    json_t *schema = json_object();
    json_set_text(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_add(schema, "title:%s oneOf:%p", "A line to kedge --mode rpc", choices);
    return schema;
}
