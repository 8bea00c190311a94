/*
 * Sessions: what is written when, locks, forks, full disks, killed processes.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "session/session.h"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program; // this test, started again as the one that is killed

typedef struct Fixture {
    char *root, *dir, *agent_dir;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-session-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "sessions", NULL);
    self->agent_dir = g_build_filename(self->root, "agent", NULL);
    g_setenv("KEDGE_AGENT_DIR", self->agent_dir, TRUE);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->agent_dir);
    g_free(self->dir);
    g_free(self->root);
    g_free(self);
    return 0;
}

static void append(Session *session, const char *role, const char *text)
{
    g_autoptr(json_t) message = json_object();
    json_set_text(message, "role", role);
    json_set_text(message, "content", text);
    session_append_message(session, message);
}

static char *read_text(const char *path)
{
    char *text = NULL;
    assert_true(file_read(path, 100 * 1000 * 1000, &text, NULL, NULL));
    return text;
}

/* Every line parses, the first is a version 3 header, ids are new and parents chain. */
static size_t check_file(const char *path)
{
    g_autofree char *text = read_text(path);
    assert_true(g_str_has_suffix(text, "\n"));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *parent = NULL;
    size_t count = 0;
    for (size_t i = 0; *lines[i]; i++) {
        g_autoptr(json_t) value = NULL;
        if (!json_parse_text(lines[i], &value, NULL))
            fail_msg("line %zu does not parse: %.80s", i, lines[i]);
        const char *id = json_get_text(value, "id");
        if (i == 0) {
            assert_string_equal(json_get_text(value, "type"), "session");
            assert_int_equal(json_get_int(value, "version", 0), 3);
            assert_int_equal(strlen(id), 36);
            assert_int_equal(id[14], '7');
            continue;
        }
        assert_int_equal(strspn(id, "0123456789abcdef"), 8);
        const char *parent_id = json_get_text(value, "parentId");
        assert_true(g_strcmp0(parent_id, parent) == 0);
        g_free(parent);
        parent = g_strdup(id);
        count++;
    }
    return count;
}

static void assert_texts(Session *session, const char *want)
{
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    g_autoptr(GString) got = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (context.messages, i, message) {
        g_string_append_printf(got, "%s%s", i ? " " : "", json_get_text(message, "content"));
    }
    assert_string_equal(got->str, want);
}

/* core-59: a model and a level that were chosen are not worth a file; what a person asked is. */
static void test_is_written_from_the_first_prompt_on(void **state)
{
    Fixture *self = *state;
    g_autoptr(Session) session = session_new(self->dir, "/w");
    session_append_model_change(session, "p/m", "default");
    assert_true(session_flush(session, NULL));
    assert_false(file_exists(self->dir));
    append(session, "user", "hi");
    assert_int_equal(check_file(session_path(session)), 2);
}

/* core-60 */
static void test_format(void **state)
{
    Fixture *self = *state;
    g_autoptr(Session) session = session_new(self->dir, "/w");
    session_append_thinking_level(session, "high");
    session_append_model_change(session, "p/m", "default");
    append(session, "user", "hi");
    append(session, "assistant", "hello");
    append(session, "user", "again");
    // written as they come, not only by a flush
    assert_int_equal(check_file(session_path(session)), 5);

    const json_t *header = session_header(session);
    assert_string_equal(json_get_text(header, "cwd"), "/w");
    g_autofree char *stamp = g_strdup(json_get_text(header, "timestamp"));
    g_strdelimit(stamp, ":.", '-');
    g_autofree char *want =
        g_strdup_printf("%s/%s_%s.jsonl", self->dir, stamp, session_id(session));
    assert_string_equal(session_path(session), want);
    g_autofree char *artifacts = session_artifacts_dir(session);
    assert_int_equal(strlen(artifacts) + 6, strlen(want));
    struct stat info;
    assert_int_equal(stat(want, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void test_in_memory(void **state G_GNUC_UNUSED)
{
    g_autoptr(Session) session = session_new(NULL, "/w");
    append(session, "user", "hi");
    append(session, "assistant", "hello");
    assert_true(session_flush(session, NULL));
    assert_null(session_path(session));
    assert_null(session_artifacts_dir(session));
    assert_texts(session, "hi hello");
}

static char *make_session(Fixture *self)
{
    g_autoptr(Session) session = session_new(self->dir, "/w");
    append(session, "user", "a");
    append(session, "assistant", "b");
    return g_strdup(session_path(session));
}

static void test_resume(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = make_session(self);
    g_autoptr(Session) session = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(path, "/elsewhere", &session, &notice, NULL));
    assert_null(notice);
    assert_string_equal(session_path(session), path);
    assert_string_equal(session_cwd(session), "/w");
    append(session, "user", "c");
    assert_int_equal(check_file(path), 3);
    assert_texts(session, "a b c");
}

/* core-63 */
static void test_torn_last_line(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = make_session(self);
    g_autofree char *text = read_text(path);
    g_autofree char *torn = g_strconcat(text, "{\"type\":\"message\",\"id\":\"0000", NULL);
    assert_true(file_write_atomic(path, torn, strlen(torn), 0600, NULL));

    Session *session = NULL;
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    append(session, "user", "c");
    append(session, "assistant", "d");
    session_free(session);

    g_autofree char *after = read_text(path);
    assert_true(str_has_prefix(after, torn));
    assert_true(str_has_prefix(after + strlen(torn), "\n{\"type\":\"message\""));
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    assert_texts(session, "a b c d");
    session_free(session);
}

static void test_second_opener_forks(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = make_session(self);
    g_autofree char *side = g_strndup(path, strlen(path) - strlen(".jsonl"));
    assert_true(file_make_dirs(side, 0700, NULL));
    g_autofree char *log = g_build_filename(side, "0.bash.log", NULL);
    assert_true(file_write_atomic(log, "out", 3, 0600, NULL));

    g_autoptr(Session) first = NULL;
    g_autoptr(Session) second = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(path, "/w", &first, NULL, NULL));
    assert_true(session_open(path, "/w", &second, &notice, NULL));
    assert_non_null(strstr(notice, "another process"));
    assert_string_not_equal(session_path(second), path);
    assert_false(file_exists(session_path(second))); // nobody went on with it yet

    append(second, "user", "second");
    append(first, "user", "first");
    assert_int_equal(check_file(path), 3);
    assert_int_equal(check_file(session_path(second)), 3);
    assert_texts(second, "a b second");
    assert_string_equal(json_get_text(session_header(second), "parentSession"), session_id(first));
    g_autofree char *copied_side = session_artifacts_dir(second);
    g_autofree char *copied = g_build_filename(copied_side, "0.bash.log", NULL);
    g_autofree char *copied_text = read_text(copied);
    assert_string_equal(copied_text, "out");
}

static void test_new_session_holds_its_lock(void **state)
{
    Fixture *self = *state;
    g_autoptr(Session) first = session_new(self->dir, "/w");
    append(first, "assistant", "a");
    g_autoptr(Session) second = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(session_path(first), "/w", &second, &notice, NULL));
    assert_non_null(notice);
}

static void test_fork(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = make_session(self);
    g_autofree char *dir = g_build_filename(self->root, "other", NULL);
    g_autoptr(Session) fork = NULL;
    assert_true(session_fork(path, dir, "/x", &fork, NULL));
    assert_true(str_has_prefix(session_path(fork), dir));
    assert_int_equal(check_file(session_path(fork)), 2);
    assert_string_equal(session_cwd(fork), "/x");
    assert_texts(fork, "a b");

    g_autoptr(Session) none = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(session_fork("/nonexistent/s.jsonl", dir, "/x", &none, &error));
    assert_int_equal(error->code, KEDGE_ERROR_NOT_FOUND);
}

/* core-65 */
static void test_file_without_header(void **state)
{
    Fixture *self = *state;
    assert_true(file_make_dirs(self->dir, 0700, NULL));
    g_autofree char *path = g_build_filename(self->dir, "notes.jsonl", NULL);
    static const char *const texts[] = { "my notes\n", "", "{\"type\":\"message\"}\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        assert_true(file_write_atomic(path, texts[i], strlen(texts[i]), 0600, NULL));
        g_autoptr(Session) session = NULL;
        g_autoptr(GError) error = NULL, fork_error = NULL;
        assert_false(session_open(path, "/w", &session, NULL, &error));
        assert_false(session_fork(path, self->dir, "/w", &session, &fork_error));
        g_autofree char *want = g_strdup_printf("Not a session file: %s", path);
        assert_string_equal(error->message, want);
        assert_string_equal(fork_error->message, want);
        g_autofree char *kept = read_text(path);
        assert_string_equal(kept, texts[i]);
    }
}

static void test_missing_file(void **state)
{
    Fixture *self = *state;
    assert_true(file_make_dirs(self->dir, 0700, NULL));
    g_autofree char *missing = g_build_filename(self->dir, "deep", "missing.jsonl", NULL);
    g_autoptr(Session) session = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(missing, "/w", &session, &notice, NULL));
    assert_null(notice);
    append(session, "assistant", "hello");
    assert_int_equal(check_file(missing), 1);
    g_autoptr(Session) none = NULL;
    assert_false(session_open(self->dir, "/w", &none, NULL, NULL)); // a directory
}

static void test_long_strings_are_cut(void **state)
{
    Fixture *self = *state;
    g_autofree char *text = g_strnfill(600000, 'x');
    g_autofree char *umlauts = g_malloc0(2 * 400000 + 1); // 800,000 bytes, but 400,000 characters
    for (size_t i = 0; i < 400000; i++)
        memcpy(umlauts + 2 * i, "\xc3\xa4", 2);

    g_autoptr(Session) session = session_new(self->dir, "/w");
    g_autoptr(json_t) message = json_object();
    json_set_text(message, "role", "assistant");
    json_set_text(message, "content", text);
    json_set_text(message, "kept", umlauts);
    json_set_text(message, "thinkingSignature", text);
    json_set_text(message, "partialJson", "{");
    session_append_message(session, message);
    assert_texts(session, text); // memory has it whole

    g_autofree char *file = read_text(session_path(session));
    g_auto(GStrv) lines = g_strsplit(file, "\n", -1);
    g_autoptr(json_t) entry = NULL;
    assert_true(json_parse_text(lines[1], &entry, NULL));
    const json_t *stored = json_get_object(entry, "message");
    const char *content = json_get_text(stored, "content");
    assert_int_equal(strlen(content), 500000);
    assert_true(g_str_has_suffix(content, "x\n\n[Session persistence truncated large content]"));
    assert_string_equal(json_get_text(stored, "kept"), umlauts);
    assert_string_equal(json_get_text(stored, "thinkingSignature"), "");
    assert_null(json_object_get(stored, "partialJson"));
}

/* Arguments as deep as a model may send them, inside an entry: deeper than a line may be. */
static void test_deep_values_do_not_cost_the_line(void **state)
{
    Fixture *self = *state;
    g_autoptr(GString) text =
        g_string_new("{\"role\":\"assistant\",\"content\":\"kept\",\"deep\":");
    for (int i = 0; i < 127; i++)
        g_string_append_c(text, '[');
    for (int i = 0; i < 127; i++)
        g_string_append_c(text, ']');
    g_string_append_c(text, '}');
    g_autoptr(json_t) message = NULL;
    assert_true(json_parse_text(text->str, &message, NULL));
    Session *session = session_new(self->dir, "/w");
    session_append_message(session, message);
    g_autofree char *path = g_strdup(session_path(session));
    session_free(session);

    assert_int_equal(check_file(path), 1);
    g_autofree char *stored = read_text(path);
    assert_non_null(strstr(stored, "[[\"[nested too deeply to store]\"]]"));
}

static rlim_t limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    return before;
}

static void test_full_disk(void **state)
{
    Fixture *self = *state;
    g_autoptr(Session) session = session_new(self->dir, "/w");
    append(session, "user", "a");
    append(session, "assistant", "b");
    g_autofree char *before = read_text(session_path(session));

    signal(SIGXFSZ, SIG_IGN);
    rlim_t unlimited = limit_files((rlim_t)strlen(before) + 20);
    append(session, "user", "c");
    append(session, "assistant", "d");
    g_autofree char *during = read_text(session_path(session));
    g_autoptr(GError) flush_error = NULL;
    bool is_flushed = session_flush(session, &flush_error);
    limit_files(unlimited);

    assert_string_equal(during, before); // nothing torn, nothing lost
    assert_false(is_flushed);
    assert_non_null(flush_error);
    g_autoptr(GError) first = session_take_error(session);
    assert_non_null(first);
    assert_null(session_take_error(session)); // given once
    assert_texts(session, "a b c d");

    assert_true(session_flush(session, NULL)); // there is room again
    assert_int_equal(check_file(session_path(session)), 4);
}

/* core-71, with the rewrite of a migration */
static void test_rewrite_on_a_full_disk(void **state)
{
    Fixture *self = *state;
    assert_true(file_make_dirs(self->dir, 0700, NULL));
    g_autofree char *path = g_build_filename(self->dir, "old.jsonl", NULL);
    static const char old[] =
        "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"t\",\"cwd\":\"/w\"}\n"
        "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n"
        "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":\"b\"}}\n";
    assert_true(file_write_atomic(path, old, strlen(old), 0600, NULL));

    signal(SIGXFSZ, SIG_IGN);
    rlim_t unlimited = limit_files(40);
    Session *session = NULL;
    bool is_open = session_open(path, "/w", &session, NULL, NULL);
    g_autofree char *during = read_text(path);
    limit_files(unlimited);

    assert_true(is_open);
    assert_string_equal(during, old);
    g_autoptr(GError) error = session_take_error(session);
    assert_non_null(error);
    g_autoptr(GDir) dir = g_dir_open(self->dir, 0, NULL);
    assert_string_equal(g_dir_read_name(dir), "old.jsonl");
    assert_null(g_dir_read_name(dir)); // no temporary file left

    append(session, "user", "c");
    session_free(session);
    g_autofree char *after = read_text(path);
    assert_true(str_has_prefix(after, "{\"type\":\"session\",\"id\":\"s\""));
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    assert_texts(session, "a b c");
    session_free(session);
}

/* core-70: a child appends until it is killed; whatever it wrote loads. */
static void test_killed_while_appending(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = g_build_filename(self->root, "killed.jsonl", NULL);
    pid_t child = 0;
    char *argv[] = { (char *)program, (char *)"append", path, NULL };
    assert_int_equal(posix_spawn(&child, program, NULL, NULL, argv, environ), 0);
    struct stat info = { 0 };
    for (int i = 0; i < 10000 && info.st_size < 20000; i++) {
        g_usleep(1000);
        if (stat(path, &info) < 0)
            info.st_size = 0;
    }
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));

    g_autoptr(Session) session = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(path, "/w", &session, &notice, NULL));
    assert_null(notice); // the lock went with the process
    append(session, "user", "end");
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    size_t count = json_array_size(context.messages);
    assert_true(count > 50);
    for (size_t i = 0; i + 1 < count; i++)
        assert_true(
            str_has_prefix(json_get_text(json_array_get(context.messages, i), "content"), "line"));
}

static int append_forever(const char *path)
{
    Session *session = NULL;
    if (!session_open(path, "/w", &session, NULL, NULL))
        return 1;
    for (int i = 0; i < 1000 * 1000; i++) {
        g_autofree char *text = g_strdup_printf("line %d", i);
        append(session, "assistant", text);
    }
    session_free(session);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && g_str_equal(argv[1], "append"))
        return append_forever(argv[2]);
    program = argv[0];

    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_is_written_from_the_first_prompt_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_format, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn_last_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_second_opener_forks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_session_holds_its_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fork, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_without_header, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_strings_are_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deep_values_do_not_cost_the_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rewrite_on_a_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_killed_while_appending, setup, teardown),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
