/*
 * Hooks of tool_call(), and tools that a JSON Schema describes (common §4.4, §5).
 */
#include "base/str.h"
#include "tool_probe.h"

#include "tool/hook.h"
#include "tool/tool_set.h"

/* Hooks that do as the probe's `path` says, and note what they saw. */
static char *seen_before; // JSON text of the last arguments

static bool hook_before(ToolCall *call G_GNUC_UNUSED, const json_t *arguments, json_t **ret_changed,
                        void *user_data, GError **error)
{
    g_free(seen_before);
    seen_before = json_to_text(arguments);
    const char *path = json_get_text(arguments, "path");
    if (g_strcmp0(path, "stop") == 0)
        return fail_with(error, KEDGE_ERROR_DENIED, "not today: %s", (const char *)user_data);
    if (g_strcmp0(path, "change") == 0)
        *ret_changed = json_of("{'path':'changed','count':'2','mode':'destructive'}");
    if (g_strcmp0(path, "spoil") == 0)
        *ret_changed = json_of("{'count':2}");
    if (g_strcmp0(path, "smuggle") == 0)
        *ret_changed = json_of("{'path':'a','made_up':2}");
    return true;
}

static void hook_after(ToolCall *call G_GNUC_UNUSED, ToolResult *result, void *user_data)
{
    g_autofree char *text = tool_result_text(result);
    json_array_clear(result->content);
    g_autofree char *changed = g_strconcat(text, user_data, "\x1b[31m!", NULL);
    tool_result_add_text(result, changed);
}

static const ToolHook first = { "first", hook_before, hook_after, (void *)"A" };
static const ToolHook second = { .name = "second", .after = hook_after, .user_data = (void *)"B" };
static const ToolHook *const hooks[] = { &first, &second, NULL };

static void test_hooks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *seen, *want;
        KedgeError failure; // with is_error
        bool is_error;
        int runs;
    } cases[] = {
        { "tools-T99: each sees what the one before made; controls go out after them",
          "{'path':'a'}", "{\"path\":\"a\"}", "aA!B!", 0, false, 1 },
        { "what was given, as it was understood, without defaults", "{'path':'a','count':'2'}",
          "{\"path\":\"a\",\"count\":2}", "a\naA!B!", 0, false, 1 },
        { "a call that is stopped does not run, and nobody is asked",
          "{'path':'stop','mode':'unknown'}", NULL, "not today: A", KEDGE_ERROR_DENIED, true, 0 },
        { "changed arguments are judged anew", "{'path':'change'}", NULL,
          "refused: probe (touches changed): ", KEDGE_ERROR_DENIED, true, 0 },
        { "and checked anew", "{'path':'spoil'}", NULL,
          "(changed by first) Validation failed for tool \"probe\":\n  - path: must have",
          KEDGE_ERROR_USAGE, true, 0 },
        { "a hook is no model: what it makes up is refused", "{'path':'smuggle'}", NULL,
          "(changed by first) Validation failed for tool \"probe\":\n  - made_up: unknown field",
          KEDGE_ERROR_USAGE, true, 0 },
        { "a failed call has its result changed, too", "{'path':'a','fails':true}", NULL,
          "too slowA!B!", KEDGE_ERROR_TIMEOUT, true, 1 },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_context_add_hooks(fixture->context, hooks);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        seen.runs = 0;
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { &probe, cases[i].arguments, { .kind = DOOR_AGENT } };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        if (!str_has_prefix(text, cases[i].want))
            fail_msg("%s: %s", cases[i].name, text);
        if (cases[i].seen)
            assert_text(cases[i].name, seen_before, cases[i].seen);
        assert_int_equal(result.is_error, cases[i].is_error);
        assert_int_equal(result.failure, cases[i].failure);
        assert_int_equal(seen.runs, cases[i].runs);
    }
    g_clear_pointer(&seen_before, g_free);
}

// ---- added and taken away ----

typedef struct Note {
    GString *text;
    HookList *list;
    unsigned number, other; // `other`: taken away by the hook before; 0: none is
    int freed;
} Note;

static bool note_before(ToolCall *call G_GNUC_UNUSED, const json_t *arguments G_GNUC_UNUSED,
                        json_t **ret_changed G_GNUC_UNUSED, void *note_,
                        GError **error G_GNUC_UNUSED)
{
    Note *note = note_;
    g_string_append_printf(note->text, "<%u", note->number);
    if (note->other)
        hook_list_remove(note->list, note->other);
    return true;
}

static void note_after(ToolCall *call G_GNUC_UNUSED, ToolResult *result G_GNUC_UNUSED, void *note_)
{
    const Note *note = note_;
    g_string_append_printf(note->text, "%u>", note->number);
}

static void note_freed(void *note_)
{
    Note *note = note_;
    note->freed++;
}

static void expect_noted(ToolFixture *fixture, GString *text, const char *want)
{
    g_auto(ToolResult) result = { 0 };
    const Setup setup = { &probe, "{'path':'a'}", { .kind = DOOR_AGENT } };
    g_string_truncate(text, 0);
    call(fixture, &setup, &result);
    assert_string_equal(text->str, want);
}

static void test_added_and_removed(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Note notes[3] = { 0 }; // there until the context, which counts in them, is freed
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    HookList *list = tool_context_hooks(fixture->context);
    for (size_t i = 0; i < G_N_ELEMENTS(notes); i++) {
        notes[i] = (Note) { .text = text, .list = list };
        const ToolHook hook = { "note", note_before, note_after, &notes[i] };
        notes[i].number = hook_list_add(list, &hook, note_freed);
        assert_int_equal(notes[i].number, i + 1);
    }
    expect_noted(fixture, text, "<1<2<31>2>3>");
    hook_list_remove(list, 2);
    assert_int_equal(notes[1].freed, 1);
    hook_list_remove(list, 2); // once more is nothing
    hook_list_remove(list, 77);
    expect_noted(fixture, text, "<1<31>3>");
    // the call that is on keeps it to its end, and then it is freed
    notes[0].other = 3;
    expect_noted(fixture, text, "<1<31>3>");
    assert_int_equal(notes[2].freed, 1);
    expect_noted(fixture, text, "<11>");
    // one that is added again comes last, with another number
    notes[0].other = 0;
    const ToolHook hook = { "note", note_before, NULL, &notes[1] };
    notes[1].number = hook_list_add(list, &hook, NULL);
    assert_int_equal(notes[1].number, 4);
    expect_noted(fixture, text, "<1<41>");
    assert_int_equal(notes[0].freed, 0);
}

static void note_paths(ToolCall *call, const GPtrArray *paths, void *text_)
{
    GString *text = text_;
    assert_non_null(tool_call_permit(call)); // judged and allowed
    for (unsigned i = 0; i < paths->len; i++)
        g_string_append_printf(text, "%s ", (const char *)paths->pdata[i]);
    g_string_append_printf(text, "%d;", seen.runs);
}

/* What a call is about to touch is known before it touches it; reads and refused calls touch
   nothing. */
static void test_starts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'path':'a/../b.c','mode':'write'}", "CWD/b.c 0;" },
        { "{'path':'/tmp/x','mode':'write'}", "/tmp/x 0;" },
        { "{'path':'local://plan.md','mode':'write'}", "local://plan.md 0;" },
        { "{'path':'a'}", "" },
        { "{'path':'a','mode':'blocked'}", "" },
    };
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    const ToolHook hook = { .name = "keeper", .starts = note_paths, .user_data = text };
    hook_list_add(tool_context_hooks(fixture->context), &hook, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        seen.runs = 0;
        g_string_truncate(text, 0);
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { &probe,
                              cases[i].arguments,
                              { .kind = DOOR_AGENT, .allow_writes = true } };
        call(fixture, &setup, &result);
        g_string_replace(text, tool_context_cwd(fixture->context), "CWD", 0);
        assert_text(cases[i].arguments, text->str, cases[i].want);
    }
}

// ---- a tool made while the program runs ----

static bool remote_run(ToolCall *call_, const void *args, ToolResult *result,
                       GError **error G_GNUC_UNUSED)
{
    g_autofree char *text = json_to_text(args);
    const char *owner = tool_call_tool(call_)->user_data;
    g_autofree char *line = g_strdup_printf("%s %s", owner, text);
    tool_result_add_text(result, line);
    return true;
}

static DynamicTool *remote_new(const char *name, const char *schema_text, unsigned flags)
{
    g_autoptr(json_t) schema = json_of(schema_text);
    g_autofree char *own_name = g_strdup(name); // gone when the call comes
    const ToolDef def = {
        .name = own_name,
        .description = "Does it elsewhere",
        .flags = flags,
        .schema = schema,
        .user_data = g_strdup("files"),
        .run = remote_run,
    };
    DynamicTool *tool = NULL;
    g_autoptr(GError) error = NULL;
    if (!dynamic_tool_new(&def, g_free, &tool, &error))
        fail_msg("%s", error->message);
    return tool;
}

static void test_dynamic_calls(void **state G_GNUC_UNUSED)
{
    static const char open[] =
        "{'type':'object','required':['path'],'properties':{'path':{'type':'string'},"
        "'depth':{'type':'integer'}}}";
    static const char closed[] =
        "{'type':'object','properties':{'path':{'type':'string'}},'additionalProperties':false}";
    static const struct {
        const char *name, *schema, *arguments, *want;
        unsigned flags;
        bool is_error;
    } cases[] = {
        { "the arguments as they are, coerced", open, "{'path':'a','depth':'3','more':[1]}",
          "files {\"path\":\"a\",\"depth\":3,\"more\":[1]}", 0, false },
        { "in a string", open, "'{\\\"path\\\":\\\"a\\\"}'", "files {\"path\":\"a\"}", 0, false },
        { "a bad one does not run", open, "{'depth':3}",
          "Validation failed for tool \"mcp__files_read\":\n"
          "  - path: must have required property 'path'\n\n"
          "Received arguments:\n{\n  \"depth\": 3\n}",
          0, true },
        { "unknown where the schema refuses it: said", closed, "{'path':'a','z':1}",
          "files {\"path\":\"a\"}\n\n[Ignored unknown arguments: z]", 0, false },
        { "unknown to a tool that writes to GitHub: refused", closed, "{'path':'a','z':1}",
          "Validation failed for tool \"mcp__files_read\":\n  - z: unknown field\n\n"
          "Received arguments:\n{\n  \"path\": \"a\",\n  \"z\": 1\n}",
          TOOL_GITHUB, true },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(DynamicTool) tool =
            remote_new("mcp__files_read", cases[i].schema, cases[i].flags);
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { dynamic_tool_def(tool), cases[i].arguments, { .kind = DOOR_AGENT } };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].name, text, cases[i].want);
        assert_int_equal(result.is_error, cases[i].is_error);
    }
}

static void test_dynamic_definitions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *description, *schema, *want;
    } cases[] = {
        { "", "d", "{'type':'object'}",
          "tool name \"\": 1 to 64 letters, digits, _ and - are allowed" },
        { "a b", "d", "{'type':'object'}",
          "tool name \"a b\": 1 to 64 letters, digits, _ and - are allowed" },
        { "a", " ", "{'type':'object'}", "tool \"a\" has no description: say what it does" },
        { "a", "d", "{'type':'string'}",
          "tool \"a\": the schema of its arguments has not the type \"object\"" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) schema = json_of(cases[i].schema);
        const ToolDef def = { .name = cases[i].name,
                              .description = cases[i].description,
                              .schema = schema,
                              .run = remote_run };
        DynamicTool *tool = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(dynamic_tool_new(&def, NULL, &tool, &error));
        assert_string_equal(error->message, cases[i].want);
    }
}

static int destroyed;

static void count_destroyed(void *user_data G_GNUC_UNUSED)
{
    destroyed++;
}

static void test_definitions_live_as_long_as_a_set(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &probe, NULL };
    g_autoptr(json_t) schema = json_of("{'type':'object'}");
    const ToolDef def = { .name = "far", .summary = "Far", .schema = schema, .run = remote_run };
    DynamicTool *tool = NULL;
    assert_true(dynamic_tool_new(&def, count_destroyed, &tool, NULL));
    ToolSet *set = tool_set_new(table);
    ToolSet *with = NULL;
    assert_true(tool_set_add(set, &tool, 1, NULL, &with, NULL));
    dynamic_tool_unref(tool);
    assert_null(tool_set_find(set, "far")); // a set stays as it is
    assert_string_equal(tool_set_find(with, "far")->summary, "Far");

    // the owner offers other tools now, while a call of the old ones runs
    ToolSet *of_the_call = tool_set_ref(with);
    tool_set_unref(with);
    assert_int_equal(destroyed, 0);
    assert_string_equal(tool_set_find(of_the_call, "far")->label, "far");
    tool_set_unref(of_the_call);
    assert_int_equal(destroyed, 1);

    DynamicTool *same = remote_new("probe", "{'type':'object'}", 0);
    DynamicTool *alias = remote_new("glob", "{'type':'object'}", 0);
    DynamicTool *const names[] = { same, alias };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GError) error = NULL;
        assert_false(tool_set_add(set, &names[i], 1, NULL, &with, &error));
        assert_true(str_has_prefix(error->message, "there is a tool \""));
        dynamic_tool_unref(names[i]);
    }
    tool_set_unref(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_added_and_removed),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_dynamic_calls),
        cmocka_unit_test(test_dynamic_definitions),
        cmocka_unit_test(test_definitions_live_as_long_as_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
