/*
 * Line breaks of a body: a model, or a shell, often leaves `\n` where a line was to end, and GitHub
 * shows the two characters. Where they clearly mean one (text_body_lines()), the arguments of a
 * call get real line breaks before it is judged: a question shows what will be sent.
 */
#include "base/str.h"
#include "github/github.h"
#include "github/text.h"
#include "tool/hook.h"

static bool set_lines(json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    g_autofree char *lines = text ? text_body_lines(text) : NULL;
    if (lines)
        json_set_text(object, key, lines);
    return lines != NULL;
}

/* In an argument vector of gh: of `--body X`, `-b X`, `--body=X`, `--notes X`. */
static bool set_lines_of_flags(json_t *argv)
{
    static const char *const flags[] = { "--body", "-b", "--notes", NULL };
    bool is_changed = false, is_value = false;
    json_each (argv, i, item) {
        const char *text = json_string_value(item);
        bool is_joined = text && str_has_prefix(text, "--body=");
        g_autofree char *lines = text && (is_value || is_joined) ? text_body_lines(text) : NULL;
        is_changed = is_changed || lines;
        is_value = text && g_strv_contains(flags, text);
        if (lines)
            json_array_set_new(argv, i, json_text(lines));
    }
    return is_changed;
}

static bool body_lines_before(ToolCall *call, const json_t *arguments, json_t **ret_changed,
                              void *user_data G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
    static const char *const tools[] = { "github", "gh_review", "gh", NULL };
    if (!g_strv_contains(tools, tool_call_tool(call)->name))
        return true;
    g_autoptr(json_t) changed = json_deep_copy(arguments);
    bool is_changed = set_lines(changed, "body");
    json_each (json_get_array(changed, "comments"), i, comment)
        is_changed = set_lines(comment, "body") || is_changed;
    is_changed = set_lines_of_flags(json_get_array(changed, "args")) || is_changed;
    if (is_changed)
        *ret_changed = g_steal_pointer(&changed);
    return true;
}

const ToolHook gh_body_lines = { .name = "line breaks of a body", .before = body_lines_before };
