/*
 * Scaffolding for the tests of the tools (tool_fixture.h).
 */
#include "tool_fixture.h"

ToolFixture tool_fixture_new(const char *overrides, bool has_artifacts)
{
    ToolFixture self = { .root = g_dir_make_tmp("kedge-tool-XXXXXX", NULL) };
    assert_non_null(self.root);
    self.cwd = g_build_filename(self.root, "work", NULL);
    assert_true(file_make_dirs(self.cwd, 0700, NULL));

    g_autoptr(json_t) values = NULL;
    if (overrides)
        assert_true(json_parse_text(overrides, &values, NULL));
    g_autoptr(Settings) settings = settings_new(values);
    g_autofree char *session = g_build_filename(self.root, "session", NULL);
    self.context =
        tool_context_new(self.cwd, settings, has_artifacts ? artifacts_new(session) : NULL);
    return self;
}

void tool_fixture_clear(ToolFixture *self)
{
    tool_context_free(self->context);
    assert_true(file_remove_tree(self->root, NULL));
    g_free(self->cwd);
    g_free(self->root);
}

void tool_fixture_write(const ToolFixture *self, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

char *tool_fixture_read(const ToolFixture *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

ToolResult tool_fixture_call(const ToolFixture *self, const ToolDef *tool, const char *arguments,
                             Cancel *cancel)
{
    g_autoptr(json_t) decoded = NULL;
    assert_true(json_parse_text(arguments, &decoded, NULL));
    const ToolDoor door = { .kind = DOOR_AGENT, .allow_writes = true };
    const ToolCallSpec spec = {
        .tool = tool,
        .arguments = decoded,
        .context = self->context,
        .door = &door,
        .cancel = cancel,
    };
    ToolResult result = { 0 };
    tool_call(&spec, &result);
    return result;
}

char *tool_fixture_text(const ToolFixture *self, const ToolDef *tool, const char *arguments,
                        bool is_error)
{
    g_auto(ToolResult) result = tool_fixture_call(self, tool, arguments, NULL);
    char *text = tool_result_text(&result);
    if (result.is_error != is_error)
        fail_msg("%s %s: %s: '%s'", tool->name, arguments,
                 is_error ? "no error" : "unexpected error", text);
    return text;
}
