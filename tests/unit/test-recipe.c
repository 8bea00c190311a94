/* The recipe tool: what its calls run, in which door, and that nothing runs before a call is
   allowed. */
#include "base/str.h"
#include "proc_fixture.h"
#include "recipe_fixture.h"

#include "tools/tools.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* A program on PATH that says how it was called; `first` stands before that. */
static void put_program(const ToolFixture *fixture, const char *name, const char *first)
{
    g_autofree char *dir = g_build_filename(fixture->root, "bin", NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *text =
        g_strdup_printf("#!/bin/sh\necho \"%s $*\" >>'%s/ran'\n%s\necho \"%s $* in ${PWD##*/}\"\n",
                        name, fixture->root, first, name);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(path, text, strlen(text), 0700, NULL));
}

/* With bash, as mostly, so that arguments are for a shell. */
static ToolFixture *fixture_with_programs(const char *settings)
{
    static const ToolDef *const table[] = { &tool_bash, &tool_recipe, NULL };
    ToolFixture *fixture = tool_fixture_new(settings, false);
    fixture->tools = tool_set_new(table);
    g_autofree char *path = g_strconcat(fixture->root, "/bin:/usr/bin:/bin", NULL);
    g_setenv("PATH", path, TRUE);
    put_program(fixture, "npm", "");
    put_program(fixture, "make", "");
    put_program(fixture, "just",
                "[ \"$1\" = --dump ] && { echo "
                "'{\"recipes\":{\"other\":{},\"a;b\":{}},\"aliases\":{\"o\":{}},"
                "\"modules\":{\"m\":{\"recipes\":{\"r\":{}}}}}'; exit; }");
    put_program(fixture, "cargo",
                "[ \"$1\" = metadata ] && { echo "
                "'{\"packages\":[{\"targets\":[{\"name\":\"cli\",\"kind\":[\"bin\"]},"
                "{\"name\":\"lib\",\"kind\":[\"lib\"]}]}]}'; exit; }");
    put_program(fixture, "task",
                "[ \"$1\" = --list-all ] && { echo "
                "'{\"tasks\":[{\"name\":\"inc:x\",\"aliases\":[\"ix\"]}]}'; exit; }");
    return fixture;
}

static json_t *op(const char *text)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "op", text);
    return arguments;
}

/* What has run so far; NULL: nothing. Caller frees. */
static char *take_ran(const ToolFixture *fixture)
{
    g_autofree char *path = g_build_filename(fixture->root, "ran", NULL);
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    unlink(path);
    return text;
}

static void test_calls(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *op, *want, *ran;
        bool is_error;
    } cases[] = {
        { "m X=1 2>&1", "make m X=1 in w\n", "make m X=1\n", false },
        { "p --a 'b c'", "npm run p -- --a b c in w\n", "npm run p -- --a b c\n", false },
        { "@a/w/p", "npm run p in w\n", "npm run p\n", false },
        { "m ; exit 3", "make m in w\n\n\nCommand exited with code 3", "make m\n", true },
        { "example/e", "cargo run --example e in w\n", "cargo run --example e\n", false },
        { "cargo:bin/cli x", "cargo run --bin cli -- x in w\n",
          "cargo metadata --no-deps --format-version 1\ncargo run --bin cli -- x\n", false },
        { "cargo:bin/lib", "cargo has no task \"bin/lib\". Available tasks:\n- cargo: bin/cli",
          "cargo metadata --no-deps --format-version 1\n", true },
        { "just:other", "just other in w\n", "just --dump --dump-format=json\njust other\n",
          false },
        { "just:m::r", "just m::r in w\n", "just --dump --dump-format=json\njust m::r\n", false },
        { "just:nope", "just has no task \"nope\". Available tasks:\n- just: other, o, m::r",
          "just --dump --dump-format=json\n", true },
        { "task:ix", "task ix in w\n", "task --list-all --json --no-status\ntask ix\n", false },
        { "task:no", "task has no task \"no\". Available tasks:\n- task: inc:x, ix",
          "task --list-all --json --no-status\n", true },
    };
    g_autoptr(ToolFixture) fixture = fixture_with_programs(NULL);
    put_files(fixture, all_files);
    tool_fixture_put(fixture, "Taskfile.yml", "includes: {inc: ./inc}\n");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_recipe, op(cases[i].op), &result);
        g_autofree char *got = tool_result_text(&result);
        if (!str_has_prefix(got, cases[i].want) || result.is_error != cases[i].is_error)
            fail_msg("'%s': %s", cases[i].op, got);
        g_autofree char *ran = take_ran(fixture);
        assert_text(cases[i].op, ran ? ran : "", cases[i].ran);
    }
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_recipe, op("@a/w/p x"), &result);
    assert_string_equal(json_get_text(result.details, "command"), "npm run p -- x");
    assert_string_equal(json_get_text(result.details, "cwd"), "w");
    assert_int_equal(json_get_int(result.details, "timeoutSeconds", 0), 300);
}

/* Who has no bash gets none by way of a task's arguments. */
static void test_without_bash(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &tool_recipe, &tool_ls, NULL };
    static const ToolHook *const hooks[] = { &recipe_interceptor, NULL };
    for (int i = 0; i < 2; i++) {
        g_autoptr(ToolFixture) fixture = fixture_with_programs(
            "{'bashInterceptor':{'enabled':true,'patterns':[{'pattern':'^make "
            "m .x; no','tool':'read','message':'no'}]}}");
        put_files(fixture, all_files);
        tool_context_add_hooks(fixture->context, hooks);
        tool_set_unref(fixture->tools);
        fixture->tools = i == 0 ? tool_set_new(table) : NULL;
        g_autofree char *got = tool_fixture_text(fixture, &tool_recipe,
                                                 op("m ; touch made $(touch made) >made 'b c'"));
        assert_text("words", got, "make m ; touch made $(touch made) >made b c in w\n");
        g_autofree char *made = g_build_filename(fixture->cwd, "made", NULL);
        assert_false(file_exists(made));
        g_autofree char *ran = take_ran(fixture);
        assert_text("one call", ran, "make m ; touch made $(touch made) >made b c\n");
        g_autofree char *open = tool_fixture_error(fixture, &tool_recipe, op("m 'b"));
        assert_contains("open quote", open, "cannot be split into words: 'b");
        g_autofree char *held = tool_fixture_error(fixture, &tool_recipe, op("m 'x; no'"));
        assert_contains("intercepted as it runs", held, "Original command: make m 'x; no'");
    }
}

/* A runner that cannot say what it has is left to say so itself. */
static void test_silent_runners(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = {
        "[ \"$1\" = --dump ] && exit 1",
        "[ \"$1\" = --dump ] && { echo not JSON; exit; }",
        "[ \"$1\" = --dump ] && { echo '[]'; exit; }",
        "[ \"$1\" = --dump ] && { echo '{\"recipes\":{}}'; exit; }",
        "[ \"$1\" = --dump ] && { head -c 5000000 /dev/zero; exit; }",
    };
    g_autoptr(ToolFixture) fixture = fixture_with_programs(NULL);
    tool_fixture_put(fixture, "justfile", "mod x\n");
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        put_program(fixture, "just", answers[i]);
        g_autofree char *got = tool_fixture_text(fixture, &tool_recipe, op("x::y"));
        assert_text(answers[i], got, "just x::y in w\n");
    }
    g_autoptr(ToolFixture) without = fixture_with_programs(NULL);
    g_autofree char *program = g_build_filename(without->root, "bin", "just", NULL);
    unlink(program);
    tool_fixture_put(without, "justfile", "mod x\n");
    g_autofree char *error = tool_fixture_error(without, &tool_recipe, op("x::y"));
    assert_contains("no program", error, "just: command not found");
}

static void *cancel_when_asked(void *data)
{
    void **parts = data;
    written_pid(parts[0], "asked");
    cancel_fire(parts[1]);
    return NULL;
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_with_programs(NULL);
    tool_fixture_put(fixture, "justfile", "mod x\n");
    put_program(fixture, "just", "echo $$ >asked; sleep 600");
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(json_t) arguments = op("x::y");
    const ToolCallSpec spec = {
        .tool = &tool_recipe,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    void *parts[] = { fixture->cwd, cancel };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_asked, parts), 0);
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    pthread_join(thread, NULL);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    assert_true(is_dead(written_pid(fixture->cwd, "asked")));
    g_autofree char *ran = take_ran(fixture);
    assert_text("only asked", ran, "just --dump --dump-format=json\n");
}

/* Whoever opens a directory, and a call that is not allowed, runs nothing of it. */
static void test_nothing_runs(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_with_programs(NULL);
    put_files(fixture, all_files);
    tool_fixture_put(fixture, "justfile", "x := `touch ../ran`\nj:\n");
    tool_fixture_put(fixture, "Taskfile.yml", "vars: {A: {sh: 'touch ../ran'}}\ntasks: {t: x}\n");
    tool_fixture_put(fixture, "Makefile", "X := $(shell touch ../ran)\nm:\n");
    g_autoptr(Settings) settings = settings_load(fixture->root, fixture->cwd, NULL);
    static const ToolDef *const table[] = { &tool_bash, &tool_recipe, NULL };
    g_autoptr(ToolSet) all = tool_set_new(table);
    g_autoptr(ToolSet) offered = tool_set_select(all, settings, NULL, NULL);
    g_autofree char *description = tool_description(&tool_recipe, offered);
    assert_text(
        "description", description,
        "Runs a project task in bash: `[runner:]task [args]`.\n"
        "- just: j\n- pkg (npm): both, p, make:x, make:m, @a/w/p\n- cargo: example/e, test/p\n"
        "- make: m\n- task: t");

    static const ToolDoor reader = { .kind = DOOR_DIRECT, .is_read_only = true };
    static const ToolDoor lonely = { .kind = DOOR_DIRECT, .allow_hint = "--yes" };
    static const struct {
        const ToolDoor *door;
        const char *op, *want;
    } cases[] = {
        { &reader, "just:other",
          "refused: recipe (runs: just other): only reads are allowed here" },
        { &lonely, "pkg:@a/w/p ; git push",
          "refused: recipe (runs in w: npm run p -- ; git push): a call of effect write needs "
          "approval, and nobody can be asked; start with --yes to allow it" },
        { &lonely, "make:here", "There is no task \"make:here\". Available tasks:" },
        { &lonely, "$(touch ../ran)", "\"$(touch\" is no name of a task" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) arguments = op(cases[i].op);
        const ToolCallSpec spec = {
            .tool = &tool_recipe,
            .arguments = arguments,
            .context = fixture->context,
            .tools = fixture->tools,
            .door = cases[i].door,
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        g_autofree char *got = tool_result_text(&result);
        if (!result.is_error || !str_has_prefix(got, cases[i].want))
            fail_msg("'%s': %s", cases[i].op, got);
    }
    g_autofree char *ran = take_ran(fixture);
    assert_null(ran);
}

// ---- judged as bash ----

static void note_command(ToolCall *call G_GNUC_UNUSED, const json_t *arguments G_GNUC_UNUSED,
                         Judgement *judgement, void *user_data G_GNUC_UNUSED)
{
    judgement_add_action(judgement, "run", judgement->command, NULL, NULL);
}

static Likeness remember(const GPtrArray *actions, char **ret_earlier G_GNUC_UNUSED, void *seen)
{
    const JudgedAction *action = actions->pdata[0];
    g_string_append_printf(seen, "%s|", action->target ? action->target : "nothing");
    return LIKENESS_NONE;
}

static void test_judged_as_bash(void **state G_GNUC_UNUSED)
{
    static const ToolHook reader = { .name = "reader", .judged = note_command };
    static const ToolHook *const hooks[] = { &reader, NULL };
    g_autoptr(ToolFixture) fixture = fixture_with_programs(NULL);
    put_files(fixture, all_files);
    tool_context_add_hooks(fixture->context, hooks);
    g_autoptr(GString) seen = g_string_new(NULL);
    g_autoptr(json_t) as_recipe = op("p a && git push");
    g_autoptr(json_t) as_bash = json_of("{'command':'npm run p -- a && git push'}");
    ToolCallSpec spec = {
        .context = fixture->context,
        .tools = fixture->tools,
        .door = &agent_door,
        .was_refused = remember,
        .user_data = seen,
    };
    put_program(fixture, "git", "");
    for (int i = 0; i < 2; i++) {
        spec.tool = i == 0 ? &tool_recipe : &tool_bash;
        spec.arguments = i == 0 ? as_recipe : as_bash;
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        assert_false(result.is_error);
    }
    assert_text("commands", seen->str, "npm run p -- a && git push|npm run p -- a && git push|");
}

static void test_intercepted(void **state G_GNUC_UNUSED)
{
    static const ToolHook *const hooks[] = { &bash_interceptor, &recipe_interceptor, NULL };
    g_autoptr(ToolFixture) fixture =
        fixture_with_programs("{'bashInterceptor':{'enabled':true,'patterns':[{'pattern':'^make "
                              "m','tool':'read','message':'no'}]}}");
    put_files(fixture, all_files);
    tool_context_add_hooks(fixture->context, hooks);
    g_autofree char *error = tool_fixture_error(fixture, &tool_recipe, op("m x"));
    assert_text("a rule of bash", error, "Blocked: no\n\nOriginal command: make m x");
    g_autofree char *ran = take_ran(fixture);
    assert_null(ran);
    g_autofree char *other = tool_fixture_text(fixture, &tool_recipe, op("p"));
    assert_text("another", other, "npm run p in w\n");
    g_autofree char *unknown = tool_fixture_error(fixture, &tool_recipe, op("make:no"));
    assert_contains("no task", unknown, "There is no task \"make:no\"");
}

static void test_offered(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings;
        File files[3];
        const char *names[3];
        const char *want;
    } cases[] = {
        { "no tasks", NULL, { { "a", "" } }, { NULL }, "bash ls" },
        { "tasks", NULL, { { "Makefile", "a:\n" } }, { NULL }, "bash recipe ls" },
        { "implied by bash", NULL, { { "Makefile", "a:\n" } }, { "bash", NULL }, "bash recipe" },
        { "not by others", NULL, { { "Makefile", "a:\n" } }, { "ls", NULL }, "ls" },
        { "implied, but without tasks", NULL, { { "a", "" } }, { "bash", NULL }, "bash" },
        { "named", NULL, { { "justfile", "mod x\n" } }, { "recipe", NULL }, "recipe" },
        { "off",
          "recipe:\n  enabled: false\n",
          { { "Makefile", "a:\n" } },
          { "bash", "recipe", NULL },
          "bash" },
        { "off by the project",
          NULL,
          { { "Makefile", "a:\n" }, { ".kedge/config.yml", "recipe: {enabled: false}\n" } },
          { "bash", "recipe", NULL },
          "bash" },
        { "off by the user, whatever the project says",
          "recipe:\n  enabled: false\n",
          { { "Makefile", "a:\n" }, { ".kedge/config.yml", "recipe: {enabled: true}\n" } },
          { "bash", "recipe", NULL },
          "bash" },
    };
    static const ToolDef *const table[] = { &tool_bash, &tool_recipe, &tool_ls, NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        put_files(fixture, cases[i].files);
        g_autofree char *config =
            g_strconcat("ls:\n  enabled: true\n", cases[i].settings ? cases[i].settings : "", NULL);
        g_autofree char *path = g_build_filename(fixture->root, "config.yml", NULL);
        assert_true(file_write_atomic(path, config, strlen(config), 0600, NULL));
        g_autoptr(Settings) settings = settings_load(fixture->root, fixture->cwd, NULL);
        g_autoptr(ToolSet) all = tool_set_new(table);
        g_autoptr(ToolSet) set = tool_set_select(all, settings, cases[i].names, NULL);
        g_autoptr(GString) names = g_string_new(NULL);
        for (size_t j = 0; j < tool_set_count(set); j++)
            g_string_append_printf(names, "%s%s", j > 0 ? " " : "", tool_set_at(set, j)->name);
        assert_text(cases[i].name, names->str, cases[i].want);
    }
}

static int set_up(void **state G_GNUC_UNUSED)
{
    signal(SIGPIPE, SIG_IGN); // as main() does
    g_unsetenv("KEDGE_SHELL_PREFIX");
    g_unsetenv("CLAUDE_CODE_SHELL_PREFIX");
    g_setenv("HOME", "/nonexistent", TRUE); // no rc file, so no snapshot
    g_setenv("SHELL", "/bin/bash", TRUE);
    g_setenv("LC_ALL", "C.UTF-8", TRUE);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),          cmocka_unit_test(test_silent_runners),
        cmocka_unit_test(test_cancel),         cmocka_unit_test(test_nothing_runs),
        cmocka_unit_test(test_judged_as_bash), cmocka_unit_test(test_intercepted),
        cmocka_unit_test(test_offered),        cmocka_unit_test(test_without_bash),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
