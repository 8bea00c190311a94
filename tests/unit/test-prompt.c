/*
 * The system prompt: parts and order, context files, what an untrusted repository cannot do.
 */
#include "base/str.h"
#include "unit.h"

#include "agent/prompt.h"
#include "base/file.h"
#include "base/path.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct Fixture {
    char *root, *home, *agent_dir, *repo, *work;
    GPtrArray *warnings;
    ToolSet *tools;
    PromptOptions options;
} Fixture;

static const ToolDef tool_read = { .name = "read", .summary = "Show a file" };
static const ToolDef tool_other = { .name = "other", .summary = "Something else" };
static const ToolDef *const tool_table[] = { &tool_read, &tool_other, NULL };

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    g_autofree char *made = g_dir_make_tmp("kedge-prompt-XXXXXX", NULL);
    self->root = path_real(made);
    self->home = g_build_filename(self->root, "home", NULL);
    self->agent_dir = g_build_filename(self->home, ".kedge", "agent", NULL);
    self->repo = g_build_filename(self->home, "repo", NULL);
    self->work = g_build_filename(self->repo, "src", NULL);
    assert_true(file_make_dirs(self->agent_dir, 0700, NULL));
    assert_true(file_make_dirs(self->work, 0700, NULL));
    g_setenv("HOME", self->home, TRUE);
    g_unsetenv("KEDGE_NULL_PROMPT");
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    self->tools = tool_set_new(tool_table);
    self->options = (PromptOptions) {
        .cwd = self->work,
        .agent_dir = self->agent_dir,
        .tools = self->tools,
        .now_ms = G_GINT64_CONSTANT(1772625600000), // noon of 2026-03-04, UTC
    };
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    g_ptr_array_unref(self->warnings);
    tool_set_unref(self->tools);
    file_remove_tree(self->root, NULL);
    g_free(self->work);
    g_free(self->repo);
    g_free(self->agent_dir);
    g_free(self->home);
    g_free(self->root);
    g_free(self);
    return 0;
}

static void put(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_true(file_make_dirs(parent, 0700, NULL));
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
}

static char *build(Fixture *self)
{
    g_auto(GStrv) blocks = prompt_build(&self->options, self->warnings);
    return g_strjoinv("\n=====\n", blocks);
}

/* Fails unless the words come in this order. */
static void assert_order(const char *text, const char *const *words)
{
    const char *at = text;
    for (size_t i = 0; words[i]; i++) {
        const char *found = strstr(at, words[i]);
        if (!found)
            fail_msg("'%s' is missing, or not after '%s', in:\n%s", words[i], i ? words[i - 1] : "",
                     text);
        at = found + strlen(words[i]);
    }
}

static void test_parts(void **state)
{
    Fixture *self = *state;
    put(self->repo, ".git/HEAD", "ref: refs/heads/fix/parser\n");
    put(self->repo, "AGENTS.md", "use tabs");
    put(self->work, "lib/AGENTS.md", "deeper");
    put(self->work, "main.c", "");
    self->options.append_prompt = "and be quick";
    g_autofree char *text = build(self);
    g_autofree char *file =
        g_strdup_printf("<file path=\"%s/AGENTS.md\">\nuse tabs\n</file>\n", self->repo);
    assert_order(text,
                 (const char *const[]) {
                     "You are kedge", "Yours: `read`, `other`.\n", "Read with `read`", "\n=====\n",
                     file, "on branch fix/parser\n", "main.c\n", "- lib/AGENTS.md\n",
                     "Today is 2026-03-04, and the current working directory is '~/repo/src'.",
                     "\n=====\nand be quick", NULL });
    assert_null(strstr(text, "gh issue view")); // there is no github tool
    assert_null(strstr(text, "deeper"));
    assert_int_equal(self->warnings->len, 0);

    g_autofree char *again = build(self);
    assert_string_equal(again, text); // stable, for caches
}

static void test_custom_base(void **state)
{
    Fixture *self = *state;
    put(self->agent_dir, "SYSTEM.md", "from the user");
    g_autofree char *user = build(self);
    assert_true(str_has_prefix(user, "from the user\n\n# Tools"));
    put(self->work, ".kedge/SYSTEM.md", "from the project");
    g_autofree char *project = build(self);
    assert_true(str_has_prefix(project, "from the project\n\n# Tools"));

    self->options.system_prompt = "given";
    g_autofree char *given = build(self);
    assert_true(str_has_prefix(given, "given\n\n# Tools"));
    g_autofree char *path = g_build_filename(self->agent_dir, "SYSTEM.md", NULL);
    self->options.system_prompt = path;
    g_autofree char *from_file = build(self);
    assert_true(str_has_prefix(from_file, "from the user"));
    put(self->agent_dir, "APPEND_SYSTEM.md", "appended");
    g_autofree char *appended = build(self);
    assert_true(g_str_has_suffix(appended, "\n=====\nappended"));
}

static void test_null_prompt(void **state)
{
    Fixture *self = *state;
    g_setenv("KEDGE_NULL_PROMPT", "true", TRUE);
    g_auto(GStrv) blocks = prompt_build(&self->options, NULL);
    g_unsetenv("KEDGE_NULL_PROMPT");
    assert_null(blocks[0]);
}

static void test_context_files(void **state)
{
    Fixture *self = *state;
    put(self->repo, ".git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    put(self->home, ".claude/CLAUDE.md", "user claude"); // beaten by the user's own
    put(self->agent_dir, "AGENTS.md", "user own");
    put(self->home, "AGENTS.md", "above the repository");
    put(self->repo, "AGENTS.md", "repo agents");
    put(self->repo, "CLAUDE.md", "repo claude");
    put(self->repo, ".kedge/AGENTS.md", "repo kedge");
    put(self->work, ".kedge/AGENTS.md", "work kedge");
    g_autofree char *text = build(self);
    // the nearest .kedge/AGENTS.md counts; in the repository's own directory the next in rank
    assert_order(text,
                 (const char *const[]) { ">\nuser own\n", ">\nrepo agents\n", ">\nrepo claude\n",
                                         ">\nwork kedge\n", "detached HEAD", NULL });
    static const char *const absent[] = { "user claude", "above the repository", "repo kedge" };
    for (size_t i = 0; i < G_N_ELEMENTS(absent); i++)
        assert_null(strstr(text, absent[i]));
}

/* `gh issue view N --comments` alone has neither title nor body when gh has no terminal. */
static void test_issues_are_read_whole(void **state)
{
    static const ToolDef bash = { .name = "bash", .summary = "Run" };
    static const ToolDef github = { .name = "github", .summary = "GitHub" };
    static const ToolDef *const both[] = { &bash, &github, NULL };
    Fixture *self = *state;
    ToolSet *set = tool_set_new(both);
    self->options.tools = set;
    g_autofree char *text = build(self);
    tool_set_unref(set);
    assert_non_null(strstr(text, "`gh issue view N && gh issue view N --comments`"));
}

/* core-127 */
static void test_agents_and_claude(void **state)
{
    static const struct {
        const char *name, *agents, *claude, *note;
        bool is_linked;
    } cases[] = {
        { "different", "for agents", "for claude", "Context: AGENTS.md, CLAUDE.md", false },
        { "equal", "the same\n", "\nthe same",
          "Context: AGENTS.md; not CLAUDE.md (same as AGENTS.md)", false },
        { "a link", "the same", NULL, "Context: AGENTS.md; not CLAUDE.md (same as AGENTS.md)",
          true },
        { "an import", "the rules", "\n @AGENTS.md \n",
          "Context: AGENTS.md; not CLAUDE.md (imports AGENTS.md)", false },
        { "an import with more", "the rules", "@AGENTS.md\nand mine",
          "Context: AGENTS.md, CLAUDE.md", false },
        { "the other way round", "@./CLAUDE.md", "the rules",
          "Context: CLAUDE.md; not AGENTS.md (imports CLAUDE.md)", false },
        { "an import of something else", "the rules", "@README.md", "Context: AGENTS.md, CLAUDE.md",
          false },
    };
    Fixture *self = *state;
    put(self->work, ".gemini/GEMINI.md", "for gemini"); // where there is neither
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) note = g_string_new(NULL);
        self->options.context_note = note;
        g_autofree char *claude = g_build_filename(self->work, "CLAUDE.md", NULL);
        unlink(claude);
        put(self->work, "AGENTS.md", cases[i].agents);
        if (cases[i].is_linked)
            assert_int_equal(symlink("AGENTS.md", claude), 0);
        else
            put(self->work, "CLAUDE.md", cases[i].claude);
        g_autofree char *text = build(self);
        assert_null(strstr(text, "for gemini"));
        if (!g_str_equal(note->str, cases[i].note))
            fail_msg("%s: %s", cases[i].name, note->str);
        if (i == 0)
            assert_order(text, (const char *const[]) { "for agents", "for claude", NULL });
    }
}

static void test_identical_and_hidden_files(void **state)
{
    Fixture *self = *state;
    g_autofree char *hidden = g_build_filename(self->repo, ".hidden", "deep", NULL);
    assert_true(file_make_dirs(hidden, 0700, NULL));
    put(self->repo, ".git/HEAD", "ref: refs/heads/main\n");
    put(self->repo, "AGENTS.md", "twice the very text");
    put(hidden, "AGENTS.md", "twice the very text");
    put(hidden, "../AGENTS.md", "in a hidden directory");
    self->options.cwd = hidden;
    g_autofree char *text = build(self);
    g_autofree char *near =
        g_strdup_printf("<file path=\"%s/AGENTS.md\">\ntwice the very text\n</file>", hidden);
    assert_non_null(strstr(text, near));
    assert_null(strstr(strstr(text, "twice the very") + 1, "twice the very"));
    assert_null(strstr(text, "in a hidden directory"));
}

static void test_large_file_is_cut(void **state)
{
    Fixture *self = *state;
    g_autofree char *large = g_strnfill(600 * 1024, 'x');
    put(self->work, "AGENTS.md", large);
    g_autofree char *text = build(self);
    assert_non_null(strstr(text, "\n[Cut: only the first 512 KiB of 600.0KB are shown]\n"));
    assert_true(strlen(text) < 540 * 1024);
}

static void test_hostile_repository(void **state)
{
    Fixture *self = *state;
    put(self->home, "secret", "the secret");
    put(self->repo, ".git/HEAD", "ref: refs/heads/main\n");
    put(self->repo, "real.md", "inside");
    g_autofree char *secret = g_build_filename(self->home, "secret", NULL);
    g_autofree char *leading_out = g_build_filename(self->work, "AGENTS.md", NULL);
    assert_int_equal(symlink(secret, leading_out), 0);
    g_autofree char *inside = g_build_filename(self->repo, "CLAUDE.md", NULL);
    assert_int_equal(symlink("real.md", inside), 0);
    g_autofree char *fifo = g_build_filename(self->work, "CLAUDE.md", NULL);
    assert_int_equal(mkfifo(fifo, 0600), 0); // would make a plain open wait
    g_autofree char *text = build(self);
    assert_null(strstr(text, "the secret"));
    assert_non_null(strstr(text, ">\ninside\n"));
    assert_int_equal(self->warnings->len, 2);
    assert_non_null(strstr(self->warnings->pdata[0], "leads out of the project"));
    assert_non_null(strstr(self->warnings->pdata[1], "not read, it is no regular file"));
}

static void test_tree_is_bounded(void **state)
{
    Fixture *self = *state;
    for (int i = 0; i < 300; i++) {
        g_autofree char *name = g_strdup_printf("a-rather-long-file-name-number-%d.c", i);
        put(self->work, name, "");
    }
    put(self->work, "evil\nname", "");
    g_autofree char *text = build(self);
    const char *tree = strstr(text, "Files here");
    const char *end = strstr(tree, "Today is");
    assert_true(end - tree < 4300);
    assert_non_null(strstr(tree, " more\n"));
    assert_null(strstr(text, "evil\nname"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_custom_base, setup, teardown),
        cmocka_unit_test_setup_teardown(test_null_prompt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_context_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_issues_are_read_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_agents_and_claude, setup, teardown),
        cmocka_unit_test_setup_teardown(test_identical_and_hidden_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_file_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hostile_repository, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tree_is_bounded, setup, teardown),
    };
    return cmocka_run_group_tests_name("prompt", tests, NULL, NULL);
}
