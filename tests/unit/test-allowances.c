/*
 * What a person allows for the rest of a conversation (gh-policy §5.4): what it covers, and what
 * the gate makes of it.
 */
#include "tool_probe.h"

#include "tool/allowances.h"

static void test_what_can_be_allowed(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *kind, *host, *repo;
        Effect effect;
        const char *others[2]; // repositories that are named, too
        const char *want;      // NULL: only once
    } cases[] = {
        { "one kind, one repository",
          "gh pr merge",
          "GitHub.com",
          "O/r",
          EFFECT_WRITE,
          { NULL },
          "gh pr merge on github.com/o/r" },
        { "its own is named", "k", "h", "o/r", EFFECT_WRITE, { "O/R" }, "k on h/o/r" },
        { "another is named", "k", "h", "o/r", EFFECT_WRITE, { "o/r", "x/y" }, NULL },
        { "no kind", NULL, "h", "o/r", EFFECT_WRITE, { NULL }, NULL },
        { "no repository", "k", "h", NULL, EFFECT_WRITE, { NULL }, NULL },
        { "no host", "k", NULL, "o/r", EFFECT_WRITE, { NULL }, NULL },
        { "a read", "k", "h", "o/r", EFFECT_READ, { NULL }, NULL },
        { "unknown", "k", "h", "o/r", EFFECT_UNKNOWN, { NULL }, NULL },
        { "destructive", "k", "h", "o/r", EFFECT_DESTRUCTIVE, { NULL }, NULL },
        { "blocked", "k", "h", "o/r", EFFECT_BLOCKED, { NULL }, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Judgement) judgement = {
            .effect = cases[i].effect,
            .kind = g_strdup(cases[i].kind),
            .host = g_strdup(cases[i].host),
            .repo = g_strdup(cases[i].repo),
            .others = g_ptr_array_new_with_free_func((GDestroyNotify)judged_target_free),
        };
        for (size_t k = 0; k < 2 && cases[i].others[k]; k++) {
            JudgedTarget *other = g_new0(JudgedTarget, 1);
            *other = (JudgedTarget) { EFFECT_READ, g_strdup("h"), g_strdup(cases[i].others[k]) };
            g_ptr_array_add(judgement.others, other);
        }
        g_autofree char *got = allowance_of(&judgement);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: %s, not %s", cases[i].name, got, cases[i].want);
    }
}

static void test_list(void **state G_GNUC_UNUSED)
{
    g_autoptr(Allowances) self = allowances_new();
    assert_false(allowances_have(self, "a"));
    assert_true(allowances_add(self, "b"));
    assert_true(allowances_add(self, "a"));
    assert_true(allowances_add(self, "b"));
    g_auto(GStrv) list = allowances_list(self);
    g_autofree char *joined = g_strjoinv(",", list);
    assert_string_equal(joined, "b,a");
    for (int i = 2; i < ALLOWANCES_MAX; i++) {
        g_autofree char *text = g_strdup_printf("%d", i);
        assert_true(allowances_add(self, text));
    }
    assert_false(allowances_add(self, "one too many"));
    assert_false(allowances_have(self, "one too many"));
    assert_true(allowances_add(self, "a")); // is there already
    allowances_clear(self);
    assert_false(allowances_have(self, "a"));
}

// ---- the gate ----

typedef struct Person {
    Allowances *allowances;
    bool allows;
    int asked;
    char *offered;
} Person;

static bool ask_person(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED,
                       bool *ret_approved, void *person_, GError **error G_GNUC_UNUSED)
{
    Person *person = person_;
    person->asked++;
    g_free(person->offered);
    person->offered = g_strdup(question->allowance);
    if (person->allows && question->allowance)
        allowances_add(person->allowances, question->allowance);
    *ret_approved = person->allows;
    return true;
}

/* Of a tool of the row of gh: a write asks. The path is the repository. */
static bool judge(ToolCall *call, const void *args_, Judgement *ret_judgement, GError **error)
{
    const ProbeArgs *args = args_;
    ret_judgement->kind = g_strdup("probe");
    ret_judgement->host = g_strdup("github.com");
    ret_judgement->repo = g_strdup(args->path);
    judgement_add_action(ret_judgement, "probe", NULL, "github.com", args->path);
    return probe_judge(call, args, ret_judgement, error);
}

static Likeness maybe_refused(const GPtrArray *actions G_GNUC_UNUSED, char **ret_earlier,
                              void *likeness)
{
    if (*(Likeness *)likeness != LIKENESS_NONE)
        *ret_earlier = g_strdup("probe");
    return *(Likeness *)likeness;
}

static void test_gate(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *repo, *mode;
        Likeness refused_before;
        bool allows;
        int asked;
        bool runs;
        const char *offered;
    } steps[] = {
        // of one conversation
        { "declined", "o/r", "write", LIKENESS_NONE, false, 1, false, "probe on github.com/o/r" },
        { "allowed", "o/r", "write", LIKENESS_NONE, true, 1, true, "probe on github.com/o/r" },
        { "again, unasked", "O/R", "write", LIKENESS_NONE, false, 0, true, NULL },
        { "another repository", "o/s", "write", LIKENESS_NONE, false, 1, false,
          "probe on github.com/o/s" },
        { "what is not known", "o/r", "unknown", LIKENESS_NONE, false, 1, false, NULL },
        { "what destroys", "o/r", "destructive", LIKENESS_NONE, true, 0, false, NULL },
        { "maybe what was refused", "o/r", "write", LIKENESS_POSSIBLE, false, 1, false, NULL },
        { "what was refused", "o/r", "write", LIKENESS_SAME, true, 0, false, NULL },
    };
    static const ToolDef base = { PROBE };
    ToolDef tool = base;
    tool.judge = judge;
    tool.flags |= TOOL_GITHUB | TOOL_GH;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(Allowances) allowances = allowances_new();
    tool_context_set_parts(fixture->context, &(ConversationParts) { .allowances = allowances });
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        g_autoptr(json_t) arguments =
            json_pack("{s:s, s:s}", "path", steps[i].repo, "mode", steps[i].mode);
        Person person = { .allowances = allowances, .allows = steps[i].allows };
        const ToolDoor door = { .kind = DOOR_AGENT, .ask = ask_person, .user_data = &person };
        Likeness likeness = steps[i].refused_before;
        const ToolCallSpec spec = {
            .tool = &tool,
            .arguments = arguments,
            .context = fixture->context,
            .door = &door,
            .was_refused = maybe_refused,
            .user_data = &likeness,
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        if (result.is_error == steps[i].runs || person.asked != steps[i].asked ||
            g_strcmp0(person.offered, steps[i].offered) != 0)
            fail_msg("%s: asked %d times, offered %s, error %d", steps[i].name, person.asked,
                     person.offered, result.is_error);
        g_free(person.offered);
    }
}

/* Where nobody keeps what was allowed, nothing is offered. */
static void test_a_door_without(void **state G_GNUC_UNUSED)
{
    static const ToolDef base = { PROBE };
    ToolDef tool = base;
    tool.judge = judge;
    tool.flags |= TOOL_GITHUB | TOOL_GH;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(json_t) arguments = json_of("{'path':'o/r','mode':'write'}");
    Person person = { .allows = true };
    const ToolDoor door = { .kind = DOOR_AGENT, .ask = ask_person, .user_data = &person };
    const ToolCallSpec spec = {
        .tool = &tool, .arguments = arguments, .context = fixture->context, .door = &door
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_false(result.is_error);
    assert_int_equal(person.asked, 1);
    assert_null(person.offered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_can_be_allowed),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_a_door_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
