/*
 * What the operations say of themselves (agent-tools-cli §1.5, §1.6): help texts, the list, and the
 * JSON Schemas, all from the OperationDef tables. Pure.
 *
 * `operations` are NULL-terminated arrays in the order of agent-tools-cli §1.1. Callers free texts;
 * JSON values are new references.
 */
#pragma once

#include "agenttools/operation.h"

#define AGENT_TOOLS_SCHEMA_VERSION 1

extern const FieldDef manual_common_options[]; // agent-tools-cli §1.8; offsets mean nothing

/* "task create", "emit". */
char *manual_name(const OperationDef *operation);

char *manual_help_root(const OperationDef *const *operations);
char *manual_help_module(const OperationDef *const *operations, const char *module);
char *manual_help_operation(const OperationDef *operation);

json_t *manual_list(const OperationDef *const *operations); // `data` of --list
json_t *manual_schema(const OperationDef *operation);       // `data` of --schema
json_t *manual_version(void);                               // `data` of --version

/* NULL when the module has none of that name (`operation` NULL: the module itself). */
const OperationDef *manual_find(const OperationDef *const *operations, const char *module,
                                const char *operation);
bool manual_has_module(const OperationDef *const *operations, const char *module);
const char *manual_module_summary(const char *module); // "" when there is none of that name
/* "create, list, …". */
char *manual_operation_names(const OperationDef *const *operations, const char *module);
/* The module whose name is nearest, or NULL. Borrowed. */
const char *manual_nearest_module(const OperationDef *const *operations, const char *name);
