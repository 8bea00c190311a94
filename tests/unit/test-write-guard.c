/*
 * Files that are more than text in a project: who is asked before one is written, by which tool and
 * name so ever, and that nothing is written which was not judged (common §4.3).
 */
#include "tool_fixture.h"

#include "tool/allowances.h"
#include "tool/context.h"
#include "tool/question.h"
#include "tool/write_guard.h"
#include "tools/edit/edit_mode.h"
#include "tools/tools.h"

#include <unistd.h>

typedef struct Person {
    int asked;
    bool answer;
    char *text, *allowance, *digest, *file;
} Person;

static void person_clear(Person *self)
{
    g_free(self->text);
    g_free(self->allowance);
    g_free(self->digest);
    g_free(self->file);
    *self = (Person) { 0 };
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Person, person_clear)

/* Reads the file that a long question names, as a person would before the answer. */
static void read_named_file(Person *self)
{
    static const char mark[] = "the whole question is in ";
    const char *named = strstr(self->text, mark);
    if (named)
        assert_true(g_file_get_contents(named + strlen(mark), &self->file, NULL, NULL));
}

static bool person_ask(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED,
                       bool *ret_approved, void *user_data, GError **error G_GNUC_UNUSED)
{
    Person *self = user_data;
    bool answer = self->answer;
    int asked = self->asked;
    person_clear(self);
    self->asked = asked + 1;
    self->answer = *ret_approved = answer;
    self->text = g_strdup(question->text);
    self->allowance = g_strdup(question->allowance);
    self->digest = g_strdup(question->digest);
    read_named_file(self);
    return true;
}

/* A home beside the working directory, which is a repository. Caller frees it. */
static ToolFixture *repository(void)
{
    ToolFixture *self = tool_fixture_new(NULL, true);
    g_autofree char *home = g_build_filename(self->root, "home", NULL);
    assert_true(file_make_dirs(home, 0700, NULL));
    g_setenv("HOME", home, TRUE);
    tool_fixture_put(self, ".git/HEAD", "ref: refs/heads/main\n");
    tool_fixture_put(self, ".git/objects/x", "");
    tool_fixture_put(self, ".git/refs/x", "");
    tool_fixture_put(self, ".git/config", "[core]\n\thooksPath = tools/hooks\n");
    return self;
}

static void put_link(const ToolFixture *self, const char *name, const char *target)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
}

static char *called(const ToolFixture *self, const ToolDef *tool, const ToolDoor *door,
                    const char *arguments, bool *ret_is_error)
{
    g_auto(ToolResult) result = { 0 };
    g_autoptr(json_t) given = json_of(arguments);
    const ToolCallSpec spec = {
        .tool = tool,
        .arguments = given,
        .context = self->context,
        .door = door,
    };
    tool_call(&spec, &result);
    *ret_is_error = result.is_error;
    return tool_result_text(&result);
}

// ---- the list ----

static void test_list(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path; // ~: of the home
        GuardLevel level;
    } cases[] = {
        { "src/main.c", GUARD_NONE },
        { "git/config", GUARD_NONE },
        { ".github/dependabot.yml", GUARD_NONE },
        { ".github/workflows/ci.yml", GUARD_PROJECT },
        { "vendor/lib/.github/workflows/ci.yml", GUARD_PROJECT },
        { ".GitHub/Workflows/ci.yml", GUARD_PROJECT },
        { ".github/hooks/x.json", GUARD_PROJECT },
        { ".husky/pre-commit", GUARD_PROJECT },
        { ".claude/settings.json", GUARD_PROJECT },
        { ".claude/settings.local.json", GUARD_PROJECT },
        { ".claude/notes.json", GUARD_NONE },
        { ".claude/hooks/x.sh", GUARD_PROJECT },
        { ".codex/config.toml", GUARD_PROJECT },
        { ".cursor/hooks.json", GUARD_PROJECT },
        { ".vscode/tasks.json", GUARD_PROJECT },
        { "vscode/tasks.json", GUARD_NONE },
        { ".devcontainer/devcontainer.json", GUARD_PROJECT },
        { ".envrc", GUARD_PROJECT },
        { "sub/.envrc", GUARD_PROJECT },
        { "my.envrc", GUARD_NONE },
        { ".mcp.json", GUARD_PROJECT },
        { "mcp.json", GUARD_PROJECT },
        { "env/pyvenv.cfg", GUARD_PROJECT },
        { ".wm/tasks/x.md", GUARD_PROJECT },
        { ".git/config", GUARD_PERSON },
        { ".git/hooks/post-checkout", GUARD_PERSON },
        { "vendor/lib/.git/hooks/pre-push", GUARD_PERSON },
        { "vendor/lib/.git", GUARD_PERSON },
        { ".kedge/config.yml", GUARD_PERSON },
        { "sub/.kedge/config.yml", GUARD_PERSON },
        { "bare.git/hooks/update", GUARD_PERSON },
        { "tools/hooks/pre-push", GUARD_PERSON },
        { "tools/hook.c", GUARD_NONE },
        { "~/.kedge/agent/config.yml", GUARD_PERSON },
        { "~/.kedge/wt/a/src/main.c", GUARD_NONE },
        { "~/.kedge/wt/a/.git", GUARD_PERSON },
        { "~/.bashrc", GUARD_PERSON },
        { "~/.profile", GUARD_PERSON },
        { "~/.zshenv", GUARD_PERSON },
        { "~/.ssh/authorized_keys", GUARD_PERSON },
        { "~/.config/autostart/x.desktop", GUARD_PERSON },
        { "~/.config/systemd/user/x.service", GUARD_PERSON },
        { "~/.gitconfig", GUARD_PERSON },
        { "~/.config/git/config", GUARD_PERSON },
        { "~/.config/gh/hosts.yml", GUARD_PERSON },
        { "~/.config/other/x", GUARD_PERSON },
        { "~/.local/share/bash-completion/completions/git", GUARD_PERSON },
        { "~/.oh-my-zsh/custom/x.zsh", GUARD_PERSON },
        { "~/.psqlrc", GUARD_PERSON },
        { "~/src/.psqlrc", GUARD_NONE },
        { ".gitconfig", GUARD_PROJECT },
        { ".helix/languages.toml", GUARD_PROJECT },
        { ".npmrc", GUARD_PROJECT },
        { "x.code-workspace", GUARD_PROJECT },
        { "~/notes.md", GUARD_NONE },
        { "/etc/profile.d/x.sh", GUARD_PERSON },
        { "/var/spool/cron/crontabs/root", GUARD_PERSON },
        { "/usr/share/bash-completion/completions/git", GUARD_PERSON },
        { "/opt/x", GUARD_PERSON },
    };
    g_autoptr(ToolFixture) self = repository();
    tool_fixture_put(self, "bare.git/HEAD", "");
    tool_fixture_put(self, "bare.git/objects/x", "");
    tool_fixture_put(self, "bare.git/refs/x", "");
    g_autoptr(WriteSurvey) survey = write_survey_new(self->context);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *path = cases[i].path;
        g_autofree char *whole = *path == '~' ? g_build_filename(self->root, "home", path + 2, NULL)
                                 : *path == '/' ? g_strdup(path)
                                                : g_build_filename(self->cwd, path, NULL);
        g_autoptr(WriteGuard) guard = write_guard_look(survey, whole, false);
        if (guard->level != cases[i].level || !guard->why != !cases[i].level)
            fail_msg("%s: level %d, %s", path, guard->level, guard->why);
    }
}

static void test_links(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *link, *target, *path; // `link` and `path` in the repository
        GuardLevel level;
        bool leads_out;
    } cases[] = {
        { "a file elsewhere", "notes.md", "../other.md", "notes.md", GUARD_PROJECT, true },
        { "a folder elsewhere", "docs", "..", "docs/new.md", GUARD_PROJECT, true },
        { "a start-up file", "notes.md", "../home/.bashrc", "notes.md", GUARD_PERSON, true },
        { "one that is not there yet", "n.md", "../home/.zshrc", "n.md", GUARD_PERSON, true },
        { "a hidden folder", "conf", "../home/.config", "conf/gh/x.yml", GUARD_PERSON, true },
        { "hooks by another name", "h", ".git/hooks", "h/pre-push", GUARD_PERSON, false },
        { "inside", "a.md", "b.md", "a.md", GUARD_NONE, false },
        { "in a circle", "c.md", "c.md", "c.md", GUARD_NONE, false },
    };
    g_autoptr(ToolFixture) self = repository();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put_link(self, cases[i].link, cases[i].target);
        g_autofree char *path = g_build_filename(self->cwd, cases[i].path, NULL);
        g_autoptr(WriteSurvey) survey = write_survey_new(self->context);
        g_autoptr(WriteGuard) guard = write_guard_look(survey, path, false);
        g_autofree char *leads = write_guard_leads_out(path, self->cwd);
        if (guard->level != cases[i].level || guard->leads_out != cases[i].leads_out ||
            !leads == cases[i].leads_out)
            fail_msg("%s: level %d, leads out %d", cases[i].name, guard->level, guard->leads_out);
    }
    // a start-up file that a person keeps elsewhere, and a second name of it
    tool_fixture_put(self, "dot/bashrc", "x");
    g_autofree char *kept = g_build_filename(self->cwd, "dot/bashrc", NULL);
    g_autofree char *second = g_build_filename(self->cwd, "second", NULL);
    g_autofree char *rc = g_build_filename(self->root, "home/.bashrc", NULL);
    assert_int_equal(symlink(kept, rc), 0);
    assert_int_equal(link(kept, second), 0);
    const char *const names[] = { kept, second, rc };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(WriteSurvey) survey = write_survey_new(self->context);
        g_autoptr(WriteGuard) guard = write_guard_look(survey, names[i], false);
        assert_int_equal(guard->level, GUARD_PERSON);
    }
}

static void test_own_workspace(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = repository();
    g_setenv("XDG_CONFIG_HOME", self->root, TRUE); // the workspace is in it
    g_setenv("ZDOTDIR", self->cwd, TRUE);
    g_autofree char *path = g_build_filename(self->cwd, "init.lua", NULL);
    g_autoptr(WriteSurvey) survey = write_survey_new(self->context);
    g_autoptr(WriteGuard) guard = write_guard_look(survey, path, false);
    assert_int_equal(guard->level, GUARD_NONE);
    g_unsetenv("XDG_CONFIG_HOME");
    g_unsetenv("ZDOTDIR");
}

// ---- the gate ----

static void test_doors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        ToolDoor door;
        const char *path, *refusal; // NULL: it is written
    } cases[] = {
        { "no one there",
          { .kind = DOOR_AGENT, .allow_hint = "--allow-writes" },
          ".github/workflows/a.yml",
          "refused: write (writes .github/workflows/a.yml): .github/workflows/a.yml: GitHub runs "
          "it, and nobody can be asked; start with --allow-writes to allow it" },
        { "a flag", { .kind = DOOR_AGENT, .allow_writes = true }, ".github/workflows/a.yml", NULL },
        { "no flag loosens rules",
          { .kind = DOOR_AGENT, .allow_writes = true },
          ".kedge/config.yml",
          "leave this file to the person" },
        { "nor does a client's",
          { .kind = DOOR_DIRECT, .serves_model = true, .allow_writes = true },
          ".git/hooks/pre-push",
          "leave this file to the person" },
        { "a person's own call",
          { .kind = DOOR_DIRECT, .allow_writes = true },
          ".kedge/config.yml",
          NULL },
        { "typed", { .kind = DOOR_TYPED }, ".kedge/other.yml", NULL },
        { "any other file", { .kind = DOOR_AGENT }, "src/a.c", NULL },
    };
    g_autoptr(ToolFixture) self = repository();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool is_error = false;
        g_autofree char *arguments = g_strdup_printf("{'path':'%s','content':'x'}", cases[i].path);
        g_autofree char *text = called(self, &tool_write, &cases[i].door, arguments, &is_error);
        if (is_error != (cases[i].refusal != NULL) || (is_error && !strstr(text, cases[i].refusal)))
            fail_msg("%s: %s", cases[i].name, text);
    }
}

static void test_a_yes_is_for_one_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = repository();
    g_autoptr(Allowances) allowances = allowances_new();
    tool_context_set_parts(self->context, &(ConversationParts) { .allowances = allowances });
    g_auto(Person) person = { .answer = true };
    const ToolDoor door = { .kind = DOOR_AGENT, .ask = person_ask, .user_data = &person };
    bool is_error = false;
    g_autofree char *one G_GNUC_UNUSED = called(
        self, &tool_write, &door, "{'path':'.github/workflows/a.yml','content':'x'}", &is_error);
    assert_int_equal(person.asked, 1);
    assert_contains("why", person.text, "\n  ! .github/workflows/a.yml: GitHub runs it");
    assert_true(g_str_has_suffix(person.allowance, "/w/.github/workflows/a.yml"));
    allowances_add(allowances, person.allowance);

    g_autofree char *again G_GNUC_UNUSED = called(
        self, &tool_write, &door, "{'path':'.github/workflows/a.yml','content':'y'}", &is_error);
    assert_int_equal(person.asked, 1);
    g_autofree char *other G_GNUC_UNUSED = called(
        self, &tool_write, &door, "{'path':'.github/workflows/b.yml','content':'y'}", &is_error);
    assert_int_equal(person.asked, 2);
    g_autofree char *rules G_GNUC_UNUSED =
        called(self, &tool_write, &door, "{'path':'.kedge/config.yml','content':'y'}", &is_error);
    assert_int_equal(person.asked, 3);
    assert_null(person.allowance);
}

// ---- every tool ----

static void test_tools(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        const ToolDef *tool;
        const char *arguments;
    } cases[] = {
        { "write", &tool_write, "{'path':'.envrc','content':'x'}" },
        { "write through a folder", &tool_write, "{'path':'up/x.md','content':'x'}" },
        { "archive", &tool_write, "{'path':'.husky/a.zip:b','content':'x'}" },
        { "database", &tool_write, "{'path':'.husky/a.db:t','content':'{}'}" },
        { "notebook", &tool_write, "{'path':'.husky/a.ipynb','content':'x'}" },
        { "replace", &tool_edit_replace,
          "{'path':'.husky/hook','edits':[{'old_text':'old','new_text':'new'}]}" },
        { "patch", &tool_edit_patch, "{'path':'.husky/hook','edits':[{'op':'delete'}]}" },
        { "rename", &tool_edit_patch,
          "{'path':'plain','edits':[{'rename':'.husky/new','diff':'@@\\n-old\\n+new'}]}" },
        { "apply_patch", &tool_edit_apply_patch,
          "{'input':'*** Begin Patch\\n*** Add File: .husky/new\\n+x\\n*** End Patch'}" },
        { "hashline", &tool_edit_hashline, "{'input':'@@ .husky/new\\n+ BOF\\n~x\\n'}" },
    };
    g_autoptr(ToolFixture) self = repository();
    tool_fixture_put(self, ".husky/hook", "old\n");
    tool_fixture_put(self, "plain", "old\n");
    put_link(self, "up", "..");
    const ToolDoor door = { .kind = DOOR_AGENT };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool is_error = false;
        g_autofree char *text = called(self, cases[i].tool, &door, cases[i].arguments, &is_error);
        if (!is_error || !strstr(text, "nobody can be asked"))
            fail_msg("%s: %s", cases[i].name, text);
    }
    g_autofree char *hook = g_build_filename(self->cwd, ".husky/hook", NULL);
    g_autofree char *now = NULL;
    assert_true(g_file_get_contents(hook, &now, NULL, NULL));
    assert_string_equal(now, "old\n");
}

static void test_result_names_the_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = repository();
    put_link(self, "notes.md", "../other.md");
    const ToolDoor door = { .kind = DOOR_AGENT, .allow_writes = true };
    bool is_error = false;
    g_autofree char *text =
        called(self, &tool_write, &door, "{'path':'notes.md','content':'x'}", &is_error);
    assert_false(is_error);
    assert_contains("result", text, "notes.md leads to ");
    assert_contains("result", text, "/other.md");
}

// ---- what was judged is what is written ----

typedef struct Swap {
    const ToolFixture *fixture;
    const char *target;
} Swap;

/* After the answer, before the write. */
static void swap_link(ToolCall *call G_GNUC_UNUSED, const GPtrArray *paths G_GNUC_UNUSED,
                      void *user_data)
{
    const Swap *swap = user_data;
    put_link(swap->fixture, "notes.md", swap->target);
}

static void test_a_link_that_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = repository();
    put_link(self, "notes.md", "inside.md");
    Swap swap = { self, "../home/.bashrc" };
    const ToolHook hook = { .name = "swap", .starts = swap_link, .user_data = &swap };
    const ToolHook *const hooks[] = { &hook, NULL };
    tool_context_add_hooks(self->context, hooks);
    const ToolDoor door = { .kind = DOOR_AGENT, .allow_writes = true };
    bool is_error = false;
    g_autofree char *text =
        called(self, &tool_write, &door, "{'path':'notes.md','content':'x'}", &is_error);
    assert_true(is_error);
    assert_contains("refused", text, "No one was asked about that file");
    g_autofree char *rc = g_build_filename(self->root, "home/.bashrc", NULL);
    assert_false(file_exists(rc));
}

static void test_exact(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = repository();
    g_autoptr(GError) error = NULL;
    put_link(self, "dir", "..");
    put_link(self, "file", "../other");
    g_autofree char *below = g_build_filename(self->cwd, "dir", "x", NULL);
    g_autofree char *linked = g_build_filename(self->cwd, "file", NULL);
    g_autofree char *plain = g_build_filename(self->cwd, "plain", NULL);
    assert_false(file_write_exact(below, "x", 1, 0600, &error));
    assert_true(g_error_matches(error, KEDGE_ERROR, KEDGE_ERROR_DENIED));
    g_clear_error(&error);
    assert_false(file_write_exact(linked, "x", 1, 0600, &error));
    assert_true(g_error_matches(error, KEDGE_ERROR, KEDGE_ERROR_DENIED));
    assert_true(file_write_exact(plain, "x", 1, 0600, NULL));
    assert_true(file_write_exact(plain, "yy", 2, 0600, NULL)); // now it is there
    g_autofree char *now = NULL;
    assert_true(g_file_get_contents(plain, &now, NULL, NULL));
    assert_string_equal(now, "yy");
}

// ---- the question ----

static void test_question_is_whole(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = repository();
    g_auto(Person) person = { .answer = true };
    const ToolDoor door = { .kind = DOOR_DIRECT, .ask = person_ask, .user_data = &person };
    g_autoptr(GString) content = g_string_new(NULL);
    while (content->len < 12 * 1024)
        g_string_append(content, "a line\\n");
    g_autofree char *long_one = g_strdup_printf("{'path':'a','content':'%sthe end'}", content->str);
    bool is_error = false;
    g_autofree char *written G_GNUC_UNUSED = called(self, &tool_write, &door, long_one, &is_error);
    assert_contains("whole", person.text, "\n  | the end");
    assert_int_equal(strlen(person.digest), 64);
    assert_null(person.file);

    while (content->len < 2 * QUESTION_MAX_BYTES)
        g_string_append(content, "a line\\n");
    g_autofree char *longer = g_strdup_printf("{'path':'b','content':'%sthe end'}", content->str);
    g_autofree char *first = g_strdup(person.digest);
    g_autofree char *too G_GNUC_UNUSED = called(self, &tool_write, &door, longer, &is_error);
    assert_null(strstr(person.text, "\n  | the end"));
    assert_contains("file", person.file, "\n  | the end");
    assert_string_not_equal(person.digest, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_own_workspace),
        cmocka_unit_test(test_doors),
        cmocka_unit_test(test_a_yes_is_for_one_file),
        cmocka_unit_test(test_tools),
        cmocka_unit_test(test_result_names_the_file),
        cmocka_unit_test(test_a_link_that_changes),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_question_is_whole),
    };
    return cmocka_run_group_tests_name("write-guard", tests, NULL, NULL);
}
