/* Annotations: threads, what may be changed, where they sit, and what the feed is told. */
#include "feedback_fixture.h"

#include "agenttools/feedback/annotations.h"

#define TEXT "# Auth\n\nmust run before or after init\n"

/* Anchored at "run" of TEXT, line 3. */
#define RUN_ANCHOR                                                                                 \
    "{'type':'text-selection','startOffset':13,'endOffset':16,'selectedText':'run',"               \
    "'contextBefore':'must ','contextAfter':' before'}"

static FeedbackFixture *new_fixture(void)
{
    FeedbackFixture *self = feedback_fixture_new();
    feedback_fixture_put(self, "docs/auth.md", TEXT);
    feedback_fixture_register(self, "D", "docs/auth.md", "R");
    return self;
}

/* `anchor` as json_of(); NULL: none. */
static int64_t create(const FeedbackFixture *self, const char *doc_id, const char *run_id,
                      const char *anchor, const char *content, int64_t now_ms)
{
    g_autoptr(json_t) value = anchor ? json_of(anchor) : NULL;
    const AnnotationDraft draft = {
        .doc_id = doc_id, .run_id = run_id, .anchor = value, .content = content, .author = "user"
    };
    g_autoptr(GError) error = NULL;
    int64_t id = 0;
    if (!annotation_create(self->db, &draft, now_ms, &id, &error))
        fail_msg("%s: %s", content, error->message);
    return id;
}

/* The ids of the filter's roots, "1 3"; the warnings follow. Caller frees. */
static char *list_ids(const FeedbackFixture *self, const AnnotationFilter *filter)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) roots = NULL;
    g_autoptr(GError) error = NULL;
    if (!annotation_list(self->db, filter, warnings, &roots, &error))
        fail_msg("%s", error->message);
    GString *ids = g_string_new(NULL);
    size_t index;
    json_t *root;
    json_array_foreach (roots, index, root)
        g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, ids->len > 0 ? " " : "",
                               json_get_int(root, "id", 0));
    for (unsigned i = 0; i < warnings->len; i++)
        g_string_append_printf(ids, "; %s", (const char *)warnings->pdata[i]);
    return g_string_free(ids, FALSE);
}

static json_t *get(const FeedbackFixture *self, int64_t id)
{
    json_t *root = NULL;
    g_autoptr(GError) error = NULL;
    if (!annotation_get(self->db, id, &root, &error))
        fail_msg("%s", error->message);
    return root;
}

static void test_form(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    int64_t id = create(fixture, "D", NULL, RUN_ANCHOR, "Which?\nBoth.", T0), reply_id = 0;
    assert_true(annotation_reply(fixture->db, id, "Before.", "agent", T0 + 1000, &reply_id, NULL));
    g_autoptr(json_t) root = get(fixture, id);
    assert_json("with a reply", root,
                "{'id':1,'docId':'D','runId':null,'artifactPath':'docs/auth.md',"
                "'content':'Which?\\nBoth.','anchor':" RUN_ANCHOR ",'line':3,'endLine':3,"
                "'status':'open','orphaned':false,'author':'user','replies':[{'id':2,"
                "'content':'Before.','author':'agent','createdAt':'2026-03-04T05:06:08.089Z'}],"
                "'createdAt':'2026-03-04T05:06:07.089Z','updatedAt':'2026-03-04T05:06:08.089Z'}");
    // a reply to a reply is filed under the root
    assert_true(
        annotation_reply(fixture->db, reply_id, "Really?", "user:ana", T0, &reply_id, NULL));
    g_autoptr(json_t) again = get(fixture, reply_id);
    assert_int_equal(json_get_int(again, "id", 0), id);
    assert_int_equal(json_array_size(json_get_array(again, "replies")), 2);

    int64_t general = create(fixture, NULL, "R", NULL, "All good", T0);
    g_autoptr(json_t) comment = get(fixture, general);
    assert_json("on the run", comment,
                "{'id':4,'docId':null,'runId':'R','artifactPath':null,'content':'All good',"
                "'anchor':null,'line':null,'endLine':null,'status':'open','orphaned':false,"
                "'author':'user','replies':[],'createdAt':'2026-03-04T05:06:07.089Z',"
                "'updatedAt':'2026-03-04T05:06:07.089Z'}");
}

static void test_filter(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    feedback_fixture_register(fixture, "D", "docs/auth.md", "S");
    feedback_fixture_put(fixture, "b.md", "b\n");
    feedback_fixture_register(fixture, "E", "b.md", "S");
    bool was_so = false;
    int64_t reply_id = 0;
    create(fixture, "D", NULL, NULL, "1: both runs, by the artifact", T0 + 5);
    create(fixture, "D", "R", NULL, "2: R alone", T0 + 4);
    create(fixture, "D", "S", NULL, "3: S alone", T0 + 3);
    create(fixture, "E", NULL, NULL, "4: S, by the artifact", T0 + 2);
    create(fixture, NULL, "R", NULL, "5: R, without an artifact", T0 + 1);
    assert_true(annotation_set_status(fixture->db, 2, true, T0 + 4, &was_so, NULL));
    assert_true(annotation_reply(fixture->db, 5, "reply", "agent", T0 + 50, &reply_id, NULL));
    static const struct {
        const char *name;
        AnnotationFilter filter;
        const char *want; // oldest first
    } cases[] = {
        { "all", { 0 }, "5 4 3 2 1" },
        { "run R", { .run_id = "R" }, "5 2 1" },
        { "run S", { .run_id = "S" }, "4 3 1" },
        { "artifact", { .doc_id = "D" }, "3 2 1" },
        { "open", { .run_id = "R", .status = "open" }, "5 1" },
        { "resolved", { .status = "resolved" }, "2" },
        { "any status", { .run_id = "R", .status = "all" }, "5 2 1" },
        { "since", { .since_ms = T0 + 5 }, "5 1" },
        { "unknown run", { .run_id = "X" }, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = list_ids(fixture, &cases[i].filter);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

static void test_refusals(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    g_autofree char *long_text = g_strnfill(ANNOTATION_MAX_CHARS + 1, 'x');
    g_autoptr(json_t) bad_anchor = json_of("{'type':'page'}");
    g_autoptr(json_t) line = json_of("{'type':'line','lineNumber':1,'lineContent':''}");
    const struct {
        const char *name;
        AnnotationDraft draft;
        AnswerCode code;
        const char *want;
    } cases[] = {
        { "blank",
          { "D", NULL, NULL, " \n", "user" },
          ANSWER_VALIDATION,
          "Validation failed: content is required and must be a non-empty string" },
        { "too long",
          { "D", NULL, NULL, long_text, "user" },
          ANSWER_VALIDATION,
          "Validation failed: content is too long: 65537 characters (limit 65536)" },
        { "author",
          { "D", NULL, NULL, "x", "somebody" },
          ANSWER_VALIDATION,
          "Validation failed: author must be user or agent, or one of them with a name: user:ana" },
        { "author without a name",
          { "D", NULL, NULL, "x", "user: " },
          ANSWER_VALIDATION,
          "Validation failed: author must be user or agent, or one of them with a name: user:ana" },
        { "anchor",
          { "D", NULL, bad_anchor, "x", "user" },
          ANSWER_VALIDATION,
          "Validation failed: anchor.type must be one of: text-selection, line, hidden-anchor" },
        { "anchor without an artifact",
          { NULL, "R", line, "x", "user" },
          ANSWER_VALIDATION,
          "Validation failed: docId is required" },
        { "neither artifact nor run",
          { NULL, NULL, NULL, "x", "user" },
          ANSWER_VALIDATION,
          "Validation failed: docId is required" },
        { "no such artifact",
          { "X", NULL, NULL, "x", "user" },
          ANSWER_NOT_FOUND,
          "Artifact with doc_id 'X' not found" },
        { "no such run",
          { "D", "X", NULL, "x", "user" },
          ANSWER_NOT_FOUND,
          "Run \"X\" was not found" },
        { "artifact of another run",
          { "D", "S", NULL, "x", "user" },
          ANSWER_INVALID_STATE,
          "Artifact 'D' does not belong to run S" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        int64_t id = 0;
        bool is_good = annotation_create(fixture->db, &cases[i].draft, T0, &id, &error);
        assert_answer(cases[i].name, is_good, &error, cases[i].code, cases[i].want);
    }
    assert_int_equal(feedback_fixture_count(fixture, "SELECT count(*) FROM annotation"), 0);
    assert_int_equal(feedback_fixture_count(fixture, "SELECT count(*) FROM feed"), 0);
    // 65,536 characters, not bytes
    g_autofree char *just = g_strnfill(ANNOTATION_MAX_CHARS - 1, 'x');
    g_autofree char *wide = g_strconcat(just, "é", NULL);
    create(fixture, "D", NULL, NULL, wide, T0);
}

static void test_unknown(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    g_autoptr(GError) error = NULL;
    Db *db = fixture->db;
    json_t *root = NULL;
    int64_t id = 0;
    bool was_so = false;
    const char *want = "Annotation 999 not found";
    assert_answer("get", annotation_get(db, 999, &root, &error), &error, ANSWER_NOT_FOUND, want);
    assert_answer("reply", annotation_reply(db, 999, "x", "agent", T0, &id, &error), &error,
                  ANSWER_NOT_FOUND, want);
    assert_answer("status", annotation_set_status(db, 999, true, T0, &was_so, &error), &error,
                  ANSWER_NOT_FOUND, want);
    assert_answer("resolve", annotation_resolve(db, 999, NULL, "agent", T0, &id, &was_so, &error),
                  &error, ANSWER_NOT_FOUND, want);
    assert_answer("content", annotation_set_content(db, 999, "x", T0, &error), &error,
                  ANSWER_NOT_FOUND, want);
    assert_answer("delete", annotation_delete(db, 999, T0, &error), &error, ANSWER_NOT_FOUND, want);
    assert_answer("run", annotation_check_run(db, 999, "R", &error), &error, ANSWER_NOT_FOUND,
                  want);
}

static void assert_feed(const FeedbackFixture *fixture, const char *name, const char *want)
{
    g_autofree char *got = feedback_fixture_feed(fixture);
    g_autofree char *proper = g_strdelimit(g_strdup(want), "'", '"');
    assert_text(name, got, proper);
}

/* Every change, and the row of the feed that tells of it. */
static void test_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    Db *db = fixture->db;
    int64_t reply_id = 0;
    bool was_so = true;
    int64_t id = create(fixture, "D", "R", NULL, "first", T0);
    assert_feed(fixture, "create",
                "annotation R D {'annotationId':1,'rootId':1,'change':'created'}");
    assert_true(annotation_reply(db, id, "reply", "agent", T0 + 1, &reply_id, NULL));
    assert_feed(fixture, "reply",
                "annotation R D {'annotationId':2,'rootId':1,'change':'replied'}");
    assert_true(annotation_set_status(db, id, true, T0 + 2, &was_so, NULL));
    assert_false(was_so);
    assert_feed(fixture, "resolve",
                "annotation R D {'annotationId':1,'rootId':1,'change':'resolved'}");
    assert_true(annotation_set_status(db, id, true, T0 + 3, &was_so, NULL));
    assert_true(was_so);
    assert_int_equal(feedback_fixture_count(fixture, "SELECT count(*) FROM feed"), 3);
    assert_true(annotation_reply(db, id, "late", "agent", T0 + 4, &reply_id, NULL));
    assert_int_equal(feedback_fixture_count(
                         fixture, "SELECT count(*) FROM annotation WHERE status = 'resolved'"),
                     1); // a resolved thread stays resolved
    assert_true(annotation_set_status(db, id, false, T0 + 5, &was_so, NULL));
    assert_feed(fixture, "reopen",
                "annotation R D {'annotationId':1,'rootId':1,'change':'reopened'}");
    assert_true(annotation_set_content(db, 2, "changed", T0 + 6, NULL));
    assert_feed(fixture, "change",
                "annotation R D {'annotationId':2,'rootId':1,'change':'changed'}");
    assert_true(annotation_delete(db, 2, T0 + 7, NULL));
    assert_feed(fixture, "delete",
                "annotation R D {'annotationId':2,'rootId':1,'change':'deleted'}");
    g_autoptr(json_t) root = get(fixture, id);
    assert_string_equal(json_get_text(root, "updatedAt"), "2026-03-04T05:06:07.096Z");
    assert_int_equal(json_array_size(json_get_array(root, "replies")), 1);
    assert_true(annotation_delete(db, id, T0 + 8, NULL));
    assert_feed(fixture, "delete the root",
                "annotation R D {'annotationId':1,'rootId':1,'change':'deleted'}");
    assert_int_equal(feedback_fixture_count(fixture, "SELECT count(*) FROM annotation"), 0);
}

static void test_roots_only(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    g_autoptr(GError) error = NULL;
    int64_t reply_id = 0;
    bool was_so = false;
    create(fixture, "D", "R", NULL, "first", T0);
    assert_true(annotation_reply(fixture->db, 1, "reply", "agent", T0, &reply_id, NULL));
    assert_answer("resolve", annotation_set_status(fixture->db, 2, true, T0, &was_so, &error),
                  &error, ANSWER_INVALID_STATE,
                  "Annotation 2 is a reply, not a root annotation. Only root annotations can be "
                  "resolved.");
    assert_answer("reopen", annotation_set_status(fixture->db, 2, false, T0, &was_so, &error),
                  &error, ANSWER_INVALID_STATE,
                  "Annotation 2 is a reply, not a root annotation. Only root annotations can be "
                  "reopened.");
    // nor is the reply of a resolve that fails kept
    assert_false(annotation_resolve(fixture->db, 2, "done", "agent", T0, &reply_id, &was_so, NULL));
    assert_int_equal(feedback_fixture_count(fixture, "SELECT count(*) FROM annotation"), 2);
}

static void test_check_run(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    g_autoptr(GError) error = NULL;
    create(fixture, "D", NULL, NULL, "1: by the artifact", T0);
    create(fixture, "D", "R", NULL, "2: by the run", T0);
    create(fixture, NULL, "R", NULL, "3: without an artifact", T0);
    for (int64_t id = 1; id <= 3; id++) {
        g_autofree char *want =
            g_strdup_printf("Annotation %" G_GINT64_FORMAT " does not belong to run S", id);
        assert_true(annotation_check_run(fixture->db, id, "R", NULL));
        assert_answer("S", annotation_check_run(fixture->db, id, "S", &error), &error,
                      ANSWER_INVALID_STATE, want);
    }
}

/* What is found elsewhere is stored, and told once; an orphan keeps its anchor and comes back. */
static void test_moves(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    int64_t id = create(fixture, "D", "R", RUN_ANCHOR, "which", T0);
    int64_t feed_rows = feedback_fixture_count(fixture, "SELECT count(*) FROM feed");

    feedback_fixture_put(fixture, "docs/auth.md", "a\nb\n" TEXT);
    g_autoptr(json_t) moved = get(fixture, id);
    assert_int_equal(json_get_int(moved, "line", 0), 5);
    assert_int_equal(json_get_int(json_get_object(moved, "anchor"), "startOffset", 0), 17);
    assert_int_equal(feedback_fixture_count(
                         fixture, "SELECT json_extract(anchor, '$.startOffset') FROM annotation"),
                     17);
    assert_feed(fixture, "moved", "annotation - D {'change':'moved'}");
    g_autoptr(json_t) same = get(fixture, id);
    assert_int_equal(feedback_fixture_count(fixture, "SELECT count(*) FROM feed"), feed_rows + 1);
    assert_string_equal(json_get_text(same, "updatedAt"), json_get_text(same, "createdAt"));

    feedback_fixture_put(fixture, "docs/auth.md", "nothing of it\n");
    g_autoptr(json_t) orphan = get(fixture, id);
    assert_true(json_get_bool(orphan, "orphaned", false));
    assert_true(json_is_null(json_object_get(orphan, "line")));
    assert_int_equal(json_get_int(json_get_object(orphan, "anchor"), "startOffset", 0), 17);
    assert_int_equal(feedback_fixture_count(fixture, "SELECT orphaned FROM annotation"), 1);

    feedback_fixture_put(fixture, "docs/auth.md", TEXT);
    g_autoptr(json_t) back = get(fixture, id);
    assert_false(json_get_bool(back, "orphaned", true));
    assert_int_equal(json_get_int(back, "line", 0), 3);
    assert_int_equal(feedback_fixture_count(fixture, "SELECT orphaned FROM annotation"), 0);
}

/* A hidden anchor is shown as a line and stays what it is in the database. */
static void test_hidden_anchor(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    feedback_fixture_put(fixture, "docs/auth.md", "a\n<a id=\"k\"></a>b\n");
    int64_t id = create(fixture, "D", NULL, "{'type':'hidden-anchor','anchorId':'k'}", "x", T0);
    g_autoptr(json_t) root = get(fixture, id);
    assert_int_equal(json_get_int(root, "line", 0), 2);
    assert_string_equal(json_get_text(json_get_object(root, "anchor"), "type"), "line");
    assert_int_equal(
        feedback_fixture_count(
            fixture, "SELECT json_extract(anchor, '$.type') = 'hidden-anchor' FROM annotation"),
        1);
}

static void test_missing_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    feedback_fixture_register(fixture, "L", "link.md", "R");
    g_autofree char *file = g_build_filename(fixture->tool->cwd, "docs/auth.md", NULL);
    g_autofree char *link = g_build_filename(fixture->tool->cwd, "link.md", NULL);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    create(fixture, "D", "R", RUN_ANCHOR, "which", T0);
    create(fixture, "D", "R", NULL, "another", T0);
    create(fixture, "L", "R", RUN_ANCHOR, "not to be read", T0);
    g_autoptr(json_t) root = get(fixture, 1);
    assert_true(json_get_bool(root, "artifactMissing", false));
    assert_false(json_get_bool(root, "orphaned", true)); // nothing is known of it
    g_autofree char *ids = list_ids(fixture, &(AnnotationFilter) { .run_id = "R" });
    assert_contains("said once", ids,
                    "1 2 3; Artifact file is missing: docs/auth.md; Artifact path");
    g_autoptr(json_t) linked = get(fixture, 3);
    assert_null(json_object_get(linked, "artifactMissing"));
    assert_true(json_is_null(json_object_get(linked, "line")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),          cmocka_unit_test(test_filter),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_changes),       cmocka_unit_test(test_roots_only),
        cmocka_unit_test(test_check_run),     cmocka_unit_test(test_moves),
        cmocka_unit_test(test_hidden_anchor), cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
