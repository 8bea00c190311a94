/*
 * Lines of clients that drive kedge: what RPC makes of a line's arguments, and what the Agent
 * Client Protocol makes of its prompt; a message of the past is shown too. One line an input, no
 * conversation behind it.
 */
#include "acp/acp_content.h"
#include "base/jsonrpc.h"
#include "conversation/session_commands.h"
#include "model/message.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is said to a client is JSON, whatever it sent. */
static void check_sendable(const json_t *value)
{
    g_autofree char *text = json_to_text(value);
    g_autoptr(json_t) again = NULL;
    if (!json_parse_text(text, &again, NULL) || !json_equal(value, again))
        abort();
}

static void check_problem(const GError *error)
{
    if (!error_is(error, KEDGE_ERROR_USAGE) || !g_utf8_validate(error->message, -1, NULL))
        abort();
}

static void check_command(const json_t *line)
{
    const char *name = json_get_text(line, "type");
    const SessionCommand *row = session_commands();
    while (row->name && g_strcmp0(row->name, name) != 0)
        row++;
    if (!row->name)
        return;
    g_autofree void *args = g_malloc0(MAX(row->args_size, 1));
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    if (!session_command_decode(name, row->fields, line, args, &kept, &error))
        check_problem(error);
}

static void check_prompt(const json_t *line)
{
    const json_t *params = json_get_object(line, "params");
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) message = acp_prompt_message(json_get_array(params, "prompt"), &error);
    if (!message) {
        check_problem(error);
        return;
    }
    if (g_strcmp0(message_role(message), "user") != 0)
        abort();
    check_sendable(message);
    g_autoptr(json_t) shown = acp_replay(message);
    check_sendable(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(json_t) line = NULL;
    if (!json_parse((const char *)data, size, &line, NULL))
        return 0;
    if (jsonrpc_classify(line) == JSONRPC_REQUEST) {
        g_autoptr(json_t) answer = jsonrpc_result(json_object_get(line, "id"), json_incref(line));
        if (jsonrpc_classify(answer) != JSONRPC_RESPONSE)
            abort();
    }
    check_command(line);
    check_prompt(line);
    return 0;
}
