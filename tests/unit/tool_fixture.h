/*
 * Scaffolding for tests that call tools: a temporary directory, a context in it, and the call
 * itself.
 */
#pragma once

#include "unit.h"

#include "base/file.h"
#include "tool/call.h"
#include "tool/tool_set.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct ToolFixture {
    char *root; // temporary; holds `w`, `agent` and `session`
    char *cwd;  // root/w
    ToolContext *context;
    ToolSet *tools; // that there are beside the called one; NULL: nobody says
} ToolFixture;

/* JSON written with ' for ", which C does not have to escape. New reference. */
static inline json_t *json_of(const char *text)
{
    g_autofree char *proper = g_strdelimit(g_strdup(text), "'", '"');
    json_t *value = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(proper, &value, &error))
        fail_msg("%s: %s", text, error->message);
    return value;
}

/* `settings` as json_of(), or NULL. */
static inline ToolFixture *tool_fixture_new(const char *settings, bool has_artifacts)
{
    ToolFixture *self = g_new0(ToolFixture, 1);
    self->root = g_dir_make_tmp("kedge-tool-XXXXXX", NULL);
    self->cwd = g_build_filename(self->root, "w", NULL);
    assert_true(file_make_dirs(self->cwd, 0700, NULL));
    g_autofree char *session = g_build_filename(self->root, "session", NULL);
    g_autoptr(json_t) overrides = settings ? json_of(settings) : NULL;
    g_autoptr(Settings) merged = settings_new(overrides);
    self->context =
        tool_context_new(self->cwd, merged, has_artifacts ? artifacts_new(session) : NULL);
    return self;
}

static inline void tool_fixture_free(ToolFixture *self)
{
    tool_context_free(self->context);
    tool_set_unref(self->tools);
    assert_true(file_remove_tree(self->root, NULL));
    g_free(self->cwd);
    g_free(self->root);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ToolFixture, tool_fixture_free)

/* Takes the right to read what is below `name` from a test, also from one of root. Its user as it
   was: for tool_fixture_open(). */
static inline uid_t tool_fixture_close(const ToolFixture *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    uid_t user = geteuid();
    assert_int_equal(chmod(self->root, 0755), 0);
    assert_int_equal(chmod(self->cwd, 0755), 0);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(user == 0 ? seteuid(65534) : 0, 0);
    return user;
}

static inline void tool_fixture_open(const ToolFixture *self, const char *name, uid_t user)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    assert_int_equal(user == 0 ? seteuid(0) : 0, 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* A file below the working directory, with its parents. */
static inline void tool_fixture_put_bytes(const ToolFixture *self, const char *name,
                                          const char *data, size_t size)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(path, data, size, 0600, NULL));
}

static inline void tool_fixture_put(const ToolFixture *self, const char *name, const char *text)
{
    tool_fixture_put_bytes(self, name, text, strlen(text));
}

static const ToolDoor agent_door = { .kind = DOOR_AGENT };

/* Takes `arguments`. */
static inline void tool_fixture_call(const ToolFixture *self, const ToolDef *tool,
                                     json_t *arguments, ToolResult *ret_result)
{
    const ToolCallSpec spec = {
        .tool = tool,
        .arguments = arguments,
        .context = self->context,
        .door = &agent_door,
        .tools = self->tools,
    };
    tool_call(&spec, ret_result);
    json_decref(arguments);
}

/* The text of the result, which must not be an error. Caller frees. */
static inline char *tool_fixture_text(const ToolFixture *self, const ToolDef *tool,
                                      json_t *arguments)
{
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(self, tool, arguments, &result);
    char *text = tool_result_text(&result);
    if (result.is_error)
        fail_msg("%s fails: %s", tool->name, text);
    return text;
}

/* The text of the error that must come. Caller frees. */
static inline char *tool_fixture_error(const ToolFixture *self, const ToolDef *tool,
                                       json_t *arguments)
{
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(self, tool, arguments, &result);
    char *text = tool_result_text(&result);
    if (!result.is_error)
        fail_msg("%s does not fail: %s", tool->name, text);
    return text;
}

static inline void assert_text(const char *name, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("%s:\n--- got\n%s\n--- want\n%s\n---", name, got, want);
}

static inline void assert_contains(const char *name, const char *got, const char *part)
{
    if (!strstr(got, part))
        fail_msg("%s:\n--- got\n%s\n--- lacks\n%s\n---", name, got, part);
}
