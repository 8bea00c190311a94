/*
 * Internal URLs in commands, and in the tools that work on files (agent-tools §3.4 step 5, §3.8).
 */
#include "url_fixture.h"

#include "tools/url/url_paths.h"

/* `text` with ROOT for the folder of local:// and ART for the session's. */
static char *with_places(const ToolFixture *fixture, const char *text)
{
    g_autofree char *session = g_build_filename(fixture->root, "session", NULL);
    g_autofree char *root = g_build_filename(session, "local", NULL);
    g_auto(GStrv) parts = g_strsplit(text, "ROOT", -1);
    g_autofree char *half = g_strjoinv(root, parts);
    g_auto(GStrv) rest = g_strsplit(half, "ART", -1);
    return g_strjoinv(session, rest);
}

static ToolFixture *fixture_new(void)
{
    ToolFixture *fixture = url_fixture_new(NULL, true);
    g_autofree char *id = NULL;
    assert_true(artifacts_save(tool_context_artifacts(fixture->context), "bash", "whole output\n",
                               strlen("whole output\n"), &id, NULL));
    return fixture;
}

static void test_command(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *want;
    } cases[] = {
        { "cat local://x/n.txt", "cat 'ROOT/x/n.txt'" },
        { "cat local:/x/n.txt", "cat 'ROOT/x/n.txt'" },
        { "cat 'local://n.txt' \"plan://p.md\"", "cat 'ROOT/n.txt' 'ROOT/p.md'" },
        { "cat \"local://a b.txt\"", "cat 'ROOT/a b.txt'" },
        { "cat local://a\\ b.txt;ls", "cat 'ROOT/a b.txt';ls" },
        { "# it's\ncat local://x # it's\necho 'see artifact://9'",
          "# it's\ncat 'ROOT/x' # it's\necho 'see artifact://9'" },
        { "cat local://\u00fc", "cat 'ROOT/\u00fc'" },
        { "echo a#'b local://x'", "echo a#'b local://x'" },
        { "tail -n 1 artifact://0|wc", "tail -n 1 'ART/0.bash.log'|wc" },
        { "echo hi >local://x && (cat<local://x)", "echo hi >'ROOT/x' && (cat<'ROOT/x')" },
        { "X=local://x; `cat local://x`", "X='ROOT/x'; `cat 'ROOT/x'`" },
        { "curl -d @local://x", "curl -d @'ROOT/x'" },
        { "ls local://", "ls 'ROOT'" },
        // the shell puts the rest of the word together
        { "cat local://$N.md local://d/*.md local://a-{1,2}",
          "cat 'ROOT/'$N.md 'ROOT/d/'*.md 'ROOT/a-'{1,2}" },
        { "cat local://d/\"$N\"", "cat 'ROOT/d/'\"$N\"" },
        { "X=\"$(cat local://x)\"", "X=\"$(cat 'ROOT/x')\"" },
        { "python3 -c \"open('local://x')\"", "python3 -c \"open('ROOT/x')\"" },
        { "python3 -c 'open(\"artifact://0\")'", "python3 -c 'open(\"ART/0.bash.log\")'" },
        // text is text
        { "echo 'see artifact://9 there'", "echo 'see artifact://9 there'" },
        { "git commit -m \"tell of 'artifact://9'\"", "git commit -m \"tell of 'artifact://9'\"" },
        { "echo $'it\\'s artifact://9'", "echo $'it\\'s artifact://9'" },
        { "echo \\\" local://x", "echo \\\" 'ROOT/x'" },
        { "rg 'local://' src", "rg 'local://' src" },
        { "cat <<EOF >local://x\nartifact://9 'local://y'\nEOF\ncat local://x",
          "cat <<EOF >'ROOT/x'\nartifact://9 'local://y'\nEOF\ncat 'ROOT/x'" },
        { "cat <<-'A' <<B\n\tartifact://9\n\tA\nskill://x\nB\nls local://x",
          "cat <<-'A' <<B\n\tartifact://9\n\tA\nskill://x\nB\nls 'ROOT/x'" },
        { "echo $((1<<2))\ncat local://x", "echo $((1<<2))\ncat 'ROOT/x'" },
        { "cat <<<local://x", "cat <<<'ROOT/x'" },
        { "curl http://x/local://y xlocal://y http://h/artifact://9",
          "curl http://x/local://y xlocal://y http://h/artifact://9" },
        { "for i in 0 1; do cat artifact://$i; done", "for i in 0 1; do cat artifact://$i; done" },
        { "gh issue view issue://1", "gh issue view issue://1" },
        { "echo 'open local://x", "echo 'open local://x" },
        { "echo \\", "echo \\" },
        { "true", "true" },
    };
    g_autoptr(ToolFixture) fixture = fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        if (!url_paths_in_command(fixture->context, cases[i].command, &got, &error))
            fail_msg("%s: %s", cases[i].command, error->message);
        g_autofree char *want = with_places(fixture, cases[i].want);
        assert_text(cases[i].command, got, want);
    }
    g_autofree char *folder = with_places(fixture, "ROOT/x");
    assert_true(file_is_directory(folder)); // of what is to be written
}

static void test_command_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *want;
    } cases[] = {
        { "cat artifact://9", "Failed to resolve artifact:// URL in bash command: artifact://9\n"
                              "Artifact 9 not found. Available: 0" },
        { "cat 'artifact://9'", "Failed to resolve artifact:// URL in bash command: artifact://9\n"
                                "Artifact 9 not found. Available: 0" },
        { "cat skill://none/x", "Unknown skill: none. Available: none" },
        { "cat skill://s/../../x", "Path traversal is not allowed in skill:// URLs" },
        { "cat local://../x", "Failed to resolve local:// URL in bash command: local://../x\nPath "
                              "traversal (..) is not allowed in local:// URLs" },
        { "cat local://%2e%2e/x", "Failed to resolve local:// URL in bash command: "
                                  "local://%2e%2e/x\nPath traversal (..) is not allowed in "
                                  "local:// URLs" },
        { "cat rule://x",
          "Failed to resolve rule:// URL in bash command: rule://x\nUnknown rule: x\nAvailable: "
          "none" },
        { "cat agent://0-A",
          "Failed to resolve agent:// URL in bash command: agent://0-A\nNot found: "
          "0-A\nAvailable: none" },
        { "cat 'agent://0-A?q=.x'",
          "Failed to resolve agent:// URL in bash command: agent://0-A?q=.x\nA part of an output "
          "has no file: agent://0-A?q=.x" },
        // a name that would be a part of the command, were the quotes around it the wrong way round
        { "cat \"local://it's\"", "local://it's cannot be used in a command: a shell may act on "
                                  "the \"'\" in its path. Give it "
                                  "in `env`, and use \"$NAME\"." },
        { "cat local://a%3Btouch%20b",
          "local://a%3Btouch%20b cannot be used in a command: a shell may act on the \";\" in its "
          "path. Give it in `env`, and use \"$NAME\"." },
        { "cat plan:///", "Failed to resolve plan:// URL in bash command: plan:///\nNo active "
                          "plan." },
    };
    g_autoptr(ToolFixture) fixture = fixture_new();
    tool_context_set_conversation(fixture->context, fixture->root);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(url_paths_in_command(fixture->context, cases[i].command, &got, &error));
        assert_text(cases[i].command, error->message, cases[i].want);
    }
}

static void test_values(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_new();
    g_autoptr(json_t) values = json_of("{'A':'local://a b','B':'local://b','C':'artifact://0',"
                                       "'D':'see local://b','E':''}");
    g_autoptr(json_t) changed = NULL;
    assert_true(url_paths_in_values(fixture->context, values, &changed, NULL));
    g_autofree char *got = json_to_text(changed);
    g_autofree char *want =
        with_places(fixture, "{\"A\":\"local://a b\",\"B\":\"ROOT/b\",\"C\":\"ART/0.bash.log\","
                             "\"D\":\"see local://b\",\"E\":\"\"}");
    assert_text("values", got, want);
    g_autoptr(json_t) bad = json_of("{'A':'artifact://9'}");
    g_autoptr(json_t) untouched = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(url_paths_in_values(fixture->context, bad, &untouched, &error));
    assert_contains("an unknown one", error->message, "Artifact 9 not found");
}

static char *bash(const ToolFixture *fixture, json_t *arguments)
{
    return tool_fixture_text(fixture, &tool_bash, arguments);
}

/* Through the tool: command, environment and folder. */
static void test_bash(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_new();
    g_autofree char *wrote = bash(
        fixture, json_pack("{s:s}", "command", "echo hi > local://x/n.txt && cat local://x/n.txt"));
    assert_text("written and read", wrote, "hi\n");
    g_autofree char *there =
        bash(fixture, json_pack("{s:s, s:s, s:{s:s}}", "command", "cat n.txt \"$OUT\"", "cwd",
                                "local://x", "env", "OUT", "artifact://0"));
    assert_text("cwd and env", there, "hi\nwhole output\n");
}

/* grep looks into what has a file, and asks nobody for the rest. */
static void test_grep(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_new();
    g_free(bash(fixture, json_pack("{s:s}", "command", "echo needle > local://d.txt")));
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "local://d.txt", "*1|needle" },
        { "local://", "d.txt" },
        { "artifact://0", "No matches found" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got =
            tool_fixture_text(fixture, &tool_grep,
                              json_pack("{s:s, s:s}", "pattern", "needle", "path", cases[i].path));
        assert_contains(cases[i].path, got, cases[i].want);
    }
    static const struct {
        const char *path, *want;
    } errors[] = {
        { "issue://1", "Cannot grep internal URL without a backing file: issue://1" },
        { "docs://settings.md",
          "Cannot grep internal URL without a backing file: docs://settings.md" },
        { "local://*.txt", "Glob patterns are not supported for internal URLs: local://*.txt" },
        { "artifact://9", "Artifact 9 not found. Available: 0" },
        { "local://../x", "Path traversal (..) is not allowed in local:// URLs" },
        { "nope://x", "Unknown protocol: nope://\nSupported: " URL_FIXTURE_SUPPORTED },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        g_autofree char *got =
            tool_fixture_error(fixture, &tool_grep,
                               json_pack("{s:s, s:[s]}", "pattern", "x", "paths", errors[i].path));
        assert_text(errors[i].path, got, errors[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command), cmocka_unit_test(test_command_errors),
        cmocka_unit_test(test_values),  cmocka_unit_test(test_bash),
        cmocka_unit_test(test_grep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
