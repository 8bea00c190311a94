/*
 * How a run of gh that ended is sorted and worded (gh-policy §7), and the first line and the body
 * of a result (gh-policy §6.6, §11.1).
 */
#include "unit.h"

#include "github/audit/gh_header.h"

#include <glib/gstdio.h>

#include <signal.h>

#define NO_LOGIN "To get started with GitHub CLI, please run:  gh auth login\n"
#define FOREIGN                                                                                    \
    "none of the git remotes configured for this repository point to a known GitHub host. To "     \
    "tell gh about a new GitHub host, please use `gh auth login`\n"
#define SSO_URL "https://github.com/orgs/acme/sso?authorization_request=AB12"

static const struct {
    const char *name;
    GhEnd end;
    GhKind want;
} ends[] = {
    { "success", { .output = "x" }, GH_KIND_NONE },
    { "success, cut", { .output = "x", .is_cut = true }, GH_KIND_TRUNCATED },
    { "stopped because full",
      { .stop = PROC_STOP_FULL, .is_cut = true, .exit_status = 143 },
      GH_KIND_TRUNCATED },
    { "gh-7.1-1 cancelled before timeout and auth",
      { .stop = PROC_STOP_CANCELLED, .exit_status = 143, .error_output = "HTTP 401" },
      GH_KIND_CANCELLED },
    { "gh-7.1-2 timeout before auth",
      { .stop = PROC_STOP_TIMEOUT, .exit_status = 143, .error_output = "HTTP 401" },
      GH_KIND_TIMEOUT },
    { "gh-7.1-3 auth before rate limit",
      { .exit_status = 1, .error_output = "HTTP 401\nAPI rate limit exceeded" },
      GH_KIND_AUTH },
    { "gh-7.1-4 rate limit before gh-exit",
      { .exit_status = 1, .error_output = "gh: API rate limit exceeded for user (HTTP 403)" },
      GH_KIND_RATE_LIMIT },
    { "gh-7.1-5 the other limit",
      { .exit_status = 1, .error_output = "You have exceeded a secondary rate limit." },
      GH_KIND_RATE_LIMIT },
    { "gh-7.1-6 gh-exit before truncated",
      { .exit_status = 1, .is_cut = true, .error_output = "no" },
      GH_KIND_GH_EXIT },
    { "gh-7.1-7 a signal that is not ours",
      { .exit_status = 139, .signal = SIGSEGV },
      GH_KIND_SIGNAL },
    { "gh-7.2-1 no credentials", { .exit_status = 4, .error_output = NO_LOGIN }, GH_KIND_AUTH },
    { "gh-7.2-2 expired",
      { .exit_status = 1, .error_output = "HTTP 401: Bad credentials (https://api.github.com/)" },
      GH_KIND_AUTH },
    { "gh-7.2-3 expired, from api",
      { .exit_status = 1, .error_output = "gh: Bad credentials (HTTP 401)" },
      GH_KIND_AUTH },
    { "gh-7.2-4 host without login",
      { .exit_status = 1, .error_output = "You are not logged into any accounts on ghe" },
      GH_KIND_AUTH },
    { "gh-7.2-5 organization",
      { .exit_status = 1,
        .error_output = "HTTP 403: Resource protected by organization SAML enforcement." },
      GH_KIND_AUTH },
    { "gh-7.2-6 foreign remotes are not auth",
      { .exit_status = 1, .error_output = FOREIGN },
      GH_KIND_GH_EXIT },
    { "gh-7.2-7 foreign remotes are not auth with status 4 either",
      { .exit_status = 4, .error_output = FOREIGN },
      GH_KIND_GH_EXIT },
    { "gh-7.2-8 words of a success", { .error_output = "HTTP 401", .output = "x" }, GH_KIND_NONE },
    { "gh-7.3-1 pending checks",
      { .exit_status = 8, .command = "pr checks", .output = "build\tpending" },
      GH_KIND_NONE },
    { "gh-7.3-2 failed checks",
      { .exit_status = 1, .command = "pr checks", .output = "build\tfail" },
      GH_KIND_NONE },
    { "gh-7.3-3 no checks at all",
      { .exit_status = 1, .command = "pr checks", .error_output = "no checks reported" },
      GH_KIND_GH_EXIT },
    { "gh-7.3-4 another status",
      { .exit_status = 2, .command = "pr checks", .output = "x" },
      GH_KIND_GH_EXIT },
    { "gh-7.3-5 with --json the status counts",
      { .exit_status = 1,
        .command = "pr checks",
        .argv = (const char *const[]) { "pr", "checks", "5", "--json=name", NULL },
        .output = "[]" },
      GH_KIND_GH_EXIT },
    { "gh-7.3-6 run view --exit-status",
      { .exit_status = 1,
        .command = "run view",
        .argv = (const char *const[]) { "run", "view", "7", "--exit-status", NULL },
        .output = "X main" },
      GH_KIND_NONE },
    { "gh-7.3-7 run view without it",
      { .exit_status = 1, .command = "run view", .output = "X main" },
      GH_KIND_GH_EXIT },
    { "gh-7.3-8 another command",
      { .exit_status = 8, .command = "pr view", .output = "x" },
      GH_KIND_GH_EXIT },
};

static void test_ends(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        GhEnd end = ends[i].end;
        static const char *const no_argv[] = { NULL };
        if (!end.argv)
            end.argv = no_argv;
        if (!end.output)
            end.output = "";
        if (!end.error_output)
            end.error_output = "";
        GhKind got = gh_kind_of_end(&end);
        if (got != ends[i].want)
            fail_msg("%s: %s", ends[i].name, gh_kind_name(got));
    }
}

static const struct {
    GhKind kind;
    GhFacts facts;
    const char *name, *want;
} messages[] = {
    { GH_KIND_AUTH,
      { .host = "ghe.example.com", .error_output = NO_LOGIN },
      "auth",
      "Run `gh auth login --hostname ghe.example.com` in a terminal." },
    { GH_KIND_AUTH,
      { .host = "github.com",
        .error_output = "Resource protected by organization SAML enforcement.\nAuthorize in your "
                        "web browser:  " SSO_URL "\n" },
      "auth",
      "Authorize this login for the organization: " SSO_URL },
    { GH_KIND_TIMEOUT,
      { .timeout_s = 30 },
      "timeout",
      "Command exceeded 30 seconds; narrow the query or use a more specific wrapper." },
    { GH_KIND_POLICY_BLOCKED,
      { .reason = "opens a web browser" },
      "policy-blocked",
      "Blocked by V1 policy: opens a web browser." },
    { GH_KIND_IRREVERSIBLE_BLOCKED,
      { .command = "repo delete" },
      "irreversible-blocked",
      "Hard-blocked irreversible command: repo delete." },
    { GH_KIND_TRUNCATED,
      { .max_bytes = 65536 },
      "truncated",
      "Output truncated at 64KB; reduce scope." },
    { GH_KIND_TRUNCATED,
      { .max_bytes = 4096 + 512 },
      "truncated",
      "Output truncated at 4.5KB; reduce scope." },
    { GH_KIND_REMOTE_CWD,
      { .cwd = "ssh://u:p@h/x" },
      "remote-cwd",
      "Cannot run gh from remote directory: ssh://[REDACTED]@h/x." },
    { GH_KIND_GH_EXIT, { .exit_status = 2 }, "gh-exit", "gh exited with status 2." },
    { GH_KIND_VERSION,
      { .version = "2.23.0", .minimum = "2.46.0" },
      "version",
      "gh 2.23.0 is older than the required 2.46.0; upgrade gh." },
    { GH_KIND_VERSION,
      { .minimum = "2.46.0" },
      "version",
      "gh unknown is older than the required 2.46.0; upgrade gh." },
    { GH_KIND_INVALID_CWD,
      { .cwd = "/x" },
      "invalid-cwd",
      "Working directory does not exist: /x." },
    { GH_KIND_INVALID_CWD,
      { .cwd = "/x", .is_outside = true },
      "invalid-cwd",
      "Working directory is outside the home directory and the workspace: /x." },
    { GH_KIND_INVALID_ARGS,
      { .reason = "args is empty" },
      "invalid-args",
      "Invalid arguments: args is empty." },
    { GH_KIND_NO_REPO,
      { 0 },
      "no-repo",
      "No repository: pass repo as [HOST/]OWNER/REPO, or work in a clone whose remote points to a "
      "known host." },
    { GH_KIND_CONFIRM_DECLINED,
      { .command = "pr merge" },
      "confirm-declined",
      "Declined by the user: pr merge. Do not retry without being asked." },
    { GH_KIND_CONFIRM_UNAVAILABLE,
      { .class_name = "write", .argv = "pr merge 5", .allow_flag = "--yes" },
      "confirm-unavailable",
      "This write needs confirmation and nobody can be asked here: gh pr merge 5. --yes allows "
      "it." },
    { GH_KIND_CONFIRM_UNAVAILABLE,
      { .class_name = "unknown", .argv = "frob", .allow_flag = "--yes" },
      "confirm-unavailable",
      "This unknown command needs confirmation and nobody can be asked here: gh frob." },
    { GH_KIND_RATE_LIMIT, { 0 }, "rate-limit", "GitHub rate limit reached; wait before retrying." },
    { GH_KIND_SIGNAL, { .signal = SIGSEGV }, "signal", "gh was killed by signal SIGSEGV." },
    { GH_KIND_SPAWN,
      { .reason = "Permission denied" },
      "spawn",
      "Cannot start gh: Permission denied." },
    { GH_KIND_CANCELLED, { 0 }, "cancelled", "Cancelled." },
};

static void test_messages(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
        assert_string_equal(gh_kind_name(messages[i].kind), messages[i].name);
        g_autofree char *got = gh_kind_message(messages[i].kind, &messages[i].facts);
        if (strcmp(got, messages[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", messages[i].name, got, messages[i].want);
    }
    assert_null(gh_kind_name(GH_KIND_NONE));
    assert_null(gh_kind_message(GH_KIND_NONE, &(GhFacts) { 0 }));
    assert_true(gh_kind_is_error(GH_KIND_SPAWN));
    assert_false(gh_kind_is_error(GH_KIND_TRUNCATED));
}

/* The words fit the system; the rest does not vary. */
static void test_no_executable(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-kind-XXXXXX", NULL);
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_autofree char *dnf = g_build_filename(dir, "dnf", NULL);
    const GhFacts facts = { .executable = "/opt/gh" };
    g_setenv("PATH", dir, true);
    g_autofree char *plain = gh_kind_message(GH_KIND_NO_EXECUTABLE, &facts);
    assert_true(g_file_set_contents(dnf, "", -1, NULL));
    assert_int_equal(g_chmod(dnf, 0755), 0);
    g_autofree char *fedora = gh_kind_message(GH_KIND_NO_EXECUTABLE, &facts);
    g_setenv("PATH", path, true);
    g_remove(dnf);
    g_rmdir(dir);
    assert_string_equal(
        plain, "gh not found at /opt/gh; install via 'pacman -S github-cli' (or equivalent).");
    assert_string_equal(fedora,
                        "gh not found at /opt/gh; install via 'dnf install gh' (or equivalent).");
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;
    assert_false(fail_with_kind(&error, GH_KIND_GH_EXIT, &(GhFacts) { .exit_status = 3 }));
    assert_string_equal(error->message, "gh exited with status 3.");
    assert_int_equal(gh_kind_of_error(error), GH_KIND_GH_EXIT);

    static const struct {
        KedgeError code;
        GhKind want;
    } others[] = {
        { KEDGE_ERROR_CANCELLED, GH_KIND_CANCELLED },
        { KEDGE_ERROR_TIMEOUT, GH_KIND_TIMEOUT },
        { KEDGE_ERROR_IO, GH_KIND_SPAWN },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autoptr(GError) other = NULL;
        fail_with(&other, others[i].code, "x");
        assert_int_equal(gh_kind_of_error(other), others[i].want);
    }
}

#define PREFIX "Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat "

static const struct {
    const char *name, *argv[8], *host, *repo, *want;
} reproductions[] = {
    { "gh-7.4-1 bare words", { "pr", "view", "171" }, NULL, NULL, PREFIX "gh pr view 171" },
    { "gh-7.4-2 quoting",
      { "api", "x?a=1&b", "", "it's $(x); a\nb" },
      NULL,
      NULL,
      PREFIX "gh api 'x?a=1&b' '' 'it'\\''s $(x); a\nb'" },
    { "gh-7.4-3 environment",
      { "pr", "list" },
      "ghe.example.com",
      "ghe.example.com/o/r",
      PREFIX "GH_HOST=ghe.example.com GH_REPO=ghe.example.com/o/r gh pr list" },
    { "gh-7.4-4 argv says host and repository",
      { "pr", "view", "--repo", "GHE.example.com/o/r" },
      "ghe.example.com",
      "ghe.example.com/o/r",
      PREFIX "gh pr view --repo GHE.example.com/o/r" },
    { "gh-7.4-5 glued, and another host",
      { "pr", "view", "-Rghe.example.com/o/r" },
      "github.com",
      NULL,
      PREFIX "GH_HOST=github.com gh pr view -Rghe.example.com/o/r" },
    { "gh-7.4-6 only the host is said",
      { "api", "user", "--hostname=ghe.example.com" },
      "ghe.example.com",
      "ghe.example.com/o/r",
      PREFIX "GH_REPO=ghe.example.com/o/r gh api user --hostname=ghe.example.com" },
    { "gh-7.4-7 in a URL",
      { "pr", "view", "https://ghe.example.com/o/r/pull/5" },
      "ghe.example.com",
      NULL,
      PREFIX "gh pr view https://ghe.example.com/o/r/pull/5" },
};

static void test_reproduce(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(reproductions); i++) {
        g_autofree char *got =
            gh_reproduce_line(reproductions[i].argv, reproductions[i].host, reproductions[i].repo);
        if (strcmp(got, reproductions[i].want) != 0)
            fail_msg("%s: got '%s'", reproductions[i].name, got);
    }
}

static const struct {
    const char *name;
    GhHeader header;
    const char *want;
} headers[] = {
    { "gh-11.1-1 ok",
      { .host = "github.com",
        .repo = "o/r",
        .class_name = "read",
        .has_run = true,
        .captured_bytes = 4321 },
      "[gh github.com/o/r read ok 4.2KB]" },
    { "gh-11.1-2 confirmed",
      { .host = "acme.ghe.com",
        .repo = "org/r",
        .class_name = "write",
        .has_run = true,
        .is_confirmed = true,
        .captured_bytes = 88 },
      "[gh acme.ghe.com/org/r write confirmed 0.1KB]" },
    { "gh-11.1-3 truncated",
      { .host = "github.com",
        .repo = "o/r",
        .class_name = "read",
        .has_run = true,
        .kind = GH_KIND_TRUNCATED,
        .captured_bytes = 65536 },
      "[gh github.com/o/r read truncated 64.0KB]" },
    { "gh-11.1-4 failed",
      { .host = "github.com",
        .repo = "o/r",
        .class_name = "read",
        .has_run = true,
        .kind = GH_KIND_AUTH },
      "[gh github.com/o/r read error auth]" },
    { "gh-11.1-5 not executed",
      { .host = "github.com",
        .repo = "o/r",
        .command = "api POST",
        .class_name = "blocked",
        .kind = GH_KIND_POLICY_BLOCKED },
      "[gh github.com/o/r api blocked policy-blocked]" },
    { "gh-11.1-6 without repository",
      { .host = "github.com",
        .command = "repo delete",
        .class_name = "destructive",
        .kind = GH_KIND_IRREVERSIBLE_BLOCKED },
      "[gh github.com repo destructive irreversible-blocked]" },
    { "gh-11.1-7 no command word",
      { .host = "github.com", .class_name = "unknown", .kind = GH_KIND_CONFIRM_UNAVAILABLE },
      "[gh github.com - unknown confirm-unavailable]" },
    { "gh-11.1-8 never classified", { .kind = GH_KIND_INVALID_ARGS }, "[gh - - - invalid-args]" },
    { "gh-11.1-9 half up",
      { .host = "h", .class_name = "read", .has_run = true, .captured_bytes = 52 },
      "[gh h read ok 0.1KB]" },
    { "gh-11.1-10 below half",
      { .host = "h", .class_name = "read", .has_run = true, .captured_bytes = 51 },
      "[gh h read ok 0.0KB]" },
    { "a word cannot forge a line",
      { .host = "h", .command = "x]\n[gh", .class_name = "unknown", .kind = GH_KIND_SPAWN },
      "[gh h x___gh unknown spawn]" },
};

static void test_headers(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(headers); i++) {
        g_autofree char *got = gh_header_line(&headers[i].header);
        if (strcmp(got, headers[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", headers[i].name, got, headers[i].want);
    }
}

static const struct {
    const char *name;
    GhBody body;
    const char *want;
} bodies[] = {
    { "gh-6.6-1 output", { .output = "a\n", .error_output = "w" }, "a\n" },
    { "gh-6.6-2 stderr when there is no output", { .output = "", .error_output = "w" }, "w" },
    { "gh-6.6-3 nothing", { .output = "", .error_output = "" }, "(no output)" },
    { "gh-6.6-4 cut",
      { .kind = GH_KIND_TRUNCATED, .message = "m", .output = "a\n[truncated]" },
      "a\n[truncated]" },
    { "gh-6.6-5 failed",
      { .kind = GH_KIND_GH_EXIT,
        .message = "gh exited with status 1.",
        .output = "out",
        .error_output = "err",
        .reproduce = "Reproduce: x" },
      "Error: gh exited with status 1.\nerr\nOutput:\nout\nReproduce: x" },
    { "gh-6.6-6 not run",
      { .kind = GH_KIND_POLICY_BLOCKED, .message = "m", .reproduce = "Reproduce: x" },
      "Error: m\nReproduce: x" },
    { "gh-6.6-7 nothing to reproduce",
      { .kind = GH_KIND_INVALID_CWD, .message = "m", .reproduce = "Reproduce: x" },
      "Error: m" },
};

static void test_bodies(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        g_autofree char *got = gh_body_text(&bodies[i].body);
        if (strcmp(got, bodies[i].want) != 0)
            fail_msg("%s: got '%s'", bodies[i].name, got);
    }
}

/* While a token of the environment is set, gh refuses to log in: what helps is said. */
static void test_advice_for_a_token(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *variable, *host, *want;
    } cases[] = {
        { "GH_TOKEN", "github.com",
          "GitHub does not accept the token in GH_TOKEN: set a valid one, or unset it." },
        { "GITHUB_TOKEN", "acme.ghe.com",
          "GitHub does not accept the token in GITHUB_TOKEN: set a valid one, or unset it." },
        { "GH_TOKEN", "ghe.example.com",
          "Run `gh auth login --hostname ghe.example.com` in a terminal." },
        { "GH_ENTERPRISE_TOKEN", "ghe.example.com",
          "GitHub does not accept the token in GH_ENTERPRISE_TOKEN: set a valid one, or unset "
          "it." },
    };
    static const char *const names[] = { "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN",
                                         "GITHUB_ENTERPRISE_TOKEN" };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (size_t n = 0; n < G_N_ELEMENTS(names); n++)
            g_unsetenv(names[n]);
        g_setenv(cases[i].variable, "a-token", true);
        const GhFacts facts = { .host = cases[i].host,
                                .error_output = "HTTP 401: Bad credentials\n" };
        g_autofree char *got = gh_kind_message(GH_KIND_AUTH, &facts);
        g_unsetenv(cases[i].variable);
        assert_string_equal(got, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_advice_for_a_token),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_no_executable),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_reproduce),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
