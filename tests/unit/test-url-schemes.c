/*
 * The URL schemes of this machine: docs, agent, local, plan, rule, jobs, and those of which there
 * is nothing (agent-tools §4.2, §4.3).
 */
#include "base/str.h"
#include "url_fixture.h"

#include "base/path.h"
#include "tools/edit/edit_mode.h"
#include "tools/url/docs.h"
#include "tools/url/url_query.h"

#include <unistd.h>

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *read_error(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

typedef struct UrlCase {
    const char *url, *want;
} UrlCase;

static void check_errors(const ToolFixture *fixture, const UrlCase *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *got = read_error(fixture, cases[i].url);
        assert_text(cases[i].url, got, cases[i].want);
    }
}

/* A file below the session's folder. */
static void put(const ToolFixture *fixture, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(fixture->root, "session", name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
}

static char *write_to(const ToolFixture *fixture, const char *path, const char *content,
                      bool is_error)
{
    json_t *arguments = json_pack("{s:s, s:s}", "path", path, "content", content);
    return is_error ? tool_fixture_error(fixture, &tool_write, arguments)
                    : tool_fixture_text(fixture, &tool_write, arguments);
}

static void test_query_parse(void **state G_GNUC_UNUSED)
{
    static const UrlCase cases[] = {
        { ".foo.bar[0]", "foo bar #0" },
        { "a[\"x-y\"].z", "a x-y z" },
        { "a[\"x-y\"].z[0]", "a x-y z #0" }, // tools-T90
        { "['it\\'s']", "it's" },
        { "[\"a\\\\b\"]", "a\\b" },
        { "a..b...c.", "a b c" },
        { "[bare key]", "bare key" },
        { "[a.b]", "a.b" },
        { "", "" },
        { "a[", "Invalid query: missing ] in a[" },
        { "a['b", "Invalid query: missing ] in a['b" },
        { "a['b'", "Invalid query: missing ] in a['b'" },
        { "a[]", "Invalid query: empty [] in a[]" },
        { "a b", "Invalid query: unexpected token ' ' in a b" },
        { "a.\xc3\xa9", "Invalid query: unexpected token '\xc3\xa9' in a.\xc3\xa9" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) tokens = NULL;
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) got = g_string_new(NULL);
        bool is_good = url_query_parse(cases[i].url, &tokens, &error);
        for (unsigned j = 0; is_good && j < tokens->len; j++) {
            const QueryToken *token = tokens->pdata[j];
            g_string_append(got, j > 0 ? " " : "");
            if (token->is_index)
                g_string_append_printf(got, "#%" G_GINT64_FORMAT, token->index);
            else
                g_string_append(got, token->key);
        }
        assert_text(cases[i].url, is_good ? got->str : error->message, cases[i].want);
    }
}

static void test_query_of_path(void **state G_GNUC_UNUSED)
{
    static const UrlCase cases[] = {
        { "/a/0/b c/", ".a[0]['b c']" }, // tools-T90
        { "/items/1/name", ".items[1].name" },
        { "/b%20c//d%27e", "['b c']['d\\'e']" },
        { "/a%5Cb", "['a\\\\b']" },
        { "/%zz", "['%zz']" },
        { "", "" },
        { "/", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = url_query_of_path(cases[i].url);
        assert_text(cases[i].url, got, cases[i].want);
    }
}

static void test_agent(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    static const UrlCase before = { "agent://0-A", "No artifacts directory found" };
    check_errors(fixture, &before, 1);

    put(fixture, "0-A.md", "{\"items\":[{\"name\":\"x\"},{\"name\":\"y\",\"n\":null}]}");
    put(fixture, "1-B.md", "# no JSON\n");
    static const UrlCase texts[] = {
        { "agent://1-B", "# no JSON\n" },
        { "agent://0-A/items/1/name", "\"y\"\n\n[Extracted: .items[1].name]" }, // tools-T88
        { "agent://0-A?q=.items[0]", "{\n  \"name\": \"x\"\n}\n\n[Extracted: .items[0]]" },
        { "agent://0-A?q=items%5B0%5D", "{\n  \"name\": \"x\"\n}\n\n[Extracted: items[0]]" },
        { "agent://0-A/items/7", "null\n\n[Extracted: .items[7]]" },
        { "agent://0-A?q=items[99999999999999999999]",
          "null\n\n[Extracted: items[99999999999999999999]]" },
        { "agent://0-A/items/1/n/x", "null\n\n[Extracted: .items[1].n.x]" },
        { "agent://0-A/items/name", "null\n\n[Extracted: .items.name]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *got = read_text(fixture, texts[i].url);
        assert_text(texts[i].url, got, texts[i].want);
    }
    static const UrlCase errors[] = {
        { "agent://", "agent:// URL requires an output ID: agent://<id>" },
        { "agent://9-Z", "Not found: 9-Z\nAvailable: 0-A, 1-B" },
        { "agent://..%2Fsession%2F0-A", "Not found: ../session/0-A\nAvailable: 0-A, 1-B" },
        { "agent://0-A/items?q=.x", "agent:// URL cannot combine path extraction with ?q=" },
        { "agent://0-A/items:3", "Cannot combine query extraction with offset/limit" },
        { "agent://0-A?q=a[", "Invalid query: missing ] in a[" },
    };
    check_errors(fixture, errors, G_N_ELEMENTS(errors));
    g_autofree char *no_json = read_error(fixture, "agent://1-B/items");
    assert_true(str_has_prefix(no_json, "Output 1-B is not valid JSON: "));

    g_autoptr(ToolFixture) none = url_fixture_new(NULL, false);
    static const UrlCase without = { "agent://0-A", "No session - agent outputs unavailable" };
    check_errors(none, &without, 1);
}

/* What a query takes out has no pages: a large part is cut, and that is said. */
static void test_large_extract(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autofree char *fill = g_strnfill(200 * 1000, 'x');
    g_autofree char *json = g_strdup_printf("{\"a\":\"%s\"}", fill);
    put(fixture, "0-A.md", json);
    g_autofree char *got = read_text(fixture, "agent://0-A/a");
    assert_true(strlen(got) < 52 * 1000);
    assert_true(str_has_prefix(got, "\"xxx"));
    assert_contains("said", got, "[The rest was cut: ask for a smaller part]");
}

static void test_docs(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    g_autofree char *list = read_text(fixture, "docs://");
    assert_true(str_has_prefix(list, "# Documentation\n\n"));
    assert_contains("the list", list, " files available:\n\n");
    assert_contains("the list", list, "- [settings.md](docs://settings.md)\n");
    assert_contains("below a folder", list,
                    "- [agent-tools/task.md](docs://agent-tools/task.md)\n");
    static const char *const names[] = { "docs://settings.md:1", "kedge://settings.md:1",
                                         "pi://settings.md:1", "omp://settings.md:1" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *text = read_text(fixture, names[i]);
        assert_true(str_has_prefix(text, "# Settings"));
    }
    g_autofree char *below = read_text(fixture, "docs://agent-tools/task.md");
    assert_true(*below == '#');
    static const UrlCase errors[] = {
        { "docs://setting", "Documentation file not found: setting\nDid you mean: settings.md" },
        { "docs://my-RULES.md-x", "Documentation file not found: my-RULES.md-x\nDid you mean: "
                                  "rules.md" },
        { "docs://zzz", "Documentation file not found: zzz\nUse docs:// to list available files." },
        { "docs:///etc/passwd", "Absolute paths are not allowed in docs:// URLs" },
        { "docs://../README.md", "Path traversal (..) is not allowed in docs:// URLs" },
        { "omp://%2e%2e/README.md", "Path traversal (..) is not allowed in omp:// URLs" },
    };
    check_errors(fixture, errors, G_N_ELEMENTS(errors));
}

/* Every document for users that the repository has: the specification and the pages about the
   inside of the program are not part of it. */
static unsigned count_documents(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned count = 0;
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        if (strcmp(name, "spec") == 0 || strcmp(name, "internals") == 0)
            continue;
        if (file_is_directory(below))
            count += count_documents(below);
        else if (g_str_has_suffix(name, ".md"))
            count++;
    }
    return count;
}

static void test_docs_are_whole(void **state G_GNUC_UNUSED)
{
    g_autofree char *docs = g_canonicalize_filename("../../docs", TEST_DATA_DIR);
    unsigned embedded = 0;
    for (const Document *file = document_files; file->name; file++)
        embedded++;
    if (embedded != count_documents(docs))
        fail_msg("%u documents in docs/, %u in src/tools/meson.build", count_documents(docs),
                 embedded);
}

static void test_local(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autofree char *root = g_build_filename(fixture->root, "session", "local", NULL);
    g_autofree char *empty = read_text(fixture, "local://");
    g_autofree char *want = g_strdup_printf(
        "# Local\n\nSession-scoped scratch space for large intermediate data, "
        "subagent handoffs, and reusable planning artifacts.\n\nRoot: %s\n\n0 files "
        "available:\n\n(empty)\n",
        root);
    assert_text("empty", empty, want);

    g_autofree char *written = write_to(fixture, "local://notes.md", "n\n", false); // tools-T178
    g_autofree char *said = g_strdup_printf("Successfully wrote 2 bytes to %s/notes.md", root);
    assert_text("write", written, said);
    g_autofree char *deep = write_to(fixture, "LOCAL://a%20b/c/d#1.md", "x", true);
    assert_contains("a fragment", deep, "local:// URLs have no query or fragment");
    g_free(write_to(fixture, "'local://a%20b/c/d%231.md'", "deep", false));
    g_autofree char *plan = write_to(fixture, "plan://next.md", "plan\n", false);
    assert_contains("plan", plan, "/local/next.md");
    g_free(tool_fixture_text(fixture, &tool_edit_replace,
                             json_pack("{s:s, s:[{s:s, s:s}]}", "path", "local://notes.md", "edits",
                                       "old_text", "n", "new_text", "m")));

    static const UrlCase texts[] = {
        { "local://notes.md", "m\n" },
        { "local://a%20b/c/d%231.md", "deep" },
        { "plan://next.md", "plan\n" },
        { "local://next.md:1", "plan\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *got = read_text(fixture, texts[i].url);
        assert_text(texts[i].url, got, texts[i].want);
    }
    g_autofree char *list = read_text(fixture, "local://");
    assert_contains("the list", list,
                    "3 files available:\n\n- [a b/c/d#1.md](local://a%20b/c/d%231.md)\n"
                    "- [next.md](local://next.md)\n- [notes.md](local://notes.md)\n");
    static const UrlCase errors[] = {
        { "local://x.md", "Local file not found: local://x.md" },
        { "local://notes.md/x", "Local file not found: local://notes.md/x" },
        { "local://a%20b", "local:// URL must resolve to a file: local://a%20b" },
        { "local:///etc/passwd", "Absolute paths are not allowed in local:// URLs" },
        { "local://../0.bash.log", "Path traversal (..) is not allowed in local:// URLs" },
        { "local://a/%2e%2e/../0.bash.log", "Path traversal (..) is not allowed in local:// URLs" },
        { "plan://", "No active plan." },
        { "plan:///", "No active plan." },
        { "plan://x.md", "Plan file not found: plan://x.md" },
        { "plan://a%20b", "Plan file not found: plan://a%20b" },
        { "plan://../x", "Path traversal (..) is not allowed in plan:// URLs" },
    };
    check_errors(fixture, errors, G_N_ELEMENTS(errors));
}

/* What somebody else wrote there is seen by reading it at its address. */
static void test_local_changed(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_free(write_to(fixture, "local://n.md", "first", false));
    put(fixture, "local/n.md", "by another agent");
    g_autofree char *refused = write_to(fixture, "local://n.md", "second", true);
    assert_contains("refused", refused, "changed on disk since you last read or wrote it");
    put(fixture, "local/n.md", "once more, at length");
    g_free(read_text(fixture, "local://n.md"));
    g_free(write_to(fixture, "local://n.md", "third", false));
}

/* What leads out of the folder is neither read nor written, wherever on the way the link is. */
static void test_local_links(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autofree char *root = g_build_filename(fixture->root, "session", "local", NULL);
    tool_fixture_put(fixture, "secret", "s");
    put(fixture, "local/own.md", "own");
    g_autofree char *out = g_build_filename(root, "out", NULL);
    g_autofree char *file = g_build_filename(root, "file", NULL);
    g_autofree char *nowhere = g_build_filename(root, "nowhere", NULL);
    g_autofree char *inside = g_build_filename(root, "inside", NULL);
    g_autofree char *target = g_build_filename(fixture->cwd, "secret", NULL);
    g_autofree char *gone = g_build_filename(fixture->cwd, "gone", NULL);
    assert_int_equal(symlink(fixture->cwd, out), 0);
    assert_int_equal(symlink(target, file), 0);
    assert_int_equal(symlink(gone, nowhere), 0);
    assert_int_equal(symlink("own.md", inside), 0);
    static const char *const urls[] = { "local://out/secret", "local://out/new/deep",
                                        "local://file",       "local://nowhere",
                                        "local://nowhere/x",  "plan://file" };
    for (size_t i = 0; i < G_N_ELEMENTS(urls); i++) {
        g_autofree char *read = read_error(fixture, urls[i]);
        g_autofree char *written = write_to(fixture, urls[i], "changed", true);
        assert_contains(urls[i], read, ":// URL escapes local root");
        assert_text(urls[i], written, read);
    }
    g_autofree char *own = read_text(fixture, "local://inside");
    assert_text("a link that stays inside", own, "own");
    g_autofree char *kept = read_text(fixture, "secret");
    assert_text("untouched", kept, "s");
    assert_false(file_exists(gone));
    g_autofree char *list = read_text(fixture, "local://");
    assert_contains("links are not listed", list, "1 file available:\n\n- [own.md]");
}

/* The folder itself is no file, also before there is one. */
static void test_local_root(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    static const char *const urls[] = { "local://", "local:///" };
    for (size_t i = 0; i < G_N_ELEMENTS(urls); i++) {
        g_autofree char *got = write_to(fixture, urls[i], "x", true);
        assert_contains(urls[i], got, "(directory)");
    }
    g_autofree char *plan = write_to(fixture, "plan://", "x", true);
    assert_text("plan", plan, "No active plan.");
}

/* Without a session's file: a folder for as long as the conversation. */
static void test_local_without_file(void **state G_GNUC_UNUSED)
{
    ToolFixture *fixture = url_fixture_new(NULL, false);
    static const UrlCase none[] = { { "local://", "No session - local:// unavailable" },
                                    { "local://x", "No session - local:// unavailable" } };
    check_errors(fixture, none, G_N_ELEMENTS(none));
    tool_context_set_conversation(fixture->context, fixture->root);
    g_autofree char *written = write_to(fixture, "local://a/b.md", "kept", false);
    g_autofree char *got = read_text(fixture, "local://a/b.md");
    assert_text("read", got, "kept");
    const char *path = strchr(written, '/');
    assert_true(file_exists(path));
    g_autofree char *kept = g_strdup(path);
    tool_fixture_free(fixture);
    assert_false(file_exists(kept));
}

static void test_rule(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    g_autofree char *agent_dir = g_build_filename(fixture->root, "agent", NULL);
    tool_context_set_conversation(fixture->context, agent_dir);
    static const UrlCase before = { "rule://nobody", "Unknown rule: nobody\nAvailable: none" };
    check_errors(fixture, &before, 1);
    tool_fixture_put(fixture, "../agent/rules/no-any.md",
                     "---\ncondition: any\n---\nDo not use any.\n");
    tool_fixture_put(fixture, "../agent/rules/plain.md", "Be brief.\n");
    tool_fixture_put(fixture, "../agent/rules/cursor.mdc", "From another editor.\n");
    tool_fixture_put(fixture, "../agent/rules/plain.mdc", "not the first of its name");
    tool_fixture_put(fixture, "../agent/config.md", "not a rule");
    g_autofree char *other = read_text(fixture, "rule://cursor");
    assert_text("another suffix", other, "From another editor.\n");
    g_autofree char *body = read_text(fixture, "rule://no-any");
    assert_text("the body", body, "Do not use any.\n");
    g_autofree char *plain = read_text(fixture, "rule://plain");
    assert_text("without front matter", plain, "Be brief.\n");
    static const UrlCase errors[] = {
        { "rule://", "rule:// URL requires a rule name: rule://<name>" },
        { "rule://x", "Unknown rule: x\nAvailable: no-any, plain, cursor" },
        { "rule://..%2Fconfig", "Unknown rule: ../config\nAvailable: no-any, plain, cursor" },
        { "rule://plain/x", "Unknown rule: plain\nAvailable: no-any, plain, cursor" },
    };
    check_errors(fixture, errors, G_N_ELEMENTS(errors));
}

static void test_nothing_there(void **state G_GNUC_UNUSED)
{
    static const UrlCase cases[] = {
        { "skill://", "skill:// URL requires a skill name: skill://<name>" },
        { "skill://none", "Unknown skill: none\nAvailable: none" },
        { "skill://plug:name/x.txt", "Unknown skill: plug:name\nAvailable: none" },
        { "skill://s/../../etc/passwd", // tools-T91
          "Path traversal (..) is not allowed in skill:// URLs" },
        { "skill://s//etc/passwd", "Absolute paths are not allowed in skill:// URLs" },
        { "memory://", "memory:// URL requires a namespace: memory://root" },
        { "memory://other", "Unknown memory namespace: other. Supported: root" },
        { "memory://root", "Memory artifacts are not available for this project yet. Run a session "
                           "with memories enabled first." },
        { "memory://root/../x", "Path traversal (..) is not allowed in memory:// URLs" },
        { "mcp://", "mcp:// URL requires a resource URI: mcp://<resource-uri>" },
        { "mcp://a://b", "No MCP manager available. MCP servers may not be configured." },
    };
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    check_errors(fixture, cases, G_N_ELEMENTS(cases));
}

static bool finish_job(Job *job, void *data, JobOutcome *ret_outcome, GError **error)
{
    if (!data)
        return fail_with(error, KEDGE_ERROR_FAILED, "it broke");
    ret_outcome->text = g_strdup(data);
    return true;
}

static void no_destroy(void *data G_GNUC_UNUSED)
{
}

static void run_job(const ToolFixture *fixture, const char *label, char *result)
{
    const JobSpec spec = { .type = "bash",
                           .label = label,
                           .run = finish_job,
                           .data = result,
                           .destroy = no_destroy,
                           .max_jobs = 4 };
    g_autoptr(Job) job = NULL;
    assert_true(job_table_start(tool_context_jobs(fixture->context), &spec, &job, NULL));
    while (!job_wait(job, 1000, NULL))
        continue;
}

static void test_jobs(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, false);
    g_autofree char *none = read_text(fixture, "jobs://");
    assert_text("none", none, "# Jobs\n\nNo background jobs found.");
    g_autofree char *unknown = read_text(fixture, "jobs://x/y");
    assert_text("unknown", unknown, "# Job Not Found\n\n404: No async job found with id `x/y`.");
    run_job(fixture, "make all", (char *)"built\n```\nall");
    run_job(fixture, "make none", NULL);
    JobTable *table = tool_context_jobs(fixture->context);
    g_autoptr(GPtrArray) jobs = job_table_list(table, 0);
    assert_int_equal(jobs->len, 2);
    g_autofree char *list = read_text(fixture, "jobs://");
    assert_true(str_has_prefix(list, "# Jobs\n\n- ["));
    assert_contains("of the list", list, ") bash, completed, ");
    assert_contains("of the list", list, ") bash, failed, ");
    assert_contains("its label", list, "s: make all\n");
    for (unsigned i = 0; i < jobs->len; i++) {
        Job *job = jobs->pdata[i];
        g_autofree char *url = g_strconcat("jobs://", job_id(job), NULL);
        g_autofree char *text = read_text(fixture, url);
        bool is_good = job_status(job) == JOB_COMPLETED;
        assert_contains("the kind", text, "\n- Type: bash\n- Status: ");
        assert_contains(url, text,
                        is_good ? "\n## Result\n\n````\nbuilt\n```\nall\n````\n"
                                : "\n## Error\n\n```\nit broke\n```\n");
    }
    g_autoptr(GPtrArray) untold = job_table_take_untold(table);
    assert_int_equal(untold->len, 2); // reading about one is not being told of its end
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query_parse),
        cmocka_unit_test(test_query_of_path),
        cmocka_unit_test(test_agent),
        cmocka_unit_test(test_large_extract),
        cmocka_unit_test(test_docs),
        cmocka_unit_test(test_docs_are_whole),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_local_links),
        cmocka_unit_test(test_local_changed),
        cmocka_unit_test(test_local_root),
        cmocka_unit_test(test_local_without_file),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
