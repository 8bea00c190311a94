/*
 * A write to one repository after another one was read that is not known to be public (common
 * §4.6).
 */
#include "base/str.h"
#include "tool_fixture.h"

#include "tool/context.h"
#include "tool/repo_flow.h"

typedef struct ProbeArgs {
    const char *repo, *mode, *found, *other, *action, *from;
    bool is_local, is_command, is_order;
} ProbeArgs;

static const FieldDef fields[] = {
    { "repo", FIELD_STRING, offsetof(ProbeArgs, repo) },
    { "mode", FIELD_STRING, offsetof(ProbeArgs, mode) },
    { "found", FIELD_STRING, offsetof(ProbeArgs, found) },   // what the tool says it has read
    { "other", FIELD_STRING, offsetof(ProbeArgs, other) },   // written besides `repo`
    { "action", FIELD_STRING, offsetof(ProbeArgs, action) }, // of a shell command
    { "from", FIELD_STRING, offsetof(ProbeArgs, from) },     // read by the same command
    { "local", FIELD_BOOLEAN, offsetof(ProbeArgs, is_local) },
    { "order", FIELD_BOOLEAN, offsetof(ProbeArgs, is_order) },
    { "command", FIELD_BOOLEAN, offsetof(ProbeArgs, is_command) },
    { 0 },
};

static bool probe_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *judgement,
                        GError **error G_GNUC_UNUSED)
{
    const ProbeArgs *args = args_;
    bool is_read = !args->mode || strcmp(args->mode, "read") == 0;
    *judgement = (Judgement) {
        .effect = is_read ? EFFECT_READ : EFFECT_WRITE,
        .summary = g_strdup("touches it"),
        .host = g_strdup(args->is_command ? NULL : "github.com"),
        .repo = g_strdup(args->repo),
        .is_github = !args->is_command && !args->is_order,
        .is_order = args->is_order,
        .stays_here = args->is_local,
        .kind = g_strdup("probe"),
        .command = g_strdup(args->is_command ? "gh" : NULL),
    };
    if (args->action)
        judgement_add_action(judgement, "pr create", NULL, NULL,
                             *args->action ? args->action : NULL);
    if (args->other || args->from) {
        JudgedTarget *other = g_new0(JudgedTarget, 1);
        *other = (JudgedTarget) { args->from ? EFFECT_READ : EFFECT_WRITE, g_strdup("github.com"),
                                  g_strdup(args->from ? args->from : args->other) };
        judgement->others = g_ptr_array_new_with_free_func((GDestroyNotify)judged_target_free);
        g_ptr_array_add(judgement->others, other);
    }
    return true;
}

static bool probe_run(ToolCall *call, const void *args_, ToolResult *result,
                      GError **error G_GNUC_UNUSED)
{
    const ProbeArgs *args = args_;
    if (args->found)
        tool_call_note_read(call, "github.com", args->found);
    tool_result_add_text(result, "done");
    return true;
}

static const ToolDef probe = {
    .name = "probe",
    .label = "Probe",
    .summary = "x",
    .judge = probe_judge,
    .fields = fields,
    .args_size = sizeof(ProbeArgs),
    .run = probe_run,
};

static const ToolDef gh_probe = {
    .name = "gh_probe",
    .label = "Probe",
    .summary = "x",
    .judge = probe_judge,
    .flags = TOOL_GH,
    .fields = fields,
    .args_size = sizeof(ProbeArgs),
    .run = probe_run,
};

static int looks;

static bool home(ToolCall *call G_GNUC_UNUSED, char **ret_host, char **ret_repo)
{
    *ret_host = g_strdup("github.com");
    *ret_repo = g_strdup("acme/widget");
    return true;
}

static RepoVisibility look(ToolCall *call G_GNUC_UNUSED, const char *host, const char *repo)
{
    looks++;
    assert_string_equal(host, "github.com");
    return str_has_prefix(repo, "open/")   ? REPO_PUBLIC
           : str_has_prefix(repo, "acme/") ? REPO_PRIVATE
                                           : REPO_NOT_KNOWN;
}

static const RepoLookup lookup = { .home = home, .look = look };

typedef struct Asked {
    int count;
    bool answer;
    char *text, *allowance;
} Asked;

static bool ask(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED, bool *ret_approved,
                void *asked_, GError **error G_GNUC_UNUSED)
{
    Asked *asked = asked_;
    asked->count++;
    g_free(asked->text);
    g_free(asked->allowance);
    asked->text = g_strdup(question->text);
    asked->allowance = g_strdup(question->allowance);
    *ret_approved = asked->answer;
    return true;
}

/* Whether it ran; *ret_text (may be NULL) is its answer. */
static bool call_with(ToolFixture *fixture, const ToolDef *tool, const ToolDoor *door,
                      const char *arguments, char **ret_text)
{
    g_autoptr(json_t) given = json_of(arguments);
    const ToolCallSpec spec = {
        .tool = tool, .arguments = given, .context = fixture->context, .door = door
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    if (ret_text)
        *ret_text = tool_result_text(&result);
    return !result.is_error;
}

static const ToolDoor alone = { .kind = DOOR_AGENT };

static void test_flows(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *reads[3], *write;
        bool runs;
    } cases[] = {
        { "nothing was read", { NULL }, "{'repo':'acme/widget','mode':'write'}", true },
        { "the same repository",
          { "{'repo':'acme/widget'}" },
          "{'repo':'Acme/Widget','mode':'write'}",
          true },
        { "another, private", { "{'repo':'acme/vault'}" }, "{'repo':'o/r','mode':'write'}", false },
        { "not known counts as private",
          { "{'repo':'who/knows'}" },
          "{'repo':'o/r','mode':'write'}",
          false },
        { "public", { "{'repo':'open/source'}" }, "{'repo':'o/r','mode':'write'}", true },
        { "one of several",
          { "{'repo':'open/source'}", "{'repo':'o/r'}", "{'repo':'acme/vault'}" },
          "{'repo':'o/r','mode':'write'}",
          false },
        { "a read stays free", { "{'repo':'acme/vault'}" }, "{'repo':'o/r'}", true },
        { "what changes this machine only",
          { "{'repo':'acme/vault'}" },
          "{'repo':'o/r','mode':'write','local':true}",
          true },
        { "the directory's, not named", { "{}" }, "{'repo':'acme/widget','mode':'write'}", true },
        { "both not named", { "{}" }, "{'mode':'write'}", true },
        { "the directory's, private, then another",
          { "{}" },
          "{'repo':'o/r','mode':'write'}",
          false },
        { "read elsewhere, then the directory's",
          { "{'repo':'acme/vault'}" },
          "{'mode':'write'}",
          false },
        { "what a search found",
          { "{'found':'acme/vault'}" },
          "{'repo':'acme/widget','mode':'write'}",
          false },
        { "a search that found what is public",
          { "{'found':'open/source'}" },
          "{'repo':'acme/widget','mode':'write'}",
          true },
        { "an order that others carry out",
          { "{'repo':'acme/vault'}" },
          "{'repo':'o/r','order':true}",
          false },
        { "another that is written besides",
          { "{'repo':'acme/widget'}" },
          "{'repo':'acme/widget','mode':'write','other':'o/r'}",
          false },
        { "a shell that names it",
          { "{'repo':'acme/vault'}" },
          "{'mode':'write','command':true,'action':'o/r'}",
          false },
        { "a shell that reads and writes in one command",
          { NULL },
          "{'mode':'write','command':true,'action':'o/r','from':'acme/vault'}",
          false },
        { "a shell that read before",
          { "{'mode':'write','command':true,'from':'acme/vault'}" },
          "{'repo':'o/r','mode':'write'}",
          false },
        { "a shell in the directory",
          { "{'repo':'acme/widget'}" },
          "{'mode':'write','command':true,'action':''}",
          true },
        { "a shell that does nothing on GitHub",
          { "{'repo':'acme/vault'}" },
          "{'mode':'write','command':true}",
          true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_context_set_repo_lookup(fixture->context, &lookup);
        for (size_t k = 0; k < G_N_ELEMENTS(cases[i].reads) && cases[i].reads[k]; k++)
            assert_true(call_with(fixture, &probe, &alone, cases[i].reads[k], NULL));
        g_autofree char *text = NULL;
        if (call_with(fixture, &probe, &alone, cases[i].write, &text) != cases[i].runs)
            fail_msg("%s: %s", cases[i].name, text);
    }
}

/* A command line of gh without a repository is of a search or of GraphQL: it may be of any. */
static void test_gh_without_a_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_context_set_repo_lookup(fixture->context, &lookup);
    g_autofree char *text = NULL;
    assert_true(call_with(fixture, &gh_probe, &alone, "{}", NULL));
    assert_false(
        call_with(fixture, &probe, &alone, "{'repo':'acme/widget','mode':'write'}", &text));
    assert_non_null(strstr(text,
                           "has read repositories of github.com, which is not known to be "
                           "public, and this writes to acme/widget, and nobody can be asked"));
}

static void test_words_and_flags(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_context_set_repo_lookup(fixture->context, &lookup);
    Asked asked = { .answer = true };
    static const char write[] = "{'repo':'o/r','mode':'write'}";
    const ToolDoor flagged = { .kind = DOOR_DIRECT, .allow_writes = true, .allow_hint = "--yes" };
    const ToolDoor typed = { .kind = DOOR_TYPED };
    const ToolDoor person = { .kind = DOOR_AGENT, .ask = ask, .user_data = &asked };
    g_autofree char *text = NULL;
    assert_true(call_with(fixture, &probe, &alone, "{'repo':'acme/vault'}", NULL));
    assert_false(call_with(fixture, &probe, &flagged, write, &text));
    assert_string_equal(text, "refused: probe (touches it): this conversation has read acme/vault, "
                              "which is not known to be public, and this writes to o/r, and nobody "
                              "can be asked");
    assert_true(call_with(fixture, &probe, &typed, write, NULL)); // is its own consent
    assert_true(call_with(fixture, &probe, &person, write, NULL));
    assert_non_null(strstr(asked.text, "private text may leave: this conversation has read "
                                       "acme/vault"));
    asked.answer = false;
    assert_false(call_with(fixture, &probe, &person, write, NULL));
    assert_int_equal(asked.count, 2);
    g_free(asked.text);
    g_free(asked.allowance);
}

/* What was allowed before the reading does not hold after it, and may be allowed for itself. */
static void test_allowances(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(Allowances) allowances = allowances_new();
    const ConversationParts parts = { .allowances = allowances };
    tool_context_set_parts(fixture->context, &parts);
    tool_context_set_repo_lookup(fixture->context, &lookup);
    assert_true(allowances_add(allowances, "probe on github.com/o/r"));
    Asked asked = { .answer = false };
    static const char write[] = "{'repo':'o/r','mode':'write'}";
    const ToolDoor person = { .kind = DOOR_DIRECT, .ask = ask, .user_data = &asked };
    assert_true(call_with(fixture, &probe, &person, write, NULL));
    assert_int_equal(asked.count, 0);
    assert_true(call_with(fixture, &probe, &person, "{'repo':'acme/vault'}", NULL));
    assert_false(call_with(fixture, &probe, &person, write, NULL));
    assert_string_equal(asked.allowance, "probe on github.com/o/r after reading acme/vault");
    assert_true(allowances_add(allowances, asked.allowance));
    assert_true(call_with(fixture, &probe, &person, write, NULL));
    assert_int_equal(asked.count, 1);
    g_free(asked.text);
    g_free(asked.allowance);
}

/* A server is asked once about each, and not about what the person's settings name. */
static void test_looks(void **state G_GNUC_UNUSED)
{
    static const char *const named[] = { "acme/vault", "ACME/*", "github.com/acme/vault",
                                         "github.com/acme/*" };
    for (size_t i = 0; i < G_N_ELEMENTS(named); i++) {
        g_autofree char *settings =
            g_strdup_printf("{'gh':{'publicRepos':['x/y','%s']}}", named[i]);
        g_autoptr(ToolFixture) fixture = tool_fixture_new(settings, false);
        tool_context_set_repo_lookup(fixture->context, &lookup);
        looks = 0;
        assert_true(call_with(fixture, &probe, &alone, "{'repo':'acme/vault'}", NULL));
        assert_true(call_with(fixture, &probe, &alone, "{'repo':'o/r','mode':'write'}", NULL));
        assert_int_equal(looks, 0);
    }
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_context_set_repo_lookup(fixture->context, &lookup);
    assert_true(call_with(fixture, &probe, &alone, "{'repo':'open/source'}", NULL));
    for (int i = 0; i < 3; i++)
        assert_true(call_with(fixture, &probe, &alone, "{'repo':'o/r','mode':'write'}", NULL));
    assert_int_equal(looks, 1);
}

static void test_set(void **state G_GNUC_UNUSED)
{
    g_autoptr(RepoReads) parent = repo_reads_new(NULL);
    g_autoptr(RepoReads) child = repo_reads_new(parent);
    repo_reads_add(parent, "GitHub.com", "a/b");
    repo_reads_add(child, "github.com", "c/d");
    repo_reads_add(child, "github.com", "C/D");
    repo_reads_add(child, "github.com", NULL);
    g_autoptr(GPtrArray) all = repo_reads_list(child);
    assert_int_equal(all->len, 5); // its own two, the parent's three
    g_auto(GStrv) names = repo_reads_names(parent);
    g_autofree char *joined = g_strjoinv(" ", names);
    assert_string_equal(joined, "github.com/a/b github.com/c/d github.com");
    g_autoptr(RepoReads) other = repo_reads_new(NULL);
    for (char **name = names; *name; name++)
        repo_reads_add_name(other, *name);
    g_auto(GStrv) again = repo_reads_names(other);
    g_autofree char *same = g_strjoinv(" ", again);
    assert_string_equal(same, joined);
    for (int i = 0; i < 2 * REPO_READS_MAX; i++) {
        g_autofree char *name = g_strdup_printf("o/r%d", i);
        repo_reads_add(other, "github.com", name);
    }
    g_autoptr(GPtrArray) many = repo_reads_list(other);
    assert_true(many->len <= REPO_READS_MAX + 1);
    repo_reads_clear(other);
    g_autoptr(GPtrArray) none = repo_reads_list(other);
    assert_int_equal(none->len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows),           cmocka_unit_test(test_gh_without_a_repository),
        cmocka_unit_test(test_words_and_flags), cmocka_unit_test(test_allowances),
        cmocka_unit_test(test_looks),           cmocka_unit_test(test_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
