/*
 * wm/task/task_imports.c: what a task takes of the files that it imports, and which files those
 * may be (task-engine §10.13).
 */
#include "base/str.h"
#include "wm_repo_fixture.h"

#include "wm/task/project.h"
#include "wm/task/task_imports.h"

#include <unistd.h>

typedef struct File {
    const char *path, *text;
} File;

typedef struct Case {
    const char *name;
    File files[6];
    const char *front, *body; // of .wm/tasks/x.md; body NULL: "Own."
    // what comes out: an error, or a body, WM_TASK_TOOLS and safe-outputs (NULL: none)
    const char *error;
    const char *want_body, *tools, *outputs, *inlined;
} Case;

static bool load_text(const RepoFixture *repo, const char *text, WmTask **ret_task, GError **error)
{
    return wm_task_parse(text, strlen(text), ".wm/tasks/x.md", NULL, ret_task, error) &&
           wm_task_import(*ret_task, text, strlen(text), repo->root, NULL, error);
}

static void check(const Case *each, const RepoFixture *repo)
{
    g_autoptr(WmTask) task = NULL;
    g_autoptr(GError) error = NULL;
    for (const File *file = each->files; file->path; file++)
        repo_put(repo, file->path, file->text);
    g_autofree char *text =
        g_strdup_printf("---\n%s\n---\n%s\n", each->front, each->body ? each->body : "Own.");
    bool is_loaded = load_text(repo, text, &task, &error);
    if (g_strcmp0(error ? error->message : NULL, each->error) != 0)
        fail_msg("%s: got \"%s\"", each->name, error ? error->message : "no error");
    if (!is_loaded)
        return;
    g_autofree char *tools = wm_task_tools(task);
    const json_t *outputs_value = wm_task_safe_outputs(task);
    g_autofree char *outputs = outputs_value ? json_to_canonical(outputs_value) : NULL;
    if (strcmp(task->body, each->want_body) != 0 || g_strcmp0(tools, each->tools) != 0 ||
        g_strcmp0(outputs, each->outputs) != 0)
        fail_msg("%s: got body \"%s\", tools %s, outputs %s", each->name, task->body, tools,
                 outputs);
    g_autofree char *inlined = each->inlined ? json_to_canonical(task->inlined) : NULL;
    if (g_strcmp0(inlined, each->inlined) != 0)
        fail_msg("%s: got inlined %s", each->name, inlined);
}

#define A ".wm/tasks/shared/a.md"
#define B ".wm/tasks/shared/b.md"

static const Case merges[] = {
    { "none", .front = "imports:", .want_body = "Own." },
    { "a body before the task's own", .files = { { A, "---\ndescription: shared\n---\nFirst.\n" } },
      .front = "imports: [shared/a.md]", .want_body = "First.\n\nOwn." },
    { "one path, no list; a file without frontmatter", .files = { { A, "\nJust text.\n" } },
      .front = "imports: shared/a.md", .want_body = "Just text.\n\nOwn." },
    { "as a map, and from the root",
      .files = { { A, "A." }, { ".github/workflows/shared/g.md", "G." } },
      .front = "imports:\n- path: .wm/tasks/shared/a.md\n- .github/workflows/shared/g.md",
      .want_body = "A.\n\nG.\n\nOwn." },
    { "beside tasks/", .files = { { ".wm/parts/p.md", "P." } }, .front = "imports: [../parts/p.md]",
      .want_body = "P.\n\nOwn." },
    { "imports of imports come before them, each once",
      .files = { { A, "---\nimports: [b.md]\n---\nA." }, { B, "B." } },
      .front = "imports: [shared/a.md, shared/b.md, ../tasks/shared/a.md]",
      .want_body = "B.\n\nA.\n\nOwn." },
    { "an empty body of its own", .files = { { A, "A." } }, .front = "imports: [shared/a.md]",
      .body = "", .want_body = "A." },
    { "keys of the task win whole",
      .files = { { A, "---\ntools: {bash: true, edit: false}\n"
                      "safe-outputs: {add-comment: {max: 9}, create-issue: {}}\n---\n" } },
      .front = "imports: [shared/a.md]\ntools: {bash: [make]}\n"
               "safe-outputs: {add-comment: {target: triggering}}",
      .want_body = "Own.", .tools = "{\"bash\":[\"make\"],\"edit\":false}",
      .outputs = "{\"add-comment\":{\"target\":\"triggering\"},\"create-issue\":{}}" },
    { "and in either spelling",
      .files = { { A, "---\nsafe_outputs: {add-comment: {max: 9}, noop: }\n---\n" } },
      .front = "imports: [shared/a.md]\nsafe_outputs: {add_comment: {max: 1}}", .want_body = "Own.",
      .outputs = "{\"add_comment\":{\"max\":1},\"noop\":null}" },
    { "the task says nothing, or null",
      .files = { { A, "---\ntools: {edit: false}\nsafe-outputs: {add-labels: [bug]}\n---\n" } },
      .front = "imports: [shared/a.md]\nsafe-outputs:", .want_body = "Own.",
      .tools = "{\"edit\":false}", .outputs = "{\"add-labels\":[\"bug\"]}" },
    { "the task says false",
      .files = { { A, "---\ntools: {edit: true}\nsafe-outputs: {add-comment: }\n---\n" } },
      .front = "imports: [shared/a.md]\ntools: none\nsafe-outputs: {add-comment: false}",
      .want_body = "Own.", .tools = "none", .outputs = "{\"add-comment\":false}" },
    { "the nearer import wins, then the earlier one",
      .files = { { A, "---\nimports: [b.md]\ntools: {edit: false}\n---\n" },
                 { B, "---\ntools: {edit: true, github: true, bash: [b]}\n---\n" },
                 { ".wm/tasks/c.md", "---\ntools: {bash: [c], web: true}\n---\n" } },
      .front = "imports: [shared/a.md, c.md]", .want_body = "Own.",
      .tools = "{\"bash\":[\"b\"],\"edit\":false,\"github\":true,\"web\":true}" },
    { "maps that are one by an alias stay apart",
      .files = { { A, "---\ntools: {edit: false}\n---\n" } },
      .front = "imports: [shared/a.md]\ntools: &one {noop: }\nsafe-outputs: *one",
      .want_body = "Own.", .tools = "{\"edit\":false,\"noop\":null}",
      .outputs = "{\"noop\":null}" },
};

/* What the body names is put there when the prompt is made; that of files is there already. */
static const Case named[] = {
    { "an import in the body",
      .files = { { A, "---\ntools: {edit: false}\n---\nA {{#import b.md}}" }, { B, "B." } },
      .front = "on: issues", .body = "Own {{#import shared/a.md}}.",
      .want_body = "Own {{#import shared/a.md}}.", .tools = "{\"edit\":false}",
      .inlined = "{\"shared/a.md\":\"A B.\"}" },
    { "files for the agent's job alone",
      .files = { { ".github/house.md", "---\nx: y\n---\nHouse {{#runtime-import? none.md}}!" } },
      .front = "on: issues",
      .body = "{{#runtime-import .github/house.md}} {{#runtime-import house.md}} "
              "{{#runtime-import? none.md}}",
      .want_body = "{{#runtime-import .github/house.md}} {{#runtime-import house.md}} "
                   "{{#runtime-import? none.md}}",
      .inlined = "{\".github/house.md\":\"House !\",\"house.md\":\"House !\",\"none.md\":null}" },
    { "in a fence it is code", .front = "on: issues", .body = "```\n{{#import none.md}}\n```",
      .want_body = "```\n{{#import none.md}}\n```", .inlined = "{}" },
    { "not there", .front = "on: issues", .body = "{{#import none.md}}",
      .error = "x.md: {{#import none.md}}: no such file: .wm/tasks/none.md" },
    { "another directory", .front = "on: issues", .body = "{{#runtime-import? ../../docs/a.md}}",
      .error = "x.md: {{#runtime-import ../../docs/a.md}}: docs/a.md is not in .wm/ or .github/, "
               "which is all that the job that writes has; move it there" },
    { "itself", .files = { { ".github/a.md", "{{#runtime-import a.md}}" } }, .front = "on: issues",
      .body = "{{#runtime-import a.md}}",
      .error = "x.md: {{#runtime-import a.md}}: {{#runtime-import a.md}}: files import one "
               "another: .github/a.md → .github/a.md" },
};

static void test_named(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(named); i++) {
        g_auto(RepoFixture) repo = repo_new();
        check(&named[i], &repo);
    }
}

static void test_merge(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(merges); i++) {
        g_auto(RepoFixture) repo = repo_new();
        check(&merges[i], &repo);
    }
}

#define AT(line, path) "x.md: line " line ": imports \"" path "\": "
#define ELSEWHERE                                                                                  \
    " is not in .wm/ or .github/workflows/, which is all that the job that writes has; "           \
    "move it there"
#define REMOTE                                                                                     \
    "only files of this repository are imported; copy it first (kedge wm add writes it "           \
    "to .wm/tasks/) and import the copy"
#define SHAPE "imports: expected a list of paths, without inputs"

static const Case refusals[] = {
    { "absent", .front = "on: issues\nimports:\n  - shared/a.md\n  - shared/none.md",
      .files = { { A, "A." } },
      .error = AT("5", "shared/none.md") "no such file: .wm/tasks/shared/none.md" },
    { "out of the repository", .front = "imports: [../../../etc/passwd]",
      .error = AT("2", "../../../etc/passwd") "leads out of the repository" },
    { "another directory of it", .front = "imports: [../../docs/a.md]",
      .files = { { "docs/a.md", "A." } },
      .error = AT("2", "../../docs/a.md") "docs/a.md" ELSEWHERE },
    { "neither", .front = "imports: [.github/agents/a.md]",
      .error = AT("2", ".github/agents/a.md") ".github/agents/a.md" ELSEWHERE },
    { "absolute", .front = "imports: [/etc/passwd]",
      .error = AT("2", "/etc/passwd") "not an absolute path, but one from the importing file's "
                                      "directory" },
    { "home", .front = "imports: [~/a.md]",
      .error = AT("2", "~/a.md") "not an absolute path, but one from the importing file's "
                                 "directory" },
    { "of another repository", .front = "imports: [o/r/shared/a.md@v1]",
      .error = AT("2", "o/r/shared/a.md@v1") REMOTE },
    { "an address", .front = "imports: ['https://example.org/a.md']",
      .error = AT("2", "https://example.org/a.md") REMOTE },
    { "empty", .front = "imports: ['']",
      .error = AT("2", "") "expected a path of 1 to 1024 bytes" },
    { "control characters", .front = "imports: [\"a\\nb.md\"]",
      .error = AT("2", "a\\nb.md") "no control characters in a path" },
    { "inputs", .front = "\nimports:\n- {path: shared/a.md, inputs: {a: b}}",
      .error = "x.md: line 3: " SHAPE },
    { "no list", .front = "imports: {aw: []}", .error = "x.md: line 2: " SHAPE },
    { "a number", .front = "imports: [3]", .error = "x.md: line 2: " SHAPE },
    { "themselves",
      .files = { { A, "---\nimports:\n- b.md\n---\n" }, { B, "---\nimports: [a.md]\n---\n" } },
      .front = "imports: [shared/a.md]",
      .error = AT("2", "shared/a.md") "line 3: imports \"b.md\": line 2: imports \"a.md\": files "
                                      "import one another: " A " → " B " → " A },
    { "the task", .files = { { ".wm/tasks/y.md", "---\nimports: [x.md]\n---\n" } },
      .front = "imports: [y.md]",
      .error = AT("2", "y.md") "line 2: imports \"x.md\": files import one another: "
                               ".wm/tasks/x.md → .wm/tasks/y.md → .wm/tasks/x.md" },
};

static void test_refusals(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++) {
        g_auto(RepoFixture) repo = repo_new();
        check(&refusals[i], &repo);
    }
}

static bool load(const RepoFixture *repo, const char *front, GError **error)
{
    g_autoptr(WmTask) task = NULL;
    g_autofree char *text = g_strdup_printf("---\n%s\n---\n", front);
    return load_text(repo, text, &task, error);
}

static void test_bad_yaml(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(GError) error = NULL, open = NULL;
    repo_put(&repo, A, "---\n\nimports: [b.md]\n---\n");
    repo_put(&repo, B, "---\non: [\n---\n");
    assert_false(load(&repo, "imports: [shared/a.md]", &error));
    assert_true(str_has_prefix(error->message,
                               AT("2", "shared/a.md") "line 3: imports \"b.md\": b.md: yaml "
                                                      "frontmatter: line "));
    repo_put(&repo, B, "---\nnever closed\n");
    assert_false(load(&repo, "imports: [shared/b.md]", &open));
    assert_string_equal(open->message, AT("2", "shared/b.md") "b.md: unclosed frontmatter");
}

static void test_links(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new(), other = repo_new();
    g_autoptr(GError) docs = NULL, outside = NULL, fifo = NULL;
    repo_put(&repo, A, "A.");
    repo_put(&repo, "docs/d.md", "D.");
    repo_put(&other, "o.md", "O.");
    g_autofree char *good = g_build_filename(repo.root, ".wm/tasks/good.md", NULL);
    g_autofree char *to_docs = g_build_filename(repo.root, ".wm/tasks/docs.md", NULL);
    g_autofree char *out = g_build_filename(repo.root, ".wm/tasks/out", NULL);
    g_autofree char *dir = g_build_filename(repo.root, ".wm/tasks/dir.md", NULL);
    assert_int_equal(symlink("shared/a.md", good), 0);
    assert_int_equal(symlink("../../docs/d.md", to_docs), 0);
    assert_int_equal(symlink(other.root, out), 0);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(load(&repo, "imports: [good.md]", NULL));
    assert_false(load(&repo, "imports: [docs.md]", &docs));
    assert_string_equal(docs->message,
                        AT("2", "docs.md") ".wm/tasks/docs.md: a symlink leads out of .wm/ and "
                                           ".github/workflows/");
    assert_false(load(&repo, "imports: [out/o.md]", &outside));
    assert_string_equal(outside->message,
                        AT("2", "out/o.md") ".wm/tasks/out/o.md: a symlink leads out of .wm/ and "
                                            ".github/workflows/");
    assert_false(load(&repo, "imports: [dir.md]", &fifo));
    assert_true(
        str_has_prefix(fifo->message, AT("2", "dir.md") ".wm/tasks/dir.md cannot be read: "));
}

/* a0.md imports a1.md, and so on; the last is empty. */
static void put_chain(const RepoFixture *repo, int count)
{
    for (int i = 0; i < count; i++) {
        g_autofree char *path = g_strdup_printf(".wm/tasks/a%d.md", i);
        g_autofree char *text = g_strdup_printf("---\nimports: [a%d.md]\n---\n", i + 1);
        repo_put(repo, path, i + 1 < count ? text : "");
    }
}

static void test_bounds(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(GError) deep = NULL, many = NULL, large = NULL;
    put_chain(&repo, WM_MAX_IMPORT_DEPTH);
    assert_true(load(&repo, "imports: [a0.md]", NULL));
    put_chain(&repo, WM_MAX_IMPORT_DEPTH + 1);
    assert_false(load(&repo, "imports: [a0.md]", &deep));
    assert_true(g_str_has_suffix(deep->message, ": imports nest more than 8 deep"));

    g_autoptr(GString) front = g_string_new("imports:");
    for (int i = 0; i < WM_MAX_IMPORTS; i++) {
        g_autofree char *path = g_strdup_printf(".wm/tasks/m%d.md", i);
        repo_put(&repo, path, "M.");
        g_string_append_printf(front, "\n- m%d.md", i);
    }
    assert_true(load(&repo, front->str, NULL));
    repo_put(&repo, ".wm/tasks/last.md", "L.");
    g_string_append(front, "\n- last.md");
    assert_false(load(&repo, front->str, &many));
    assert_string_equal(many->message, AT("35", "last.md") "more than 32 files are imported");

    g_autofree char *half = g_strnfill(WM_MAX_TASK_BYTES / 2, 'x');
    g_autofree char *rest = g_strnfill(WM_MAX_TASK_BYTES / 2 + 1, 'y');
    repo_put(&repo, A, half);
    repo_put(&repo, B, rest);
    assert_true(load(&repo, "imports: [shared/b.md]", NULL));
    assert_false(load(&repo, "imports: [shared/a.md, shared/b.md]", &large));
    assert_string_equal(large->message, AT("2", "shared/b.md") "imports are larger than 1048576 "
                                                               "bytes together");
}

/* The whole project sees them: one that is bad is an error of its task alone. */
static void test_project(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    repo_put(&repo, A, "---\non: push\nengine: claude\nsafe-outputs: {bogus: }\n---\nA.");
    repo_put(&repo, ".wm/tasks/x.md", "---\non: {push: }\nimports: [shared/a.md]\n---\nOwn.\n");
    repo_put(&repo, ".wm/tasks/y.md", "---\non: {push: }\nimports: [shared/none.md]\n---\n");
    assert_true(wm_project_load(repo.root, "x", NULL, &project, NULL));
    assert_string_equal(wm_project_find(project, "x", NULL)->body, "A.\n\nOwn.");
    wm_project_validate(repo.root, problems, warnings);
    assert_int_equal(problems->len, 1);
    assert_string_equal(problems->pdata[0],
                        "y.md: line 3: imports \"shared/none.md\": no such file: "
                        ".wm/tasks/shared/none.md");
    assert_int_equal(warnings->len, 2);
    assert_string_equal(warnings->pdata[0],
                        ".wm/tasks/x.md: safe-outputs: \"bogus\" is not supported; items of this "
                        "type are skipped");
    assert_string_equal(warnings->pdata[1],
                        ".wm/tasks/x.md: not taken from the import " A ": on, engine");
}

/* What is no task of ours may import what it likes. */
static void test_gh_aw(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(WmProject) project = NULL;
    repo_put(&repo, WM_CONFIG_PATH, "compat: {gh_aw_workflows: true}\n");
    repo_put(&repo, A, "A.");
    repo_put(&repo, ".github/workflows/part.md", "---\nimports: [o/r/x.md@v1]\n---\n");
    repo_put(&repo, ".github/workflows/shared/mood.md", "Be kind.\n");
    repo_put(&repo, ".github/workflows/t.md",
             "---\non: push\nimports:\n  - shared/mood.md\n---\nOwn.\n");
    assert_true(wm_project_load(repo.root, NULL, NULL, &project, NULL));
    assert_int_equal(project->tasks->len, 1);
    assert_string_equal(wm_project_find(project, "t", NULL)->body, "Be kind.\n\nOwn.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),    cmocka_unit_test(test_named),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_bad_yaml),
        cmocka_unit_test(test_links),    cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_project),  cmocka_unit_test(test_gh_aw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
