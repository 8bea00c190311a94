/* Edits: saves and suggestions, what they keep of the file, and settling them. */
#include "feedback_fixture.h"

#include "agenttools/feedback/edit_merge.h"
#include "agenttools/feedback/edits.h"
#include "base/str.h"

#include <sys/stat.h>

#define PATH "docs/design.md"
#define BASE "# Order\n\nmay run\n\n1\n2\n3\n4\n5\n6\n7\n8\n9\nend\n"
#define BOM  "\xef\xbb\xbf"

typedef struct Bench {
    FeedbackFixture *fixture;
    Db *db;
    RunArtifact *artifact;
} Bench;

static void bench_clear(Bench *self)
{
    run_artifact_free(self->artifact);
    feedback_fixture_free(self->fixture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, bench_clear)

/* The document D of the run R. */
static Bench bench_with(const char *text)
{
    Bench self = { .fixture = feedback_fixture_new() };
    self.db = self.fixture->db;
    feedback_fixture_put(self.fixture, PATH, text);
    feedback_fixture_register(self.fixture, "D", PATH, "R");
    self.artifact = feedback_fixture_artifact(self.fixture, "D");
    return self;
}

static char *sha_now(const Bench *self)
{
    g_autofree char *text = feedback_fixture_text(self->fixture, PATH);
    return content_sha256(text, strlen(text));
}

static EditDraft draft_of(const char *run_id, const char *base, const char *content)
{
    return (EditDraft) { .run_id = run_id, .author = "user", .base = base, .content = content };
}

static int64_t save(const Bench *self, const char *run_id, const char *content, int64_t now_ms)
{
    g_autofree char *base = feedback_fixture_text(self->fixture, PATH);
    const EditDraft draft = draft_of(run_id, base, content);
    g_auto(EditSaved) saved = { 0 };
    g_autoptr(GError) error = NULL;
    if (!edit_save(self->db, self->artifact, &draft, now_ms, &saved, &error))
        fail_msg("%s", error->message);
    g_autofree char *now = sha_now(self);
    assert_string_equal(saved.sha256, now);
    assert_null(saved.merged);
    return saved.edit_id;
}

static int64_t suggest(const Bench *self, const char *run_id, const char *content, int64_t now_ms)
{
    g_autofree char *base = feedback_fixture_text(self->fixture, PATH);
    const EditDraft draft = draft_of(run_id, base, content);
    g_autoptr(GError) error = NULL;
    int64_t id = -1;
    if (!edit_suggest(self->db, self->artifact, &draft, now_ms, &id, &error))
        fail_msg("%s", error->message);
    return id;
}

static json_t *list(const Bench *self, const char *run_id)
{
    json_t *edits = NULL;
    g_autoptr(GError) error = NULL;
    if (!edit_list_pending(self->db, run_id, NULL, NULL, T0 + 1000, &edits, &error))
        fail_msg("%s", error->message);
    return edits;
}

static void assert_file(const Bench *self, const char *name, const char *want)
{
    g_autofree char *text = feedback_fixture_text(self->fixture, PATH);
    assert_text(name, text, want);
}

static void assert_status(const Bench *self, int64_t id, const char *want)
{
    g_autoptr(json_t) edit = NULL;
    assert_true(edit_get(self->db, id, &edit, NULL));
    assert_text("status", json_get_text(edit, "status"), want);
}

/* `text` with `old` replaced once. */
static char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    g_autofree char *head = g_strndup(text, (size_t)(at - text));
    return g_strconcat(head, new, at + strlen(old), NULL);
}

/* The file as it is and as the page sends it, and what must be on disk then. */
static void test_save_keeps(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *content, *want;
    } cases[] = {
        { "LF", "a\nb\n", "a\nB\n", "a\nB\n" },
        { "cli-E-07 CRLF", "a\r\nb\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n" },
        { "cli-E-07 no final newline", "a\nb", "A\nb\n", "A\nb" },
        { "cli-E-07 no final newline, last line changed", "a\nb", "a\nB\n", "a\nB\n" },
        { "cli-E-07 byte-order mark", BOM "a\n", "A\n", BOM "A\n" },
        { "cli-E-07 all of them", BOM "a\r\nb", "A\nb\n", BOM "A\r\nb" },
        { "mixed", "a\r\nb\nc\r\n", "a\nb\nc\nd\n", "a\r\nb\nc\r\nd\r\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Bench) bench = bench_with(cases[i].file);
        assert_int_equal(save(&bench, "R", cases[i].content, T0), 1);
        assert_file(&bench, cases[i].name, cases[i].want);
        // and taken back, the file is what it was
        g_auto(EditOutcome) outcome = { 0 };
        assert_true(edit_reject(bench.db, bench.artifact, 1, NULL, true, T0, &outcome, NULL));
        assert_true(outcome.is_applied);
        assert_file(&bench, cases[i].name, cases[i].file);
    }
}

static void test_save_form(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *file = run_artifact_file(bench.artifact);
    assert_int_equal(chmod(file, 0640), 0);
    g_autofree char *content = replaced(BASE, "may run", "must run");
    assert_int_equal(save(&bench, "R", content, T0), 1);
    g_autoptr(json_t) edits = list(&bench, "R");
    assert_json("edit", edits,
                "[{'editId':1,'docId':'D','runId':'R','artifactPath':'" PATH "','mode':'direct',"
                "'patch':'--- a/" PATH "\\n+++ b/" PATH "\\n@@ -1,6 +1,6 @@\\n # Order\\n \\n"
                "-may run\\n+must run\\n \\n 1\\n 2\\n','status':'pending','author':'user',"
                "'createdAt':'2026-03-04T05:06:07.089Z','updatedAt':'2026-03-04T05:06:07.089Z'}]");
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    g_autofree char *sha = sha_now(&bench);
    g_autofree char *feed = feedback_fixture_feed(bench.fixture);
    g_autofree char *want =
        g_strdup_printf("artifact R D {\"docId\":\"D\",\"sha256\":\"%s\"}", sha);
    assert_text("feed", feed, want);
    assert_int_equal(feedback_fixture_count(
                         bench.fixture, "SELECT count(*) FROM feed WHERE type = 'edit' AND data ="
                                        " '{\"editId\":1,\"docId\":\"D\",\"mode\":\"direct\","
                                        "\"status\":\"pending\"}'"),
                     1);
}

static void test_folding(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    feedback_fixture_register(bench.fixture, "D", PATH, "S");
    g_autofree char *once = replaced(BASE, "may run", "must run");
    g_autofree char *twice = replaced(once, "end", "END");
    g_autofree char *thrice = replaced(twice, "# Order", "# ORDER");
    assert_int_equal(save(&bench, "R", once, T0), 1);
    assert_int_equal(save(&bench, "R", once, T0 + 1), 1); // nothing new
    assert_int_equal(feedback_fixture_count(bench.fixture, "SELECT count(*) FROM edit"), 1);
    assert_int_equal(save(&bench, "R", twice, T0 + 2), 1);
    g_autoptr(json_t) edits = list(&bench, "R");
    assert_int_equal(json_array_size(edits), 1);
    const json_t *edit = json_array_get(edits, 0);
    assert_member("the first base", edit, "patch", "-may run\n+must run\n");
    assert_member("both saves", edit, "patch", "-end\n+END\n");
    g_autoptr(json_t) of_s = list(&bench, "S");
    assert_int_equal(json_array_size(of_s), 0);
    // from the page of another run: the text is both runs' business then
    assert_int_equal(save(&bench, "S", thrice, T0 + 3), 1);
    g_autoptr(json_t) shared = list(&bench, "S");
    assert_int_equal(json_array_size(shared), 1);
    assert_true(json_is_null(json_object_get(json_array_get(shared, 0), "runId")));
    assert_int_equal(
        feedback_fixture_count(bench.fixture, "SELECT count(*) FROM edit WHERE status = 'pending'"),
        1);
}

static void assert_save_fails(const char *name, const Bench *bench, EditDraft draft,
                              AnswerCode code, const char *want)
{
    g_auto(EditSaved) saved = { 0 };
    g_autoptr(GError) error = NULL;
    bool is_saved = edit_save(bench->db, bench->artifact, &draft, T0, &saved, &error);
    assert_answer(name, is_saved, &error, code, want);
}

static void test_save_refusals(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autoptr(GError) error = NULL;
    g_autofree char *huge = g_strnfill(LIMIT_EDIT_BYTES + 1, 'x');
    int64_t id = 0;
    assert_save_fails("too long", &bench, draft_of("R", BASE, huge), ANSWER_VALIDATION,
                      "Validation failed: content is too long: 5242881 bytes (limit 5242880)");
    assert_save_fails("base too long", &bench, draft_of("R", huge, "x\n"), ANSWER_VALIDATION,
                      "Validation failed: base is too long: 5242881 bytes (limit 5242880)");
    assert_save_fails("another run", &bench, draft_of("S", BASE, "x\n"), ANSWER_INVALID_STATE,
                      "Artifact 'D' does not belong to run S");
    const EditDraft nothing = draft_of("R", BASE, BASE);
    assert_answer("suggesting nothing",
                  edit_suggest(bench.db, bench.artifact, &nothing, T0, &id, &error), &error,
                  ANSWER_VALIDATION, "Validation failed: content is what the file has already");
    assert_int_equal(save(&bench, "R", BASE, T0), 0); // saving nothing is no edit
    assert_file(&bench, "untouched", BASE);

    feedback_fixture_put(bench.fixture, PATH, "a\xff\n");
    assert_save_fails("not text", &bench, draft_of("R", "a\n", "x\n"), ANSWER_VALIDATION,
                      "Artifact file is not UTF-8 text and cannot be edited: " PATH);
    assert_int_equal(feedback_fixture_count(bench.fixture, "SELECT count(*) FROM edit"), 0);
    assert_int_equal(feedback_fixture_count(bench.fixture, "SELECT count(*) FROM feed"), 0);
}

/* cli-E-21: the agent wrote while the person edited. */
static void test_save_merges(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *mine = replaced(BASE, "may run", "must run");
    g_autofree char *elsewhere = replaced(BASE, "end", "more\nEND");
    g_autofree char *both = replaced(elsewhere, "may run", "must run");
    feedback_fixture_put(bench.fixture, PATH, elsewhere);
    const EditDraft draft = draft_of("R", BASE, mine);
    g_auto(EditSaved) saved = { 0 };
    assert_true(edit_save(bench.db, bench.artifact, &draft, T0, &saved, NULL));
    assert_file(&bench, "both changes", both);
    assert_text("merged", saved.merged, both);
    g_autofree char *sha = sha_now(&bench);
    assert_string_equal(saved.sha256, sha);
    g_autofree char *lines = line_ranges_text(saved.from_elsewhere);
    assert_text("from elsewhere", lines, "14-15");
    g_autoptr(json_t) edits = list(&bench, "R");
    assert_member("the base is what the person had", json_array_get(edits, 0), "patch",
                  "-may run\n+must run\n");
    // taken back, only the person's change goes
    g_auto(EditOutcome) outcome = { 0 };
    assert_true(edit_reject(bench.db, bench.artifact, 0, NULL, true, T0, &outcome, NULL));
    assert_file(&bench, "taken back", elsewhere);
}

static void test_save_conflicts(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *mine = replaced(BASE, "may run", "must run");
    g_autofree char *elsewhere = replaced(BASE, "may run", "can run");
    feedback_fixture_put(bench.fixture, PATH, elsewhere);
    const EditDraft draft = draft_of("R", BASE, mine);
    g_auto(EditSaved) saved = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(edit_save(bench.db, bench.artifact, &draft, T0, &saved, &error));
    assert_true(answer_error_is(error, ANSWER_CONFLICT));
    g_autofree char *sha = sha_now(&bench);
    g_autofree char *want = g_strdup_printf("{'sha256':'%s','conflicts':[[3,3]]}", sha);
    assert_json("details", answer_error_details(error), want);
    assert_file(&bench, "untouched", elsewhere);
    assert_int_equal(feedback_fixture_count(bench.fixture, "SELECT count(*) FROM edit"), 0);
}

/* cli-E-20: a suggestion keeps the text that it was made on, whatever the file is by then. */
static void test_suggest_on_old_version(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *mine = replaced(BASE, "may run", "must run");
    g_autofree char *elsewhere = replaced(BASE, "end", "END");
    g_autofree char *both = replaced(mine, "end", "END");
    feedback_fixture_put(bench.fixture, PATH, elsewhere);
    const EditDraft draft = draft_of("R", BASE, mine);
    int64_t id = 0;
    assert_true(edit_suggest(bench.db, bench.artifact, &draft, T0, &id, NULL));
    g_autoptr(json_t) edit = NULL;
    assert_true(edit_get(bench.db, id, &edit, NULL));
    assert_null(strstr(json_get_text(edit, "patch"), "END"));
    g_auto(EditOutcome) outcome = { 0 };
    assert_true(edit_accept(bench.db, bench.artifact, id, T0, &outcome, NULL));
    assert_file(&bench, "the agent's change is there", both);
}

/* The second step fails: the person is told, and nothing waits to be accepted. */
static void test_save_fails(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    const EditDraft draft = draft_of("R", BASE, "x\n");
    g_auto(EditSaved) saved = { 0 };
    g_autoptr(GError) error = NULL;
    feedback_fixture_sql(bench.fixture,
                         "CREATE TRIGGER full BEFORE INSERT ON feed WHEN new.type = 'artifact'"
                         " BEGIN SELECT raise(ABORT, 'disk full'); END");
    assert_false(edit_save(bench.db, bench.artifact, &draft, T0, &saved, &error));
    assert_contains("cause", error->message, "disk full");
    assert_file(&bench, "untouched", BASE);
    assert_int_equal(
        feedback_fixture_count(bench.fixture, "SELECT count(*) FROM edit WHERE status = 'pending'"),
        0);
}

/* As a process leaves it that is killed after the first step of a save, or before the last. */
static void test_save_killed(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file;
    } cases[] = {
        { "before the file is written", "a\nb\nc\n" },
        { "before the commit", "a\nB\nc\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Bench) bench = bench_with("a\nb\nc\n");
        suggest(&bench, "R", "a\nB\nc\n", T0);
        feedback_fixture_put(bench.fixture, PATH, cases[i].file);
        g_autoptr(json_t) edits = list(&bench, "R");
        assert_int_equal(json_array_size(edits), 1);
        assert_member(cases[i].name, json_array_get(edits, 0), "patch", "-b\n+B\n");
        g_auto(EditOutcome) outcome = { 0 };
        assert_true(edit_accept(bench.db, bench.artifact, 0, T0, &outcome, NULL));
        assert_file(&bench, cases[i].name, "a\nB\nc\n");
    }
}

static void test_accept_direct(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *content = replaced(BASE, "may run", "must run");
    save(&bench, "R", content, T0);
    g_auto(EditOutcome) outcome = { 0 };
    assert_true(edit_accept(bench.db, bench.artifact, 0, T0 + 1, &outcome, NULL));
    assert_int_equal(outcome.edit_id, 1);
    assert_string_equal(outcome.mode, "direct");
    assert_false(outcome.is_applied);
    assert_file(&bench, "as it was", content);
    assert_int_equal(feedback_fixture_count(bench.fixture, "SELECT base_content IS NULL FROM edit"),
                     1);
    g_autoptr(json_t) edits = list(&bench, "R");
    assert_int_equal(json_array_size(edits), 0);
}

/* A suggestion, and what happened to the file before it is accepted. */
static void test_accept_suggestion(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *old, *new; // what another program changed in the meantime
        const char *conflict;         // NULL: it is merged
    } cases[] = {
        { "cli-E-06 unchanged", "end", "end", NULL },
        { "cli-E-06 changed elsewhere", "end", "END", NULL },
        { "the same change", "may run", "must run", NULL },
        { "cli-E-06 changed in the same lines", "may run", "can run",
          "Edit 1 conflicts with later changes to " PATH " (lines 3)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Bench) bench = bench_with(BASE);
        g_autofree char *suggestion = replaced(BASE, "may run", "must run");
        g_autofree char *meanwhile = replaced(BASE, cases[i].old, cases[i].new);
        assert_int_equal(suggest(&bench, "R", suggestion, T0), 1);
        assert_file(&bench, cases[i].name, BASE);
        feedback_fixture_put(bench.fixture, PATH, meanwhile);
        g_auto(EditOutcome) outcome = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_good = edit_accept(bench.db, bench.artifact, 0, T0 + 1, &outcome, &error);
        if (cases[i].conflict) {
            assert_answer(cases[i].name, is_good, &error, ANSWER_CONFLICT, cases[i].conflict);
            assert_file(&bench, cases[i].name, meanwhile);
            assert_status(&bench, 1, "pending");
            continue;
        }
        if (!is_good)
            fail_msg("%s: %s", cases[i].name, error->message);
        assert_true(outcome.is_applied);
        assert_string_equal(outcome.mode, "suggested");
        g_autofree char *want = strstr(meanwhile, "may run")
                                    ? replaced(meanwhile, "may run", "must run")
                                    : g_strdup(meanwhile);
        assert_file(&bench, cases[i].name, want);
        assert_status(&bench, 1, "accepted");
    }
}

static void test_conflict_ranges(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *theirs = replaced(BASE, "7\n8\n9\n", "seven\neight\nnine\n");
    g_autofree char *suggestion = replaced(theirs, "may", "must");
    g_autofree char *ours = replaced(BASE, "7\n8\n9\n", "VII\nVIII\nIX\n");
    g_autofree char *file = replaced(ours, "may", "can");
    suggest(&bench, "R", suggestion, T0);
    feedback_fixture_put(bench.fixture, PATH, file);
    g_auto(EditOutcome) outcome = { 0 };
    g_autoptr(GError) error = NULL;
    assert_answer("two places", edit_accept(bench.db, bench.artifact, 1, T0, &outcome, &error),
                  &error, ANSWER_CONFLICT,
                  "Edit 1 conflicts with later changes to " PATH " (lines 3, 11-13)");
}

static void test_choosing(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    feedback_fixture_register(bench.fixture, "D", PATH, "S");
    feedback_fixture_put(bench.fixture, "other.md", "x\n");
    feedback_fixture_register(bench.fixture, "E", "other.md", "R");
    g_autoptr(RunArtifact) other = feedback_fixture_artifact(bench.fixture, "E");
    g_autoptr(GError) error = NULL;
    Db *db = bench.db;
    int64_t id = 0;
    g_auto(EditOutcome) outcome = { 0 };
    assert_answer("none", edit_choose(db, bench.artifact, NULL, 0, &id, &error), &error,
                  ANSWER_NOT_FOUND, "Artifact 'D' has no pending edit");
    suggest(&bench, "R", "first\n", T0);
    suggest(&bench, "S", "second\n", T0 + 1);
    assert_answer("several", edit_choose(db, bench.artifact, NULL, 0, &id, &error), &error,
                  ANSWER_INVALID_STATE, "Artifact 'D' has 2 pending edits; pass --edit-id (1, 2)");
    assert_true(edit_choose(db, bench.artifact, "S", 0, &id, NULL));
    assert_int_equal(id, 2);
    assert_answer("of another run", edit_choose(db, bench.artifact, "S", 1, &id, &error), &error,
                  ANSWER_INVALID_STATE, "Edit 1 does not belong to run S");
    assert_answer("of another artifact", edit_choose(db, other, "R", 1, &id, &error), &error,
                  ANSWER_INVALID_STATE, "Edit 1 does not belong to artifact 'E'");
    assert_answer("unknown", edit_choose(db, bench.artifact, NULL, 9, &id, &error), &error,
                  ANSWER_NOT_FOUND, "Edit 9 not found");
    assert_true(edit_accept(db, bench.artifact, 1, T0, &outcome, NULL));
    assert_file(&bench, "applied", "first\n");
    assert_answer("accepted already", edit_accept(db, bench.artifact, 1, T0, &outcome, &error),
                  &error, ANSWER_INVALID_STATE, "Edit 1 is accepted already");
}

static void test_reject(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_auto(EditOutcome) outcome = { 0 };
    suggest(&bench, "R", "suggestion\n", T0);
    assert_true(edit_reject(bench.db, bench.artifact, 1, "no", true, T0, &outcome, NULL));
    assert_false(outcome.is_applied);
    assert_status(&bench, 1, "rejected");
    assert_int_equal(feedback_fixture_count(bench.fixture,
                                            "SELECT count(*) FROM edit WHERE reason = 'no' AND"
                                            " new_content = 'suggestion' || char(10)"),
                     1);
    edit_outcome_clear(&outcome);
    g_autofree char *content = replaced(BASE, "may", "must");
    save(&bench, "R", content, T0);
    assert_true(edit_reject(bench.db, bench.artifact, 0, NULL, false, T0, &outcome, NULL));
    assert_false(outcome.is_applied);
    assert_file(&bench, "only marked", content);
    assert_status(&bench, 2, "rejected");
}

/* Taking a direct edit back leaves what others did since. */
static void test_restore(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *content = replaced(BASE, "may run", "must run");
    save(&bench, "R", content, T0);
    g_autofree char *later = replaced(content, "end", "END");
    feedback_fixture_put(bench.fixture, PATH, later);
    g_auto(EditOutcome) outcome = { 0 };
    assert_true(edit_reject(bench.db, bench.artifact, 0, NULL, true, T0, &outcome, NULL));
    assert_true(outcome.is_applied);
    g_autofree char *want = replaced(BASE, "end", "END");
    assert_file(&bench, "merged", want);

    save(&bench, "R", content, T0);
    feedback_fixture_put(bench.fixture, PATH, "other\n");
    g_autoptr(GError) error = NULL;
    bool is_good = edit_reject(bench.db, bench.artifact, 0, NULL, true, T0, &outcome, &error);
    assert_false(is_good);
    assert_true(answer_error_is(error, ANSWER_CONFLICT));
    assert_file(&bench, "not touched", "other\n");
}

static void test_withdraw(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autoptr(GError) error = NULL;
    suggest(&bench, "R", "suggestion\n", T0);
    assert_true(edit_withdraw(bench.db, 1, T0, NULL));
    assert_status(&bench, 1, "rejected");
    assert_answer("again", edit_withdraw(bench.db, 1, T0, &error), &error, ANSWER_INVALID_STATE,
                  "Edit 1 is rejected already");
    save(&bench, "R", "saved\n", T0);
    assert_answer("a direct one", edit_withdraw(bench.db, 2, T0, &error), &error,
                  ANSWER_INVALID_STATE,
                  "Edit 2 is in the file already; only a suggestion can be withdrawn");
    assert_answer("unknown", edit_withdraw(bench.db, 9, T0, &error), &error, ANSWER_NOT_FOUND,
                  "Edit 9 not found");
}

/* An edit that makes no difference any more is accepted, and the person's text is kept. */
static void test_empty_patch(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    save(&bench, "R", "mine\n", T0);
    feedback_fixture_put(bench.fixture, PATH, BASE);
    g_autoptr(json_t) edits = list(&bench, "R");
    assert_int_equal(json_array_size(edits), 0);
    assert_status(&bench, 1, "accepted");
    assert_int_equal(
        feedback_fixture_count(bench.fixture, "SELECT new_content = 'mine' || char(10) FROM edit"),
        1);
}

static void test_file_gone(void **state G_GNUC_UNUSED)
{
    g_auto(Bench) bench = bench_with(BASE);
    g_autofree char *content = replaced(BASE, "may run", "must run");
    save(&bench, "R", content, T0);
    g_autofree char *file = run_artifact_file(bench.artifact);
    assert_int_equal(unlink(file), 0);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) edits = NULL;
    assert_true(edit_list_pending(bench.db, "R", "D", warnings, T0, &edits, NULL));
    const json_t *edit = json_array_get(edits, 0);
    assert_true(json_get_bool(edit, "artifactMissing", false));
    assert_member("what was saved", edit, "patch", "-may run\n+must run\n");
    assert_int_equal(warnings->len, 1);
    assert_string_equal(warnings->pdata[0], "Artifact file is missing: " PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save_keeps),
        cmocka_unit_test(test_save_form),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_save_refusals),
        cmocka_unit_test(test_save_merges),
        cmocka_unit_test(test_save_conflicts),
        cmocka_unit_test(test_suggest_on_old_version),
        cmocka_unit_test(test_save_fails),
        cmocka_unit_test(test_save_killed),
        cmocka_unit_test(test_accept_direct),
        cmocka_unit_test(test_accept_suggestion),
        cmocka_unit_test(test_conflict_ranges),
        cmocka_unit_test(test_choosing),
        cmocka_unit_test(test_reject),
        cmocka_unit_test(test_restore),
        cmocka_unit_test(test_withdraw),
        cmocka_unit_test(test_empty_patch),
        cmocka_unit_test(test_file_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
