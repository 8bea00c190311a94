/* The ssh tool with a program in the place of ssh that runs commands here: how it connects and
   shares, what it says of failures, how it ends. The real one: tests/e2e/test-ssh.sh. */
#include "proc_fixture.h"
#include "tool_fixture.h"

#include "base/env.h"
#include "base/timefmt.h"
#include "base/worker.h"
#include "tool/tool_set.h"
#include "tools/ssh/ssh_link.h"
#include "tools/tools.h"

#include <signal.h>
#include <sys/stat.h>

/* Notes its arguments; what it does is in the file `mode` beside it. A master makes its "socket"
   and waits; else the last argument is run. */
static const char fake_ssh[] =
    "#!/bin/sh\n"
    "dir=${0%/*}\n"
    "printf '%s\\n' \"$*\" >>\"$dir/calls\"\n"
    "mode=$(cat \"$dir/mode\" 2>/dev/null)\n"
    "for word; do\n"
    "  case $word in -M) is_master=1 ;; ControlPath=*) socket=${word#ControlPath=} ;; esac\n"
    "  last=$word\n"
    "done\n"
    "if [ -n \"$is_master\" ]; then\n"
    "  case $mode in\n"
    "  changed) echo '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @'; exit 255 ;;\n"
    "  unknown) echo 'Host key verification failed.'; exit 255 ;;\n"
    "  denied) printf 'hi \\033[31mred\\n'; echo 'a@h: Permission denied (publickey).'; exit 255 "
    ";;\n"
    "  refused) echo 'ssh: connect to host h port 22: Connection refused'; exit 255 ;;\n"
    "  silent) echo $$ >\"$dir/master\"; exec sleep 600 ;;\n"
    "  esac\n"
    "  echo $PPID >\"$dir/leader\"; echo $$ >\"$dir/master\"; : >\"$socket\"; exec sleep 600\n"
    "fi\n"
    "[ -e \"$socket\" ] || { echo 'no master'; exit 255; }\n"
    "SHELL=/bin/bash exec bash -c \"$last\"\n";

typedef struct Fixture {
    ToolFixture *tool;
    char *bin;
} Fixture;

static void put(const char *dir, const char *name, const char *text, mode_t mode)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    assert_true(file_write_atomic(path, text, strlen(text), mode, NULL));
    assert_int_equal(chmod(path, mode), 0);
}

static char *get(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    return text ? text : g_strdup("");
}

static int set_up(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->tool = tool_fixture_new(NULL, true);
    g_autofree char *agent = g_build_filename(self->tool->root, ".kedge/agent", NULL);
    self->bin = g_build_filename(self->tool->root, "bin", NULL);
    assert_true(file_make_dirs(agent, 0700, NULL));
    assert_true(file_make_dirs(self->bin, 0700, NULL));
    g_setenv("HOME", self->tool->root, TRUE);
    g_autofree char *path = g_strconcat(self->bin, ":/usr/bin:/bin", NULL);
    g_setenv("PATH", path, TRUE);
    put(self->bin, "ssh", fake_ssh, 0700);
    put(agent, "ssh.json",
        "{\"hosts\":{\"web\":{\"host\":\"h.example\",\"user\":\"alice\",\"port\":2222,"
        "\"description\":\"the server\"},\"db\":{\"host\":\"db\"}}}",
        0600);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *self = *state;
    tool_fixture_free(self->tool);
    g_free(self->bin);
    g_free(self);
    return 0;
}

static ToolResult call_ssh(const Fixture *self, json_t *arguments, Cancel *cancel)
{
    const ToolCallSpec spec = {
        .tool = &tool_ssh,
        .arguments = arguments,
        .context = self->tool->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    ToolResult result = { 0 };
    tool_call(&spec, &result);
    json_decref(arguments);
    return result;
}

static char *text_of(const Fixture *self, json_t *arguments, bool is_error)
{
    g_auto(ToolResult) result = call_ssh(self, arguments, NULL);
    char *text = tool_result_text(&result);
    if (result.is_error != is_error)
        fail_msg("%s: '%s'", is_error ? "no error" : "error", text);
    return text;
}

static void test_results(void **state)
{
    static const struct {
        const char *arguments, *want;
        bool is_error;
    } cases[] = {
        { "{'host':'web','command':'echo hi'}", "hi\n", false },
        { "{'host':'web','command':'true'}", "(no output)", false },
        { "{'host':'web','command':'echo a; echo b >&2; exit 3'}",
          "a\nb\n\n\nCommand exited with code 3", true },
        { "{'host':'web','command':'cat'}", "(no output)", false }, // no input
        { "{'host':'web','command':'pwd','cwd':'/usr'}", "/usr\n", false },
        { "{'host':'web','command':'echo never','cwd':'/no-such'}", NULL, true },
        { "{'host':'web','command':'true','timeout':9999}",
          "(no output)\n\n[Timeout clamped to 3600s (requested 9999s; allowed range 1-3600s).]",
          false },
        { "{'host':'nope','command':'true'}", "Unknown SSH host: nope. Available hosts: web, db",
          true },
        { "{'host':'-oProxyCommand=id','command':'true'}",
          "Unknown SSH host: -oProxyCommand=id. Available hosts: web, db", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = text_of(*state, json_of(cases[i].arguments), cases[i].is_error);
        if (cases[i].want)
            assert_text(cases[i].arguments, got, cases[i].want);
        else
            assert_null(strstr(got, "never"));
    }
}

static void test_shares(void **state)
{
    Fixture *self = *state;
    for (int i = 0; i < 3; i++) {
        g_autofree char *text = text_of(self, json_of("{'host':'web','command':'echo hi'}"), false);
        assert_string_equal(text, "hi\n");
    }
    g_autofree char *calls = get(self->bin, "calls");
    unsigned masters = 0;
    g_auto(GStrv) lines = g_strsplit(calls, "\n", -1);
    for (char **line = lines; **line; line++) {
        masters += strstr(*line, "-M ") != NULL;
        assert_contains("never asks", *line, "BatchMode=yes");
        assert_contains("keys of hosts", *line, "StrictHostKeyChecking=yes");
        assert_contains("host", *line, " -p 2222 -l alice -- h.example");
    }
    assert_int_equal(masters, 1);
    // the probe, and what it found
    g_autofree char *facts = get(self->tool->root, ".kedge/remote-host/web.json");
    assert_contains("facts", facts, "\"bash\"");
    g_autoptr(ToolSet) set = tool_set_new(NULL);
    g_autofree char *description = tool_description(&tool_ssh, set);
    assert_contains("known", description, "\n- web (h.example) | bash | the server");
    assert_contains("not known", description, "\n- db (db) | detecting...");
}

static void test_sockets_are_private(void **state)
{
    Fixture *self = *state;
    g_free(text_of(self, json_of("{'host':'web','command':'true'}"), false));
    g_autofree char *dir = g_build_filename(self->tool->root, ".kedge/ssh-control", NULL);
    struct stat info;
    assert_int_equal(stat(dir, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
}

static void test_open_directory(void **state)
{
    Fixture *self = *state;
    g_autofree char *dir = g_build_filename(self->tool->root, ".kedge/ssh-control", NULL);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_int_equal(chmod(dir, 0755), 0);
    g_autofree char *text = text_of(self, json_of("{'host':'web','command':'true'}"), true);
    assert_contains("refused", text, "must be a directory of yours that no one else can enter");
}

static void test_failures(void **state)
{
    static const struct {
        const char *mode, *want;
    } cases[] = {
        { "changed", "is not the one that is known" },
        { "unknown", "connects once by hand and compares the fingerprint: ssh -p 2222 "
                     "alice@h.example" },
        { "denied", "does not let us in" },
        { "refused", "Failed to start SSH master for alice@h.example:2222: ssh: connect to host h "
                     "port 22: Connection refused" },
    };
    Fixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put(self->bin, "mode", cases[i].mode, 0600);
        g_autofree char *text = text_of(self, json_of("{'host':'web','command':'true'}"), true);
        assert_contains(cases[i].mode, text, cases[i].want);
        assert_null(strchr(text, '\x1b'));
    }
    put(self->bin, "mode", "", 0600); // and it can be tried again
    g_autofree char *text = text_of(self, json_of("{'host':'web','command':'echo ok'}"), false);
    assert_string_equal(text, "ok\n");
}

static void test_keys(void **state)
{
    Fixture *self = *state;
    g_autofree char *agent = g_build_filename(self->tool->root, ".kedge/agent", NULL);
    put(agent, "ssh.json",
        "{\"hosts\":{\"none\":{\"host\":\"h\",\"key\":\"~/no\"},\"dir\":{\"host\":\"h\",\"key\":"
        "\"~\"},\"open\":{\"host\":\"h\",\"key\":\"~/k\"},\"good\":{\"host\":\"h\",\"key\":\"~/"
        "g\"}}}",
        0600);
    put(self->tool->root, "k", "key", 0640);
    put(self->tool->root, "g", "key", 0600);
    static const struct {
        const char *host, *want;
    } cases[] = {
        { "none", "SSH key not found: " },
        { "dir", "SSH key is not a file: " },
        { "open", "SSH key permissions must be 600 or stricter: " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *arguments = json_pack("{s:s,s:s}", "host", cases[i].host, "command", "true");
        g_autofree char *text = text_of(self, arguments, true);
        assert_contains(cases[i].host, text, cases[i].want);
    }
    g_free(text_of(self, json_of("{'host':'good','command':'true'}"), false));
    g_autofree char *calls = get(self->bin, "calls");
    assert_contains("key", calls, "/g -- h");
}

static void test_no_ssh(void **state)
{
    Fixture *self = *state;
    g_setenv("PATH", self->tool->cwd, TRUE);
    g_autofree char *text = text_of(self, json_of("{'host':'web','command':'true'}"), true);
    assert_string_equal(text, "ssh binary not found on PATH");
}

static void test_project_is_left_out(void **state)
{
    Fixture *self = *state;
    tool_fixture_put(self->tool, ".kedge/ssh.json", "{\"hosts\":{\"evil\":{\"host\":\"e\"}}}");
    g_autofree char *text = text_of(self, json_of("{'host':'evil','command':'true'}"), true);
    assert_contains("said", text, "Hosts of the repository need trust and were left out: ");
    g_autofree char *calls = get(self->bin, "calls");
    assert_string_equal(calls, "");
}

static void test_timeout(void **state)
{
    Fixture *self = *state;
    g_autofree char *text = text_of(
        self,
        json_of("{'host':'web','command':'echo begun; echo $$ >~/pid; sleep 600','timeout':1}"),
        true);
    assert_text("late", text,
                "[SSH: Timed out after 1s]\nbegun\n\n\n[The command may still run on the host.]");
    assert_true(is_dead(written_pid(self->tool->root, "pid")));
    put(self->bin, "mode", "silent", 0600);
    g_autofree char *silent =
        text_of(self, json_of("{'host':'db','command':'true','timeout':1}"), true);
    assert_text("no answer", silent, "The SSH host db (db) did not answer in time");
    assert_true(is_dead(written_pid(self->bin, "master")));
}

static void fire_when_begun(void *data)
{
    void **pair = data;
    const Fixture *self = pair[0];
    written_pid(self->tool->root, "pid");
    cancel_fire(pair[1]);
}

static void test_cancel(void **state)
{
    Fixture *self = *state;
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    void *pair[] = { self, cancel };
    Worker *worker = worker_start("test-cancel", fire_when_begun, pair);
    g_auto(ToolResult) result = call_ssh(
        self, json_of("{'host':'web','command':'echo begun; echo $$ >~/pid; sleep 600'}"), cancel);
    worker_join(worker);
    g_autofree char *text = tool_result_text(&result);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    assert_text("cancelled", text, "[Command aborted: operation aborted]\nbegun\n");
    assert_true(is_dead(written_pid(self->tool->root, "pid")));
}

/* The connection ends with the conversation; when it ends by itself, the next call makes another.
 */
static void test_ends(void **state)
{
    Fixture *self = *state;
    g_free(text_of(self, json_of("{'host':'web','command':'true'}"), false));
    pid_t first = written_pid(self->bin, "master");
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_true(is_dead(written_pid(self->bin, "leader")));
    g_autofree char *again = text_of(self, json_of("{'host':'web','command':'echo ok'}"), false);
    assert_string_equal(again, "ok\n");
    pid_t second = written_pid(self->bin, "master");
    assert_int_not_equal(second, first);
    tool_context_free(self->tool->context);
    self->tool->context = NULL;
    assert_true(is_dead(second));
    g_autofree char *dir = g_build_filename(self->tool->root, ".kedge/ssh-control", NULL);
    assert_int_equal(rmdir(dir), 0); // no socket is left
}

static void test_long_output(void **state)
{
    g_auto(ToolResult) result =
        call_ssh(*state, json_of("{'host':'web','command':'seq 1 20000'}"), NULL);
    g_autofree char *text = tool_result_text(&result);
    assert_false(result.is_error);
    assert_true(g_str_has_suffix(text, "[Showing lines 11467-20001 of 20001 (50.0KB limit). Read "
                                       "artifact://0 for full output]"));
}

static void test_offered(void **state)
{
    Fixture *self = *state;
    static const ToolDef *const table[] = { &tool_ssh, NULL };
    g_autoptr(ToolSet) all = tool_set_new(table);
    const Settings *settings = tool_context_settings(self->tool->context);
    g_autoptr(ToolSet) with = tool_set_select(all, settings, NULL, NULL);
    assert_int_equal(tool_set_count(with), 1);
    g_autofree char *agent = g_build_filename(self->tool->root, ".kedge/agent", NULL);
    put(agent, "ssh.json", "{\"hosts\":{\"bad\":{\"host\":\"-x\"}}}", 0600);
    g_autoptr(ToolSet) without = tool_set_select(all, settings, NULL, NULL);
    assert_int_equal(tool_set_count(without), 0);
    g_autofree char *description = tool_description(&tool_ssh, without);
    assert_contains("none", description, "There are no hosts");
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_results),
        WITH_FIXTURE(test_shares),
        WITH_FIXTURE(test_sockets_are_private),
        WITH_FIXTURE(test_open_directory),
        WITH_FIXTURE(test_failures),
        WITH_FIXTURE(test_keys),
        WITH_FIXTURE(test_no_ssh),
        WITH_FIXTURE(test_project_is_left_out),
        WITH_FIXTURE(test_timeout),
        WITH_FIXTURE(test_cancel),
        WITH_FIXTURE(test_ends),
        WITH_FIXTURE(test_long_output),
        WITH_FIXTURE(test_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
