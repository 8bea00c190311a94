/*
 * Registering run artifacts: rows D-15 and D-16 of agent-tools-cli §10, types, and --stamp.
 */
#include "unit.h"

#include "emit_fixture.h"

#include "agenttools/emit/artifact_register.h"
#include "agenttools/emit/doc_id.h"

#define OUTSIDE                                                                                    \
    "Artifact path is outside the project and work directories; pass storageRoot \"absolute\" to " \
    "register it"

/* `path` and `more` (fields of data, or NULL); @ stands for the fixture's root. New reference. */
static json_t *add(const EmitFixture *fixture, const char *path, const char *more)
{
    g_autofree char *root = path_real(fixture->tools->root);
    g_autofree char *whole = path[0] == '@' ? g_strconcat(root, path + 1, NULL) : g_strdup(path);
    g_autofree char *call = g_strdup_printf(
        "{'type':'artifact_registered','step':'design','data':{'path':'%s','feature':'auth'%s%s}}",
        whole, more ? "," : "", more ? more : "");
    return emit_call(fixture, call);
}

static const char *doc_id_of(const json_t *envelope)
{
    if (!json_get_bool(envelope, "success", false))
        fail_msg("%s", emit_error_of(envelope));
    return json_string_value(json_get_path(envelope, "data.docId"));
}

/* "storageRoot root|path type" of a document, with @ for the fixture's root. Caller frees. */
static char *place_of(const EmitFixture *fixture, const char *doc_id)
{
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(RunArtifact) artifact = NULL;
    assert_true(run_artifact_get(db, doc_id, &artifact, NULL));
    g_autofree char *root = path_real(fixture->tools->root);
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s %s|%s %s", artifact->storage_root, artifact->root_path,
                    artifact->path, artifact->type);
    g_string_replace(text, root, "@", 0);
    return g_string_free(text, FALSE);
}

static void link_to(const EmitFixture *fixture, const char *target, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->project, name, NULL);
    assert_int_equal(symlink(target, path), 0);
}

static void test_places(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/work/a.md", "a");
    tool_fixture_put(fixture->tools, "src/x.c", "x");
    tool_fixture_put(fixture->tools, "../out/y.diff", "y");
    link_to(fixture, "a.md", ".rp1/work/inside.md");
    link_to(fixture, "../../../out/y.diff", ".rp1/work/out.diff");
    link_to(fixture, "../../../out", ".rp1/work/dir");
    link_to(fixture, "../../../out/none", ".rp1/work/none");
    link_to(fixture, "w", "../same"); // the project by another name
    static const struct {
        const char *name, *path, *more;
        const char *want; // NULL: refused
    } cases[] = {
        { "cli-D-15: relative", "a.md", NULL, "work_dir @/w/.rp1/work|a.md markdown" },
        { "cli-D-15: with a detour", "x/../a.md", NULL, "work_dir @/w/.rp1/work|a.md markdown" },
        { "cli-D-15: relative to the project", "src/x.c", "'storageRoot':'project'",
          "project @/w|src/x.c code" },
        { "cli-D-15: absolute in the work directory", "@/w/.rp1/work/a.md", NULL,
          "work_dir @/w/.rp1/work|a.md markdown" },
        { "cli-D-15: absolute in the project", "@/w/src/x.c", NULL, "project @/w|src/x.c code" },
        { "cli-D-15: by another name", "@/same/src/x.c", NULL, "project @/w|src/x.c code" },
        { "cli-D-15: absolute outside", "@/out/y.diff", NULL, NULL },
        { "cli-D-15: absolute outside, allowed", "@/out/y.diff", "'storageRoot':'absolute'",
          "absolute @/out|@/out/y.diff diff" },
        { "cli-D-15: ..", "../../x", NULL, NULL },
        { "cli-D-15: .. far", "../../../out/y.diff", NULL, NULL },
        { "cli-D-15: .. far, allowed", "../../../out/y.diff", "'storageRoot':'absolute'",
          "absolute @/out|@/out/y.diff diff" },
        { "cli-D-15: .. out of the project", "../out/y.diff", "'storageRoot':'project'", NULL },
        { "cli-D-15: link inside", "inside.md", NULL, "work_dir @/w/.rp1/work|inside.md markdown" },
        { "cli-D-15: link out", "out.diff", NULL, NULL },
        { "cli-D-15: link out, allowed", "out.diff", "'storageRoot':'absolute'",
          "absolute @/out|@/out/y.diff diff" },
        { "cli-D-15: directory link out", "dir/y.diff", NULL, NULL },
        { "cli-D-15: link out to nothing", "none", NULL, NULL },
        { "not there yet", "new/b.mmd", NULL, "work_dir @/w/.rp1/work|new/b.mmd diagram" },
        { "a type of its own", "c.md", "'type':'report'", "work_dir @/w/.rp1/work|c.md report" },
        { "inside although absolute is allowed", "@/w/src/x.c", "'storageRoot':'absolute'",
          "project @/w|src/x.c code" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) envelope = add(fixture, cases[i].path, cases[i].more);
        bool is_accepted = json_get_bool(envelope, "success", false);
        g_autofree char *got = is_accepted ? place_of(fixture, doc_id_of(envelope))
                                           : g_strdup(emit_error_of(envelope));
        assert_text(cases[i].name, got, cases[i].want ? cases[i].want : OUTSIDE);
    }
    g_autoptr(json_t) directory = add(fixture, "@/w/src", NULL);
    assert_contains("a directory", emit_error_of(directory), "Artifact path is a directory: ");
    g_autofree char *far = g_strnfill(5000, 'a');
    g_autoptr(json_t) too_long = add(fixture, far, NULL);
    assert_string_equal(emit_error_of(too_long), "Artifact path is too long");
}

static void test_answer(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements completed");
    emit_do(fixture, "design running");
    g_autoptr(json_t) missing = add(fixture, "features/auth/design.md", NULL);
    g_autofree char *got = json_to_text(missing);
    g_autofree char *want = g_strdup_printf(
        "{\"success\":true,\"tool\":\"emit\",\"data\":{\"eventId\":3,\"runId\":\"R\","
        "\"type\":\"artifact_registered\",\"docId\":\"%s\",\"runStatus\":\"running\",\"state\":{"
        "\"current\":\"design\",\"status\":\"running\",\"validNextStates\":[\"tasks\"]}},"
        "\"warnings\":[\"Artifact file does not exist yet: features/auth/design.md\"]}",
        doc_id_of(missing));
    assert_text("answer", got, want);
    assert_true(g_uuid_string_is_valid(doc_id_of(missing)));
}

/* cli-D-16: the same place is the same document; the sum follows the content. */
static void test_again(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/work/a.md", "one");
    g_autoptr(json_t) first = add(fixture, "a.md", NULL);
    tool_fixture_put(fixture->tools, ".rp1/work/a.md", "two");
    g_autoptr(json_t) second = add(fixture, "./a.md", "'type':'report'");
    assert_text("cli-D-16: twice", doc_id_of(second), doc_id_of(first));
    assert_int_equal(emit_query_int("SELECT count(*) FROM artifact"), 1);
    assert_int_equal(emit_query_int("SELECT type = 'report' FROM artifact"), 1);

    g_autoptr(Db) db = emit_open_db();
    g_autoptr(RunArtifact) artifact = NULL;
    assert_true(run_artifact_get(db, doc_id_of(first), &artifact, NULL));
    g_autofree char *sum = content_sha256("two", 3);
    assert_string_equal(artifact->sha256, sum);
}

#define MARKED "---\ntitle: T\nrp1_doc_id: 11111111-2222-3333-4444-555555555555\n---\n# T\n"

static void expect_text(const EmitFixture *fixture, const char *name, const char *want)
{
    g_autofree char *path = g_build_filename(fixture->project, ".rp1", "work", name, NULL);
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    assert_text(name, text, want);
}

static void test_moved(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/work/a.md", MARKED);
    g_autoptr(json_t) first = add(fixture, "a.md", NULL);
    assert_text("cli-D-16: its own id", doc_id_of(first), "11111111-2222-3333-4444-555555555555");
    expect_text(fixture, "a.md", MARKED);

    g_autofree char *from = g_build_filename(fixture->project, ".rp1/work/a.md", NULL);
    g_autofree char *to = g_build_filename(fixture->project, ".rp1/work/b.md", NULL);
    assert_int_equal(rename(from, to), 0);
    g_autoptr(json_t) moved = add(fixture, "b.md", NULL);
    assert_text("cli-D-16: moved", doc_id_of(moved), doc_id_of(first));
    expect_text(fixture, "b.md", MARKED);
    g_autofree char *place = place_of(fixture, doc_id_of(moved));
    assert_string_equal(place, "work_dir @/w/.rp1/work|b.md markdown");

    // a copy beside it is another document
    tool_fixture_put(fixture->tools, ".rp1/work/copy.md", MARKED);
    g_autoptr(json_t) copy = add(fixture, "copy.md", NULL);
    assert_string_not_equal(doc_id_of(copy), doc_id_of(first));
    assert_string_equal(json_string_value(json_array_get(json_get_array(copy, "warnings"), 0)),
                        "copy.md has the document id of another file; it gets one of its own");
    expect_text(fixture, "copy.md", MARKED);
}

static void test_no_stamp(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/work/a.md", "# T\n");
    g_autoptr(json_t) plain = add(fixture, "a.md", NULL);
    expect_text(fixture, "a.md", "# T\n");

    g_autoptr(json_t) stamped = emit_call(
        fixture,
        "{'type':'artifact_registered','stamp':true,'data':{'path':'a.md','feature':'f'}}");
    assert_text("the same document", doc_id_of(stamped), doc_id_of(plain));
    g_autofree char *want =
        g_strdup_printf("---\nkedge_doc_id: \"%s\"\n---\n# T\n", doc_id_of(plain));
    expect_text(fixture, "a.md", want);
    g_autoptr(json_t) again = emit_call(
        fixture,
        "{'type':'artifact_registered','stamp':true,'data':{'path':'a.md','feature':'f'}}");
    assert_text("stamped once", doc_id_of(again), doc_id_of(plain));
    expect_text(fixture, "a.md", want);

    g_autoptr(Db) db = emit_open_db();
    g_autoptr(RunArtifact) artifact = NULL;
    assert_true(run_artifact_get(db, doc_id_of(plain), &artifact, NULL));
    g_autofree char *sum = content_sha256(want, strlen(want));
    assert_string_equal(artifact->sha256, sum);
}

/* --stamp changes a file of the person: through a door that only reads it is refused. */
static void test_stamp_is_a_write(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/work/a.md", "# T\n");
    static const struct {
        const char *more;
        bool is_refused;
    } cases[] = { { "'stamp':true", true }, { "'stamp':false", false } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(
            "{'type':'artifact_registered','data':{'path':'a.md','feature':'f'},%s}",
            cases[i].more);
        g_autoptr(json_t) arguments = emit_arguments(text);
        const ToolDoor door = { .kind = DOOR_DIRECT }; // nobody to ask: only reads run
        const ToolCallSpec spec = {
            .tool = &operation_emit.tool,
            .arguments = arguments,
            .context = fixture->tools->context,
            .door = &door,
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        assert_int_equal(result.is_error, cases[i].is_refused);
    }
    expect_text(fixture, "a.md", "# T\n");
}

static void test_doc_id_read(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *want, *warning;
    } cases[] = {
        { "rp1", "---\nrp1_doc_id: a-1\n---\n", "a-1", NULL },
        { "kedge", "---\nx: 1\nkedge_doc_id: \"b\"\n---\ntext", "b", NULL },
        { "rp1 first", "---\nkedge_doc_id: b\nrp1_doc_id: a\n---\n", "a", NULL },
        { "BOM, CRLF", "\xef\xbb\xbf---\r\nrp1_doc_id: a\r\n---\r\n", "a", NULL },
        { "no front matter", "# T\n---\nrp1_doc_id: a\n---\n", NULL, NULL },
        { "not closed", "---\nrp1_doc_id: a\n", NULL, NULL },
        { "empty", "", NULL, NULL },
        { "without an id", "---\nx: 1\n---\n", NULL, NULL },
        { "a list", "---\n- rp1_doc_id\n---\n", NULL, NULL },
        { "not an id", "---\nrp1_doc_id: ../x\n---\n", NULL,
          "rp1_doc_id of f.md is not a document id" },
        { "a number", "---\nrp1_doc_id: 5\n---\n", NULL,
          "rp1_doc_id of f.md is not a document id" },
        { "broken", "---\na: [\n---\n", NULL, "Front matter is not read: f.md: yaml: line " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autofree char *got = doc_id_read(cases[i].text, strlen(cases[i].text), "f.md", warnings);
        assert_text(cases[i].name, got ? got : "none", cases[i].want ? cases[i].want : "none");
        if (cases[i].warning)
            assert_contains(cases[i].name, g_ptr_array_index(warnings, 0), cases[i].warning);
        else
            assert_int_equal(warnings->len, 0);
    }
}

static void test_doc_id_stamp(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "---\nkedge_doc_id: \"I\"\n---\n" },
        { "x", "---\nkedge_doc_id: \"I\"\n---\nx" },
        { "x\r\ny", "---\r\nkedge_doc_id: \"I\"\r\n---\r\nx\r\ny" },
        { "\xef\xbb\xbfx\n", "\xef\xbb\xbf---\nkedge_doc_id: \"I\"\n---\nx\n" },
        { "---\na: 1\n---\nx\n", "---\nkedge_doc_id: \"I\"\na: 1\n---\nx\n" },
        { "---\r\na: 1\r\n---\r\n", "---\r\nkedge_doc_id: \"I\"\r\na: 1\r\n---\r\n" },
        { "---\nnot closed\n", "---\nkedge_doc_id: \"I\"\n---\n---\nnot closed\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size = 0;
        g_autofree char *got = doc_id_stamp(cases[i].text, strlen(cases[i].text), "I", &size);
        assert_text(cases[i].text, got, cases[i].want);
        assert_int_equal(size, strlen(got));
    }
}

static void test_types(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "a.md", "markdown" },   { "A.MDX", "markdown" }, { "x/y.mmd", "diagram" },
        { "x.patch", "diff" },    { "x.rs", "code" },      { "x.d/file", "other" },
        { "noext", "other" },     { ".md", "other" },      { "x.", "other" },
        { "x.unknown", "other" }, { "x.md ", "other" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_text(cases[i].path, artifact_type_of(cases[i].path), cases[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EMIT_TEST(test_places),
        EMIT_TEST(test_answer),
        EMIT_TEST(test_again),
        EMIT_TEST(test_moved),
        EMIT_TEST(test_no_stamp),
        EMIT_TEST(test_stamp_is_a_write),
        cmocka_unit_test(test_doc_id_read),
        cmocka_unit_test(test_doc_id_stamp),
        cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
