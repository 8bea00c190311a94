/*
 * The doctor against a stub gh and real git (gh-policy §10).
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "github/doctor/gh_doctor.h"

#include <sys/stat.h>

#define LOGGED_IN_AS(host, login)                                                                  \
    "  ✓ Logged in to " host " account " login " (keyring)\n  - Active account: true\n"
#define SENTINEL "ghp_REDACTEDTESTSECRET0000000000000001"

typedef struct Doctor {
    GitFixture *git;
    GhFixture *gh;
    json_t *checks; // of the last run
    char *text;
} Doctor;

static void doctor_free(Doctor *self)
{
    g_unsetenv("GH_REPO");
    g_unsetenv("GH_DEBUG");
    g_unsetenv("PAGER");
    json_decref(self->checks);
    g_free(self->text);
    git_fixture_free(self->git);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Doctor, doctor_free)

/* `user` is the user's config.yml without the executable, `project` the project's (NULL: none). */
static void configure(Doctor *self, const char *dir, const char *executable, const char *user,
                      const char *project)
{
    g_autofree char *text = g_strdup_printf(
        "gh:\n  executable: %s\n  knownHosts: [ghe.example.com]\n%s", executable, user);
    g_autofree char *path = g_build_filename(self->gh->home, "config.yml", NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    if (project) {
        g_autofree char *project_dir = g_build_filename(dir, ".kedge", NULL);
        g_autofree char *project_path = g_build_filename(project_dir, "config.yml", NULL);
        assert_true(file_make_dirs(project_dir, 0700, NULL));
        g_assert_true(g_file_set_contents(project_path, project, -1, NULL));
    }
    settings_unref(self->gh->settings);
    self->gh->settings = settings_load(self->gh->home, dir, NULL);
}

/* A gh that is logged in to both hosts, and nothing in the environment. */
static Doctor *doctor_new(void)
{
    Doctor *self = g_new0(Doctor, 1);
    self->git = git_fixture_new();
    self->gh = self->git->gh;
    self->gh->tool = &tool_gh_doctor;
    g_unsetenv("GH_CONFIG_DIR");
    g_unsetenv("PAGER");
    g_autofree char *stub = g_build_filename(self->gh->bin, "gh", NULL);
    configure(self, self->git->work, stub, "", NULL);
    gh_fixture_set_version(self->gh, "2.60.1");
    return self;
}

static void reply_auth(Doctor *self, const char *host, const char *out, const char *err, int status)
{
    g_autofree char *match = g_strdup_printf("auth status --hostname %s*", host);
    gh_fixture_reply(self->gh,
                     &(GhReply) { .match = match, .out = out, .err = err, .status = status });
}

static void reply_well(Doctor *self)
{
    reply_auth(self, "github.com", LOGGED_IN_AS("github.com", "alice"), NULL, 0);
    reply_auth(self, "ghe.example.com", LOGGED_IN_AS("ghe.example.com", "alice"), NULL, 0);
}

static void examine(Doctor *self, const char *dir)
{
    g_auto(ToolResult) result = gh_fixture_call_in(self->gh, dir, "{}");
    assert_false(result.is_error);
    json_decref(self->checks);
    self->checks = json_incref(json_get_array(result.details, "checks"));
    g_free(self->text);
    self->text = tool_result_text(&result);
    unsigned failed = 0;
    size_t i;
    json_t *check;
    json_array_foreach (self->checks, i, check)
        failed += strcmp(json_get_text(check, "status"), "FAIL") == 0;
    assert_int_equal(json_get_int(result.details, "failed", -1), failed);
}

typedef struct Want {
    const char *id, *status;
    const char *text, *recovery; // parts; NULL: not looked at
} Want;

static const json_t *find_check(const Doctor *self, const char *id)
{
    size_t i;
    json_t *check;
    json_array_foreach (self->checks, i, check) {
        if (strcmp(json_get_text(check, "id"), id) == 0)
            return check;
    }
    return NULL;
}

static bool has_part(const json_t *check, const char *key, const char *part)
{
    const char *text = json_get_text(check, key);
    return part == NULL || (text != NULL && strstr(text, part) != NULL);
}

static void expect(const char *name, const Doctor *self, const Want *wants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *check = find_check(self, wants[i].id);
        if (!check || strcmp(json_get_text(check, "status"), wants[i].status) != 0 ||
            !has_part(check, "text", wants[i].text) ||
            !has_part(check, "recovery", wants[i].recovery))
            fail_msg("%s: %s is not %s (%s; %s):\n%s", name, wants[i].id, wants[i].status,
                     wants[i].text, wants[i].recovery, self->text);
    }
}
#define EXPECT(name, self, ...)                                                                    \
    expect(name, self, (const Want[]) { __VA_ARGS__ },                                             \
           sizeof((const Want[]) { __VA_ARGS__ }) / sizeof(Want))

/* Everything is in order; the layout. */
static void test_well(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    git_fixture_use_origin(self->git, WEB_ORIGIN);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("well", self, { "executable", "PASS", "/bin/gh", NULL },
           { "version", "PASS", "2.60.1 (minimum 2.46.0)", NULL },
           { "auth:github.com", "PASS", "logged in as alice (keyring)", NULL },
           { "auth:ghe.example.com", "PASS", "logged in as alice (keyring)", NULL },
           { "accounts:github.com", "PASS", "one account", NULL },
           { "cwd", "PASS", "/src/app", NULL },
           { "repo", "PASS", "github.com/harbor/tidepool (origin)", NULL },
           { "remotes", "PASS", "origin: github.com", NULL },
           { "env-set", "PASS", "GH_PROMPT_DISABLED GH_PAGER", NULL },
           { "env-external", "PASS", "none", NULL },
           { "policy", "PASS",
             "github.com ghe.example.com: read auto, write confirm, destructive block, "
             "unknown confirm",
             NULL },
           { "aliases", "PASS", "none", NULL }, { "extensions", "PASS", "none", NULL },
           { "git", "PASS", ".", NULL }, { "audit", "PASS", "~/.kedge/agent/gh-audit", NULL });
    assert_true(str_has_prefix(self->text, "kedge gh doctor\nPASS  executable               "));
    assert_non_null(strstr(self->text, "\nPASS  accounts:ghe.example.com one account\n"));
    assert_true(g_str_has_suffix(self->text, "\n16 PASS, 0 WARN, 0 FAIL, 0 SKIP"));

    // it only looks
    g_autofree char *agent = g_build_filename(self->gh->home, ".kedge", NULL);
    assert_false(file_exists(agent));
    gh_expect_calls("two hosts", self->gh, 2);
    gh_expect_argv("old form", self->gh, 0, "auth|status|--hostname|github.com");
}

static bool was_host_set(const Doctor *self, unsigned call, const char *host)
{
    g_autofree char *variable = g_strconcat("GH_HOST=", host, NULL);
    g_auto(GStrv) env = gh_fixture_environment(self->gh, call);
    return g_strv_contains((const char *const *)env, variable);
}

/* gh finds a token of the environment only for a host that it has heard of. */
static void test_token_of_the_environment(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    g_setenv("GH_ENTERPRISE_TOKEN", "x", true);
    reply_well(self);
    examine(self, self->git->work);
    assert_false(was_host_set(self, 0, "github.com"));
    assert_true(was_host_set(self, 1, "ghe.example.com"));
    g_unsetenv("GH_ENTERPRISE_TOKEN");

    gh_fixture_reset(self->gh);
    g_setenv("GITHUB_TOKEN", "x", true);
    reply_well(self);
    examine(self, self->git->work);
    assert_true(was_host_set(self, 0, "github.com"));
    assert_false(was_host_set(self, 1, "ghe.example.com"));
    g_unsetenv("GITHUB_TOKEN");
}

/* Acceptance 5 (a): no gh. */
static void test_no_executable(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    configure(self, self->git->work, "gh-that-is-not-there", "", NULL);
    examine(self, self->git->work);
    EXPECT("(a)", self,
           { "executable", "FAIL", "gh not found at gh-that-is-not-there", "gh.executable" },
           { "version", "SKIP", NULL, NULL }, { "auth:github.com", "SKIP", NULL, NULL },
           { "accounts:ghe.example.com", "SKIP", NULL, NULL }, { "cwd", "PASS", NULL, NULL });
    gh_expect_calls("(a)", self->gh, 0);
}

/* Acceptance 5 (b): too old. */
static void test_old_version(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    gh_fixture_set_version(self->gh, "2.23.0");
    examine(self, self->git->work);
    EXPECT("(b)", self, { "executable", "PASS", NULL, NULL },
           { "version", "FAIL", "gh 2.23.0 is older than the required 2.46.0", "https://" },
           { "auth:github.com", "SKIP", NULL, NULL });
    gh_expect_calls("(b)", self->gh, 0);
}

/* Acceptance 5 (c): no login, a token that is refused, one that is not answered for. */
static void test_logins(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *out, *err;
        int status;
        Want auth, accounts;
    } cases[] = {
        { "not logged in",
          NULL,
          "You are not logged into any accounts on ghe.example.com\n",
          1,
          { "auth:ghe.example.com", "FAIL", "not logged in",
            "gh auth login --hostname ghe.example.com" },
          { "accounts:ghe.example.com", "SKIP", NULL, NULL } },
        { "refused, though the status is 0",
          "  X Failed to log in to ghe.example.com account o (keyring)\n",
          NULL,
          0,
          { "auth:ghe.example.com", "FAIL", "the token of o (keyring) is not accepted",
            "gh auth login --hostname ghe.example.com" },
          { "accounts:ghe.example.com", "PASS", NULL, NULL } },
        { "refused token of the environment",
          NULL,
          "  X Failed to log in to ghe.example.com using token (GH_ENTERPRISE_TOKEN)\n",
          1,
          { "auth:ghe.example.com", "FAIL", "(GH_ENTERPRISE_TOKEN)",
            "set a valid token in GH_ENTERPRISE_TOKEN" },
          { "accounts:ghe.example.com", "PASS", NULL, NULL } },
        { "timeout",
          NULL,
          "  X Timeout trying to log in to ghe.example.com account o (keyring)\n",
          1,
          { "auth:ghe.example.com", "FAIL", "did not answer", "network" },
          { "accounts:ghe.example.com", "PASS", NULL, NULL } },
        { "from the environment",
          "  ✓ Logged in to ghe.example.com account o (GH_ENTERPRISE_TOKEN)\n",
          NULL,
          0,
          { "auth:ghe.example.com", "WARN", "logged in as o (GH_ENTERPRISE_TOKEN)", NULL },
          { "accounts:ghe.example.com", "PASS", NULL, NULL } },
        { "missing scopes",
          LOGGED_IN_AS("ghe.example.com", "o") "  ! Missing required token scopes: 'read:org'\n",
          NULL,
          0,
          { "auth:ghe.example.com", "WARN", "read:org",
            "gh auth refresh --hostname ghe.example.com --scopes read:org" },
          { "accounts:ghe.example.com", "PASS", NULL, NULL } },
        { "two accounts",
          LOGGED_IN_AS("ghe.example.com",
                       "o") "  ✓ Logged in to ghe.example.com account p (keyring)\n"
                            "  - Active account: false\n",
          NULL,
          0,
          { "auth:ghe.example.com", "PASS", "logged in as o", NULL },
          { "accounts:ghe.example.com", "WARN", "2 accounts; the active one is o",
            "gh auth switch --hostname ghe.example.com" } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Doctor) self = doctor_new();
        reply_auth(self, "ghe.example.com", cases[i].out, cases[i].err, cases[i].status);
        reply_well(self);
        examine(self, self->git->work);
        expect(cases[i].name, self, &cases[i].auth, 1);
        expect(cases[i].name, self, &cases[i].accounts, 1);
        EXPECT(cases[i].name, self, { "auth:github.com", "PASS", NULL, NULL });
    }
}

/* gh 2.81 says it as JSON. */
static void test_json_logins(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    gh_fixture_set_version(self->gh, "2.81.0");
    reply_auth(self, "github.com",
               "{\"hosts\":{\"github.com\":[{\"state\":\"success\",\"active\":true,"
               "\"login\":\"alice\",\"tokenSource\":\"keyring\",\"scopes\":\"repo, read:org\"}]}}",
               NULL, 0);
    reply_auth(self, "ghe.example.com", "{\"hosts\":{}}", NULL, 0);
    examine(self, self->git->work);
    EXPECT("JSON", self, { "auth:github.com", "PASS", "logged in as alice (keyring)", NULL },
           { "auth:ghe.example.com", "FAIL", "not logged in", NULL });
    gh_expect_argv("JSON", self->gh, 0, "auth|status|--hostname|github.com|--json|hosts");
}

static void test_versions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *version;
        Want want;
    } cases[] = {
        { "DEV", { "version", "WARN", "DEV is no release", NULL } },
        { "3.1.0", { "version", "WARN", "3.1.0 is newer", NULL } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Doctor) self = doctor_new();
        gh_fixture_set_version(self->gh, cases[i].version);
        examine(self, self->git->work);
        expect(cases[i].version, self, &cases[i].want, 1);
        EXPECT("it is used", self, { "auth:github.com", "FAIL", "not logged in", NULL });
    }
}

/* Acceptance 5 (d): no clone. And directories that cannot be used at all. */
static void test_directories(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    reply_well(self);
    examine(self, self->gh->home);
    EXPECT("(d)", self, { "cwd", "WARN", "not a git directory", "[HOST/]OWNER/REPO" },
           { "repo", "WARN", "no repository; host github.com (default)", "[HOST/]OWNER/REPO" },
           { "remotes", "SKIP", "needs a git directory", NULL });

    g_setenv("GH_REPO", "ghe.example.com/o/r", true);
    reply_well(self);
    examine(self, self->gh->home);
    EXPECT("GH_REPO", self, { "repo", "PASS", "ghe.example.com/o/r (env-repo)", NULL },
           { "env-external", "WARN", "GH_REPO=ghe.example.com/o/r", NULL });
    g_unsetenv("GH_REPO");

    g_autofree char *gone = g_build_filename(self->gh->dir, "gone", NULL);
    reply_well(self);
    examine(self, gone);
    EXPECT("gone", self, { "cwd", "FAIL", "does not exist", NULL }, { "repo", "SKIP", NULL, NULL },
           { "remotes", "SKIP", NULL, NULL }, { "auth:github.com", "PASS", NULL, NULL });
}

/* Acceptance 5 (e): remotes that lead nowhere known. */
static void test_remotes(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    const char *work = self->git->work;
    git_fixture_use_origin(self->git, "https://evil.example/o/r.git");
    reply_well(self);
    examine(self, work);
    EXPECT("(e) all", self,
           { "remotes", "FAIL", "unknown host: origin: evil.example", "gh.knownHosts" },
           { "repo", "WARN", NULL, NULL }, { "cwd", "PASS", NULL, NULL });

    git_do(work, "remote", "add", "upstream", "git@github.com:harbor/tidepool.git", NULL);
    reply_well(self);
    examine(self, work);
    EXPECT("(e) one", self,
           { "remotes", "WARN", "unknown host: origin: evil.example; known: upstream: github.com",
             "gh.knownHosts" });

    git_do(work, "remote", "remove", "origin", NULL);
    git_do(work, "remote", "add", "origin", "git@work-hub:harbor/tidepool.git", NULL);
    g_autofree char *stub = g_build_filename(self->gh->bin, "gh", NULL);
    configure(self, work, stub, "  sshAliases: {work-hub: github.com}\n", NULL);
    reply_well(self);
    examine(self, work);
    EXPECT("alias", self,
           { "remotes", "WARN", "found through an SSH alias: origin: github.com", NULL },
           { "repo", "PASS", "(upstream)", NULL });
}

static void test_policy(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *user, *project;
        Want want;
    } cases[] = {
        { "writes run unasked",
          "  policy: {write: auto}\n",
          NULL,
          { "policy", "WARN", "write auto", NULL } },
        { "the project is looser",
          "  hostPolicy: {github.com: read-only}\n",
          "gh:\n  policy: {write: confirm}\n",
          { "policy", "WARN", "a looser setting of the project is ignored", NULL } },
        { "the project is stricter",
          "",
          "gh:\n  policy: {write: block}\n",
          { "policy", "PASS", "write block", NULL } },
        { "one host differs",
          "  hostPolicy: {ghe.example.com: read-only}\n",
          NULL,
          { "policy", "PASS",
            "github.com: read auto, write confirm, destructive block, unknown confirm; "
            "ghe.example.com: read auto, write block, destructive block, unknown block",
            NULL } },
        { "a rule for one repository is not its host's",
          "  hostPolicy: {github.com/o/r: deny}\n",
          NULL,
          { "policy", "PASS", "github.com ghe.example.com: read auto", NULL } },
        { "a mistake",
          "  policy: {write: perhaps}\n",
          NULL,
          { "policy", "FAIL", "the action for write must be auto, confirm or block",
            "gh.policy" } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Doctor) self = doctor_new();
        g_autofree char *stub = g_build_filename(self->gh->bin, "gh", NULL);
        configure(self, self->git->work, stub, cases[i].user, cases[i].project);
        reply_well(self);
        examine(self, self->git->work);
        expect(cases[i].name, self, &cases[i].want, 1);
    }
}

static void put(const Doctor *self, const char *name, const char *text, mode_t mode)
{
    g_autofree char *path = g_build_filename(self->gh->home, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_true(file_make_dirs(dir, 0700, NULL));
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(chmod(path, mode), 0);
}

static void test_gh_configuration(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    put(self, ".config/gh/config.yml", "aliases:\n    co: pr checkout\n", 0600);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("default alias", self, { "aliases", "PASS", "co", NULL });

    put(self, ".config/gh/config.yml",
        "aliases:\n    co: pr checkout\n    boom: '!rm -rf ~'\n    pipe: '!gh pr list | cat'\n",
        0600);
    put(self, ".local/share/gh/extensions/gh-dash/gh-dash", "#!/bin/sh\n", 0700);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("shell aliases", self, { "aliases", "WARN", "boom pipe", NULL },
           { "extensions", "WARN", "dash", NULL });
}

static void test_audit(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    g_autofree char *stub = g_build_filename(self->gh->bin, "gh", NULL);
    configure(self, self->git->work, stub, "  audit: {enabled: false}\n", NULL);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("off", self, { "audit", "WARN", "disabled", NULL });

    configure(self, self->git->work, stub, "", NULL);
    put(self, ".kedge/agent/gh-audit/2026-05-31.log", "", 0600);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("there", self, { "audit", "PASS", "~/.kedge/agent/gh-audit (0700)", NULL });

    put(self, ".kedge/agent/gh-audit/2026-05-31.log", "", 0644);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("file", self, { "audit", "FAIL", "2026-05-31.log has mode 0644", "chmod 600" });

    g_autofree char *dir = g_build_filename(self->gh->home, ".kedge/agent/gh-audit", NULL);
    assert_int_equal(chmod(dir, 0755), 0);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("directory", self, { "audit", "FAIL", "has mode 0755", "chmod 700" });
}

/* Variables are named; nothing secret is shown, wherever it comes from. */
static void test_environment(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    g_setenv("GH_TOKEN", SENTINEL, true);
    g_setenv("GH_DEBUG", "api", true);
    g_setenv("GH_REPO", "https://u:" SENTINEL "@github.com/o/r", true);
    reply_auth(self, "github.com", NULL,
               "  X Failed to log in to github.com using token (" SENTINEL ")\n", 1);
    reply_well(self);
    examine(self, self->git->work);
    EXPECT("environment", self, { "env-external", "WARN", "GH_REPO=", NULL },
           { "env-external", "WARN", " GH_TOKEN GH_DEBUG", NULL },
           { "auth:github.com", "FAIL", "[REDACTED]", NULL });
    g_autofree char *json = json_to_text(self->checks);
    assert_null(strstr(json, SENTINEL));
    assert_null(strstr(self->text, SENTINEL));
    g_unsetenv("GH_TOKEN");
}

static void test_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(Doctor) self = doctor_new();
    cancel_fire(self->gh->cancel);
    g_auto(ToolResult) result = gh_fixture_call(self->gh, "{}");
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    gh_expect_calls("cancelled", self->gh, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_well),
        cmocka_unit_test(test_no_executable),
        cmocka_unit_test(test_token_of_the_environment),
        cmocka_unit_test(test_old_version),
        cmocka_unit_test(test_logins),
        cmocka_unit_test(test_json_logins),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_directories),
        cmocka_unit_test(test_remotes),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_gh_configuration),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
