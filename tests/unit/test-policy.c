/*
 * Policy: the table of common §4.2, and what gh.policy and gh.hostPolicy add to it (gh-policy
 * §5.2).
 */
#include "unit.h"

#include "base/file.h"
#include "tool/policy.h"

static const ToolDef plain_tool = { .name = "plain", .label = "Plain" };
static const ToolDef github_tool = { .name = "hub", .label = "Hub", .flags = TOOL_GITHUB };

#define ALLOW  ACTION_ALLOW
#define ASK    ACTION_ASK
#define REFUSE ACTION_REFUSE

static const char *const action_names[] = { "allow", "ask", "refuse" };

static void test_table_of_doors(void **state G_GNUC_UNUSED)
{
    static const struct {
        DoorKind door;
        const char *name;
        PolicyAction want[EFFECT_UNKNOWN + 1]; // read, write, destructive, blocked, unknown
    } rows[] = {
        { DOOR_AGENT, "agent", { ALLOW, ALLOW, ASK, REFUSE, ASK } },
        { DOOR_DIRECT, "direct", { ALLOW, ASK, ASK, REFUSE, ASK } },
        { DOOR_TYPED, "typed", { ALLOW, ALLOW, ALLOW, REFUSE, ALLOW } },
    };
    g_autoptr(Settings) settings = settings_new(NULL);
    const ToolDef *const tools[] = { &plain_tool, &github_tool };
    for (size_t t = 0; t < G_N_ELEMENTS(tools); t++)
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
            for (Effect effect = EFFECT_READ; effect <= EFFECT_UNKNOWN; effect++) {
                const Judgement judgement = { .effect = effect };
                g_autofree char *reason = NULL;
                PolicyAction got =
                    policy_decide(settings, rows[i].door, tools[t], &judgement, &reason);
                if (got != rows[i].want[effect])
                    fail_msg("%s, %s, %s: %s", tools[t]->name, rows[i].name, effect_name(effect),
                             action_names[got]);
                assert_true((reason == NULL) == (got == ACTION_ALLOW));
            }
}

/* Settings as they come from files: `user` is the global config.yml, `project` the project's. */
static Settings *load(const char *user, const char *project)
{
    g_autofree char *root = g_dir_make_tmp("kedge-policy-XXXXXX", NULL);
    g_autofree char *dir = g_build_filename(root, ".kedge", NULL);
    assert_true(file_make_dirs(dir, 0700, NULL));
    g_autofree char *user_path = g_build_filename(root, "config.yml", NULL);
    g_autofree char *project_path = g_build_filename(dir, "config.yml", NULL);
    if (user)
        assert_true(file_write_atomic(user_path, user, strlen(user), 0600, NULL));
    if (project)
        assert_true(file_write_atomic(project_path, project, strlen(project), 0600, NULL));
    Settings *settings = settings_load(root, root, NULL);
    assert_true(file_remove_tree(root, NULL));
    return settings;
}

typedef struct Case {
    const char *name, *user, *project, *host, *repo;
    DoorKind door;
    Effect effect;
    PolicyAction want;
    const char *reason; // part of it; NULL: not looked at
} Case;

static void check(const Case *c)
{
    g_autoptr(Settings) settings = load(c->user, c->project);
    const Judgement judgement = { .effect = c->effect,
                                  .host = (char *)c->host,
                                  .repo = (char *)c->repo };
    g_autofree char *reason = NULL;
    PolicyAction got = policy_decide(settings, c->door, &github_tool, &judgement, &reason);
    if (got != c->want)
        fail_msg("%s: got %s (%s), want %s", c->name, action_names[got], reason ? reason : "-",
                 action_names[c->want]);
    if (c->reason && (!reason || !strstr(reason, c->reason)))
        fail_msg("%s: reason '%s' lacks '%s'", c->name, reason ? reason : "(none)", c->reason);
}

static void test_explicit_settings_bind_github_tools(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "nothing said", "x: 1\n", NULL, NULL, NULL, DOOR_AGENT, EFFECT_WRITE, ALLOW, NULL },
        { "confirm makes an agent's write ask", "gh: {policy: {write: confirm}}\n", NULL, NULL,
          NULL, DOOR_AGENT, EFFECT_WRITE, ASK, "effect write needs approval" },
        { "block refuses", "gh: {policy: {write: block}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_WRITE, REFUSE, "writes are disabled for github.com" },
        { "other effects keep their row", "gh: {policy: {write: block}}\n", NULL, NULL, NULL,
          DOOR_AGENT, EFFECT_READ, ALLOW, NULL },
        { "auto does not loosen the row", "gh: {policy: {write: auto, destructive: auto}}\n", NULL,
          NULL, NULL, DOOR_DIRECT, EFFECT_WRITE, ASK, NULL },
        { "auto does not unblock", "gh: {policy: {blocked: auto}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_BLOCKED, REFUSE, "blocked calls are never run" },
        { "reads can be asked about", "gh: {policy: {read: confirm}}\n", NULL, NULL, NULL,
          DOOR_AGENT, EFFECT_READ, ASK, NULL },
        { "a typed command is bound too", "gh: {policy: {destructive: block}}\n", NULL, NULL, NULL,
          DOOR_TYPED, EFFECT_DESTRUCTIVE, REFUSE, "destructive calls are disabled" },
        { "unknown can be refused", "gh: {policy: {unknown: block}}\n", NULL, NULL, NULL,
          DOOR_AGENT, EFFECT_UNKNOWN, REFUSE, NULL },
        { "an empty key says nothing", "gh:\n  policy:\n  hostPolicy:\n", NULL, NULL, NULL,
          DOOR_AGENT, EFFECT_WRITE, ALLOW, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);

    // a tool that has nothing to do with GitHub is not bound
    g_autoptr(Settings) settings = load("gh: {policy: {write: block}}\n", NULL);
    const Judgement judgement = { .effect = EFFECT_WRITE };
    g_autofree char *reason = NULL;
    assert_int_equal(policy_decide(settings, DOOR_AGENT, &plain_tool, &judgement, &reason),
                     ACTION_ALLOW);
}

#define LADDER                                                                                     \
    "gh:\n  hostPolicy:\n"                                                                         \
    "    '*': {write: block}\n"                                                                    \
    "    '*.ghe.com': {write: confirm}\n"                                                          \
    "    '*.acme.ghe.com': {write: block}\n"                                                       \
    "    'one.acme.ghe.com': {write: auto}\n"                                                      \
    "    'github.com': {write: auto}\n"                                                            \
    "    'github.com/harbor/*': read-only\n"                                                       \
    "    'github.com/harbor/tidepool': {write: confirm}\n"

static void test_most_specific_pattern_wins(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "any host", LADDER, NULL, "git.example.org", "a/b", DOOR_AGENT, EFFECT_WRITE, REFUSE,
          NULL },
        { "suffix over any", LADDER, NULL, "x.ghe.com", "a/b", DOOR_AGENT, EFFECT_WRITE, ASK,
          NULL },
        { "longest suffix", LADDER, NULL, "two.acme.ghe.com", "a/b", DOOR_AGENT, EFFECT_WRITE,
          REFUSE, "for two.acme.ghe.com" },
        { "a suffix is no host of its own", LADDER, NULL, "ghe.com", "a/b", DOOR_AGENT,
          EFFECT_WRITE, REFUSE, NULL },
        { "host over suffix", LADDER, NULL, "one.acme.ghe.com", "a/b", DOOR_AGENT, EFFECT_WRITE,
          ALLOW, NULL },
        { "host over any", LADDER, NULL, "github.com", "a/b", DOOR_AGENT, EFFECT_WRITE, ALLOW,
          NULL },
        { "owner over host", LADDER, NULL, "github.com", "harbor/other", DOOR_AGENT, EFFECT_WRITE,
          REFUSE, NULL },
        { "repository over owner", LADDER, NULL, "github.com", "harbor/tidepool", DOOR_AGENT,
          EFFECT_WRITE, ASK, NULL },
        { "case does not matter", LADDER, NULL, "GitHub.COM", "Harbor/TidePool", DOOR_AGENT,
          EFFECT_WRITE, ASK, NULL },
        { "no host is the default host", LADDER, NULL, NULL, "harbor/other", DOOR_AGENT,
          EFFECT_WRITE, REFUSE, "for github.com" },
        { "read-only still reads", LADDER, NULL, NULL, "harbor/other", DOOR_AGENT, EFFECT_READ,
          ALLOW, NULL },
        { "owner without a star", "gh: {hostPolicy: {github.com/harbor: read-only}}\n", NULL, NULL,
          "harbor/x", DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
        { "a missing class comes from gh.policy",
          "gh: {policy: {write: block}, hostPolicy: {github.com: {read: auto}}}\n", NULL, NULL,
          "a/b", DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
        { "the host's word goes before gh.policy",
          "gh: {policy: {write: block}, hostPolicy: {github.com: {write: auto}}}\n", NULL, NULL,
          "a/b", DOOR_AGENT, EFFECT_WRITE, ALLOW, NULL },
        { "gh.defaultHost", "gh: {defaultHost: acme.ghe.com, hostPolicy: {acme.ghe.com: deny}}\n",
          NULL, NULL, NULL, DOOR_AGENT, EFFECT_READ, REFUSE,
          "reads are disabled for acme.ghe.com" },
        { "profile ask", "gh: {hostPolicy: {github.com: ask}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_READ, ASK, NULL },
        { "profile default", "gh: {hostPolicy: {github.com: default}}\n", NULL, NULL, NULL,
          DOOR_AGENT, EFFECT_DESTRUCTIVE, REFUSE, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

static void test_unknown_repository_gets_the_strictest(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "a guard cannot be got around by leaving the name out",
          "gh: {hostPolicy: {github.com/o/secret: read-only}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_WRITE, REFUSE, "writes are disabled for github.com without a repository by " },
        { "an exception for one repository opens no other",
          "gh: {hostPolicy: {github.com: read-only, github.com/me/sandbox: {write: auto}}}\n", NULL,
          NULL, NULL, DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
        { "the exception itself holds",
          "gh: {hostPolicy: {github.com: read-only, github.com/me/sandbox: {write: auto}}}\n", NULL,
          NULL, "me/sandbox", DOOR_AGENT, EFFECT_WRITE, ALLOW, NULL },
        { "guards of other hosts do not matter", "gh: {hostPolicy: {a.ghe.com/o/r: deny}}\n", NULL,
          NULL, NULL, DOOR_AGENT, EFFECT_WRITE, ALLOW, NULL },
        { "half a name is none", "gh: {hostPolicy: {github.com/o/r: deny}}\n", NULL, NULL, "r",
          DOOR_AGENT, EFFECT_READ, REFUSE, "disabled for github.com without a repository by " },
        { "the repository is named", "gh: {hostPolicy: {github.com/o/*: deny}}\n", NULL, NULL,
          "O/r", DOOR_AGENT, EFFECT_READ, REFUSE, "reads are disabled for github.com/O/r by " },
        { "the host where it is the host's",
          "gh: {hostPolicy: {github.com: deny, github.com/o/x: default}}\n", NULL, NULL, "o/r",
          DOOR_AGENT, EFFECT_READ, REFUSE, "reads are disabled for github.com by " },
        { "the stricter layer's", "gh: {hostPolicy: {github.com: ask}}\n",
          "gh: {hostPolicy: {github.com/o/r: deny}}\n", NULL, "o/r", DOOR_AGENT, EFFECT_READ,
          REFUSE, "reads are disabled for github.com/o/r by " },
        { "another repository is known", "gh: {hostPolicy: {github.com/o/r: deny}}\n", NULL, NULL,
          "o/x", DOOR_AGENT, EFFECT_READ, ALLOW, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

static void test_project_only_tightens(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "project tightens", NULL, "gh: {policy: {write: block}}\n", NULL, NULL, DOOR_AGENT,
          EFFECT_WRITE, REFUSE, NULL },
        { "project tightens a host", NULL, "gh: {hostPolicy: {github.com: read-only}}\n", NULL,
          NULL, DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
        { "project does not loosen", "gh: {policy: {write: block}}\n",
          "gh: {policy: {write: auto}}\n", NULL, NULL, DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
        { "a project's host does not loosen the user's policy", "gh: {policy: {write: block}}\n",
          "gh: {hostPolicy: {github.com: {write: auto}}}\n", NULL, NULL, DOOR_AGENT, EFFECT_WRITE,
          REFUSE, NULL },
        { "a project cannot take the user's map away", "gh: {policy: {write: block}}\n", "gh: 1\n",
          NULL, NULL, DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
        { "a project cannot move the default host", "gh: {hostPolicy: {github.com: read-only}}\n",
          "gh: {defaultHost: x.example}\n", NULL, NULL, DOOR_AGENT, EFFECT_WRITE, REFUSE, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

static void test_mistakes_refuse(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "action", "gh: {policy: {write: blok}}\n", NULL, NULL, NULL, DOOR_AGENT, EFFECT_WRITE,
          REFUSE, "action for write must be auto, confirm or block" },
        { "only that class", "gh: {policy: {write: blok}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_READ, ALLOW, NULL },
        { "class", "gh: {policy: {wirte: block}}\n", NULL, NULL, NULL, DOOR_AGENT, EFFECT_WRITE,
          REFUSE, "no effect is called \"wirte\"" },
        { "profile", "gh: {hostPolicy: {github.com: readonly}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_WRITE, REFUSE, "no profile is called \"readonly\"" },
        { "value", "gh: {hostPolicy: {github.com: [read]}}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_WRITE, REFUSE, "profile or a map" },
        { "pattern", "gh: {hostPolicy: {'https://github.com/o': deny}}\n", NULL, NULL, "a/b",
          DOOR_AGENT, EFFECT_WRITE, REFUSE, "is no pattern" },
        { "star as an owner", "gh: {hostPolicy: {'github.com/*/r': deny}}\n", NULL, NULL, "a/r",
          DOOR_AGENT, EFFECT_WRITE, REFUSE, "is no pattern" },
        { "suffix with a path", "gh: {hostPolicy: {'*.ghe.com/o': deny}}\n", NULL, NULL, "a/b",
          DOOR_AGENT, EFFECT_WRITE, REFUSE, "is no pattern" },
        { "host policy that is no map", "gh: {hostPolicy: read-only}\n", NULL, NULL, NULL,
          DOOR_AGENT, EFFECT_WRITE, REFUSE, "must be a map" },
        { "policy that is a list", "gh: {policy: [write]}\n", NULL, NULL, NULL, DOOR_AGENT,
          EFFECT_WRITE, REFUSE, NULL },
        { "a mistake of the project's", NULL, "gh: {policy: {write: never}}\n", NULL, NULL,
          DOOR_AGENT, EFFECT_WRITE, REFUSE, "auto, confirm or block" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

static void test_gh_host_names_the_target(void **state G_GNUC_UNUSED)
{
    static const Case c = { "GH_HOST",
                            "gh: {hostPolicy: {acme.ghe.com: read-only}}\n",
                            NULL,
                            NULL,
                            NULL,
                            DOOR_AGENT,
                            EFFECT_WRITE,
                            REFUSE,
                            "for acme.ghe.com" };
    g_setenv("GH_HOST", "acme.ghe.com", TRUE);
    check(&c);
    g_unsetenv("GH_HOST");
}

int main(void)
{
    g_unsetenv("GH_HOST");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_of_doors),
        cmocka_unit_test(test_explicit_settings_bind_github_tools),
        cmocka_unit_test(test_most_specific_pattern_wins),
        cmocka_unit_test(test_unknown_repository_gets_the_strictest),
        cmocka_unit_test(test_project_only_tightens),
        cmocka_unit_test(test_mistakes_refuse),
        cmocka_unit_test(test_gh_host_names_the_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
