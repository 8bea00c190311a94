/* See role_text.h. */
#include "model/role_text.h"

#include "model/message.h"

#include <inttypes.h>

static bool is_role(const json_t *message, const char *role)
{
    return strcmp(message_role(message), role) == 0;
}

static void append_output(GString *text, const json_t *message)
{
    const char *output = json_get_text(message, "output");
    if (output && *output)
        g_string_append_printf(text, "```\n%s\n```", output);
    else
        g_string_append(text, "(no output)");
}

/* The output notice of agent-tools §1.4, for the one part that an execution can have. */
static void append_truncation(GString *text, const json_t *message)
{
    const json_t *cut = json_get_path(message, "meta.truncation");
    if (!json_is_object(cut)) {
        if (json_get_bool(message, "truncated", false))
            g_string_append(text, "\n\n[Output truncated]");
        return;
    }
    g_string_append(text, "\n\n[");
    message_append_truncation(text, cut);
    g_string_append_c(text, ']');
}

static char *execution_text(const json_t *message)
{
    GString *text = g_string_new(NULL);
    bool is_python = is_role(message, "pythonExecution");
    const char *source = json_get_text(message, is_python ? "code" : "command");
    source = source ? source : "";
    if (is_python) {
        g_string_append_printf(text, "Ran Python:\n```python\n%s\n```\n", source);
        const char *output = json_get_text(message, "output");
        g_string_append(text, output && *output ? "Output:\n" : "");
    } else {
        g_string_append_printf(text, "Ran `%s`\n", source);
    }
    append_output(text, message);
    gint64 code = json_get_int(message, "exitCode", 0);
    if (json_get_bool(message, "cancelled", false))
        g_string_append(text, is_python ? "\n\n(execution cancelled)" : "\n\n(command cancelled)");
    else if (code != 0)
        g_string_append_printf(text, "\n\n%s with code %" PRId64,
                               is_python ? "Execution failed" : "Command exited", code);
    append_truncation(text, message);
    return g_string_free(text, FALSE);
}

static char *summary_text(const json_t *message)
{
    const char *lead = is_role(message, "branchSummary")
                           ? "This is a summary of a branch that this conversation came back from:"
                           : "Another model began this work and left this summary to build on:";
    const char *summary = json_get_text(message, "summary");
    return g_strdup_printf("%s\n\n<summary>\n%s\n</summary>", lead, summary ? summary : "");
}

static json_t *file_blocks(const json_t *message)
{
    json_t *blocks = json_array();
    GString *text = g_string_new("<system-reminder>\n");
    json_each (json_get_array(message, "files"), i, file) {
        const char *path = json_get_text(file, "path");
        const char *content = json_get_text(file, "content");
        const char *skipped = json_get_text(file, "skippedReason");
        g_string_append_printf(text, "<file path=\"%s\">\n", path ? path : "");
        if ((!content || !*content) && skipped)
            g_string_append_printf(text, "(skipped: %s)", skipped);
        g_string_append_printf(text, "%s\n</file>\n", content ? content : "");
    }
    g_string_append(text, "</system-reminder>");
    json_append_take(blocks, message_text_block(text->str));
    g_string_free(text, TRUE);
    json_each (json_get_array(message, "files"), i, file) {
        json_t *image = json_get_object(file, "image");
        if (image)
            json_array_append(blocks, image);
    }
    return blocks;
}

json_t *role_text_blocks(const json_t *message)
{
    static const char *const plain[] = { "user", "developer", "custom", "hookMessage", NULL };
    const char *role = message_role(message);
    if (g_strv_contains(plain, role))
        return message_blocks(message);
    if (strcmp(role, "fileMention") == 0)
        return file_blocks(message);

    g_autofree char *text = NULL;
    if (strcmp(role, "bashExecution") == 0 || strcmp(role, "pythonExecution") == 0) {
        if (json_get_bool(message, "excludeFromContext", false))
            return NULL;
        text = execution_text(message);
    } else if (strcmp(role, "branchSummary") == 0 || strcmp(role, "compactionSummary") == 0) {
        text = summary_text(message);
    } else {
        return NULL; // a role of tomorrow
    }
    json_t *blocks = json_array();
    json_append_take(blocks, message_text_block(text));
    return blocks;
}
