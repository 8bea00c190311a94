/* Hosts of the ssh tool, what is known of their machines, and how commands are worded for them. */
#include "unit.h"

#include "base/env.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "tools/ssh/ssh_facts.h"

static void test_expand(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "plain", "plain" },
        { "${KEDGE_T_SET}", "value" },
        { "a${KEDGE_T_SET}b${KEDGE_T_SET}", "avaluebvalue" },
        { "${KEDGE_T_UNSET}", "${KEDGE_T_UNSET}" },
        { "${KEDGE_T_UNSET:-other}", "other" },
        { "${KEDGE_T_UNSET:-}", "" },
        { "${KEDGE_T_SET:-other}", "value" },
        { "${no name}${", "${no name}${" },
        { "$KEDGE_T_SET", "$KEDGE_T_SET" },
        { "${KEDGE_T_NESTED}", "${KEDGE_T_SET}" }, // once
    };
    g_setenv("KEDGE_T_SET", "value", TRUE);
    g_setenv("KEDGE_T_NESTED", "${KEDGE_T_SET}", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = env_expand(cases[i].in);
        assert_string_equal(got, cases[i].want);
    }
}

/* What one entry becomes: "target key description", or the problem. */
static void test_entries(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *entry, *want; // NULL: it is refused, with `problem` in the text
        const char *problem;
    } cases[] = {
        { "web", "{\"host\":\"10.0.0.5\"}", "10.0.0.5", NULL },
        { "web", "{\"host\":\"web.example\",\"user\":\"deploy\",\"port\":2222}",
          "deploy@web.example:2222", NULL },
        { "web", "{\"host\":\"web\",\"username\":\"a\",\"user\":\"b\",\"port\":\"22\"}", "a@web:22",
          NULL },
        { "six", "{\"host\":\"fe80::1\"}", "fe80::1", NULL },
        { "dom", "{\"host\":\"w\",\"user\":\"CORP\\\\alice\"}", "CORP\\alice@w", NULL },
        { "var", "{\"host\":\"${KEDGE_T_UNSET:-h.example}\"}", "h.example", NULL },
        { "", "{\"host\":\"h\"}", NULL, "Missing name" },
        { "web", "{}", NULL, "Missing host" },
        { "web", "null", NULL, "Missing host" },
        { "web", "{\"host\":\"\"}", NULL, "Missing host" },
        { "-oProxyCommand=x", "{\"host\":\"h\"}", NULL, "a name is" },
        { "../../x", "{\"host\":\"h\"}", NULL, "a name is" },
        { ".hidden", "{\"host\":\"h\"}", NULL, "a name is" },
        { "web", "{\"host\":\"-oProxyCommand=touch x\"}", NULL, "is no host name" },
        { "web", "{\"host\":\"-w\"}", NULL, "is no host name" },
        { "web", "{\"host\":\"h;touch x\"}", NULL, "is no host name" },
        { "web", "{\"host\":\"$(id)\"}", NULL, "is no host name" },
        { "web", "{\"host\":\"${NOT_SET_HERE}\"}", NULL, "is no host name" },
        { "web", "{\"host\":\"a b\"}", NULL, "is no host name" },
        { "web", "{\"host\":\"h\",\"user\":\"-l\"}", NULL, "username" },
        { "web", "{\"host\":\"h\",\"user\":\"a;b\"}", NULL, "username" },
        { "web", "{\"host\":\"h\",\"user\":\"\"}", NULL, "username" },
        { "web", "{\"host\":\"h\",\"port\":0}", NULL, "port" },
        { "web", "{\"host\":\"h\",\"port\":65536}", NULL, "port" },
        { "web", "{\"host\":\"h\",\"port\":\"-p\"}", NULL, "port" },
        { "web", "{\"host\":\"h\",\"port\":1.5}", NULL, "port" },
        { "web", "{\"host\":\"h\",\"key\":\"id\"}", NULL, "keyPath" },
        { "web", "{\"host\":\"h\",\"key\":\"-i\"}", NULL, "keyPath" },
        { "web", "{\"host\":\"h\",\"key\":\"/k/%h\"}", NULL, "keyPath" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) entry = json_loads(cases[i].entry, JSON_DECODE_ANY, NULL);
        g_autofree char *problem = NULL;
        g_autoptr(SshHost) host = ssh_host_parse(cases[i].name, entry, &problem);
        g_autofree char *target = host ? ssh_host_target(host) : NULL;
        if (g_strcmp0(target, cases[i].want) != 0)
            fail_msg("%s %s: got %s (%s)", cases[i].name, cases[i].entry, target, problem);
        if (!cases[i].want && !strstr(problem, cases[i].problem))
            fail_msg("%s %s: '%s'", cases[i].name, cases[i].entry, problem);
    }
}

static void test_details(void **state G_GNUC_UNUSED)
{
    g_setenv("HOME", "/home/alice", TRUE);
    g_autoptr(json_t) entry = json_pack("{s:s,s:s,s:s,s:b}", "host", "h", "keyPath", "~/.ssh/id",
                                        "description", "build\nserver\x1b[31m", "compat", 0);
    g_autofree char *problem = NULL;
    g_autoptr(SshHost) host = ssh_host_parse("build", entry, &problem);
    assert_non_null(host);
    assert_string_equal(host->key_path, "/home/alice/.ssh/id");
    assert_string_equal(host->description, "build server [31m");
    assert_true(host->has_no_compat);
}

static void test_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) hosts =
        ssh_hosts_parse("{ // mine\n \"hosts\": {\"a\": {\"host\": \"x\"}, \"b\": {}, \"c\": "
                        "{\"host\": \"y\",},},}",
                        "/f", warnings);
    assert_int_equal(hosts->len, 2);
    assert_non_null(ssh_hosts_find(hosts, "c"));
    assert_null(ssh_hosts_find(hosts, "b"));
    assert_int_equal(warnings->len, 1);
    assert_string_equal(warnings->pdata[0], "[SSH Config] Invalid item at /f: Missing host");

    static const char *const others[] = { "", "{", "[]", "{\"hosts\":[]}", "{\"hosts\":{}}", "7" };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autoptr(GPtrArray) none = ssh_hosts_parse(others[i], "/f", NULL);
        assert_int_equal(none->len, 0);
    }
}

static void test_too_many(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new("{\"hosts\":{");
    for (int i = 0; i < LIMIT_SSH_HOSTS + 50; i++)
        g_string_append_printf(text, "%s\"h%d\":{\"host\":\"x\"}", i > 0 ? "," : "", i);
    g_string_append(text, "}}");
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) hosts = ssh_hosts_parse(text->str, "/f", warnings);
    assert_int_equal(hosts->len, LIMIT_SSH_HOSTS);
    assert_int_equal(warnings->len, 1);
}

static void test_project(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-ssh-XXXXXX", NULL);
    g_autofree char *none = ssh_hosts_of_project(dir);
    assert_null(none);
    g_autofree char *path = g_build_filename(dir, ".ssh.json", NULL);
    assert_true(file_write_atomic(path, "{}", 2, 0600, NULL));
    g_autofree char *found = ssh_hosts_of_project(dir);
    assert_string_equal(found, path);
    assert_true(file_remove_tree(dir, NULL));
}

static void test_facts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *said;
        SshOs os;
        SshShell shell;
    } cases[] = {
        { "linux-gnu|/bin/bash|5.2.15(1)-release\n", SSH_OS_LINUX, SSH_SHELL_BASH },
        { "welcome\nlinux-gnu|/bin/bash|5.2\nbye | now\n", SSH_OS_LINUX, SSH_SHELL_BASH },
        { "darwin23|/bin/zsh|\n", SSH_OS_MACOS, SSH_SHELL_ZSH },
        { "|/bin/sh|\n", SSH_OS_UNKNOWN, SSH_SHELL_SH },
        { "|/usr/bin/fish|\n", SSH_OS_UNKNOWN, SSH_SHELL_UNKNOWN },
        { "\"Windows_NT|C:\\Windows\\system32\\cmd.exe|\"\r\n", SSH_OS_WINDOWS, SSH_SHELL_CMD },
        { "msys|/usr/bin/bash|5.2", SSH_OS_WINDOWS, SSH_SHELL_BASH },
        { "||\r\n", SSH_OS_UNKNOWN, SSH_SHELL_POWERSHELL },
        { "The token '||' is not a valid statement separator in this version.\r\n", SSH_OS_WINDOWS,
          SSH_SHELL_POWERSHELL },
        { "", SSH_OS_UNKNOWN, SSH_SHELL_UNKNOWN },
        { "no shell for you", SSH_OS_UNKNOWN, SSH_SHELL_UNKNOWN },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SshFacts facts = ssh_facts_parse(cases[i].said);
        if (facts.os != cases[i].os || facts.shell != cases[i].shell)
            fail_msg("%s: %s, %d", cases[i].said, ssh_os_name(facts.os), facts.shell);
    }
    assert_int_equal(ssh_facts_parse_system("Linux\n"), SSH_OS_LINUX);
    assert_int_equal(ssh_facts_parse_system("hello\nDarwin\n"), SSH_OS_MACOS);
    assert_int_equal(ssh_facts_parse_system("'uname' is not recognized"), SSH_OS_UNKNOWN);
}

static void test_kept(void **state G_GNUC_UNUSED)
{
    g_autofree char *home = g_dir_make_tmp("kedge-ssh-XXXXXX", NULL);
    g_setenv("HOME", home, TRUE);
    SshHost host = { .name = (char *)"web", .address = (char *)"h" };
    SshFacts facts = { .os = SSH_OS_WINDOWS,
                       .shell = SSH_SHELL_CMD,
                       .compat_shell = SSH_SHELL_BASH,
                       .is_compat = true };
    SshFacts got = { 0 };
    assert_false(ssh_facts_load(&host, &got));
    ssh_facts_store(&host, &facts);
    assert_true(ssh_facts_load(&host, &got));
    assert_int_equal(got.os, facts.os);
    assert_int_equal(got.shell, facts.shell);
    assert_int_equal(got.compat_shell, facts.compat_shell);
    assert_true(got.is_compat);
    assert_string_equal(ssh_shell_name(&got), "bash");
    host.has_no_compat = true;
    assert_true(ssh_facts_load(&host, &got));
    assert_string_equal(ssh_shell_name(&got), "cmd");
    host.address = (char *)"other"; // another machine
    assert_false(ssh_facts_load(&host, &got));
    host.address = (char *)"h";
    facts.os = SSH_OS_UNKNOWN;
    ssh_facts_store(&host, &facts);
    assert_false(ssh_facts_load(&host, &got)); // asked again

    static const char *const broken[] = { "", "{", "[]", "{\"version\":3}",
                                          "{\"version\":2,\"os\":{},\"target\":\"h\"}" };
    g_autofree char *path = g_build_filename(home, ".kedge/remote-host/web.json", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        assert_true(file_write_atomic(path, broken[i], strlen(broken[i]), 0600, NULL));
        assert_false(ssh_facts_load(&host, &got));
    }
    assert_true(file_remove_tree(home, NULL));
}

static void test_words(void **state G_GNUC_UNUSED)
{
    static const SshFacts linux_bash = { .os = SSH_OS_LINUX, .shell = SSH_SHELL_BASH };
    static const SshFacts unknown = { 0 };
    static const SshFacts cmd = { .os = SSH_OS_WINDOWS, .shell = SSH_SHELL_CMD };
    static const SshFacts power = { .os = SSH_OS_WINDOWS, .shell = SSH_SHELL_POWERSHELL };
    static const SshFacts compat = { .os = SSH_OS_WINDOWS,
                                     .shell = SSH_SHELL_CMD,
                                     .compat_shell = SSH_SHELL_SH,
                                     .is_compat = true };
    static const struct {
        const SshFacts *facts;
        const char *command, *cwd, *want; // NULL: refused
    } cases[] = {
        { &linux_bash, "ls; pwd", NULL, "ls; pwd" },
        { &linux_bash, "ls; pwd", "/srv/a b", "cd -- '/srv/a b' || exit 1; ls; pwd" },
        { &linux_bash, "ls", "it's", "cd -- 'it'\\''s' || exit 1; ls" },
        { &linux_bash, "ls", "-x; rm -rf /", "cd -- '-x; rm -rf /' || exit 1; ls" },
        { &linux_bash, "ls", "$(id)", "cd -- '$(id)' || exit 1; ls" },
        { &unknown, "ls", "~", "cd || exit 1; ls" },
        { &unknown, "ls", "~/a b", "cd -- ~/'a b' || exit 1; ls" },
        { &unknown, "ls", "", NULL },
        { &cmd, "dir", NULL, "dir" },
        { &cmd, "dir", "C:\\a b", "cd /d \"C:\\a b\" || exit 1 & dir" },
        { &cmd, "dir", "a\" & del b", NULL },
        { &cmd, "dir", "%TEMP%", NULL },
        { &power, "dir", "C:\\it's",
          "Set-Location -ErrorAction Stop -LiteralPath 'C:\\it''s'; dir" },
        { &compat, "echo 'a b'", NULL, "sh -c 'echo '\\''a b'\\'''" },
        { &compat, "ls", "/c", "sh -c 'cd -- '\\''/c'\\'' || exit 1; ls'" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        bool is_worded =
            ssh_facts_word(cases[i].facts, cases[i].command, cases[i].cwd, &got, &error);
        if (is_worded != (cases[i].want != NULL) || g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s in %s: %s", cases[i].command, cases[i].cwd, got);
    }
    g_autofree char *huge = g_strnfill(LIMIT_SSH_COMMAND_BYTES + 1, 'x');
    g_autofree char *got = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(ssh_facts_word(&unknown, huge, NULL, &got, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expand),   cmocka_unit_test(test_entries),
        cmocka_unit_test(test_details),  cmocka_unit_test(test_file),
        cmocka_unit_test(test_too_many), cmocka_unit_test(test_project),
        cmocka_unit_test(test_facts),    cmocka_unit_test(test_kept),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
