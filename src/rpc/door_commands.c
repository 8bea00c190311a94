/* See door_commands.h. */
#include "rpc/door_commands.h"

#include "base/path.h"
#include "conversation/session_commands.h"
#include "export/export.h"
#include "rpc/dialogs.h"
#include "rpc/logins.h"

typedef struct DoorArgs { // of all: each has some of them
    bool is_full, is_fast;
    const json_t *tools;
    const char *output_path, *provider, *key;
} DoorArgs;

static const FieldDef detail_fields[] = {
    { "fullUpdates", FIELD_BOOLEAN, offsetof(DoorArgs, is_full), .is_required = true,
      .help = "Each message_update carries the message so far" },
    { 0 },
};

static const FieldDef fast_fields[] = {
    { "enabled", FIELD_BOOLEAN, offsetof(DoorArgs, is_fast), .is_required = true,
      .help = "The service tier priority, which costs more" },
    { 0 },
};

static const FieldDef tool_fields[] = {
    { "name", FIELD_STRING, .is_required = true, .help = "Letters, digits, _ and -" },
    { "label", FIELD_STRING, .help = "For people" },
    { "description", FIELD_STRING, .is_required = true, .help = "For the model" },
    { "parameters", FIELD_OBJECT, .is_required = true, .help = "JSON Schema of an object" },
    { 0 },
};

static const FieldDef host_tools_fields[] = {
    { "tools", FIELD_OBJECT_LIST, offsetof(DoorArgs, tools), .item_fields = tool_fields,
      .is_required = true, .help = "They replace those that were set before" },
    { 0 },
};

static const FieldDef export_fields[] = {
    { "outputPath", FIELD_STRING, offsetof(DoorArgs, output_path), .refuses_blank = true,
      .help = "Of the page; by default kedge-session-NAME.html in the working directory" },
    { 0 },
};

static const FieldDef no_fields[] = { { 0 } };
static const FieldDef login_fields[] = {
    { "providerId", FIELD_STRING, offsetof(DoorArgs, provider), .is_required = true,
      .help = "One of get_login_providers" },
    { "apiKey", FIELD_STRING, offsetof(DoorArgs, key),
      .help = "Left out: it is asked for with the dialog input" },
    { 0 },
};

static const FieldDef dialog_fields[] = {
    { "id", FIELD_STRING, .is_required = true, .help = "Of the extension_ui_request" },
    { "confirmed", FIELD_BOOLEAN, .help = "Of a confirm" },
    { "digest", FIELD_STRING,
      .help = "That of a confirm, as it was shown: with another one the answer is none" },
    { "value", FIELD_STRING, .help = "Of a select, an input, an editor" },
    { "cancelled", FIELD_BOOLEAN, .help = "Nobody answered" },
    { 0 },
};

static const FieldDef host_update_fields[] = {
    { "id", FIELD_STRING, .is_required = true, .help = "Of the host_tool_call" },
    { "partialResult", FIELD_OBJECT, .help = "{\"content\": [blocks], \"details\": {}}" },
    { 0 },
};

static const FieldDef host_result_fields[] = {
    { "id", FIELD_STRING, .is_required = true, .help = "Of the host_tool_call" },
    { "result", FIELD_OBJECT, .help = "{\"content\": [blocks], \"details\": {}}" },
    { "isError", FIELD_BOOLEAN, .help = "The call has failed" },
    { 0 },
};

#define DOOR(name)                                                                                 \
    static bool run_##name(RpcLink *link G_GNUC_UNUSED, HostTools *tools G_GNUC_UNUSED,            \
                           const void *args_ G_GNUC_UNUSED, const json_t *frame G_GNUC_UNUSED,     \
                           json_t **ret_data G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)

DOOR(set_event_detail)
{
    const DoorArgs *args = args_;
    event_hub_set_detail(agent_session_events(link->session), link->subscription,
                         args->is_full ? DETAIL_WHOLE : DETAIL_DELTAS);
    return true;
}

DOOR(set_fast_mode)
{
    const DoorArgs *args = args_;
    const char *tier = args->is_fast ? "priority" : "none";
    if (!agent_session_set_service_tier(link->session, tier, error))
        return false;
    *ret_data = json_make("enabled:%i active:%i", args->is_fast, args->is_fast);
    return true;
}

DOOR(set_host_tools)
{
    const DoorArgs *args = args_;
    json_t *names = NULL;
    if (!host_tools_set(tools, args->tools, &names, error))
        return false;
    *ret_data = json_object();
    json_set_take(*ret_data, "toolNames", names);
    return true;
}

/* Of the file as it is: what a run that is on has not written yet is not in it. */
DOOR(export_html)
{
    const DoorArgs *args = args_;
    g_autoptr(json_t) state = agent_session_state(link->session);
    const char *path = json_get_text(state, "sessionFile");
    if (!path)
        return fail_with(error, KEDGE_ERROR_USAGE, "Cannot export in-memory session to HTML");
    if (agent_session_is_idle(link->session) && !agent_session_flush(link->session, error))
        return false;
    g_autofree char *name =
        args->output_path ? path_expand_home(args->output_path) : export_default_name(path);
    g_autofree char *target = path_absolute(name, NULL);
    g_autofree char *prompt = agent_session_system_prompt(link->session);
    if (!export_file(path, prompt, json_get_array(state, "dumpTools"), target, error))
        return false;
    *ret_data = json_object();
    json_set_text(*ret_data, "path", target);
    return true;
}

DOOR(get_login_providers)
{
    *ret_data = rpc_logins_providers(link->logins);
    return true;
}

DOOR(login)
{
    const DoorArgs *args = args_;
    return rpc_logins_login(link->logins, args->provider, args->key, json_object_get(frame, "id"),
                            ret_data, error);
}

DOOR(extension_ui_response)
{
    if (!rpc_logins_answer(link->logins, frame))
        rpc_dialogs_answer(link, frame);
    return true;
}

DOOR(host_tool_update)
{
    host_tools_update(tools, frame);
    return true;
}

DOOR(host_tool_result)
{
    host_tools_result(tools, frame);
    return true;
}

static const DoorCommand commands[] = {
    { "set_event_detail", "How much message_update says", detail_fields,
      .run = run_set_event_detail },
    { "set_fast_mode", "Saves the setting serviceTier, which counts from the next run on",
      fast_fields, .run = run_set_fast_mode },
    { "set_host_tools", "Tools that the client carries out", host_tools_fields,
      .run = run_set_host_tools },
    { "export_html", "Writes the session as one HTML file that loads nothing, all branches in it",
      export_fields, .run = run_export_html },
    { "get_login_providers", "Providers, and where the key of each comes from", no_fields,
      .run = run_get_login_providers },
    { "login", "Stores a provider's key", login_fields, .is_asking = true, .run = run_login },
    { "extension_ui_response", "The answer to a dialog", dialog_fields, .is_answer = true,
      .run = run_extension_ui_response },
    { "host_tool_update", "How a host tool's call gets on", host_update_fields, .is_answer = true,
      .run = run_host_tool_update },
    { "host_tool_result", "The result of a host tool's call", host_result_fields, .is_answer = true,
      .run = run_host_tool_result },
    { 0 },
};

const DoorCommand *rpc_door_commands(void)
{
    return commands;
}

const DoorCommand *rpc_door_command_find(const char *name)
{
    for (const DoorCommand *command = commands; command->name; command++) {
        if (g_str_equal(command->name, name))
            return command;
    }
    return NULL;
}

bool rpc_door_command_run(const DoorCommand *command, RpcLink *link, HostTools *tools,
                          const json_t *frame, json_t **ret_data, GError **error)
{
    DoorArgs args = { 0 };
    g_autoptr(json_t) kept = NULL;
    if (!command->is_answer &&
        !session_command_decode(command->name, command->fields, frame, &args, &kept, error))
        return false;
    return command->run(link, tools, &args, frame, ret_data, error);
}
