/*
 * Fuzz target: the command line of `kedge github`. The input is an argument vector, one element a
 * line; it goes through the flags, the decoder, the gate and the operation's own checks. PATH is
 * empty, so that no process is ever started: whatever passes the checks ends with "not installed".
 */
#include "github/github.h"
#include "tool/call.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static ToolContext *context_new(void)
{
    g_setenv("PATH", "/nonexistent", TRUE);
    g_autoptr(json_t) no_audit = json_pack("{s:{s:{s:b}}}", "gh", "audit", "enabled", 0);
    g_autoptr(Settings) settings = settings_new(no_audit);
    return tool_context_new("/", settings, NULL);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static ToolContext *context;
    if (!context)
        context = context_new();
    g_autofree char *text = g_strndup((const char *)data, size);
    g_auto(GStrv) argv = g_strsplit(text, "\n", 64);
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    if (!field_from_argv(tool_github.fields, (int)g_strv_length(argv), argv, &arguments, words,
                         NULL, NULL))
        return 0;
    if (words->len == 1)
        json_set_text(arguments, "op", words->pdata[0]);

    const ToolDoor door = { .kind = DOOR_DIRECT, .allow_writes = true };
    const ToolCallSpec spec = {
        .tool = &tool_github, .arguments = arguments, .context = context, .door = &door
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    g_assert(json_array_size(result.content) > 0);
    return 0;
}
