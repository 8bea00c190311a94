/*
 * `kedge rpc`: what a program may say to `kedge --mode rpc`.
 */
#include "rpc/reference.h"

#include "cmd/cli/commands.h"

typedef struct RpcPrint {
    bool is_schema, is_reference;
} RpcPrint;

static const FieldDef rpc_options[] = {
    { "reference", FIELD_BOOLEAN, offsetof(RpcPrint, is_reference),
      .help = "Print the commands as a page of Markdown (the default)" },
    { "schema", FIELD_BOOLEAN, offsetof(RpcPrint, is_schema),
      .help = "Print the JSON Schema of a command" },
    { 0 },
};

static int rpc_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    RpcPrint options = { 0 };
    if (!cmd_decode_options(rpc_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (!options.is_schema) {
        g_autofree char *page = rpc_reference_markdown();
        return cmd_print(page) ? EXIT_OK : EXIT_FAILED;
    }
    g_autoptr(json_t) schema = rpc_reference_schema();
    g_autofree char *text = json_to_pretty(schema);
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

const Command command_rpc = {
    .name = "rpc",
    .summary = "Describe the commands that `kedge --mode rpc` takes",
    .usage = "[options]",
    .options = rpc_options,
    .run = rpc_run,
};
