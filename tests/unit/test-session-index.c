/*
 * The index of sessions: lists, search, and what is true after files changed (agent-core §4.9).
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/worker.h"
#include "session/session_check.h"
#include "session/session_index.h"
#include "session/session_read.h"
#include "session/session_remove.h"
#include "session/store.h"

#include <glib/gstdio.h>
#include <utime.h>

typedef struct Fixture {
    char *root, *dir;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-index-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "sessions", "-w", NULL);
    assert_true(file_make_dirs(self->dir, 0700, NULL));
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    assert_true(file_remove_tree(self->root, NULL));
    g_free(self->root);
    g_free(self->dir);
    g_free(self);
    return 0;
}

#define HEADER(id, cwd)                                                                            \
    "{\"type\":\"session\",\"version\":3,\"id\":\"" id "\",\"timestamp\":\"2026-03-04T05:06:07."   \
    "089Z\",\"cwd\":\"" cwd "\"}\n"
#define SAYS(id, role, text)                                                                       \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":null,\"timestamp\":\"2026-03-04T05:06:"  \
    "08.000Z\",\"message\":{\"role\":\"" role                                                      \
    "\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"

/* `minute` orders the files. Caller frees the path. */
static char *put_path(const Fixture *self, const char *name, const char *text, int minute)
{
    char *path = g_build_filename(self->dir, name, NULL);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    const struct utimbuf times = { .actime = 0, .modtime = 1700000000 + minute * 60 };
    assert_int_equal(utime(path, &times), 0);
    return path;
}

static void put(const Fixture *self, const char *name, const char *text, int minute)
{
    g_free(put_path(self, name, text, minute));
}

static void append(const char *path, const char *text)
{
    FILE *file = g_fopen(path, "a");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static SessionIndex *open_index(const Fixture *self)
{
    SessionIndex *index = NULL;
    g_autoptr(GError) error = NULL;
    if (!session_index_open(self->root, NULL, NULL, NULL, NULL, &index, &error))
        fail_msg("%s", error->message);
    return index;
}

/* "id:messages id:messages", the newest first. Caller frees. */
static char *listed(const Fixture *self, const char *cwd, int64_t limit)
{
    g_autoptr(SessionIndex) index = open_index(self);
    g_autoptr(json_t) sessions = NULL;
    assert_true(session_index_list(index, cwd, limit, &sessions, NULL));
    g_autoptr(GString) out = g_string_new(NULL);
    size_t i;
    const json_t *each;
    json_array_foreach (sessions, i, each)
        g_string_append_printf(out, "%s%s:%d", i > 0 ? " " : "", json_get_text(each, "id"),
                               (int)json_get_int(each, "messageCount", -1));
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static void expect_list(const Fixture *self, const char *cwd, int64_t limit, const char *want)
{
    g_autofree char *got = listed(self, cwd, limit);
    assert_string_equal(got, want);
}

/* The entry ids that a search gives. */
static void expect_found(const Fixture *self, const char *query, const char *cwd, const char *want)
{
    g_autoptr(SessionIndex) index = open_index(self);
    g_autoptr(json_t) hits = NULL;
    g_autoptr(GError) error = NULL;
    if (!session_index_search(index, query, cwd, 10, &hits, &error))
        fail_msg("%s: %s", query, error->message);
    g_autoptr(GString) out = g_string_new(NULL);
    size_t i;
    const json_t *hit;
    json_array_foreach (hits, i, hit)
        g_string_append_printf(out, "%s%s", i > 0 ? " " : "", json_get_text(hit, "entryId"));
    if (strcmp(out->str, want) != 0)
        fail_msg("%s: got %s, want %s", query, out->str, want);
}

static void test_list(void **state)
{
    Fixture *self = *state;
    expect_list(self, NULL, 10, "");
    g_autofree char *a = put_path(self, "a.jsonl", HEADER("a", "/w") SAYS("1", "user", "one"), 1);
    g_autofree char *b = put_path(self, "b.jsonl",
                                  HEADER("b", "/other") SAYS("1", "user", "x")
                                      SAYS("2", "toolResult", "secret") SAYS("3", "assistant", "y"),
                                  2);
    put(self, "no.jsonl", "{\"type\":\"message\"}\n" HEADER("z", "/w"), 3);
    put(self, "bad.jsonl", "garbage\n", 4);
    g_autofree char *torn =
        put_path(self, "torn.jsonl", HEADER("t", "/w") "gar\n{\"type\":\"mess", 5);
    expect_list(self, NULL, 10, "t:0 b:3 a:1");
    expect_list(self, NULL, 1, "t:0");
    expect_list(self, "/w", 10, "t:0 a:1");

    append(a, SAYS("2", "assistant", "two") SAYS("3", "user", "three"));
    append(torn, "age\",\"id\":\"9\",\"message\":{\"role\":\"user\",\"content\":\"late\"}}\n");
    expect_list(self, "/w", 10, "t:1 a:3");
    expect_found(self, "late", NULL, "9");

    // rewritten as a whole: not what was added, what is there
    put(self, "a.jsonl", HEADER("a", "/w") SAYS("7", "user", "new"), 9);
    assert_int_equal(g_unlink(b), 0);
    expect_list(self, NULL, 10, "t:1 a:1");
    expect_found(self, "three", NULL, "");
    expect_found(self, "new", NULL, "7");
}

/* In place: the file keeps its inode. */
static void write_over(const char *path, const char *text)
{
    FILE *file = g_fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void test_written_over_in_place(void **state)
{
    Fixture *self = *state;
    g_autofree char *a = put_path(self, "a.jsonl", HEADER("a", "/w") SAYS("1", "user", "one"), 1);
    expect_list(self, NULL, 10, "a:1");
    // another session, longer than what was there
    write_over(a, HEADER("b", "/w") SAYS("2", "user", "two") SAYS("3", "user", "three"));
    expect_list(self, NULL, 10, "b:2");
    expect_found(self, "one", NULL, "");
    expect_found(self, "two", NULL, "2");
    // the same session, with other lines
    write_over(a, HEADER("b", "/w") SAYS("4", "user", "four and some more words")
                      SAYS("5", "user", "five and some more words, too"));
    expect_list(self, NULL, 10, "b:2");
    expect_found(self, "two", NULL, "");
    expect_found(self, "four", NULL, "4");
    append(a, SAYS("6", "user", "six"));
    expect_list(self, NULL, 10, "b:3");
}

static void test_search(void **state)
{
    Fixture *self = *state;
    put(self, "a.jsonl",
        HEADER("a", "/w") SAYS("1", "user", "Fix the Parser of tidepool")
            SAYS("2", "toolResult", "a parser in a result")
                SAYS("3", "assistant", "No lexer; 50%_"),
        1);
    put(self, "b.jsonl",
        HEADER("b", "/x") SAYS("8", "user", "pars\xc3\xa9 \xe6\xb8\xaf\xe5\x8f\xa3"), 2);
    static const struct {
        const char *query, *cwd, *want;
    } cases[] = {
        { "parser", NULL, "1" },
        { "PARS tide", NULL, "1" },
        { "parser lexer", NULL, "" }, // not in one message
        { "tidepool", "/x", "" },
        { "tidepool", "/w", "1" },
        { "depoo", NULL, "1" }, // inside of a word
        { "\xe5\x8f\xa3", NULL, "8" },
        { "\"a OR b* NEAR(", NULL, "" },
        { "%", NULL, "" },
        { "50%_", NULL, "3" },
        { "", NULL, "" },
        { "' ; DROP TABLE session", NULL, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_found(self, cases[i].query, cases[i].cwd, cases[i].want);
}

#define CALLS(id, name, arguments)                                                                 \
    "{\"type\":\"message\",\"id\":\"" id "\",\"message\":{\"role\":\"assistant\",\"content\":[{"   \
    "\"type\":\"toolCall\",\"id\":\"" id "\",\"name\":\"" name "\",\"arguments\":" arguments       \
    "}]}}\n"
#define GIVES(id, failed, text)                                                                    \
    "{\"type\":\"message\",\"id\":\"r" id                                                          \
    "\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"" id "\",\"isError\":" failed        \
    ",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"
#define URL "https://github.com/harbor/tidepool/pull/"

/* The ids of the sessions here that opened it, joined. Caller frees. */
static char *opened(const Fixture *self, const char *name)
{
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) sessions = NULL;
    g_auto(PullRef) pull = { 0 };
    assert_true(pull_ref_parse(name, &pull));
    assert_true(session_index_open(self->root, NULL, NULL, NULL, NULL, &index, NULL));
    assert_true(session_index_opened(index, &pull, "/w", &sessions, NULL));
    GString *ids = g_string_new(NULL);
    size_t i = 0;
    json_t *session = NULL;
    json_array_foreach (sessions, i, session)
        g_string_append(ids, json_get_text(session, "id"));
    return g_string_free(ids, FALSE);
}

static void test_opened_pulls(void **state)
{
    const Fixture *self = *state;
    static const struct {
        const char *call, *result;
        bool is_found;
    } cases[] = {
        { CALLS("c", "github", "{\"op\":\"pr_create\"}"),
          GIVES("c", "false", "# Created Pull Request #9: x\\n\\nURL: " URL "9\\nState: OPEN"),
          true },
        { CALLS("c", "gh", "{\"args\":[\"pr\",\"create\",\"--fill\"]}"),
          GIVES("c", "false", "gh pr create\\n" URL "9"), true },
        { CALLS("c", "bash", "{\"command\":\"git push && gh -R harbor/tidepool pr create -f\"}"),
          GIVES("c", "false", "remote: hm\\n " URL "9 \\nend"), true },
        { CALLS("c", "bash", "{\"command\":\"gh pr create -f\"}"),
          GIVES("c", "true", "there is one already:\\n" URL "9"), false },
        { CALLS("c", "bash", "{\"command\":\"gh pr view 9; echo create\"}"),
          GIVES("c", "false", URL "9"), false },
        { CALLS("c", "gh", "{\"args\":[\"pr\",\"view\",\"create\"]}"), GIVES("c", "false", URL "9"),
          false },
        { CALLS("c", "github", "{\"op\":\"pr_push\"}"), GIVES("c", "false", URL "9"), false },
        { CALLS("c", "bash", "{\"command\":\"gh pr create\"}"),
          GIVES("c", "false", "see " URL "9 for more"), false },
        { CALLS("c", "bash", "{\"command\":\"gh pr create\"}"), GIVES("d", "false", URL "9"),
          false },
        { "{\"type\":\"message\",\"id\":\"e\",\"message\":{\"role\":\"bashExecution\",\"command\":"
          "\"gh pr "
          "create\",\"output\":\"" URL "9\\n\"}}\n",
          "", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *whole = g_strconcat(HEADER("u1", "/w"), cases[i].call, NULL);
        g_autofree char *path = put_path(self, "a.jsonl", whole, (int)i);
        g_autofree char *before = opened(self, "9"); // the call alone is read, then its result
        append(path, cases[i].result);
        g_autofree char *after = opened(self, "harbor/Tidepool#9");
        assert_string_equal(before, *cases[i].result ? "" : "u1");
        if (g_str_equal(after, "u1") != cases[i].is_found)
            fail_msg("case %zu: found %s", i, after);
        g_autofree char *other = opened(self, "harbor/other#9");
        assert_string_equal(other, "");
    }
}

static void test_commands_that_open(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command;
        bool opens;
    } cases[] = {
        { "gh pr create", true },
        { "gh pr new --fill", true },
        { "gh  pr \t create", true },
        { "git push && gh -R harbor/tidepool pr create -f", true },
        { "cat >body <<E\nx\nE\ngh pr create -F body", true },
        { "url=$(gh pr create --fill)", true },
        { "/usr/bin/gh pr create|tee log", true },
        { "GH_REPO='a/b' \"gh\" pr create", true },
        { "echo pr; gh pr view 9 || gh pr create", true },
        { "kedge github pr_create title=x", true },
        { "true && kedge github pr-create", true },
        { "", false },
        { "gh", false },
        { "pr create", false },
        { "gh pr view 9; echo create", false },
        { "gh pr view create", false },
        { "gh issue create", false },
        { "gh repo view; pr create", false },
        { "gh repo view\npr create", false },
        { "gh pr | create", false },
        { "gh pr\ncreate", false },
        { "gh pr --create", false },
        { "gh pr created", false },
        { "high pr create", false },
        { "gh_x pr create", false },
        { "gh xpr create", false },
        { "kedge github pr_created", false },
        { "kedge github pr_push", false },
        { "kedge -v github pr_create", false },
        { "kedge github; pr_create", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (opened_pull_is_command(cases[i].command) != cases[i].opens)
            fail_msg("%s", cases[i].command);
    }
}

/* Words that nearly are one, as many as are looked at. */
static void test_commands_of_any_length(void **state G_GNUC_UNUSED)
{
    static const char *const words[] = { "gh ", "gh pr ", "kedge github ", "pr", " ", "gh|" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autoptr(GString) command = g_string_new("true ");
        while (command->len < PULL_COMMAND_MAX_BYTES - 100)
            g_string_append(command, words[i]);
        assert_false(opened_pull_is_command(command->str));
        g_autofree char *opens = g_strconcat(command->str, "\ngh pr create", NULL);
        assert_true(opened_pull_is_command(opens));
        while (command->len < PULL_COMMAND_MAX_BYTES)
            g_string_append(command, words[i]);
        g_string_append(command, "\ngh pr create");
        assert_false(opened_pull_is_command(command->str));
    }
}

static void test_index_is_rebuilt(void **state)
{
    Fixture *self = *state;
    put(self, "a.jsonl", HEADER("a", "/w") SAYS("1", "user", "one"), 1);
    g_autofree char *db = g_build_filename(self->root, "sessions.db", NULL);
    expect_list(self, NULL, 10, "a:1");
    assert_int_equal(g_unlink(db), 0);
    expect_list(self, NULL, 10, "a:1");
    assert_true(
        file_write_atomic(db, "no database at all, but long enough to look at it", 49, 0600, NULL));
    expect_list(self, NULL, 10, "a:1");
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "{\"title\":\"T\",\"firstMessage\":\"f\"}", "T" },
        { "{\"title\":\"\",\"firstMessage\":\"first\\nsecond\"}", "first" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) session = NULL;
        assert_true(json_parse_text(cases[i].json, &session, NULL));
        g_autofree char *name = session_info_name(session);
        assert_string_equal(name, cases[i].want);
    }
    g_autoptr(json_t) empty = json_object();
    g_autofree char *name = session_info_name(empty);
    assert_true(str_has_prefix(name, "Untitled · "));
}

#define BLOB "blob:sha256:0000000000000000000000000000000000000000000000000000000000000000"
#define TEXT_BLOB                                                                                  \
    "{\"type\":\"message\",\"id\":\"1\",\"parentId\":null,\"timestamp\":\"2026-03-04T05:06:08."    \
    "000Z\","                                                                                      \
    "\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\",\"textBlob\":"   \
    "\"" BLOB "\"}]}}\n"

static void test_check(void **state)
{
    Fixture *self = *state;
    static const struct {
        const char *text;
        SessionHealth want;
        const char *problem;
    } cases[] = {
        { HEADER("a", "/w") SAYS("1", "user", "x"), SESSION_CLEAN, NULL },
        { "", SESSION_NOT_USABLE, "Not a session file" },
        { "[1]\n", SESSION_NOT_USABLE, "line 1: no JSON object" },
        { HEADER("a", "/w") "{\"type\":\"mess", SESSION_REPAIRED, "a write was cut" },
        { HEADER("a", "/w") "gar\n" SAYS("1", "user", "x"), SESSION_REPAIRED,
          "line 2: no JSON object, left out" },
        { HEADER("a", "/w") SAYS("1", "user", "x") SAYS("1", "user", "x"), SESSION_REPAIRED,
          "line 3: the id 1 is that of line 2, too" },
        { HEADER("a", "/w") "{\"type\":\"x\",\"id\":\"1\",\"parentId\":\"9\"}\n", SESSION_REPAIRED,
          "line 2: the parent 9 of 1 is not there" },
        { HEADER("a", "/w") "{\"type\":\"x\",\"id\":\"1\",\"parentId\":\"1\"}\n", SESSION_REPAIRED,
          "its own parent" },
        { HEADER("a", "/w") "{\"type\":\"x\",\"id\":\"1\",\"parentId\":\"2\"}\n"
                            "{\"type\":\"x\",\"id\":\"2\",\"parentId\":\"1\"}\n",
          SESSION_REPAIRED, "its own ancestor" },
        { HEADER("a", "/w") "{\"type\":\"message\",\"id\":\"1\",\"parentId\":null,\"message\":{"
                            "\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":"
                            "\"c1\",\"name\":\"read\"}]}}\n",
          SESSION_REPAIRED, "the call c1 has no result" },
        { "{\"type\":\"session\",\"version\":9,\"id\":\"a\"}\n", SESSION_REPAIRED,
          "version 9 is newer" },
        { HEADER("c", "/w") TEXT_BLOB, SESSION_REPAIRED, "entry 1: the long text blob:sha256:00" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = put_path(self, "c.jsonl", cases[i].text, 1);
        g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
        SessionHealth health = session_check(path, problems);
        g_ptr_array_add(problems, NULL);
        g_autofree char *all = g_strjoinv("\n", (char **)problems->pdata);
        if (health != cases[i].want || (cases[i].problem && !strstr(all, cases[i].problem)) ||
            (!cases[i].problem && *all))
            fail_msg("case %zu: %d\n%s", i, health, all);
    }
}

static void test_remove(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = put_path(self, "a.jsonl", HEADER("a", "/w"), 1);
    g_autofree char *artifacts = g_build_filename(self->dir, "a", "deep", NULL);
    assert_true(file_make_dirs(artifacts, 0700, NULL));
    g_autofree char *other = put_path(self, "x.jsonl", "no session\n", 1);
    assert_false(session_remove(other, NULL));
    assert_true(file_exists(other));
    assert_true(session_remove(path, NULL));
    g_autofree char *dir = g_build_filename(self->dir, "a", NULL);
    assert_false(file_exists(path) || file_exists(dir));
}

typedef struct Opener {
    const Fixture *fixture;
    GError *error;
} Opener;

static void open_and_close(void *opener_)
{
    Opener *opener = opener_;
    SessionIndex *index = NULL;
    if (session_index_open(opener->fixture->root, NULL, NULL, NULL, NULL, &index, &opener->error))
        session_index_close(index);
}

/* The welcome and a list, two kedges: each finds the same new files, and each file is taken once.
 */
static void test_several_at_once(void **state)
{
    enum { FILES = 60, OPENERS = 4 };
    const Fixture *self = *state;
    Opener openers[OPENERS] = { 0 };
    Worker *workers[OPENERS];
    for (int i = 0; i < FILES; i++) {
        g_autofree char *name = g_strdup_printf("2026-03-04T05-06-07-%03dZ_s%d.jsonl", i, i);
        put(self, name, HEADER("s", "/w") SAYS("m1", "user", "hello"), i);
    }
    for (int i = 0; i < OPENERS; i++) {
        openers[i].fixture = self;
        workers[i] = worker_start("opener", open_and_close, &openers[i]);
        assert_non_null(workers[i]);
    }
    for (int i = 0; i < OPENERS; i++) {
        worker_join(workers[i]);
        if (openers[i].error)
            fail_msg("%s", openers[i].error->message);
    }
    g_autoptr(SessionIndex) index = open_index(self);
    g_autoptr(json_t) sessions = NULL;
    assert_true(session_index_list(index, NULL, 1000, &sessions, NULL));
    assert_int_equal(json_array_size(sessions), FILES);
    size_t i = 0;
    json_t *session = NULL;
    json_array_foreach (sessions, i, session)
        assert_int_equal(json_get_int(session, "messageCount", 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_written_over_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_search, setup, teardown),
        cmocka_unit_test_setup_teardown(test_opened_pulls, setup, teardown),
        cmocka_unit_test(test_commands_that_open),
        cmocka_unit_test(test_commands_of_any_length),
        cmocka_unit_test_setup_teardown(test_index_is_rebuilt, setup, teardown),
        cmocka_unit_test(test_names),
        cmocka_unit_test_setup_teardown(test_check, setup, teardown),
        cmocka_unit_test_setup_teardown(test_remove, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several_at_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
