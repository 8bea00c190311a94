/*
 * The gate of tool_call(): doors, questions, permits (common §4.2 – §4.4, gh-policy §5.4).
 */
#include "base/str.h"
#include "tool_probe.h"

typedef struct Asked {
    int count;
    bool answer, is_failing;
    const char *edited; // the first answer: these arguments in place of the others (json_of())
    char *digest;       // of the question before
    char *text;
    Cancel *cancel;
} Asked;

static bool answer(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                   void *user_data, GError **error)
{
    Asked *asked = user_data;
    asked->count++;
    g_free(asked->text);
    asked->text = g_strdup(question->text);
    asked->cancel = cancel;
    bool is_same = g_strcmp0(asked->digest, question->digest) == 0;
    g_free(asked->digest);
    asked->digest = g_strdup(question->digest);
    if (asked->edited && asked->count == 1)
        *question->ret_edited = json_of(asked->edited);
    if (asked->edited && asked->count == 1)
        return true;
    if (asked->edited)
        assert_false(is_same); // a yes to the other one would not be one to this
    if (asked->is_failing)
        return fail_with(error, KEDGE_ERROR_DENIED, "refused: gone");
    *ret_approved = asked->answer;
    return true;
}

static void test_gate(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const struct {
        const char *name;
        ToolDoor door; // ask is set when has_person
        const char *mode;
        bool has_person, says_yes;
        int asked;
        const char *refusal; // NULL: it runs
    } cases[] = {
        { "agent reads", { .kind = DOOR_AGENT }, "read", false, false, 0, NULL },
        { "agent writes unasked", { .kind = DOOR_AGENT }, "write", true, false, 0, NULL },
        { "agent asks before it destroys",
          { .kind = DOOR_AGENT },
          "destructive",
          true,
          true,
          1,
          NULL },
        { "declined",
          { .kind = DOOR_AGENT },
          "destructive",
          true,
          false,
          1,
          "declined: probe (touches x)" },
        { "blocked is never asked about",
          { .kind = DOOR_AGENT },
          "blocked",
          true,
          true,
          0,
          "refused: probe (touches x): blocked calls are never run" },
        { "direct asks before a write", { .kind = DOOR_DIRECT }, "write", true, true, 1, NULL },
        { "nobody to ask names the flag",
          { .kind = DOOR_DIRECT, .allow_hint = "--yes" },
          "write",
          false,
          false,
          0,
          "refused: probe (touches x): a call of effect write needs approval, and nobody can be "
          "asked; "
          "start with --yes to allow it" },
        { "no flag helps for the rest",
          { .kind = DOOR_DIRECT, .allow_hint = "--yes" },
          "destructive",
          false,
          false,
          0,
          "refused: probe (touches x): a call of effect destructive needs approval, and nobody can "
          "be "
          "asked" },
        { "allow_writes answers for a write",
          { .kind = DOOR_DIRECT, .allow_writes = true },
          "write",
          true,
          false,
          0,
          NULL },
        { "and for nothing else",
          { .kind = DOOR_DIRECT, .allow_writes = true },
          "unknown",
          false,
          false,
          0,
          "refused: probe (touches x): a call of effect unknown needs approval, and nobody can be "
          "asked" },
        { "never for what is refused",
          { .kind = DOOR_DIRECT, .allow_writes = true },
          "blocked",
          true,
          true,
          0,
          "refused: probe (touches x): blocked calls are never run" },
        { "read-only reads",
          { .kind = DOOR_DIRECT, .is_read_only = true },
          "read",
          false,
          false,
          0,
          NULL },
        { "read-only refuses before it asks",
          { .kind = DOOR_DIRECT, .is_read_only = true, .allow_writes = true },
          "write",
          true,
          true,
          0,
          "refused: probe (touches x): only reads are allowed here" },
        { "typed needs no consent", { .kind = DOOR_TYPED }, "destructive", false, false, 0, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Asked asked = { .answer = cases[i].says_yes };
        g_autofree char *arguments = g_strdup_printf("{'path':'x','mode':'%s'}", cases[i].mode);
        Setup setup = { &probe, arguments, cases[i].door };
        setup.door.ask = cases[i].has_person ? answer : NULL;
        setup.door.user_data = &asked;
        seen.runs = 0;
        g_auto(ToolResult) result = { 0 };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].name, text, cases[i].refusal ? cases[i].refusal : "x");
        if (result.is_error != (cases[i].refusal != NULL) ||
            seen.runs != (cases[i].refusal == NULL) || asked.count != cases[i].asked)
            fail_msg("%s: ran %d times, asked %d times", cases[i].name, seen.runs, asked.count);
        if (result.is_error)
            assert_int_equal(result.failure, KEDGE_ERROR_DENIED);
        g_free(asked.text);
        g_free(asked.digest);
    }
}

static void test_permit_only_while_running(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    const Setup setup = { &probe, "{'path':'x'}", { .kind = DOOR_AGENT } };
    seen.had_permit_while_judging = true;
    g_auto(ToolResult) result = { 0 };
    call(fixture, &setup, &result);
    assert_false(seen.had_permit_while_judging);
    assert_true(seen.had_permit);
}

static void test_question_shows_what_would_run(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    Asked asked = { .answer = true };
    Setup setup = { &probe,
                    "'{\\\"path\\\":\\\"x\\\",\\\"mode\\\":\\\"write\\\",\\\"count\\\":\\\"1\\\"}'",
                    { .kind = DOOR_DIRECT, .ask = answer, .user_data = &asked } };
    g_auto(ToolResult) result = { 0 };
    call(fixture, &setup, &result);
    assert_int_equal(asked.count, 1); // the arguments came as a string: they are shown all the same
    assert_text("question", asked.text,
                "WRITE: touches x\n  probe\n  path: \"x\"\n  mode: \"write\"\n  count: 1");

    g_autofree char *many = g_strnfill(1998, 'a');
    g_autofree char *tricky =
        g_strdup_printf("{'path':'%sé\xe2\x80\xaegnp','mode':'write','count':1}", many);
    setup.arguments = tricky;
    g_auto(ToolResult) second = { 0 };
    call(fixture, &setup, &second);
    g_autofree char *end =
        g_strdup_printf("\n  path (2006 bytes):\n  | %sé\\u202egnp\n  mode: ", many);
    assert_contains("a long one is whole, after a bar", asked.text, end);

    setup.arguments = "{'path':'ab\xe2\x80\xae"
                      "cd\xc2\x9b"
                      "e','mode':'write','count':1}";
    g_auto(ToolResult) third = { 0 };
    call(fixture, &setup, &third);
    assert_contains("direction and control characters", asked.text, "touches ab\\u202ecd\\x9be\n");
    assert_contains("in the arguments too", asked.text, "path: \"ab\\u202ecd\\x9be\"");

    setup.arguments = "{'path':'one\\r\\n\\ntwo\\u001b','mode':'write','count':1}";
    g_auto(ToolResult) fourth = { 0 };
    call(fixture, &setup, &fourth);
    assert_contains("lines are lines", asked.text,
                    "\n  path (10 bytes):\n  | one\n  | \n  | two\\x1b\n  mode: ");
    g_free(asked.text);
    g_free(asked.digest);
}

/* What a person makes of the arguments is another call: judged by itself, asked about by itself. */
static void test_edited(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *edited;
        bool says_yes;
        int asked, runs;
        const char *text; // how the result begins
    } rows[] = {
        { "{'path':'mine','mode':'write'}", true, 2, 1, "mine" },
        { "{'path':'mine','mode':'write'}", false, 2, 0, "declined: probe (touches mine)" },
        { "{'path':'mine','mode':'blocked'}", true, 1, 0, "refused: probe (touches mine)" },
        { "{'mode':'write'}", true, 1, 0, "" }, // not valid: no one is asked
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        Asked asked = { .answer = rows[i].says_yes, .edited = rows[i].edited };
        const Setup setup = { &probe,
                              "{'path':'x','mode':'write'}",
                              { .kind = DOOR_DIRECT, .ask = answer, .user_data = &asked } };
        g_auto(ToolResult) result = { 0 };
        seen.runs = 0;
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        if (asked.count != rows[i].asked || seen.runs != rows[i].runs ||
            !str_has_prefix(text, rows[i].text))
            fail_msg("%s: asked %d, ran %d, '%s'", rows[i].edited, asked.count, seen.runs, text);
        assert_contains("the model is told", text, "The person changed the arguments");
        g_free(asked.text);
        g_free(asked.digest);
    }
}

static bool target_judge(ToolCall *call_, const void *args, Judgement *ret_judgement,
                         GError **error)
{
    ret_judgement->effect = EFFECT_UNKNOWN;
    ret_judgement->host = g_strdup("github.com");
    ret_judgement->repo = g_strdup("o/r");
    return true;
}

static void test_question_names_the_target(void **state G_GNUC_UNUSED)
{
    static const ToolDef tool = { PROBE, .flags = TOOL_GITHUB };
    ToolDef judged = tool;
    judged.judge = target_judge;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    Asked asked = { .answer = false };
    const Setup setup = { &judged, "{'path':'x'}", { .ask = answer, .user_data = &asked } };
    g_auto(ToolResult) result = { 0 };
    call(fixture, &setup, &result);
    assert_true(str_has_prefix(asked.text, "UNKNOWN on github.com/o/r: Probe\n  probe\n"));
    g_free(asked.text);
    g_free(asked.digest);
}

static Likeness remembered(const GPtrArray *actions, char **ret_earlier, void *user_data)
{
    const Likeness *likeness = user_data;
    const JudgedAction *action = actions->pdata[0];
    assert_string_equal(action->verb, "push");
    if (*likeness == LIKENESS_POSSIBLE)
        *ret_earlier = g_strdup("push ma\x1bin");
    return *likeness;
}

static bool push_judge(ToolCall *call_ G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                       Judgement *ret_judgement, GError **error G_GNUC_UNUSED)
{
    ret_judgement->effect = EFFECT_READ;
    judgement_add_action(ret_judgement, "push", NULL, NULL, NULL);
    return true;
}

/* Only what is surely the same is refused unasked; what may be is a person's to say, or the
   policy's where there is none. */
static void test_refused_before(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        Likeness likeness;
        bool has_person, says_yes;
        int asked;
        bool runs;
    } cases[] = {
        { "new", LIKENESS_NONE, true, false, 0, true },
        { "may be the same, yes", LIKENESS_POSSIBLE, true, true, 1, true },
        { "may be the same, no", LIKENESS_POSSIBLE, true, false, 1, false },
        { "may be the same, nobody there", LIKENESS_POSSIBLE, false, false, 0, true },
        { "the same", LIKENESS_SAME, true, true, 0, false },
    };
    static const ToolDef tool = { PROBE };
    ToolDef judged = tool;
    judged.judge = push_judge;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(json_t) arguments = json_of("{'path':'x'}");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Asked asked = { .answer = cases[i].says_yes };
        const ToolDoor door = {
            .kind = DOOR_AGENT,
            .ask = cases[i].has_person ? answer : NULL,
            .user_data = &asked,
        };
        Likeness likeness = cases[i].likeness;
        const ToolCallSpec spec = {
            .tool = &judged,
            .arguments = arguments,
            .context = fixture->context,
            .door = &door,
            .was_refused = remembered,
            .user_data = &likeness,
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        if (result.is_error == cases[i].runs || asked.count != cases[i].asked)
            fail_msg("%s: asked %d times, error %d", cases[i].name, asked.count, result.is_error);
        if (asked.count > 0)
            assert_contains(cases[i].name, asked.text,
                            "\n  may be what was refused before: push ma\\x1bin");
        g_free(asked.text);
        g_free(asked.digest);
    }
}

static void test_a_door_that_fails_to_ask(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    Asked asked = { .is_failing = true };
    const Setup setup = { &probe,
                          "{'path':'x','mode':'write'}",
                          { .kind = DOOR_DIRECT, .ask = answer, .user_data = &asked } };
    seen.runs = 0;
    g_auto(ToolResult) result = { 0 };
    call(fixture, &setup, &result);
    g_autofree char *text = tool_result_text(&result);
    assert_string_equal(text, "refused: gone");
    assert_int_equal(seen.runs, 0);
    g_free(asked.text);
    g_free(asked.digest);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(json_t) arguments = json_of("{'path':'x','mode':'destructive'}");
    Asked asked = { .answer = true };
    const ToolDoor door = { .kind = DOOR_AGENT, .ask = answer, .user_data = &asked };
    ToolCallSpec spec = {
        .tool = &probe_stubborn,
        .arguments = arguments,
        .context = fixture->context,
        .door = &door,
        .cancel = cancel,
    };
    g_auto(ToolResult) stubborn = { 0 };
    tool_call(&spec, &stubborn);
    assert_false(seen.had_cancel);
    assert_ptr_equal(asked.cancel, cancel); // waiting for an answer can be cut short all the same

    spec.tool = &probe;
    g_auto(ToolResult) other = { 0 };
    tool_call(&spec, &other);
    assert_true(seen.had_cancel);

    cancel_fire(cancel);
    seen.runs = 0;
    g_auto(ToolResult) late = { 0 };
    tool_call(&spec, &late);
    g_autofree char *text = tool_result_text(&late);
    assert_string_equal(text, "Operation aborted");
    assert_int_equal(late.failure, KEDGE_ERROR_CANCELLED);
    assert_int_equal(seen.runs, 0);
    g_free(asked.text);
    g_free(asked.digest);
}

/* One place says what "only reads" means: what such a door offers is what it lets through. */
static void test_read_only_offers(void **state G_GNUC_UNUSED)
{
    static const ToolDef writes = { PROBE, .effect = EFFECT_WRITE };
    static const ToolDef records = { .name = "records",
                                     .label = "Records",
                                     .fields = probe_fields,
                                     .args_size = sizeof(ProbeArgs),
                                     .run = probe_run,
                                     .flags = TOOL_CHANGES_RECORDS };
    const ToolDoor reader = { .kind = DOOR_DIRECT, .is_read_only = true };
    const ToolDoor any = { .kind = DOOR_DIRECT };
    assert_true(tool_door_offers(&reader, &probe)); // some of its calls are reads
    assert_false(tool_door_offers(&reader, &writes));
    assert_false(tool_door_offers(&reader, &records));
    assert_true(tool_door_offers(&any, &writes) && tool_door_offers(&any, &records));

    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    seen.runs = 0;
    g_auto(ToolResult) result = { 0 };
    const Setup setup = { &records, "{'path':'x'}", reader };
    call(fixture, &setup, &result);
    g_autofree char *text = tool_result_text(&result);
    assert_text("changes of records", text,
                "refused: records (Records): only reads are allowed here");
    assert_int_equal(seen.runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_only_offers),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_permit_only_while_running),
        cmocka_unit_test(test_question_shows_what_would_run),
        cmocka_unit_test(test_edited),
        cmocka_unit_test(test_question_names_the_target),
        cmocka_unit_test(test_refused_before),
        cmocka_unit_test(test_a_door_that_fails_to_ask),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
