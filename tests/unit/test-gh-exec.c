/*
 * The runner of the gh tools (gh-policy §6, §17.2 "Runner"), with stubs in the place of gh and
 * through the real tool_call().
 */
#include "unit.h"

#include "base/secrets.h"
#include "base/worker.h"
#include "gh_fixture.h"
#include "github/safe/gh_exec.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>

#define CAP ((size_t)65536)
#define MARKER                                                                                     \
    "[truncated at 64KB; use --limit, narrower fields, or a specific wrapper to reduce output]"
#define TOKEN "ghp_0123456789abcdef0123"

#define ARGV(...) ((const char *const[]) { __VA_ARGS__, NULL })

typedef struct Probe { // arguments of the tool below
    const char *number;
} Probe;

static const FieldDef probe_fields[] = {
    { .name = "number", .type = FIELD_STRING, .offset = offsetof(Probe, number) },
    { 0 },
};

/* What the probe runs, and what came of it; one at a time but for test_places(). */
static GhExec probe_spec;
static GhOutcome probe_outcome;

static bool probe_run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    const Probe *probe = args;
    const GhCwdSpec where = { .settings = tool_call_settings(call),
                              .workspace = tool_call_cwd(call) };
    g_auto(GhCwd) cwd = { .fd = -1 };
    if (!gh_cwd_open(&where, &cwd, error))
        return false;
    GhExec spec = probe_spec;
    spec.cwd = &cwd;
    g_auto(GhOutcome) outcome = { 0 };
    gh_exec(call, &spec, &outcome);
    tool_result_add_text(result, outcome.kind != GH_KIND_NONE ? outcome.message : "ok");
    if (!probe->number) {
        gh_outcome_clear(&probe_outcome);
        probe_outcome = outcome;
        outcome = (GhOutcome) { 0 };
    }
    return true;
}

static const ToolDef probe_tool = {
    .name = "probe",
    .label = "Probe",
    .summary = "Runs gh",
    .effect = EFFECT_READ,
    .flags = TOOL_EXACT | TOOL_GITHUB,
    .fields = probe_fields,
    .args_size = sizeof(Probe),
    .run = probe_run,
};

/* gh becomes a shell script that says a version, and else does what `script` says. */
static void write_stub_as(const char *path, const char *version, const char *script)
{
    g_autofree char *text = g_strdup_printf("#!/bin/sh\n"
                                            "d=${0%%/*}/../stub\n"
                                            "if [ \"$1\" = --version ]; then\n"
                                            "  %s\n"
                                            "  exit\n"
                                            "fi\n%s\n",
                                            version, script);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(g_chmod(path, 0755), 0);
}

static void write_stub(const GhFixture *fixture, const char *script)
{
    g_autofree char *path = g_build_filename(fixture->bin, "gh", NULL);
    write_stub_as(path, "echo 'gh version 2.92.0 (2026-05-01)'", script);
}

static GhFixture *fixture_new(const char *settings)
{
    GhFixture *fixture = gh_fixture_new_with(settings);
    fixture->tool = &probe_tool;
    static const char *const usual[] = { "pr", "view", "5", NULL };
    probe_spec = (GhExec) { .argv = usual, .command = "pr view", .host = "github.com" };
    return fixture;
}

static void run(GhFixture *fixture)
{
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{}");
    if (result.is_error) {
        g_autofree char *text = tool_result_text(&result);
        fail_msg("%s", text);
    }
}

static char *stub_file(const GhFixture *fixture, const char *name, size_t *ret_size)
{
    g_autofree char *path = g_build_filename(fixture->dir, "stub", name, NULL);
    char *data = NULL;
    return g_file_get_contents(path, &data, ret_size, NULL) ? data : NULL;
}

static const struct {
    const char *name, *script;
    const char *command; // NULL: pr view
    GhKind kind;
    int exit_status, signal;
    const char *output, *error_output, *message; // NULL: not looked at
} ends[] = {
    { "gh-17.2-R1 short", "echo hi", NULL, GH_KIND_NONE, 0, 0, "hi\n", "", NULL },
    { "gh-17.2-R2 empty", "true", NULL, GH_KIND_NONE, 0, 0, "", "", NULL },
    { "gh-17.2-R3 stderr apart", "echo a; echo b >&2", NULL, GH_KIND_NONE, 0, 0, "a\n", "b", NULL },
    { "gh-17.2-R4 stdin is closed", "cat; test -t 0 || echo end", NULL, GH_KIND_NONE, 0, 0, "end\n",
      NULL, NULL },
    { "gh-17.2-R5 exit 4", "echo 'please run:  gh auth login' >&2; exit 4", NULL, GH_KIND_AUTH, 4,
      0, "", "please run:  gh auth login",
      "Run `gh auth login --hostname github.com` in a terminal." },
    { "gh-17.2-R6 exit 1 with 401", "echo 'HTTP 401: Bad credentials' >&2; exit 1", NULL,
      GH_KIND_AUTH, 1, 0, NULL, NULL, NULL },
    { "gh-17.2-R7 foreign remotes are not auth",
      "echo 'none of the git remotes configured ... gh auth login' >&2; exit 4", NULL,
      GH_KIND_GH_EXIT, 4, 0, NULL, NULL, "gh exited with status 4." },
    { "gh-17.2-R8 another failure", "echo no >&2; echo part; exit 1", NULL, GH_KIND_GH_EXIT, 1, 0,
      "part\n", "no", "gh exited with status 1." },
    { "gh-17.2-R9 killed by a signal", "kill -SEGV $$", NULL, GH_KIND_SIGNAL, -1, SIGSEGV, NULL,
      NULL, "gh was killed by signal SIGSEGV." },
    { "gh-17.2-R10 pending checks", "echo pending; exit 8", "pr checks", GH_KIND_NONE, 8, 0,
      "pending\n", NULL, NULL },
    { "gh-17.2-R11 rate limit", "echo 'API rate limit exceeded' >&2; exit 1", NULL,
      GH_KIND_RATE_LIMIT, 1, 0, NULL, NULL, NULL },
    { "gh-6.3-1 plain text", "printf 'a\\r\\n\\033[31mred\\033[0m\\007 \\000b\\377\\tc'", NULL,
      GH_KIND_NONE, 0, 0, "a\nred b\xef\xbf\xbd\tc", NULL, NULL },
    { "gh-6.3-2 tokens in either stream", "echo x" TOKEN "; echo y" TOKEN " >&2", NULL,
      GH_KIND_NONE, 0, 0, "x[REDACTED]\n", "y[REDACTED]", NULL },
    { "gh-6.3-3 stdout stays readable", "echo 'https://u:p@h/ Authorization: x'", NULL,
      GH_KIND_NONE, 0, 0, "https://u:p@h/ Authorization: x\n", NULL, NULL },
};

static void test_ends(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        write_stub(fixture, ends[i].script);
        probe_spec.command = ends[i].command != NULL ? ends[i].command : "pr view";
        run(fixture);
        const GhOutcome *got = &probe_outcome;
        if (got->kind != ends[i].kind || got->exit_status != ends[i].exit_status ||
            got->signal != ends[i].signal || !got->has_run || got->is_truncated)
            fail_msg("%s: %s, status %d, signal %d", ends[i].name, gh_kind_name(got->kind),
                     got->exit_status, got->signal);
        if (ends[i].output && strcmp(got->output, ends[i].output) != 0)
            fail_msg("%s: output '%s'", ends[i].name, got->output);
        if (ends[i].error_output && strcmp(got->error_output, ends[i].error_output) != 0)
            fail_msg("%s: stderr '%s'", ends[i].name, got->error_output);
        if (g_strcmp0(got->message, ends[i].message) != 0 && ends[i].message)
            fail_msg("%s: message '%s'", ends[i].name, got->message);
        assert_string_equal(got->gh_version, "2.92.0");
    }
}

/* gh-17.1-3: no more than the cap is kept or held, and a flood is ended. */
static void test_cap(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script;
        size_t captured;
        bool is_cut;
        int exit_status;
    } cases[] = {
        { "gh-17.2-R12 one byte below", "head -c 65535 /dev/zero | tr '\\0' x", CAP - 1, false, 0 },
        { "gh-17.2-R13 exactly the cap", "head -c 65536 /dev/zero | tr '\\0' x", CAP, false, 0 },
        { "gh-17.2-R14 one byte more", "head -c 65537 /dev/zero | tr '\\0' x", CAP, true, 0 },
        { "gh-17.2-R15 100 KB", "head -c 102400 /dev/zero | tr '\\0' x", CAP, true, 0 },
        { "gh-17.2-R16 1 MB", "head -c 1000000 /dev/zero | tr '\\0' x", CAP, true, 0 },
        { "gh-17.2-R17 endless", "exec tr '\\0' x </dev/zero", CAP, true, -1 },
        { "gh-17.2-R18 1 MB, then it hangs",
          "head -c 1000000 /dev/zero | tr '\\0' x; exec sleep 300", CAP, true, -1 },
    };
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        write_stub(fixture, cases[i].script);
        run(fixture);
        const GhOutcome *got = &probe_outcome;
        GhKind kind = cases[i].is_cut ? GH_KIND_TRUNCATED : GH_KIND_NONE;
        if (got->kind != kind || got->is_truncated != cases[i].is_cut ||
            got->captured_bytes != cases[i].captured || got->exit_status != cases[i].exit_status)
            fail_msg("%s: %s, %zu bytes, status %d", cases[i].name, gh_kind_name(got->kind),
                     got->captured_bytes, got->exit_status);
        size_t want = cases[i].captured + (cases[i].is_cut ? strlen("\n" MARKER) : 0);
        assert_int_equal(strlen(got->output), want);
        assert_int_equal(g_str_has_suffix(got->output, "x\n" MARKER), cases[i].is_cut);
        assert_true(got->held_bytes < 65 * 1024);
        assert_int_equal(got->signal, 0);
    }
}

/* gh-17.2-R19: half a character at the cut is left out; the raw output keeps it. */
static void test_cut_character(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "head -c 65535 /dev/zero | tr '\\0' x; printf '\\342\\202\\254 more'");
    run(fixture);
    assert_true(g_utf8_validate(probe_outcome.output, -1, NULL));
    assert_int_equal(strlen(probe_outcome.output), CAP - 1 + strlen("\n" MARKER));
    assert_int_equal(probe_outcome.captured_bytes, CAP);
    assert_int_equal((unsigned char)probe_outcome.raw_output[CAP - 1], 0xe2);
}

/* gh-16: another cap, within its bounds, and the texts say which. */
static void test_other_cap(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings, *command;
        size_t want;
        const char *text;
    } cases[] = {
        { "{\"gh\":{\"maxBytes\":8192}}", "pr view", 8192, "[truncated at 8KB;" },
        { "{\"gh\":{\"maxBytes\":1}}", "pr view", 4096, "[truncated at 4KB;" },
        { "{\"gh\":{\"maxBytes\":999999999}}", "pr view", 1048576, "[truncated at 1024KB;" },
        { "{\"gh\":{\"maxBytesDiff\":8192}}", "pr view", 65536, "[truncated at 64KB;" },
        { "{\"gh\":{\"maxBytesDiff\":8192}}", "pr diff", 8192, "[truncated at 8KB;" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = fixture_new(cases[i].settings);
        write_stub(fixture, "head -c 1200000 /dev/zero | tr '\\0' x");
        probe_spec.command = cases[i].command;
        run(fixture);
        assert_int_equal(probe_outcome.captured_bytes, cases[i].want);
        assert_non_null(strstr(probe_outcome.output, cases[i].text));
    }
}

/* gh-17.2-R20: a flood on stderr neither blocks gh nor gets through. */
static void test_error_flood(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "head -c 1000000 /dev/zero | tr '\\0' e >&2; echo done; exit 3");
    run(fixture);
    assert_int_equal(probe_outcome.exit_status, 3);
    assert_string_equal(probe_outcome.output, "done\n");
    assert_int_equal(strlen(probe_outcome.error_output), 4096);
    assert_false(probe_outcome.is_truncated);
}

static bool is_dead(const GhFixture *fixture, const char *name)
{
    g_autofree char *text = stub_file(fixture, name, NULL);
    assert_non_null(text);
    g_autofree char *path = g_strdup_printf("/proc/%s/stat", g_strchomp(text));
    for (int i = 0; i < 400; i++) {
        g_autofree char *stat_text = NULL;
        const char *state = NULL;
        if (g_file_get_contents(path, &stat_text, NULL, NULL))
            state = strrchr(stat_text, ')');
        if (!state || state[2] == 'Z')
            return true;
        g_usleep(5 * 1000);
    }
    return false;
}

/* gh-17.2-R21: SIGTERM is ignored, so SIGKILL comes; what was said before is kept. */
static void test_timeout(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "trap '' TERM\necho $$ >\"$d/pid\"\n"
                        "sh -c 'echo $$ >\"$1/child\"; exec sleep 300' - \"$d\" &\n"
                        "echo part; echo why >&2; sleep 300; sleep 300");
    probe_spec.timeout_s = 1;
    run(fixture);
    assert_int_equal(probe_outcome.kind, GH_KIND_TIMEOUT);
    assert_string_equal(probe_outcome.message,
                        "Command exceeded 1 seconds; narrow the query or use "
                        "a more specific wrapper.");
    assert_string_equal(probe_outcome.output, "part\n");
    assert_string_equal(probe_outcome.error_output, "why");
    assert_int_equal(probe_outcome.exit_status, -1);
    assert_int_equal(probe_outcome.signal, 0);
    assert_true(probe_outcome.has_run);
    assert_true(probe_outcome.duration_ms >= 3000);
    assert_true(is_dead(fixture, "pid"));
    assert_true(is_dead(fixture, "child"));
}

static void fire_when_started(void *fixture_)
{
    const GhFixture *fixture = fixture_;
    for (int i = 0; i < 2000; i++) {
        g_autofree char *text = stub_file(fixture, "pid", NULL);
        if (text && strchr(text, '\n'))
            break;
        g_usleep(5 * 1000);
    }
    cancel_fire(fixture->cancel);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "echo part\necho $$ >\"$d/pid\"\nexec sleep 300");
    Worker *worker = worker_start("fire", fire_when_started, fixture);
    run(fixture);
    worker_join(worker);
    assert_int_equal(probe_outcome.kind, GH_KIND_CANCELLED);
    assert_string_equal(probe_outcome.message, "Cancelled.");
    assert_string_equal(probe_outcome.output, "part\n");
    assert_true(is_dead(fixture, "pid"));
}

/* gh-17.2-R22: gh is done when gh has ended, whoever holds its pipes. */
static void test_grandchild(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "sleep 300 &\necho $! >\"$d/child\"\necho hi");
    run(fixture);
    assert_int_equal(probe_outcome.kind, GH_KIND_NONE);
    assert_string_equal(probe_outcome.output, "hi\n");
    assert_true(is_dead(fixture, "child"));
}

/* gh-17.1-1: the arguments arrive byte by byte. */
static void test_argv(void **state G_GNUC_UNUSED)
{
    static const char *const words[] = {
        "api", "",   "a b",      "\"'", "$(touch x)", "`x`", ";",  "a\nb",
        "-",   "--", "\xc3\xa9", "*",   "\\",         "",    NULL,
    };
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "printf '%s\\0' \"$@\" >\"$d/argv\"");
    probe_spec.argv = words;
    probe_spec.command = "api";
    run(fixture);
    size_t size = 0;
    g_autofree char *got = stub_file(fixture, "argv", &size);
    GString *want = g_string_new(NULL);
    for (const char *const *word = words; *word; word++)
        g_string_append_len(want, *word, (gssize)strlen(*word) + 1);
    assert_int_equal(size, want->len);
    assert_memory_equal(got, want->str, size);
    g_string_free(want, true);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines of NUL-separated data, sorted. */
static char *sorted(const char *data, size_t size)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (const char *at = data; at < data + size; at += strlen(at) + 1)
        g_ptr_array_add(list, (char *)at);
    g_ptr_array_sort(list, compare_texts);
    g_ptr_array_add(list, NULL);
    return g_strjoinv("\n", (char **)list->pdata);
}

static const char *const passed[] = { "USER=u",
                                      "LOGNAME=l",
                                      "XDG_CONFIG_HOME=/c",
                                      "XDG_DATA_HOME=/d",
                                      "XDG_STATE_HOME=/s",
                                      "XDG_CACHE_HOME=/k",
                                      "XDG_RUNTIME_DIR=/r",
                                      "DBUS_SESSION_BUS_ADDRESS=b",
                                      "GNOME_KEYRING_CONTROL=g",
                                      "SSH_AUTH_SOCK=/a",
                                      "GH_TOKEN=t",
                                      "GITHUB_TOKEN=t2",
                                      "GH_ENTERPRISE_TOKEN=t3",
                                      "GITHUB_ENTERPRISE_TOKEN=t4",
                                      "CODESPACES=true",
                                      "HTTP_PROXY=p",
                                      "HTTPS_PROXY=p",
                                      "NO_PROXY=p",
                                      "ALL_PROXY=p",
                                      "http_proxy=q",
                                      "https_proxy=q",
                                      "no_proxy=q",
                                      "all_proxy=q",
                                      "SSL_CERT_FILE=/f",
                                      "SSL_CERT_DIR=/e" };
static const char *const dropped[] = {
    "GH_HOST=inherited",   "GH_REPO=inherited", "GH_DEBUG=api",        "DEBUG=1",
    "GH_FORCE_TTY=1",      "CLICOLOR_FORCE=1",  "GH_EDITOR=vi",        "GIT_EDITOR=vi",
    "VISUAL=vi",           "EDITOR=vi",         "GH_BROWSER=x",        "BROWSER=x",
    "GH_PATH=/x",          "GIT_DIR=/x",        "GIT_WORK_TREE=/x",    "GIT_CONFIG_GLOBAL=/x",
    "GITHUB_ACTIONS=true", "CI=true",           "ANTHROPIC_API_KEY=x", "KEDGE_X=1",
    "GH_PAGER=less",       "UNRELATED=1",
};
static const char *const set[] = { "GH_PROMPT_DISABLED=1",
                                   "GH_PAGER=cat",
                                   "PAGER=cat",
                                   "NO_COLOR=1",
                                   "GH_NO_UPDATE_NOTIFIER=1",
                                   "GH_NO_EXTENSION_UPDATE_NOTIFIER=1",
                                   "GH_SPINNER_DISABLED=1",
                                   "GH_TELEMETRY=0",
                                   "DO_NOT_TRACK=1",
                                   "CLICOLOR=0",
                                   "TERM=dumb",
                                   "GIT_TERMINAL_PROMPT=0",
                                   "GIT_PAGER=cat",
                                   "GIT_OPTIONAL_LOCKS=0",
                                   "SSH_ASKPASS_REQUIRE=never",
                                   "LC_ALL=C.UTF-8",
                                   "GIT_CONFIG_COUNT=3",
                                   "GIT_CONFIG_KEY_0=core.fsmonitor",
                                   "GIT_CONFIG_VALUE_0=false",
                                   "GIT_CONFIG_KEY_1=core.hooksPath",
                                   "GIT_CONFIG_VALUE_1=/dev/null",
                                   "GIT_CONFIG_KEY_2=protocol.ext.allow",
                                   "GIT_CONFIG_VALUE_2=never",
                                   "GH_HOST=ghe.example.com",
                                   "GH_REPO=ghe.example.com/o/r",
                                   "TZ=UTC" };

static void put_all(const char *const *entries, size_t count, bool is_set)
{
    for (size_t i = 0; i < count; i++) {
        g_auto(GStrv) pair = g_strsplit(entries[i], "=", 2);
        if (is_set)
            g_setenv(pair[0], pair[1], true);
        else
            g_unsetenv(pair[0]);
    }
}

/* gh-17.2-R23: exactly the list of 6.2, neither more nor less. */
static void test_environment(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, "cat /proc/$$/environ >\"$d/env\"; pwd -P >\"$d/cwd\"");
    probe_spec.set_host = "ghe.example.com";
    probe_spec.set_repo = "ghe.example.com/o/r";
    g_autofree char *old_path = g_strdup(g_getenv("PATH"));
    g_autofree char *odd_path = g_strdup_printf(":relative:%s:./x:/usr/bin:/bin:", fixture->bin);
    put_all(passed, G_N_ELEMENTS(passed), true);
    put_all(dropped, G_N_ELEMENTS(dropped), true);
    g_setenv("PATH", odd_path, true);
    run(fixture);
    g_setenv("PATH", old_path, true);
    put_all(passed, G_N_ELEMENTS(passed), false);
    put_all(dropped, G_N_ELEMENTS(dropped), false);

    GString *want = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(passed); i++)
        g_string_append_len(want, passed[i], (gssize)strlen(passed[i]) + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(set); i++)
        g_string_append_len(want, set[i], (gssize)strlen(set[i]) + 1);
    g_autofree char *others =
        g_strdup_printf("HOME=%s%cTMPDIR=%s%cGH_CONFIG_DIR=%s/gh-config%cPATH=%s:/usr/bin:/bin",
                        fixture->home, 1, fixture->temp, 1, fixture->dir, 1, fixture->bin);
    for (char *p = others; *p != '\0'; p++)
        g_string_append_c(want, *p == 1 ? '\0' : *p);
    g_string_append_c(want, '\0');

    size_t size = 0;
    g_autofree char *data = stub_file(fixture, "env", &size);
    g_autofree char *got_text = sorted(data, size);
    g_autofree char *want_text = sorted(want->str, want->len);
    assert_string_equal(got_text, want_text);
    g_string_free(want, true);
    g_autofree char *cwd = stub_file(fixture, "cwd", NULL);
    assert_string_equal(g_strchomp(cwd), fixture->cwd);
}

/* gh-1.6: without a context neither variable is there. */
static void test_no_target(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new("{\"gh\":{\"defaultHost\":\"ghe.example.com\"}}");
    write_stub(fixture, "echo \"[$GH_HOST][$GH_REPO]\"");
    g_setenv("GH_REPO", "o/inherited", true);
    run(fixture);
    g_unsetenv("GH_REPO");
    assert_string_equal(probe_outcome.output, "[][]\n");
}

/* gh-8.5: gh repeats its arguments, and the environment's token. */
static void test_known_values(void **state G_GNUC_UNUSED)
{
    static const char *const secrets[] = { "REDACTED_TEST_SECRET", NULL };
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture,
               "echo \"out: $3 $GH_TOKEN\"; echo \"unknown flag: --x=$3 $GH_TOKEN\" >&2; exit 1");
    probe_spec.argv = ARGV("frob", "--token", "REDACTED_TEST_SECRET");
    probe_spec.command = NULL;
    probe_spec.secrets = secrets;
    secrets_set("GH_TOKEN", "plain-token");
    run(fixture);
    assert_string_equal(probe_outcome.output, "out: [REDACTED] [REDACTED]\n");
    assert_string_equal(probe_outcome.error_output, "unknown flag: --x=[REDACTED] [REDACTED]");
    assert_non_null(strstr(probe_outcome.raw_output, "REDACTED_TEST_SECRET plain-token"));
}

static void expect_not_run(const char *name, GhKind kind, const char *message)
{
    if (probe_outcome.kind != kind || probe_outcome.has_run ||
        (message && !strstr(probe_outcome.message, message)))
        fail_msg("%s: %s: %s", name, gh_kind_name(probe_outcome.kind), probe_outcome.message);
    assert_int_equal(probe_outcome.exit_status, -1);
    assert_null(probe_outcome.output);
}

/* What gh_program_find() refuses is the outcome's kind; the rest is in test-gh-program.c. */
static void test_no_program(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) missing = fixture_new("{\"gh\":{\"executable\":\"/none/gh\"}}");
    run(missing);
    expect_not_run("gh-17.2-R24 missing executable", GH_KIND_NO_EXECUTABLE,
                   "gh not found at /none/gh; install");

    g_autoptr(GhFixture) old = fixture_new("{\"gh\":{\"minVersion\":\"2.93.0\"}}");
    write_stub(old, "echo ran");
    run(old);
    expect_not_run("gh-17.2-R25 too old", GH_KIND_VERSION,
                   "gh 2.92.0 is older than the required 2.93.0; upgrade gh.");
}

static void test_cannot_start(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    g_autofree char *path = g_build_filename(fixture->bin, "gh", NULL);
    // it goes away by itself after it has said its version
    write_stub_as(path,
                  "echo 'gh version 2.92.0'; echo '#!/none/interpreter' >\"$0.new\"; "
                  "chmod 755 \"$0.new\"; mv \"$0.new\" \"$0\"",
                  "true");
    run(fixture);
    expect_not_run("gh-7.1 spawn", GH_KIND_SPAWN, "Cannot start gh: No such file or directory.");
}

typedef struct Caller {
    GhFixture *fixture;
    char *text;
} Caller;

static void call_once(void *caller_)
{
    Caller *caller = caller_;
    g_auto(ToolResult) result = gh_fixture_call(caller->fixture, "{\"number\":\"x\"}");
    caller->text = tool_result_text(&result);
}

/* gh-6.1: at most four at once; a fifth waits. Each stub counts those beside it. */
static void test_places(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    write_stub(fixture, ": >\"$d/calls/$$\"\nls \"$d/calls\" | wc -l >>\"$d/beside\"\n"
                        "sleep 0.2\nrm \"$d/calls/$$\"");
    run(fixture); // the version is known then
    Caller callers[8];
    Worker *workers[G_N_ELEMENTS(callers)];
    for (size_t i = 0; i < G_N_ELEMENTS(callers); i++) {
        callers[i] = (Caller) { .fixture = fixture };
        workers[i] = worker_start("caller", call_once, &callers[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(callers); i++) {
        worker_join(workers[i]);
        assert_string_equal(callers[i].text, "ok");
        g_free(callers[i].text);
    }
    g_autofree char *beside = stub_file(fixture, "beside", NULL);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(beside), "\n", -1);
    assert_int_equal(g_strv_length(lines), G_N_ELEMENTS(callers) + 1);
    for (char **line = lines; *line; line++)
        assert_in_range(g_ascii_strtoll(*line, NULL, 10), 1, 4);
}

static int tear_down(void **state G_GNUC_UNUSED)
{
    gh_outcome_clear(&probe_outcome);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),          cmocka_unit_test(test_cap),
        cmocka_unit_test(test_cut_character), cmocka_unit_test(test_other_cap),
        cmocka_unit_test(test_error_flood),   cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_cancel),        cmocka_unit_test(test_grandchild),
        cmocka_unit_test(test_argv),          cmocka_unit_test(test_environment),
        cmocka_unit_test(test_no_target),     cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_no_program),    cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
