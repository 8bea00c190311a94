/*
 * The input of `kedge agent-tools`: flags, positional arguments, and JSON or raw text on standard
 * input (agent-tools-cli §1.3, §1.8).
 */
#pragma once

#include "agenttools/operation.h"

typedef struct AgentToolsInput {
    json_t *arguments; // object for tool_call()
    bool is_compact, has_meta, is_strict, is_verbose, wants_schema;
    int64_t timeout_ms; // 0: the operation's own
} AgentToolsInput;

void agent_tools_input_clear(AgentToolsInput *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AgentToolsInput, agent_tools_input_clear)

/* Reads them all; standard input only where agent-tools-cli §1.3 says so. Changes the directory for
   --cwd. Errors of answer_error(). On failure what was read of the common options is set, for
   printing. */
bool agent_tools_input_read(const OperationDef *operation, int argc, char *const *argv,
                            AgentToolsInput *ret_input, GError **error);
