/* The feedback operations as a door calls them (agent-tools-cli §5.2, rows E-01 … E-06). */
#include "feedback_fixture.h"

#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/edits.h"

#define DESIGN "features/auth/design.md"
#define TEXT   "# Auth\n\n1\n2\n3\n4\n\n## Order\nmay run before or after init\n\nend\n"

static int64_t fixed_now(void *user_data G_GNUC_UNUSED)
{
    return T0 + 60000; // 05:07:07.089
}

static FeedbackFixture *new_fixture(void)
{
    FeedbackFixture *self = feedback_fixture_new();
    const ToolClock clock = { .now_ms = fixed_now };
    tool_context_set_clock(self->tool->context, &clock);
    feedback_fixture_put(self, DESIGN, TEXT);
    feedback_fixture_register(self, "D", DESIGN, "R");
    return self;
}

/* On the words "run before or after". */
static int64_t comment(const FeedbackFixture *self, const char *run_id, const char *content)
{
    g_autoptr(json_t) anchor = json_of(
        "{'type':'text-selection','startOffset':30,'endOffset':49,"
        "'selectedText':'run before or after','contextBefore':'may ','contextAfter':' init'}");
    const AnnotationDraft draft = {
        .doc_id = "D", .run_id = run_id, .anchor = anchor, .content = content, .author = "user"
    };
    int64_t id = 0;
    assert_true(annotation_create(self->db, &draft, T0, &id, NULL));
    return id;
}

static int64_t general_comment(const FeedbackFixture *self, const char *content)
{
    const AnnotationDraft draft = { .run_id = "R", .content = content, .author = "user:ana" };
    int64_t id = 0;
    assert_true(annotation_create(self->db, &draft, T0 + 10, &id, NULL));
    return id;
}

static int64_t reply_to(const FeedbackFixture *self, int64_t id, const char *content)
{
    int64_t reply_id = 0;
    assert_true(annotation_reply(self->db, id, content, "agent", T0 + 1000, &reply_id, NULL));
    return reply_id;
}

typedef bool (*WriteFunc)(Db *db, const RunArtifact *artifact, const EditDraft *draft,
                          int64_t *ret_id);

static bool save(Db *db, const RunArtifact *artifact, const EditDraft *draft, int64_t *ret_id)
{
    g_auto(EditSaved) saved = { 0 };
    bool is_saved = edit_save(db, artifact, draft, T0 + 500, &saved, NULL);
    *ret_id = saved.edit_id;
    return is_saved;
}

static bool suggest(Db *db, const RunArtifact *artifact, const EditDraft *draft, int64_t *ret_id)
{
    return edit_suggest(db, artifact, draft, T0 + 500, ret_id, NULL);
}

/* The file's text with `old` replaced by `new`, saved or suggested. */
static int64_t change(const FeedbackFixture *self, WriteFunc write, const char *old,
                      const char *new)
{
    g_autoptr(RunArtifact) artifact = feedback_fixture_artifact(self, "D");
    g_autofree char *text = feedback_fixture_text(self, DESIGN);
    g_auto(GStrv) parts = g_strsplit(text, old, 2);
    assert_int_equal(g_strv_length(parts), 2);
    g_autofree char *content = g_strjoinv(new, parts);
    const EditDraft draft = { .run_id = "R", .author = "user", .base = text, .content = content };
    int64_t id = 0;
    assert_true(write(self->db, artifact, &draft, &id));
    return id;
}

static void assert_error(const FeedbackFixture *self, const OperationDef *operation,
                         const char *arguments, const char *code, const char *want)
{
    g_autofree char *got = operation_error(self->tool, operation, arguments, code);
    assert_text(arguments, got, want);
}

static void test_read(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    comment(fixture, NULL, "Clarify whether this runs before or after init.");
    general_comment(fixture, "All in all fine");
    reply_to(fixture, 1, "Before.");
    change(fixture, save, "may", "must");
    g_autoptr(json_t) data =
        operation_data(fixture->tool, &operation_feedback_read, "{'runId':'R'}");
    assert_json(
        "cli-E-01", data,
        "{'runId':'R','annotations':["
        "{'id':1,'docId':'D','runId':null,'artifactPath':'" DESIGN "',"
        "'content':'Clarify whether this runs before or after init.',"
        "'anchor':{'type':'text-selection','startOffset':31,'endOffset':50,"
        "'selectedText':'run before or after','contextBefore':'may ','contextAfter':' init'},"
        "'line':9,'endLine':9,'status':'open','orphaned':false,'author':'user','replies':["
        "{'id':3,'content':'Before.','author':'agent','createdAt':'2026-03-04T05:06:08.089Z'}],"
        "'createdAt':'2026-03-04T05:06:07.089Z','updatedAt':'2026-03-04T05:06:08.089Z'},"
        "{'id':2,'docId':null,'runId':'R','artifactPath':null,'content':'All in all fine',"
        "'anchor':null,'line':null,'endLine':null,'status':'open','orphaned':false,"
        "'author':'user:ana','replies':[],'createdAt':'2026-03-04T05:06:07.099Z',"
        "'updatedAt':'2026-03-04T05:06:07.099Z'}],"
        "'edits':[{'editId':1,'docId':'D','runId':'R','artifactPath':'" DESIGN "','mode':'direct',"
        "'patch':'--- a/" DESIGN "\\n+++ b/" DESIGN "\\n@@ -6,6 +6,6 @@\\n 4\\n \\n ## Order\\n"
        "-may run before or after init\\n+must run before or after init\\n \\n end\\n',"
        "'status':'pending','author':'user','createdAt':'2026-03-04T05:06:07.589Z',"
        "'updatedAt':'2026-03-04T05:06:07.589Z'}],"
        "'summary':{'totalAnnotations':2,'totalEdits':1,"
        "'byArtifactType':{'design':2,'general':1}}}");
}

static void test_read_moved(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    comment(fixture, "R", "Which?");
    static const struct {
        const char *name, *text;
        int64_t line; // 0: orphaned
    } cases[] = {
        { "cli-E-02 ten lines down", "a\na\na\na\na\na\na\na\na\na\n" TEXT, 19 },
        { "cli-E-02 deleted", "# Auth\n", 0 },
        { "cli-E-02 twice, with other contexts",
          "Things run before or after others.\n\nmay run before or after init\n", 3 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        feedback_fixture_put(fixture, DESIGN, cases[i].text);
        g_autoptr(json_t) data =
            operation_data(fixture->tool, &operation_feedback_read, "{'runId':'R'}");
        const json_t *annotation = json_array_get(json_get_array(data, "annotations"), 0);
        if (json_get_int(annotation, "line", 0) != cases[i].line ||
            json_get_bool(annotation, "orphaned", false) != (cases[i].line == 0))
            fail_msg("%s: line %" G_GINT64_FORMAT, cases[i].name,
                     json_get_int(annotation, "line", 0));
    }
}

/* The ids of annotations and edits: "1 2 / 1". Caller frees. */
static char *ids_of(const json_t *data)
{
    GString *ids = g_string_new(NULL);
    size_t index;
    json_t *item;
    json_array_foreach (json_get_array(data, "annotations"), index, item)
        g_string_append_printf(ids, "%" G_GINT64_FORMAT " ", json_get_int(item, "id", 0));
    g_string_append_c(ids, '/');
    json_array_foreach (json_get_array(data, "edits"), index, item)
        g_string_append_printf(ids, " %" G_GINT64_FORMAT, json_get_int(item, "editId", 0));
    return g_string_free(ids, FALSE);
}

static void test_read_filters(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    feedback_fixture_put(fixture, "src/auth.c", "int x;\n");
    feedback_fixture_register(fixture, "C", "src/auth.c", "R");
    comment(fixture, "R", "first");
    general_comment(fixture, "second");
    const AnnotationDraft draft = {
        .doc_id = "C", .run_id = "R", .content = "third", .author = "user"
    };
    int64_t id = 0;
    bool was_so = false;
    assert_true(annotation_create(fixture->db, &draft, T0 + 600, &id, NULL));
    assert_true(annotation_set_status(fixture->db, 2, true, T0 + 20, &was_so, NULL));
    change(fixture, save, "end", "END");
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'runId':'R'}", "1 3 / 1" },
        { "{'runId':'R','status':'open'}", "1 3 / 1" },
        { "{'runId':'R','status':'resolved'}", "2 / 1" },
        { "{'runId':'R','status':'all'}", "1 2 3 / 1" },
        { "{'runId':'R','artifact':'D'}", "1 / 1" },
        { "{'runId':'R','artifact':'" DESIGN "'}", "1 / 1" },
        { "{'runId':'R','artifact':'./src/../src/auth.c'}", "3 /" },
        { "{'runId':'R','status':'all','since':'2026-03-04T05:06:07.590Z'}", "3 /" },
        { "{'runId':'R','status':'all','since':'2026-03-04T06:06:07.589+01:00'}", "3 / 1" },
        { "{'runId':'S','status':'all'}", "/" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) data =
            operation_data(fixture->tool, &operation_feedback_read, cases[i].arguments);
        g_autofree char *got = ids_of(data);
        assert_text(cases[i].arguments, got, cases[i].want);
    }
    g_autoptr(json_t) all =
        operation_data(fixture->tool, &operation_feedback_read, "{'runId':'R','status':'all'}");
    assert_json("summary", json_get_object(all, "summary"),
                "{'totalAnnotations':3,'totalEdits':1,"
                "'byArtifactType':{'design':2,'code':1,'general':1}}");
}

static void test_read_refusals(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    static const struct {
        const char *arguments, *code, *want;
    } cases[] = {
        { "{}", "validation", "--run-id is required and must be non-empty" },
        { "{'runId':' '}", "validation", "--run-id is required and must be non-empty" },
        { "{'runId':'X'}", "not_found", "Run \"X\" was not found" },
        { "{'runId':'R','status':'x'}", "validation",
          "Invalid --status value: 'x'. Must be one of: open, resolved, all" },
        { "{'runId':'R','artifact':'nope.md'}", "not_found",
          "Artifact \"nope.md\" was not found in run R" },
        { "{'runId':'R','since':'yesterday'}", "validation",
          "Invalid --since value: 'yesterday'. Must be a time such as 2026-03-04T05:06:07Z" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_error(fixture, &operation_feedback_read, cases[i].arguments, cases[i].code,
                     cases[i].want);
}

static void test_missing_artifact(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    comment(fixture, "R", "Which?");
    change(fixture, save, "end", "END");
    g_autofree char *file = g_build_filename(fixture->tool->cwd, DESIGN, NULL);
    assert_int_equal(unlink(file), 0);
    g_autoptr(json_t) envelope =
        operation_call(fixture->tool, &operation_feedback_read, json_of("{'runId':'R'}"));
    assert_json("said once", json_get_array(envelope, "warnings"),
                "['Artifact file is missing: " DESIGN "']");
    const json_t *data = json_get_object(envelope, "data");
    assert_true(json_get_bool(json_array_get(json_get_array(data, "annotations"), 0),
                              "artifactMissing", false));
    assert_true(
        json_get_bool(json_array_get(json_get_array(data, "edits"), 0), "artifactMissing", false));
}

static void test_markdown(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    comment(fixture, "R", "Clarify:\n\n# not a heading");
    general_comment(fixture, "Fine");
    reply_to(fixture, 1, "Before.");
    change(fixture, suggest, "end", "```\nend");
    g_autoptr(json_t) data = operation_data(fixture->tool, &operation_feedback_read,
                                            "{'runId':'R','format':'markdown'}");
    assert_text("hand-over", json_get_text(data, "markdown"),
                "# Feedback for run R\n\nAnnotations: 2. Edits: 1.\n\n"
                "## " DESIGN "\n\n"
                "### Annotation 1, line 9 (open)\n\n```text\nrun before or after\n```\n\n"
                "user, 2026-03-04T05:06:07.089Z:\n\n> Clarify:\n>\n> # not a heading\n\n"
                "agent, 2026-03-04T05:06:08.089Z:\n\n> Before.\n\n"
                "### Edit 1 (suggested)\n\nuser, 2026-03-04T05:06:07.589Z:\n\n"
                "````diff\n--- a/" DESIGN "\n+++ b/" DESIGN "\n@@ -8,4 +8,5 @@\n ## Order\n"
                " may run before or after init\n \n+```\n end\n````\n\n"
                "## General\n\n"
                "### Annotation 2 (open)\n\nuser:ana, 2026-03-04T05:06:07.099Z:\n\n> Fine\n");
    g_autoptr(json_t) plain =
        operation_data(fixture->tool, &operation_feedback_read, "{'runId':'R','format':'json'}");
    assert_null(json_object_get(plain, "markdown"));
}

/* cli-E-03 */
static void test_resolve(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    const ToolFixture *tool = fixture->tool;
    comment(fixture, "R", "Which?");
    g_autoptr(json_t) first = operation_data(tool, &operation_feedback_resolve,
                                             "{'runId':'R','annotationId':1,'reply':' Before. '}");
    assert_json("cli-E-03 resolved", first, "{'resolved':true,'annotationId':1,'replyId':2}");
    g_autoptr(json_t) again = operation_data(tool, &operation_feedback_resolve,
                                             "{'runId':'R','annotationId':1,'reply':'Before.'}");
    assert_json("cli-E-03 again", again,
                "{'resolved':true,'annotationId':1,'replyId':2,'alreadyResolved':true}");
    g_autoptr(json_t) silent =
        operation_data(tool, &operation_feedback_resolve, "{'runId':'R','annotationId':1}");
    assert_json("without a word", silent,
                "{'resolved':true,'annotationId':1,'alreadyResolved':true}");
    g_autoptr(json_t) other = operation_data(tool, &operation_feedback_resolve,
                                             "{'runId':'R','annotationId':1,'reply':'After.'}");
    assert_json("another word", other,
                "{'resolved':true,'annotationId':1,'replyId':3,'alreadyResolved':true}");

    static const struct {
        const char *arguments, *code, *want;
    } cases[] = {
        { "{'runId':'R','annotationId':2}", "invalid_state",
          "Annotation 2 is a reply, not a root annotation. Only root annotations can be "
          "resolved." },
        { "{'runId':'R','annotationId':999}", "not_found", "Annotation 999 not found" },
        { "{'runId':'S','annotationId':1}", "invalid_state",
          "Annotation 1 does not belong to run S" },
        { "{'runId':'X','annotationId':1}", "not_found", "Run \"X\" was not found" },
        { "{'annotationId':1}", "validation", "--run-id is required and must be non-empty" },
        { "{'runId':'R','annotationId':'x'}", "validation",
          "Invalid annotation ID: 'x'. Must be a positive integer." },
        { "{'runId':'R','annotationId':0}", "validation",
          "Invalid annotation ID: '0'. Must be a positive integer." },
        { "{'runId':'R','annotationId':1,'reply':' '}", "validation",
          "--reply must be non-empty when provided" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_error(fixture, &operation_feedback_resolve, cases[i].arguments, cases[i].code,
                     cases[i].want);
}

static void test_reopen(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    comment(fixture, "R", "Which?");
    reply_to(fixture, 1, "Before.");
    static const char arguments[] = "{'runId':'R','annotationId':1}";
    g_autoptr(json_t) resolved G_GNUC_UNUSED =
        operation_data(fixture->tool, &operation_feedback_resolve, arguments);
    g_autoptr(json_t) first = operation_data(fixture->tool, &operation_feedback_reopen, arguments);
    assert_json("reopened", first, "{'reopened':true,'annotationId':1}");
    g_autoptr(json_t) again = operation_data(fixture->tool, &operation_feedback_reopen, arguments);
    assert_json("again", again, "{'reopened':true,'annotationId':1,'alreadyOpen':true}");
    assert_error(fixture, &operation_feedback_reopen, "{'runId':'R','annotationId':2}",
                 "invalid_state",
                 "Annotation 2 is a reply, not a root annotation. Only root annotations can be "
                 "reopened.");
}

/* cli-E-04: what the door reads from standard input is `content`. */
static void test_reply(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    comment(fixture, "R", "Which?");
    assert_string_equal(operation_feedback_reply.stdin_field, "content");
    g_autoptr(json_t) data =
        operation_data(fixture->tool, &operation_feedback_reply,
                       "{'runId':'R','annotationId':1,'content':'\\ntwo\\nlines\\n'}");
    assert_json("cli-E-04", data, "{'replyId':2,'annotationId':1}");
    assert_int_equal(
        feedback_fixture_count(fixture, "SELECT content = 'two' || char(10) || 'lines' AND author"
                                        " = 'agent' FROM annotation WHERE id = 2"),
        1);
    static const struct {
        const char *arguments, *code, *want;
    } cases[] = {
        { "{'runId':'R','annotationId':1,'content':' \\n'}", "validation", "Reply body is empty" },
        { "{'runId':'R','annotationId':1,'content':''}", "validation", "Reply body is empty" },
        { "{'runId':'R','annotationId':1}", "validation", "Reply body is empty" },
        { "{'runId':'R','annotationId':7,'content':'x'}", "not_found", "Annotation 7 not found" },
        { "{'runId':'S','annotationId':1,'content':'x'}", "invalid_state",
          "Annotation 1 does not belong to run S" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_error(fixture, &operation_feedback_reply, cases[i].arguments, cases[i].code,
                     cases[i].want);
    g_autofree char *long_text = g_strnfill(65537, 'x');
    g_autofree char *arguments =
        g_strdup_printf("{'runId':'R','annotationId':1,'content':'%s'}", long_text);
    assert_error(fixture, &operation_feedback_reply, arguments, "validation",
                 "Validation failed: content is too long: 65537 characters (limit 65536)");
}

/* cli-E-05 */
static void test_accept_direct(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    change(fixture, save, "may", "must");
    change(fixture, save, "end", "END");
    g_autoptr(json_t) before =
        operation_data(fixture->tool, &operation_feedback_read, "{'runId':'R'}");
    const json_t *edits = json_get_array(before, "edits");
    assert_int_equal(json_array_size(edits), 1);
    const json_t *edit = json_array_get(edits, 0);
    assert_member("cli-E-05 the first base", edit, "patch", "-may run");
    assert_member("cli-E-05 the last save", edit, "patch", "+END");
    g_autofree char *text = feedback_fixture_text(fixture, DESIGN);
    g_autoptr(json_t) data =
        operation_data(fixture->tool, &operation_feedback_accept_edit, "{'runId':'R','docId':'D'}");
    assert_json("cli-E-05 accept", data,
                "{'accepted':true,'docId':'D','editId':1,'mode':'direct','applied':false}");
    g_autofree char *after = feedback_fixture_text(fixture, DESIGN);
    assert_text("cli-E-05 untouched", after, text);
    g_autoptr(json_t) none =
        operation_data(fixture->tool, &operation_feedback_read, "{'runId':'R'}");
    assert_int_equal(json_array_size(json_get_array(none, "edits")), 0);
    assert_error(fixture, &operation_feedback_accept_edit, "{'runId':'R','docId':'D'}", "not_found",
                 "Artifact 'D' has no pending edit");
}

/* cli-E-06 */
static void test_accept_suggestion(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *old, *new;
        const char *want; // text that the file has then
        const char *conflict;
    } cases[] = {
        { "cli-E-06 unchanged", "end", "end", "must run before or after init\n\nend\n", NULL },
        { "cli-E-06 merged", "end", "END", "must run before or after init\n\nEND\n", NULL },
        { "cli-E-06 conflict", "may run", "can run", "can run before or after init\n\nend\n",
          "Edit 1 conflicts with later changes to " DESIGN " (lines 9)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(FeedbackFixture) fixture = new_fixture();
        change(fixture, suggest, "may run", "must run");
        g_autofree char *text = feedback_fixture_text(fixture, DESIGN);
        g_auto(GStrv) parts = g_strsplit(text, cases[i].old, 2);
        g_autofree char *meanwhile = g_strjoinv(cases[i].new, parts);
        feedback_fixture_put(fixture, DESIGN, meanwhile);
        static const char arguments[] = "{'runId':'R','docId':'D','editId':1}";
        if (cases[i].conflict) {
            assert_error(fixture, &operation_feedback_accept_edit, arguments, "conflict",
                         cases[i].conflict);
        } else {
            g_autoptr(json_t) data =
                operation_data(fixture->tool, &operation_feedback_accept_edit, arguments);
            assert_json(cases[i].name, data,
                        "{'accepted':true,'docId':'D','editId':1,'mode':'suggested',"
                        "'applied':true}");
        }
        g_autofree char *after = feedback_fixture_text(fixture, DESIGN);
        assert_contains(cases[i].name, after, cases[i].want);
    }
}

static void test_accept_refusals(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    feedback_fixture_put(fixture, "other.md", "x\n");
    feedback_fixture_register(fixture, "E", "other.md", "S");
    change(fixture, suggest, "may", "must");
    change(fixture, suggest, "end", "END");
    static const struct {
        const char *arguments, *code, *want;
    } cases[] = {
        { "{'runId':'R','docId':'x'}", "not_found", "Artifact with doc_id 'x' not found" },
        { "{'runId':'R','docId':'E'}", "invalid_state", "Artifact 'E' does not belong to run R" },
        { "{'runId':'S','docId':'E'}", "not_found", "Artifact 'E' has no pending edit" },
        { "{'runId':'R','docId':'D'}", "invalid_state",
          "Artifact 'D' has 2 pending edits; pass --edit-id (1, 2)" },
        { "{'runId':'R','docId':'D','editId':7}", "not_found", "Edit 7 not found" },
        { "{'docId':'D'}", "validation", "--run-id is required and must be non-empty" },
        { "{'runId':'R'}", "validation",
          "Validation failed: docId is required and must be a non-empty string" },
        { "{'runId':'R','docId':'D','editId':0}", "validation",
          "Validation failed: editId must be a positive integer" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_error(fixture, &operation_feedback_accept_edit, cases[i].arguments, cases[i].code,
                     cases[i].want);
        assert_error(fixture, &operation_feedback_reject_edit, cases[i].arguments, cases[i].code,
                     cases[i].want);
    }
}

static void test_reject(void **state G_GNUC_UNUSED)
{
    g_autoptr(FeedbackFixture) fixture = new_fixture();
    change(fixture, suggest, "may", "must");
    g_autoptr(json_t) dropped =
        operation_data(fixture->tool, &operation_feedback_reject_edit,
                       "{'runId':'R','docId':'D','reason':'no','restore':true}");
    assert_json("a suggestion", dropped,
                "{'rejected':true,'docId':'D','editId':1,'mode':'suggested','restored':false}");
    change(fixture, save, "end", "END");
    g_autoptr(json_t) marked =
        operation_data(fixture->tool, &operation_feedback_reject_edit, "{'runId':'R','docId':'D'}");
    assert_json("a direct edit", marked,
                "{'rejected':true,'docId':'D','editId':2,'mode':'direct','restored':false}");
    change(fixture, save, "END", "end.");
    g_autoptr(json_t) restored = operation_data(fixture->tool, &operation_feedback_reject_edit,
                                                "{'runId':'R','docId':'D','restore':true}");
    assert_json("taken back", restored,
                "{'rejected':true,'docId':'D','editId':3,'mode':'direct','restored':true}");
    g_autofree char *text = feedback_fixture_text(fixture, DESIGN);
    assert_contains("the file", text, "\nEND\n");
}

/* agent-tools-cli §1.7: what each may do, and what a program is told of it. */
static void test_effects(void **state G_GNUC_UNUSED)
{
    static const struct {
        const OperationDef *operation;
        const char *name;
        Effect effect;
        unsigned flags; // beyond those of every operation
        bool mutates;
    } cases[] = {
        { &operation_feedback_read, "feedback_read", EFFECT_READ, 0, false },
        { &operation_feedback_resolve, "feedback_resolve", EFFECT_READ,
          TOOL_CHANGES_RECORDS | TOOL_IDEMPOTENT, true },
        { &operation_feedback_reply, "feedback_reply", EFFECT_READ, TOOL_CHANGES_RECORDS, true },
        { &operation_feedback_reopen, "feedback_reopen", EFFECT_READ, TOOL_CHANGES_RECORDS, true },
        { &operation_feedback_accept_edit, "feedback_accept_edit", EFFECT_WRITE, TOOL_CAN_DESTROY,
          true },
        { &operation_feedback_reject_edit, "feedback_reject_edit", EFFECT_WRITE, TOOL_CAN_DESTROY,
          true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const OperationDef *operation = cases[i].operation;
        assert_string_equal(operation->tool.name, cases[i].name);
        assert_int_equal(operation->tool.effect, cases[i].effect);
        assert_int_equal(operation->tool.flags, OPERATION_FLAGS | cases[i].flags);
        assert_int_equal(operation_mutates(operation), cases[i].mutates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_moved),
        cmocka_unit_test(test_read_filters),
        cmocka_unit_test(test_read_refusals),
        cmocka_unit_test(test_missing_artifact),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_reopen),
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_accept_direct),
        cmocka_unit_test(test_accept_suggestion),
        cmocka_unit_test(test_accept_refusals),
        cmocka_unit_test(test_reject),
        cmocka_unit_test(test_effects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
