/*
 * Reading issue://, pr:// and run:// through a tool of the test's own, whose text is the content
 * alone; the notes are in its details.
 */
#pragma once

#include "gh_fixture.h"

#include "github/view_cache.h"

typedef struct ItemFixtureArgs {
    const char *path;
} ItemFixtureArgs;

static const FieldDef item_fixture_fields[] = {
    { "path", FIELD_STRING, offsetof(ItemFixtureArgs, path), .is_required = true },
    { 0 },
};

static inline bool item_fixture_judge(ToolCall *call, const void *args, Judgement *ret_judgement,
                                      GError **error)
{
    return internal_url_judge(call, ((const ItemFixtureArgs *)args)->path, ret_judgement, error);
}

static inline bool item_fixture_run(ToolCall *call, const void *args, ToolResult *result,
                                    GError **error)
{
    g_auto(UrlResource) resource = { 0 };
    if (!internal_url_resolve(call, ((const ItemFixtureArgs *)args)->path, &resource, error))
        return false;
    tool_result_add_text(result, resource.content);
    if (!internal_url_illustrate(call, ((const ItemFixtureArgs *)args)->path, &resource, result,
                                 error))
        return false;
    g_autoptr(GString) notes = g_string_new(NULL);
    for (unsigned i = 0; resource.notes && i < resource.notes->len; i++)
        g_string_append_printf(notes, "%s%s", i > 0 ? "|" : "",
                               (const char *)resource.notes->pdata[i]);
    json_set_text(tool_result_details(result), "notes", notes->str);
    json_set_text(tool_result_details(result), "type", resource.content_type);
    if (resource.github)
        json_object_set(tool_result_details(result), "github", resource.github);
    origin_copy(&result->origin, &resource.origin);
    return true;
}

static const ToolDef item_fixture_tool = {
    .name = "read",
    .summary = "Read",
    .effect = EFFECT_READ,
    .judge = item_fixture_judge,
    .flags = TOOL_KEEPS_TEXT,
    .fields = item_fixture_fields,
    .args_size = sizeof(ItemFixtureArgs),
    .run = item_fixture_run,
};

/* `token` NULL: nobody is logged in, and nothing is kept. */
static inline GhFixture *item_fixture_new(const char *token)
{
    GhFixture *self = gh_fixture_new();
    self->tool = &item_fixture_tool;
    gh_fixture_set_origin(self, GH_FIXTURE_ORIGIN);
    g_unsetenv("KEDGE_GITHUB_CACHE_DB");
    g_unsetenv("OMP_GITHUB_CACHE_DB");
    if (token)
        g_setenv("GH_TOKEN", token, true);
    return self;
}

static inline ToolResult item_fixture_read(GhFixture *self, const char *url)
{
    g_autoptr(json_t) arguments = json_object();
    json_set_text(arguments, "path", url);
    g_autofree char *text = json_to_text(arguments);
    return gh_fixture_call(self, text);
}

static inline void item_expect_notes(const char *name, const ToolResult *result, const char *want)
{
    const char *got = json_get_text(result->details, "notes");
    if (g_strcmp0(got, want) != 0)
        fail_msg("%s: notes: got\n%s\nwant\n%s", name, got ? got : "(none)", want);
}

/* A file of tests/data/github. Caller frees. */
static inline char *item_fixture_data(const char *name)
{
    g_autofree char *path = g_build_filename(TEST_DATA_DIR, "github", name, NULL);
    char *data = NULL;
    if (!g_file_get_contents(path, &data, NULL, NULL))
        fail_msg("cannot read %s", path);
    return data;
}
