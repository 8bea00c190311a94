/*
 * The rules of agent-tools-cli §4.4 and §4.5 over states in memory.
 */
#include "unit.h"

#include "tool_fixture.h"

#include "agenttools/answer.h"
#include "agenttools/emit/transition.h"

static Workflow *machine_of(const char *name, const char *diagram)
{
    Workflow *machine = NULL;
    const char *text = diagram ? diagram : workflow_builtin(name);
    assert_true(workflow_parse(name, "built-in", text, 1, &machine, NULL));
    return machine;
}

/* A run that has seen the changes, "step/unit status" separated by ", ". */
static RunState *run_with(const char *changes)
{
    RunState *run = run_state_new("R", "build");
    g_auto(GStrv) each = g_strsplit(changes, ", ", -1);
    for (unsigned i = 0; each[i] && *each[i] != '\0'; i++) {
        g_auto(GStrv) words = g_strsplit(each[i], " ", 2);
        g_auto(GStrv) place = g_strsplit(words[0], "/", 2);
        StepStatus status = STEP_NOT_STARTED;
        assert_true(step_status_parse(words[1], &status));
        run_state_apply(run, place[0], place[1], status, i + 1);
    }
    return run;
}

typedef struct Case {
    const char *name, *before, *change; // as above; change begins with + when skipping is allowed
    const char *want;                   // planned events, "" when there are none, or the refusal
} Case;

static void expect(const Case *test, const Workflow *machine, const Workflow *agent)
{
    g_autoptr(RunState) run = run_with(test->before);
    run_state_settle(run, machine, 1000);
    const char *text = *test->change == '+' ? test->change + 1 : test->change;
    g_auto(GStrv) words = g_strsplit(text, " ", 2);
    g_auto(GStrv) place = g_strsplit(words[0], "/", 2);
    StatusChange change = {
        .step = place[0],
        .unit = place[1],
        .allows_skip = *test->change == '+',
        .machine = machine,
        .agent = agent,
    };
    assert_true(step_status_parse(words[1], &change.status));
    g_auto(Transition) transition = { 0 };
    g_autoptr(GError) error = NULL;
    GString *got = g_string_new(NULL);
    if (!transition_check(run, &change, &transition, &error))
        g_string_assign(got, error->message);
    for (unsigned i = 0; transition.before && i < transition.before->len; i++) {
        const PlannedEvent *planned = &g_array_index(transition.before, PlannedEvent, i);
        g_string_append_printf(got, "%s%s %s", i > 0 ? ", " : "", planned->step,
                               step_status_names[planned->status]);
    }
    assert_text(test->name, got->str, test->want);
    g_string_free(got, TRUE);
}

static void test_build(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "first at an initial state", "", "requirements running", "" },
        { "cli-D-02", "", "design running",
          "Invalid initial state 'design'. Runs of \"build\" start in: requirements" },
        { "cli-D-01: leaving a running step", "requirements running", "design running",
          "requirements completed" },
        { "leaving a waiting step", "requirements waiting", "design waiting",
          "requirements completed" },
        { "leaving a completed step", "requirements completed", "design running", "" },
        { "leaving a failed step", "requirements failed", "design running", "" },
        { "leaving a skipped step", "requirements skipped", "design running", "" },
        { "leaving one that never started", "requirements not_started", "design running", "" },
        { "cli-D-03", "requirements running", "verify running",
          "Invalid transition from 'requirements' to 'verify'. Valid next states: design" },
        { "back", "requirements completed, design running", "requirements running",
          "Invalid transition from 'design' to 'requirements'. Valid next states: tasks" },
        { "several may follow", "verify running", "tasks running",
          "Invalid transition from 'verify' to 'tasks'. Valid next states: archive, build" },
        { "nothing may follow", "archive failed", "verify running",
          "Invalid transition from 'archive' to 'verify'. Valid next states: (none)" },
        { "cli-D-04", "requirements running", "+verify running",
          "requirements completed, design skipped, tasks skipped, build skipped" },
        { "skipping from the beginning", "", "+tasks running",
          "requirements skipped, design skipped" },
        { "skipping keeps what has an event", "requirements completed, design failed",
          "+verify running", "tasks skipped, build skipped" },
        { "nothing to skip", "requirements running", "+design running", "requirements completed" },
        { "no way there", "verify running", "+design running",
          "Invalid transition from 'verify' to 'design'. Valid next states: archive, build" },
        { "cli-D-05: with a current step", "design running", "verfy running",
          "step \"verfy\" is not a valid state in the \"build\" state machine. Valid states: "
          "[requirements, design, tasks, build, verify, archive]. Current state: \"design\". Valid "
          "transitions from \"design\": [tasks]." },
        { "cli-D-05: without", "", "verfy running",
          "step \"verfy\" is not a valid state in the \"build\" state machine. Valid states: "
          "[requirements, design, tasks, build, verify, archive]." },
        { "cli-D-06: again after a failure", "build completed, verify failed", "build running",
          "" },
        { "cli-D-07", "archive completed", "archive running",
          "Run \"R\" is already terminal (completed)" },
        { "cli-D-07: another step", "archive completed", "build running",
          "Run \"R\" is already terminal (completed)" },
        { "cli-D-10: a unit", "build running", "build/T1 running", "" },
        { "a unit of a step not entered", "design running", "build/T1 running",
          "Step 'build' has not been entered; its unit 'T1' cannot change" },
        { "a unit of a step left", "build completed, verify running", "build/T1 completed", "" },
        { "a unit of no step", "build running", "x/T1 running",
          "step \"x\" is not a valid state in the \"build\" state machine. Valid states: "
          "[requirements, design, tasks, build, verify, archive]. Current state: \"build\". Valid "
          "transitions from \"build\": [verify]." },
        { "a unit that is done", "build running, build/T1 completed", "build/T1 running",
          "Unit 'T1' of step 'build' is completed and cannot become running" },
        { "another unit", "build running, build/T1 completed", "build/T2 running", "" },
    };
    g_autoptr(Workflow) machine = machine_of("build", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect(&cases[i], machine, NULL);
}

/* Rule 5, the whole table. */
static void test_same_step(void **state G_GNUC_UNUSED)
{
    static const char *const table[] = {
        // rows: from; columns: to; s: self-transition only
        "yyyyyy", "-yyyy-", "-yyyy-", "-s-y--", "-y--y-", "-y---y",
    };
    static const char *const rows[] = { "not_started", "running", "waiting",
                                        "completed",   "failed",  "skipped" };
    g_autoptr(Workflow) machine =
        machine_of("x", "stateDiagram-v2\n[*] --> a\na --> b\nb --> b\nb --> c\nc --> [*]\n");
    for (size_t from = 0; from < G_N_ELEMENTS(rows); from++) {
        for (StepStatus to = STEP_NOT_STARTED; to < STEP_STATUSES; to++) {
            const char *step = "a";
            for (int self = 0; self < 2; self++, step = "b") {
                char mark = table[from][to];
                bool is_allowed = mark == 'y' || (mark == 's' && self == 1);
                g_autofree char *before = g_strdup_printf("%s %s", step, rows[from]);
                g_autofree char *change = g_strdup_printf("%s %s", step, step_status_names[to]);
                g_autofree char *name = g_strdup_printf("cli-D-08: %s -> %s", before, change);
                g_autofree char *want =
                    is_allowed ? g_strdup("")
                               : g_strdup_printf("Step '%s' is %s and cannot become %s", step,
                                                 rows[from], step_status_names[to]);
                const Case test = { name, before, change, want };
                expect(&test, machine, NULL);
            }
        }
    }
}

static void test_agents(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "cli-D-11: first", "build running", "task-builder:building running", "" },
        { "cli-D-11: second", "build running, task-builder:building running",
          "task-builder:failed failed", "task-builder:building completed" },
        { "cli-D-11: third",
          "build running, task-builder:building running, task-builder:failed failed",
          "task-builder:building running",
          "Invalid transition from 'failed' to 'building'. Valid next states: (none)" },
        { "another unit begins anew", "build running, task-builder:failed/T1 failed",
          "task-builder:building/T2 running", "" },
        { "its first state", "build running", "task-builder:completed completed",
          "Invalid initial state 'completed'. Runs of \"task-builder\" start in: building" },
        { "skipping", "build running", "+task-builder:completed/T1 completed",
          "task-builder:building skipped" },
        { "no such state", "build running, task-builder:building running",
          "task-builder:bulding running",
          "step \"bulding\" is not a valid state in the \"task-builder\" state machine. Valid "
          "states: [building, completed, failed]. Current state: \"building\". Valid transitions "
          "from \"building\": [completed, failed]." },
        { "same state", "task-builder:building completed", "task-builder:building running",
          "Step 'task-builder:building' is completed and cannot become running" },
        { "after the end", "archive completed", "task-builder:building running",
          "Run \"R\" is already terminal (completed)" },
    };
    g_autoptr(Workflow) machine = machine_of("build", NULL);
    g_autoptr(Workflow) agent = machine_of("task-builder", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect(&cases[i], machine, agent);
    const Case unknown = { "an agent without a machine", "build running", "helper:x running", "" };
    expect(&unknown, machine, NULL);
}

static void test_unchecked(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "any first step", "", "x running", "" },
        { "any other step", "x running", "y completed", "" },
        { "any status", "x completed", "x running", "" },
        { "any unit", "", "x/u running", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect(&cases[i], NULL, NULL);
}

static void test_details(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *before, *step, *want;
    } cases[] = {
        { "requirements running", "verify",
          "{\"code\":\"invalid_transition\",\"from\":\"requirements\",\"to\":\"verify\","
          "\"validNextStates\":[\"design\"]}" },
        { "", "verify",
          "{\"code\":\"invalid_transition\",\"to\":\"verify\","
          "\"validNextStates\":[\"requirements\"]}" },
        { "design running", "verfy",
          "{\"code\":\"invalid_transition\",\"hint\":\"verify\",\"to\":\"verfy\","
          "\"from\":\"design\",\"validNextStates\":[\"tasks\"]}" },
        { "archive completed", "build", "{\"code\":\"invalid_state\",\"status\":\"completed\"}" },
    };
    g_autoptr(Workflow) machine = machine_of("build", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(RunState) run = run_with(cases[i].before);
        run_state_settle(run, machine, 1000);
        const StatusChange change = { .step = cases[i].step,
                                      .status = STEP_RUNNING,
                                      .machine = machine };
        g_auto(Transition) transition = { 0 };
        g_autoptr(GError) error = NULL;
        assert_false(transition_check(run, &change, &transition, &error));
        g_autoptr(Answer) answer = answer_new();
        answer_add_error(answer, error);
        g_autoptr(json_t) envelope = answer_envelope(answer, "emit");
        json_t *details = json_array_get(json_get_array(envelope, "error_details"), 0);
        json_object_del(details, "message");
        g_autofree char *got = json_to_text(details);
        assert_text(cases[i].step, got, cases[i].want);
    }
}

/* agent-tools-cli §4.5. */
static void test_status(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *workflow, *changes;
        int64_t waiting_event;
        const char *outcome, *want;
        bool has_ended;
    } cases[] = {
        { "nothing", "build", "", 0, NULL, "not_started", false },
        { "running", "build", "requirements running", 0, NULL, "running", false },
        { "waiting step", "build", "requirements waiting", 0, NULL, "waiting", false },
        { "failed step", "build", "requirements failed", 0, NULL, "failed", false },
        { "completed, more to come", "build", "requirements completed", 0, NULL, "running", false },
        { "skipped, more to come", "build", "requirements skipped", 0, NULL, "running", false },
        { "announced", "build", "requirements not_started", 0, NULL, "not_started", false },
        { "the next announced", "build", "requirements completed, design not_started", 0, NULL,
          "running", false },
        { "cli-D-06: at the end", "build", "archive completed", 0, NULL, "completed", true },
        { "skipped at the end", "build", "archive skipped", 0, NULL, "completed", true },
        { "waiting for the user", "build", "requirements running", 9, NULL, "waiting", false },
        { "ended wins", "build", "requirements running", 9, "abandoned", "abandoned", true },
        { "units do not count", "build", "build running, build/T1 failed", 0, NULL, "running",
          false },
        { "agents do not count", "build", "build running, task-builder:failed failed", 0, NULL,
          "running", false },
        { "no terminal state", "endless", "a completed", 0, NULL, "completed", false },
        { "unknown: nothing", "unknown", "", 0, NULL, "not_started", false },
        { "unknown: the worst", "unknown", "a completed, b failed, c running", 0, NULL, "failed",
          false },
        { "unknown: running", "unknown", "a completed, b running, c waiting", 0, NULL, "running",
          false },
        { "unknown: waiting", "unknown", "a completed, c waiting", 0, NULL, "waiting", false },
        { "unknown: all done", "unknown", "a completed, b skipped", 0, NULL, "completed", false },
        { "unknown: some to come", "unknown", "a completed, b not_started", 0, NULL, "not_started",
          false },
        { "definition gone", "gone", "a completed", 0, NULL, "running", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(RunState) run = run_with(cases[i].changes);
        g_free(run->workflow);
        run->workflow = g_strdup(cases[i].workflow);
        run->waiting_event = cases[i].waiting_event;
        run->outcome = g_strdup(cases[i].outcome);
        g_autoptr(Workflow) machine =
            strcmp(cases[i].workflow, "build") == 0 ? machine_of("build", NULL)
            : strcmp(cases[i].workflow, "endless") == 0
                ? machine_of("endless", "stateDiagram-v2\n[*] --> a\na --> b\nb --> a\n")
                : NULL;
        run_state_settle(run, machine, 1000);
        assert_text(cases[i].name, run->status, cases[i].want);
        if ((run->ended_at != 0) != cases[i].has_ended)
            fail_msg("%s: ended at %" G_GINT64_FORMAT, cases[i].name, run->ended_at);
    }
}

/* cli-D-09: what ends waiting for the user. */
static void test_waiting(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *change;
        bool is_waiting;
    } cases[] = {
        { "design running", false },     { "design completed", false }, { "design failed", false },
        { "build/T1 completed", false }, { "design waiting", true },    { "design skipped", true },
        { "design not_started", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(RunState) run = run_with("requirements running");
        run->waiting_event = 7;
        g_auto(GStrv) words = g_strsplit(cases[i].change, " ", 2);
        g_auto(GStrv) place = g_strsplit(words[0], "/", 2);
        StepStatus status = STEP_NOT_STARTED;
        assert_true(step_status_parse(words[1], &status));
        run_state_apply(run, place[0], place[1], status, 8);
        if ((run->waiting_event != 0) != cases[i].is_waiting)
            fail_msg("%s", cases[i].change);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),   cmocka_unit_test(test_same_step),
        cmocka_unit_test(test_agents),  cmocka_unit_test(test_unchecked),
        cmocka_unit_test(test_details), cmocka_unit_test(test_status),
        cmocka_unit_test(test_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
