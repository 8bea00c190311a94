/*
 * Run artifacts: rows, and the one way to their files.
 */
#include "base/str.h"
#include "unit.h"

#include "emit_fixture.h"

#include "agenttools/emit/run_artifact.h"
#include "agenttools/emit/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

typedef struct Fixture {
    char *dir;  // real path; holds root/ and outside/
    char *root; // of the artifacts
} Fixture;

static void put(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_true(file_make_dirs(parent, 0700, NULL));
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void link_to(const Fixture *fixture, const char *target, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->root, name, NULL);
    g_autofree char *filled = str_has_prefix(target, "@")
                                  ? g_strconcat(fixture->dir, target + 1, NULL)
                                  : g_strdup(target);
    assert_int_equal(symlink(filled, path), 0);
}

static int setup(void **state)
{
    Fixture *fixture = g_new0(Fixture, 1);
    g_autofree char *dir = g_dir_make_tmp("kedge-artifact-XXXXXX", NULL);
    fixture->dir = path_real(dir);
    fixture->root = g_build_filename(fixture->dir, "root", NULL);
    put(fixture->dir, "outside/secret", "secret");
    put(fixture->root, "a.md", "inside");
    put(fixture->root, "sub/b.md", "below");
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    file_remove_tree(fixture->dir, NULL);
    g_free(fixture->dir);
    g_free(fixture->root);
    g_free(fixture);
    return 0;
}

static RunArtifact artifact_at(const Fixture *fixture, const char *path)
{
    return (RunArtifact) { .path = (char *)path,
                           .storage_root = (char *)"work_dir",
                           .root_path = fixture->root };
}

/* The content, or the code of the error as "[permission]". Caller frees. */
static char *read_artifact(const RunArtifact *artifact)
{
    char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) error = NULL;
    if (run_artifact_read(artifact, 1000, &data, &size, &error)) {
        assert_int_equal(strlen(data), size);
        return data;
    }
    return g_strdup_printf("[%s]", answer_code_name((AnswerCode)error->code));
}

static void test_read(void **state)
{
    const Fixture *fixture = *state;
    link_to(fixture, "a.md", "inside-relative");
    link_to(fixture, "@/root/sub/b.md", "inside-absolute");
    link_to(fixture, "../outside/secret", "out-relative");
    link_to(fixture, "/etc/passwd", "out-absolute");
    link_to(fixture, "../outside", "out-directory");
    link_to(fixture, "sub", "inside-directory");
    link_to(fixture, "../outside/missing", "out-missing");
    link_to(fixture, "circle", "circle");
    g_autofree char *fifo = g_build_filename(fixture->root, "fifo", NULL);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    g_autofree char *large = g_strnfill(1001, 'x');
    put(fixture->root, "large", large);
    put(fixture->root, "exact", large + 1);

    const struct {
        const char *name, *path, *want;
    } cases[] = {
        { "a file", "a.md", "inside" },
        { "below", "sub/b.md", "below" },
        { "detour in the name", "sub/../a.md", "inside" },
        { "link inside", "inside-relative", "inside" },
        { "absolute link inside", "inside-absolute", "below" },
        { "directory link inside", "inside-directory/b.md", "below" },
        { "cli-D-15: link out", "out-relative", "[permission]" },
        { "cli-E-11: link to /etc/passwd", "out-absolute", "[permission]" },
        { "directory link out", "out-directory/secret", "[permission]" },
        { "link out to nothing", "out-missing", "[permission]" },
        { "link in a circle", "circle", "[permission]" },
        { "cli-E-11: ..", "../outside/secret", "[permission]" },
        { "hidden ..", "sub/../../outside/secret", "[permission]" },
        { "no regular file: fifo", "fifo", "[permission]" },
        { "no regular file: directory", "sub", "[permission]" },
        { "no regular file: the root", ".", "[permission]" },
        { "missing", "missing.md", "[not_found]" },
        { "missing below a missing directory", "x/y.md", "[not_found]" },
        { "below a file", "a.md/x", "[permission]" },
        { "too large", "large", "[validation]" },
        { "just not too large", "exact", large + 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const RunArtifact artifact = artifact_at(fixture, cases[i].path);
        g_autofree char *got = read_artifact(&artifact);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

/* The root as it was at registration counts, also when a link stands in its place now. */
static void test_root_replaced(void **state)
{
    const Fixture *fixture = *state;
    g_autofree char *outside = g_build_filename(fixture->dir, "outside", NULL);
    put(outside, "a.md", "other");
    g_autofree char *moved = g_strconcat(fixture->root, ".old", NULL);
    assert_int_equal(rename(fixture->root, moved), 0);
    assert_int_equal(symlink(outside, fixture->root), 0);
    const RunArtifact artifact = artifact_at(fixture, "a.md");
    g_autofree char *got = read_artifact(&artifact);
    assert_string_equal(got, "[permission]");
}

static void test_absolute(void **state)
{
    const Fixture *fixture = *state;
    g_autofree char *path = g_build_filename(fixture->root, "a.md", NULL);
    RunArtifact artifact = artifact_at(fixture, path);
    artifact.storage_root = (char *)"absolute";
    g_autofree char *got = read_artifact(&artifact);
    assert_string_equal(got, "inside");

    // that very file: not another one beside it through a link
    assert_int_equal(unlink(path), 0);
    link_to(fixture, "sub/b.md", "a.md");
    g_autofree char *replaced = read_artifact(&artifact);
    assert_string_equal(replaced, "[permission]");
}

static void test_read_beside(void **state)
{
    const Fixture *fixture = *state;
    put(fixture->root, "sub/img/x.png", "png");
    link_to(fixture, "@/outside/secret", "sub/link.png");
    static const struct {
        const char *relative, *want;
    } cases[] = {
        { "img/x.png", "png" },
        { "./img/../img/x.png", "png" },
        { "../a.md", "inside" },
        { "../../outside/secret", NULL },
        { "/etc/passwd", NULL },
        { "link.png", NULL },
        { "img", NULL },
        { "missing.png", NULL },
        { "", NULL },
    };
    const RunArtifact artifact = artifact_at(fixture, "sub/b.md");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *data = NULL;
        size_t size = 0;
        bool is_read =
            run_artifact_read_beside(&artifact, cases[i].relative, 1000, &data, &size, NULL);
        if (is_read != (cases[i].want != NULL))
            fail_msg("cli-E-11: '%s' is%s read", cases[i].relative, is_read ? "" : " not");
        if (is_read)
            assert_text(cases[i].relative, data, cases[i].want);
    }
}

static unsigned count_entries(const char *dir)
{
    unsigned count = 0;
    g_autoptr(GDir) open = g_dir_open(dir, 0, NULL);
    while (g_dir_read_name(open))
        count++;
    return count;
}

static void test_write(void **state)
{
    const Fixture *fixture = *state;
    const RunArtifact artifact = artifact_at(fixture, "a.md");
    g_autofree char *path = run_artifact_file(&artifact);
    assert_int_equal(chmod(path, 0640), 0);
    unsigned entries = count_entries(fixture->root);

    g_autofree char *sum = content_sha256("inside", 6);
    assert_true(run_artifact_write(&artifact, "new\n", 4, sum, NULL));
    g_autofree char *got = read_artifact(&artifact);
    assert_string_equal(got, "new\n");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(count_entries(fixture->root), entries);

    g_autoptr(GError) error = NULL;
    assert_false(run_artifact_write(&artifact, "other", 5, sum, &error));
    assert_true(answer_error_is(error, ANSWER_CONFLICT));
    g_autofree char *still = read_artifact(&artifact);
    assert_string_equal(still, "new\n");
    assert_int_equal(count_entries(fixture->root), entries);

    assert_true(run_artifact_write(&artifact, "", 0, NULL, NULL));
    g_autofree char *empty = read_artifact(&artifact);
    assert_string_equal(empty, "");
}

static void test_write_through_links(void **state)
{
    const Fixture *fixture = *state;
    link_to(fixture, "sub/b.md", "link.md");
    link_to(fixture, "../outside/secret", "out.md");
    const RunArtifact inside = artifact_at(fixture, "link.md");
    assert_true(run_artifact_write(&inside, "changed", 7, NULL, NULL));
    g_autofree char *path = run_artifact_file(&inside);
    assert_true(g_file_test(path, G_FILE_TEST_IS_SYMLINK));
    const RunArtifact target = artifact_at(fixture, "sub/b.md");
    g_autofree char *got = read_artifact(&target);
    assert_string_equal(got, "changed");

    static const struct {
        const char *path;
        AnswerCode code;
    } refused[] = {
        { "out.md", ANSWER_PERMISSION },
        { "../outside/secret", ANSWER_PERMISSION },
        { "sub", ANSWER_PERMISSION },
        { "missing", ANSWER_NOT_FOUND },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        const RunArtifact artifact = artifact_at(fixture, refused[i].path);
        g_autoptr(GError) error = NULL;
        assert_false(run_artifact_write(&artifact, "x", 1, NULL, &error));
        if (!answer_error_is(error, refused[i].code))
            fail_msg("%s: %s", refused[i].path, error->message);
    }
    g_autofree char *secret = g_build_filename(fixture->dir, "outside", "secret", NULL);
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(secret, &text, NULL, NULL));
    assert_string_equal(text, "secret");
}

static void test_write_protected(void **state)
{
    const Fixture *fixture = *state;
    const RunArtifact artifact = artifact_at(fixture, "a.md");
    g_autofree char *path = run_artifact_file(&artifact);
    assert_int_equal(chmod(path, 0400), 0);
    if (access(path, W_OK) == 0) // root may write anything
        return;
    g_autoptr(GError) error = NULL;
    assert_false(run_artifact_write(&artifact, "x", 1, NULL, &error));
    assert_true(answer_error_is(error, ANSWER_PERMISSION));
}

typedef struct Swapper { // exchanges a file and a link to the secret, again and again
    char *path, *spare;
    atomic_bool is_done;
} Swapper;

static void *swap(void *swapper_)
{
    Swapper *swapper = swapper_;
    while (!atomic_load(&swapper->is_done))
        if (renameat2(AT_FDCWD, swapper->path, AT_FDCWD, swapper->spare, RENAME_EXCHANGE) != 0)
            break; // a file system that cannot: nothing races then
    return NULL;
}

/* Whatever is swapped in between looking and opening, what is outside is never read or written. */
static void race(const Fixture *fixture, const char *name, const char *spare_name)
{
    g_autofree char *path = g_build_filename(fixture->root, name, NULL);
    g_autofree char *spare = g_build_filename(fixture->root, spare_name, NULL);
    Swapper swapper = { .path = path, .spare = spare };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, swap, &swapper), 0);
    bool is_leaked = false;
    g_autofree char *file = g_strconcat(name, strcmp(name, "dir") == 0 ? "/secret" : "", NULL);
    const RunArtifact artifact = artifact_at(fixture, file);
    for (int i = 0; i < 10000 && !is_leaked; i++) {
        g_autofree char *got = read_artifact(&artifact);
        is_leaked = strcmp(got, "secret") == 0;
        if (i >= 9900) // late, because a write may put a file in the link's place
            run_artifact_write(&artifact, "inside", 6, NULL, NULL);
    }
    atomic_store(&swapper.is_done, true);
    pthread_join(thread, NULL);
    assert_false(is_leaked);
    g_autofree char *secret = g_build_filename(fixture->dir, "outside", "secret", NULL);
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(secret, &text, NULL, NULL));
    assert_string_equal(text, "secret");
}

static void test_race(void **state)
{
    const Fixture *fixture = *state;
    link_to(fixture, "../outside/secret", "spare.md");
    race(fixture, "a.md", "spare.md");
}

static void test_race_of_directories(void **state)
{
    const Fixture *fixture = *state;
    put(fixture->root, "dir/secret", "inside");
    link_to(fixture, "../outside", "spare");
    race(fixture, "dir", "spare");
}

static void test_resolve(void **state)
{
    const Fixture *fixture = *state;
    link_to(fixture, "sub", "dir");
    link_to(fixture, "nowhere/x", "dangling");
    link_to(fixture, "sub/", "slash");
    link_to(fixture, "missing/", "gone");
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "a.md", "/root/a.md" },
        { "dir/b.md", "/root/sub/b.md" },
        { "dir/new/x.md", "/root/sub/new/x.md" },
        { "slash/new", "/root/sub/new" },
        { "dangling", "/root/nowhere/x" },
        { "gone/y", "/root/missing/y" },
        { "none/./x/../y", "/root/none/y" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat(fixture->root, "/", cases[i].in, NULL);
        g_autofree char *got = safe_file_resolve(path);
        g_autofree char *want = g_strconcat(fixture->dir, cases[i].want, NULL);
        assert_text(cases[i].in, got, want);
    }
    g_autofree char *top = safe_file_resolve("/");
    assert_string_equal(top, "/");
    g_autofree char *deep = g_strnfill(5000, 'a');
    for (size_t i = 0; i < 5000; i += 2)
        deep[i] = '/';
    assert_null(safe_file_resolve(deep));
}

/* Rows, as emit makes them. */
static void test_rows(void **state)
{
    const EmitFixture *fixture = *state;
    static const char *const calls[] = {
        "{'type':'artifact_registered','step':'design','data':{'path':'b.md','feature':'f'}}",
        "{'type':'artifact_registered','data':{'path':'a.c','feature':'g','subflow':'s'}}",
        "{'type':'artifact_registered','runId':'Q','data':{'path':'b.md','feature':'h'}}",
    };
    g_autofree char *doc_id = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autoptr(json_t) envelope = emit_call(fixture, calls[i]);
        if (i == 0)
            doc_id = g_strdup(json_get_text(json_get_object(envelope, "data"), "docId"));
    }
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(RunArtifact) artifact = NULL;
    assert_true(run_artifact_get(db, doc_id, &artifact, NULL));
    g_autofree char *work = g_build_filename(fixture->project, ".rp1", "work", NULL);
    assert_string_equal(artifact->path, "b.md");
    assert_string_equal(artifact->storage_root, "work_dir");
    assert_string_equal(artifact->root_path, work);
    assert_string_equal(artifact->type, "markdown");
    assert_string_equal(artifact->feature, "h"); // of the newest registration
    assert_null(artifact->step);
    assert_null(artifact->sha256);

    g_autoptr(RunArtifact) none = NULL;
    assert_true(run_artifact_get(db, "none", &none, NULL));
    assert_null(none);

    static const struct {
        const char *run_id, *want;
    } lists[] = {
        { "R", "b.md:f a.c:g" }, { "Q", "b.md:h" }, { "X", "" }, { NULL, "b.md:h a.c:g" }
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        g_autoptr(GPtrArray) artifacts = NULL;
        assert_true(run_artifact_list(db, lists[i].run_id, &artifacts, NULL));
        g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
        for (unsigned n = 0; n < artifacts->len; n++) {
            const RunArtifact *each = g_ptr_array_index(artifacts, n);
            g_ptr_array_add(words, g_strconcat(each->path, ":", each->feature, NULL));
        }
        g_ptr_array_add(words, NULL);
        g_autofree char *got = g_strjoinv(" ", (char **)words->pdata);
        assert_text(lists[i].run_id ? lists[i].run_id : "all", got, lists[i].want);
    }
    bool is_in_run = false;
    assert_true(run_artifact_is_in_run(db, doc_id, "Q", &is_in_run, NULL));
    assert_true(is_in_run);
    assert_true(run_artifact_is_in_run(db, doc_id, "X", &is_in_run, NULL));
    assert_false(is_in_run);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read),
        TEST(test_root_replaced),
        TEST(test_absolute),
        TEST(test_read_beside),
        TEST(test_write),
        TEST(test_write_through_links),
        TEST(test_write_protected),
        TEST(test_race),
        TEST(test_race_of_directories),
        TEST(test_resolve),
        EMIT_TEST(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
