/*
 * Definitions of run workflows: the diagrams, where they are found, what `emit workflow` says.
 */
#include "base/str.h"
#include "unit.h"

#include "emit_fixture.h"

#include "agenttools/emit/workflow.h"

/* "a>b>c" of ids, from an array of states' indexes. Caller frees. */
static char *ids_of(const Workflow *workflow, const GArray *indexes)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < indexes->len; i++)
        g_string_append_printf(
            text, "%s%s", i > 0 ? ">" : "",
            workflow_state_at(workflow, g_array_index(indexes, unsigned, i))->id);
    return g_string_free(text, FALSE);
}

static Workflow *parse(const char *name, const char *text)
{
    Workflow *workflow = NULL;
    g_autoptr(GError) error = NULL;
    if (!workflow_parse(name, "x.mmd", text, 1, &workflow, &error))
        fail_msg("%s: %s", name, error->message);
    return workflow;
}

#define HEAD "stateDiagram-v2\n"

static void test_accepted(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text;
        const char *want; // states with their marks, transitions
    } cases[] = {
        { "the smallest", HEAD "[*] --> a", "*a |" },
        { "a chain", HEAD "    [*] --> a\n    a --> b\n    b --> [*]\n", "*a b! | a>b" },
        { "labels", HEAD "[*]-->a\na-->b : go on: now\nb : Text of b\nstate a : Text of a\n",
          "*a=Text of a b=Text of b | a>b(go on: now)" },
        { "quoted text first", HEAD "state \"Long name\" as s\n[*] --> s", "*s=Long name |" },
        { "states by themselves", HEAD "state a\nb\n[*] --> b\nb --> a", "a *b | b>a" },
        { "comments, direction, blanks",
          "%% first\n\n" HEAD "direction LR\n%% c\n[*] --> a %% why\n  a --> b;\n", "*a b | a>b" },
        { "front matter", "---\ntitle: x\n---\n" HEAD "[*] --> a", "*a |" },
        { "directive", "%%{init: {}}%%\n" HEAD "[*] --> a", "*a |" },
        { "CRLF and BOM", "\xef\xbb\xbfstateDiagram-v2\r\n[*] --> a\r\na --> [*]\r\n", "*a! |" },
        { "two initial, two terminal", HEAD "[*] --> a\n[*] --> b\na --> [*]\nb --> [*]\n",
          "*a! *b! |" },
        { "a self-transition", HEAD "[*] --> a\na --> a : again\n", "*a | a>a(again)" },
        { "other letters, dashes, dots",
          HEAD "[*] --> pr\xc3\xbc"
               "f-1.a_b\n",
          "*pr\xc3\xbc"
          "f-1.a_b |" },
        { "said twice", HEAD "[*] --> a\n[*] --> a\na --> b\na --> b\n", "*a b | a>b a>b" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Workflow) workflow = parse(cases[i].name, cases[i].text);
        GString *got = g_string_new(NULL);
        for (unsigned n = 0; n < workflow->states->len; n++) {
            const WorkflowState *each = workflow_state_at(workflow, n);
            g_string_append_printf(got, "%s%s%s%s%s ", each->is_initial ? "*" : "", each->id,
                                   each->is_terminal ? "!" : "", each->label ? "=" : "",
                                   each->label ? each->label : "");
        }
        g_string_append_c(got, '|');
        for (unsigned n = 0; n < workflow->edges->len; n++) {
            const WorkflowEdge *edge = &g_array_index(workflow->edges, WorkflowEdge, n);
            g_string_append_printf(got, " %s>%s", workflow_state_at(workflow, edge->from)->id,
                                   workflow_state_at(workflow, edge->to)->id);
            if (edge->label)
                g_string_append_printf(got, "(%s)", edge->label);
        }
        assert_text(cases[i].name, got->str, cases[i].want);
        g_string_free(got, TRUE);
    }
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want;
        int line;
    } cases[] = {
        { HEAD "[*] --> a\n\n%% x\na --> b\nb --> c\nstate f <<fork>>\n",
          "Unsupported state diagram feature: fork state (<<fork>>) at line 7", 7 },
        { HEAD "state j <<join>>\n",
          "Unsupported state diagram feature: join state (<<join>>) at line 2", 2 },
        { HEAD "state c <<choice>>\n",
          "Unsupported state diagram feature: choice state (<<choice>>) at line 2", 2 },
        { HEAD "[*] --> a\nstate a {\n[*] --> b\n}\n",
          "Unsupported state diagram feature: composite state at line 3", 3 },
        { HEAD "[*] --> a\n--\n", "Unsupported state diagram feature: concurrency (--) at line 3",
          3 },
        { HEAD "[*] --> a\nnote right of a : x\n",
          "Unsupported state diagram feature: note at line 3", 3 },
        { HEAD "[*] --> a\nclassDef x fill:#fff\n",
          "Unsupported state diagram feature: styling (classDef) at line 3", 3 },
        { HEAD "a:::x --> b\n", "Unsupported state diagram feature: styling (:::) at line 2", 2 },
        { HEAD "a --> b\n", "No initial state defined. Add a '[*] --> state_id' transition.", 1 },
        { HEAD, "No initial state defined. Add a '[*] --> state_id' transition.", 1 },
        { "", "Expected 'stateDiagram-v2' at line 1", 1 },
        { "\nstateDiagram\n[*] --> a\n", "Expected 'stateDiagram-v2' at line 2", 2 },
        { "flowchart LR\na --> b\n", "Expected 'stateDiagram-v2' at line 1", 1 },
        { HEAD "[*] --> a\na -->\n", "Cannot read 'a -->' at line 3", 3 },
        { HEAD "[*] --> [*]\n", "Cannot read '[*] --> [*]' at line 2", 2 },
        { HEAD "[*] --> a b\n", "Cannot read '[*] --> a b' at line 2", 2 },
        { HEAD "a --> b --> c\n", "Cannot read 'a --> b --> c' at line 2", 2 },
        { HEAD "state \"x\n", "Cannot read 'state \"x' at line 2", 2 },
        { HEAD "state \"x\" is y\n", "Cannot read 'state \"x\" is y' at line 2", 2 },
        { HEAD "what is this?\n", "Cannot read 'what is this?' at line 2", 2 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Workflow *workflow = NULL;
        g_autoptr(GError) error = NULL;
        if (workflow_parse("x", "x.mmd", cases[i].text, 1, &workflow, &error))
            fail_msg("cli-D-13: accepted: %s", cases[i].text);
        assert_text("cli-D-13", error->message, cases[i].want);
        assert_true(answer_error_is(error, ANSWER_VALIDATION));
        g_autoptr(Answer) answer = answer_new();
        answer_add_error(answer, error);
        g_autoptr(json_t) envelope = answer_envelope(answer, "emit");
        assert_int_equal(json_get_int(emit_details_of(envelope), "line", 0), cases[i].line);
        assert_string_equal(json_get_text(emit_details_of(envelope), "source"), "x.mmd");
    }
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    GString *text = g_string_new(HEAD "[*] --> s0\n");
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(text, "s%d --> s%d\n", i, i + 1);
    Workflow *workflow = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(workflow_parse("x", "x", text->str, 1, &workflow, &error));
    assert_string_equal(error->message, "Too many states at line 1002 (limit 1000)");

    g_string_assign(text, HEAD "[*] --> a\n");
    for (int i = 0; i < 10001; i++)
        g_string_append(text, "a --> b\n");
    g_clear_error(&error);
    assert_false(workflow_parse("x", "x", text->str, 1, &workflow, &error));
    assert_string_equal(error->message, "Too many transitions at line 10003 (limit 10000)");
    g_string_free(text, TRUE);
}

static void test_unreachable(void **state G_GNUC_UNUSED)
{
    g_autoptr(Workflow) workflow = parse("x", HEAD "[*] --> a\nx --> y\na --> b\ny --> a\n");
    assert_int_equal(workflow->warnings->len, 2);
    assert_string_equal(g_ptr_array_index(workflow->warnings, 0), "State \"x\" is unreachable");
    assert_string_equal(g_ptr_array_index(workflow->warnings, 1), "State \"y\" is unreachable");
}

static void test_order_and_paths(void **state G_GNUC_UNUSED)
{
    g_autoptr(Workflow) workflow =
        parse("x", HEAD "a --> c\n[*] --> b\n[*] --> a\nb --> d\nc --> e\nd --> e\ne --> b\n"
                        "e --> f\nx --> a\n");
    g_autoptr(GArray) order = workflow_order(workflow);
    g_autofree char *got = ids_of(workflow, order);
    assert_string_equal(got, "b>a>d>c>e>f");

    static const struct {
        const char *from, *to, *want;
    } cases[] = {
        { NULL, "b", "" },   { NULL, "e", "b>d" }, { "a", "f", "c>e" },  { "e", "d", "b" },
        { "e", "e", "b>d" }, { "f", "b", "none" }, { "b", "a", "none" }, { NULL, "x", "none" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) path = workflow_path(workflow, workflow_state(workflow, cases[i].from),
                                               workflow_state(workflow, cases[i].to));
        g_autofree char *ids = path ? ids_of(workflow, path) : g_strdup("none");
        assert_text(cases[i].to, ids, cases[i].want);
    }
}

static void test_section(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *markdown, *want;
        unsigned line;
    } cases[] = {
        { "plain", "# T\n\n## STATE-MACHINE\n\ntext\n\n```mermaid\n" HEAD "[*] --> a\n```\nx\n",
          HEAD "[*] --> a\n", 8 },
        { "tildes, indented, to the end", "## STATE-MACHINE \n  ~~~~ mermaid\n" HEAD "~~~\n",
          HEAD "~~~\n\n", 3 },
        { "not in another fence", "## STATE-MACHINE\n````md\n```mermaid\n" HEAD "```\n````\n", NULL,
          0 },
        { "heading in a fence is none", "```\n## STATE-MACHINE\n```\n```mermaid\n" HEAD "```\n",
          NULL, 0 },
        { "another section", "## OTHER\n```mermaid\n" HEAD "```\n", NULL, 0 },
        { "ends at the next", "## STATE-MACHINE\nx\n## NEXT\n```mermaid\n" HEAD "```\n", NULL, 0 },
        { "not at a deeper heading", "## STATE-MACHINE\n### x\n```mermaid\n" HEAD "```\n", HEAD,
          4 },
        { "only the first fence counts",
          "## STATE-MACHINE\n```mermaid\nflowchart LR\n```\n```mermaid\n" HEAD "```\n", NULL, 0 },
        { "after other code", "## STATE-MACHINE\n```sh\n## NEXT\n```\n```mermaid\n" HEAD "```\n",
          HEAD, 6 },
        { "CRLF", "## STATE-MACHINE\r\n```mermaid\r\nstateDiagram-v2\r\n```\r\n",
          "stateDiagram-v2\r\n", 3 },
        { "nothing", "", NULL, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        unsigned line = 0;
        g_autofree char *got = workflow_section(cases[i].markdown, &line);
        assert_text(cases[i].name, got ? got : "none", cases[i].want ? cases[i].want : "none");
        if (got && line != cases[i].line)
            fail_msg("%s: line %u", cases[i].name, line);
    }
}

/* Whatever stands in a file: a verdict, never a crash. */
static void test_any_text(void **state G_GNUC_UNUSED)
{
    static const char seed[] =
        "---\na: b\n---\n# T\n## STATE-MACHINE\n```mermaid\n" HEAD "%% c\n[*] --> a\n"
        "state \"T x\" as b\nstate c : d\na --> b : go;\nb-->c\nc --> [*]\ndirection LR\n```\n## "
        "N\n";
    static const char bytes[] = "[]*->:\"{}%;`~# \n\r\tax_\xc3\xa9\x01";
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    unsigned accepted = 0;
    for (int i = 0; i < 20000; i++) {
        g_autofree char *text = g_strndup(seed, i < (int)strlen(seed) ? (size_t)i : strlen(seed));
        size_t length = strlen(text);
        for (int edits = i < (int)strlen(seed) ? 0 : g_rand_int_range(random, 1, 6); edits > 0;
             edits--)
            text[g_rand_int_range(random, 0, (gint32)length)] =
                bytes[g_rand_int_range(random, 0, sizeof bytes - 1)];
        g_autofree char *valid = g_utf8_make_valid(text, -1);
        unsigned line = 1;
        g_autofree char *section = workflow_section(valid, &line);
        g_autoptr(Workflow) workflow = NULL;
        g_autoptr(GError) error = NULL;
        if (workflow_parse("x", "x", section ? section : valid, line, &workflow, &error))
            accepted++;
        else
            assert_true(g_utf8_validate(error->message, -1, NULL));
    }
    assert_in_range(accepted, 1000, 19000); // both ends were reached
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const char *const good[] = { "build", "a", "_x", "9", "a.b-c_D" };
    static const char *const bad[] = { "", "../x", ".x", "-x", "a/b", "a b", "a:b", "\xc3\xa9" };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
        assert_true(workflow_name_is_valid(good[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        assert_false(workflow_name_is_valid(bad[i]));
}

/* Definitions that differ only in the name of their one state, in every place that is looked at. */
static void test_find(void **state)
{
    const EmitFixture *fixture = *state;
    static const struct {
        const char *path; // from the home directory when it begins with ~/
        const char *id;
    } places[] = {
        // the last first, so that each hides the one before
        { "~/.kedge/workflows/x.mmd", "user" },    { ".rp1/agents/x.md", "agent" },
        { ".claude/skills/x/SKILL.md", "claude" }, { ".kedge/skills/x/SKILL.md", "kedge" },
        { ".rp1/skills/x/SKILL.md", "skill" },     { ".rp1/workflows/x.md", "markdown" },
        { ".rp1/workflows/x.mmd", "diagram" },
    };
    g_autofree char *root = g_build_filename(fixture->project, ".rp1", NULL);
    const WorkflowPlaces where = { .root = root, .project = fixture->project };
    tool_fixture_put(fixture->tools, ".kedge/skills/y/SKILL.md", "# no section\n");
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        bool is_markdown = g_str_has_suffix(places[i].path, ".md");
        g_autofree char *text = g_strdup_printf(
            is_markdown ? "# x\n## STATE-MACHINE\n```mermaid\n" HEAD "[*] --> %s\n```\n"
                        : HEAD "[*] --> %s\n",
            places[i].id);
        g_autofree char *name = str_has_prefix(places[i].path, "~/")
                                    ? g_strconcat("../", places[i].path + 2, NULL)
                                    : g_strdup(places[i].path);
        tool_fixture_put(fixture->tools, name, text);
        g_autoptr(Workflow) workflow = NULL;
        assert_true(workflow_find("x", &where, &workflow, NULL));
        assert_text(places[i].path, workflow_state_at(workflow, 0)->id, places[i].id);
    }

    g_auto(GStrv) names = workflow_names(&where);
    g_autofree char *joined = g_strjoinv(" ", names);
    assert_string_equal(joined, "build build-fast pr-review deep-research blueprint task-builder "
                                "task-reviewer feature-verifier hypothesis-tester x");
    g_autoptr(Workflow) none = NULL;
    assert_true(workflow_find("y", &where, &none, NULL));
    assert_null(none);
}

/* cli-D-12, D-13 through emit itself. */
static void test_used_by_emit(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/skills/own/SKILL.md",
                     "---\nname: own\n---\n## STATE-MACHINE\n```mermaid\n" HEAD
                     "[*] --> one\none --> two\n```\n");
    tool_fixture_put(fixture->tools, ".rp1/workflows/file.mmd", HEAD "[*] --> first\n");
    tool_fixture_put(fixture->tools, ".rp1/workflows/wrong.mmd",
                     HEAD "[*] --> first\nstate f <<fork>>\n");
    static const struct {
        const char *name, *workflow, *step, *code, *want;
    } cases[] = {
        { "cli-D-12: in a section of SKILL.md", "own", "one", NULL, NULL },
        { "cli-D-12: in a .mmd file", "file", "first", NULL, NULL },
        { "cli-D-12: unknown", "nope", "x", "not_found",
          "No state machine found for workflow 'nope'. Known workflows: build, build-fast, "
          "pr-review, deep-research, blueprint, task-builder, task-reviewer, feature-verifier, "
          "hypothesis-tester, file, own, wrong" },
        { "cli-D-12: a path", "../x", "x", "validation", "Invalid workflow name: '../x'" },
        { "cli-D-13", "wrong", "first", "validation",
          "Unsupported state diagram feature: fork state (<<fork>>) at line 3" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *call = g_strdup_printf("{'type':'status_change','runId':'R%zu',"
                                                "'workflow':'%s','step':'%s',"
                                                "'data':{'status':'running'}}",
                                                i, cases[i].workflow, cases[i].step);
        g_autoptr(json_t) envelope = emit_call(fixture, call);
        const char *got = emit_error_of(envelope);
        assert_text(cases[i].name, got ? got : "", cases[i].want ? cases[i].want : "");
        if (cases[i].code)
            assert_text(cases[i].name, json_get_text(emit_details_of(envelope), "code"),
                        cases[i].code);
    }
    assert_int_equal(emit_query_int("SELECT count(*) FROM run"), 2);
}

static void test_operation(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, "t.mmd",
                     HEAD "[*] --> a\na --> b : go\nstate b : B\n"
                          "b --> [*]\nc --> a\n");
    g_autoptr(json_t) envelope = operation_call(fixture->tools, &operation_emit_workflow,
                                                json_of("{'action':'validate','name':'t.mmd'}"));
    g_autofree char *text = json_to_text(envelope);
    GString *got = g_string_new(text);
    g_string_replace(got, fixture->tools->cwd, "D", 0);
    assert_text("validate", got->str,
                "{\"success\":true,\"tool\":\"emit\",\"data\":{\"name\":\"t\",\"source\":"
                "\"D/t.mmd\",\"states\":["
                "{\"id\":\"a\",\"label\":null,\"initial\":true,\"terminal\":false},"
                "{\"id\":\"b\",\"label\":\"B\",\"initial\":false,\"terminal\":true},"
                "{\"id\":\"c\",\"label\":null,\"initial\":false,\"terminal\":false}],"
                "\"transitions\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"go\"},"
                "{\"from\":\"c\",\"to\":\"a\",\"label\":null}],\"order\":[\"a\",\"b\"]},"
                "\"warnings\":[\"State \\\"c\\\" is unreachable\"]}");
    g_string_free(got, TRUE);

    g_autoptr(json_t) shown = operation_data(fixture->tools, &operation_emit_workflow,
                                             "{'action':'show','name':'blueprint'}");
    assert_string_equal(json_get_text(shown, "source"), "built-in");
    g_autofree char *order = json_to_text(json_get_array(shown, "order"));
    assert_string_equal(order, "[\"detect\",\"charter\",\"prd\"]");

    tool_fixture_put(fixture->tools, ".rp1/workflows/bad.mmd", "x\n");
    g_autoptr(json_t) listed =
        operation_call(fixture->tools, &operation_emit_workflow, json_of("{'action':'list'}"));
    assert_int_equal(json_array_size(json_get_path(listed, "data.workflows")), 9);
    assert_string_equal(json_string_value(json_array_get(json_get_array(listed, "warnings"), 0)),
                        "bad: Expected 'stateDiagram-v2' at line 1");

    static const struct {
        const char *arguments, *code, *want;
    } cases[] = {
        { "{'action':'show','name':'nope'}", "not_found",
          "No state machine found for workflow 'nope'" },
        { "{'action':'show','name':'../x'}", "validation", "Invalid workflow name: '../x'" },
        { "{'action':'show'}", "validation",
          "Validation failed: name is required and must be a non-empty string" },
        { "{'action':'validate','name':'none.mmd'}", "not_found", "cannot read " },
        { "{'action':'validate','name':'../w/.rp1/workflows/bad.mmd'}", "validation",
          "Expected 'stateDiagram-v2' at line 1" },
        { "{'action':'list','project':'x'}", "validation",
          "Project path must be absolute. Received: x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *error = operation_error(fixture->tools, &operation_emit_workflow,
                                                 cases[i].arguments, cases[i].code);
        assert_contains(cases[i].arguments, error, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_order_and_paths),
        cmocka_unit_test(test_section),
        cmocka_unit_test(test_any_text),
        cmocka_unit_test(test_names),
        EMIT_TEST(test_find),
        EMIT_TEST(test_used_by_emit),
        EMIT_TEST(test_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
