/* Files: bounded reads, replacement that keeps the old file on failure, trees that go away whole.
 */
#include "unit.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#undef fork // a test that is killed in the middle of a write has to be a process of its own

static char *dir;

static int setup(void **state G_GNUC_UNUSED)
{
    dir = g_dir_make_tmp("kedge-file-XXXXXX", NULL);
    return dir != NULL ? 0 : -1;
}

static int teardown(void **state G_GNUC_UNUSED)
{
    chmod(dir, 0700);
    bool is_removed = file_remove_tree(dir, NULL) && !file_exists(dir);
    g_free(dir);
    return is_removed ? 0 : -1;
}

static char *in_dir(const char *name)
{
    return g_build_filename(dir, name, NULL);
}

static void assert_content(const char *path, const char *want)
{
    g_autofree char *got = NULL;
    assert_true(file_read(path, 10000, &got, NULL, NULL));
    assert_string_equal(got, want);
}

static guint count_entries(void)
{
    g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
    guint count = 0;
    while (g_dir_read_name(listing))
        count++;
    return count;
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

static void test_read(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        size_t size, max;
        bool is_ok;
    } cases[] = {
        { "empty", 0, 0, true },
        { "empty with room", 0, 10, true },
        { "exactly the maximum", 10, 10, true },
        { "one too many", 11, 10, false },
        { "nothing allowed", 1, 0, false },
        { "large", 300000, 300000, true },
        { "large, one too many", 300001, 300000, false },
    };
    g_autofree char *path = in_dir("f");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *data = g_malloc(cases[i].size + 1);
        for (size_t j = 0; j < cases[i].size; j++)
            data[j] = (char)(j % 251); // NULs too
        assert_true(g_file_set_contents(path, data, (gssize)cases[i].size, NULL));
        g_autofree char *got = NULL;
        size_t size = 0;
        g_autoptr(GError) error = NULL;
        if (file_read(path, cases[i].max, &got, &size, &error) != cases[i].is_ok)
            fail_msg("%s", cases[i].name);
        if (!cases[i].is_ok) {
            assert_true(error_is(error, KEDGE_ERROR_LIMIT));
            continue;
        }
        assert_int_equal(size, cases[i].size);
        assert_memory_equal(got, data, size);
        assert_int_equal(got[size], '\0');
    }
}

static void test_read_specials(void **state G_GNUC_UNUSED)
{
    g_autofree char *fifo = in_dir("fifo");
    g_autofree char *absent = in_dir("absent");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const struct {
        const char *path;
        KedgeError code;
    } cases[] = {
        { absent, KEDGE_ERROR_NOT_FOUND }, { "/dev/null/x", KEDGE_ERROR_NOT_FOUND },
        { "", KEDGE_ERROR_NOT_FOUND },     { dir, KEDGE_ERROR_IO },
        { fifo, KEDGE_ERROR_IO },        // and does not wait for a writer
        { "/dev/zero", KEDGE_ERROR_IO }, // nothing of it
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *data = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(file_read(cases[i].path, 100000, &data, NULL, &error));
        if (!error_is(error, cases[i].code) || !strstr(error->message, cases[i].path))
            fail_msg("%s: %s", cases[i].path, error->message);
        assert_null(data);
    }
    assert_content("/dev/null", "");
    g_autofree char *status = NULL; // says size 0
    size_t size = 0;
    assert_true(file_read("/proc/self/status", 100000, &status, &size, NULL));
    assert_true(size > 100 && strlen(status) == size);
}

typedef bool (*WriteFunc)(const char *path, const void *data, size_t size, mode_t mode,
                          GError **error);

static void write_new_and_old(WriteFunc write_file)
{
    g_autofree char *path = in_dir("f");
    mode_t before = umask(022);
    assert_true(write_file(path, "one", 3, 0666, NULL));
    umask(before);
    assert_content(path, "one");
    assert_int_equal(mode_of(path), 0644);

    assert_int_equal(chmod(path, 0751), 0);
    assert_true(write_file(path, "two two", 7, 0600, NULL));
    assert_content(path, "two two");
    assert_int_equal(mode_of(path), 0751);
    assert_true(write_file(path, "", 0, 0600, NULL));
    assert_content(path, "");
    assert_int_equal(count_entries(), 1);
    assert_int_equal(unlink(path), 0);
}

static void test_write_new_and_old(void **state G_GNUC_UNUSED)
{
    write_new_and_old(file_write_atomic);
    write_new_and_old(file_write_volatile);
    write_new_and_old(file_replace);
}

static void test_write_long_name(void **state G_GNUC_UNUSED)
{
    g_autofree char *name = g_strnfill(255, 'n');
    g_autofree char *path = in_dir(name);
    assert_true(file_write_atomic(path, "x", 1, 0600, NULL));
    assert_content(path, "x");
    assert_int_equal(count_entries(), 1);
}

static void test_write_through_links(void **state G_GNUC_UNUSED)
{
    g_autofree char *sub = in_dir("sub"), *target = in_dir("sub/target");
    g_autofree char *link = in_dir("link"), *second = in_dir("second");
    assert_int_equal(mkdir(sub, 0700), 0);
    assert_int_equal(symlink("sub/target", link), 0);
    assert_int_equal(symlink(link, second), 0);
    static const char *const texts[] = { "made", "replaced" }; // first the target is missing
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        assert_true(file_write_atomic(second, texts[i], strlen(texts[i]), 0600, NULL));
        assert_content(target, texts[i]);
        assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
        assert_true(g_file_test(second, G_FILE_TEST_IS_SYMLINK));
    }
    g_autofree char *circle = in_dir("circle");
    assert_int_equal(symlink("circle", circle), 0);
    g_autoptr(GError) error = NULL;
    assert_false(file_write_atomic(circle, "x", 1, 0600, &error));
    assert_true(error_is(error, KEDGE_ERROR_IO));
}

static void test_write_errors(void **state G_GNUC_UNUSED)
{
    g_autofree char *no_parent = in_dir("none/f");
    g_autofree char *file = in_dir("file"), *below_file = in_dir("file/f");
    assert_true(file_write_atomic(file, "x", 1, 0600, NULL));
    const struct {
        const char *path;
        KedgeError code;
    } cases[] = {
        { no_parent, KEDGE_ERROR_NOT_FOUND },
        { below_file, KEDGE_ERROR_NOT_FOUND },
        { dir, KEDGE_ERROR_IO },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        assert_false(file_write_atomic(cases[i].path, "x", 1, 0600, &error));
        if (!error_is(error, cases[i].code))
            fail_msg("%s: %s", cases[i].path, error->message);
    }
    assert_true(file_write_atomic("/dev/null", "x", 1, 0600, NULL)); // not replaced by a file
    assert_true(g_file_test("/dev/null", G_FILE_TEST_EXISTS));
    assert_false(g_file_test("/dev/null", G_FILE_TEST_IS_REGULAR));
    assert_int_equal(count_entries(), 1);
}

/* A write that fails half-way, as on a full disk. */
static void test_failed_write_keeps_the_old_file(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = in_dir("f");
    g_autofree char *big = g_strnfill(100000, 'b');
    assert_true(file_write_atomic(path, "old", 3, 0600, NULL));

    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit) { .rlim_cur = 4096, .rlim_max = before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    g_autoptr(GError) error = NULL;
    bool is_written = file_write_atomic(path, big, 100000, 0600, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);

    assert_false(is_written);
    assert_true(error_is(error, KEDGE_ERROR_IO));
    assert_content(path, "old");
    assert_int_equal(count_entries(), 1); // no temporary file is left
}

/* Root may write everywhere, so these tests step down to an ordinary user. */
static uid_t drop_root(const char *owned)
{
    uid_t before = geteuid();
    if (before == 0) {
        assert_int_equal(chown(owned, 65534, 65534), 0);
        assert_int_equal(setegid(65534), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    return before;
}

static void regain_root(uid_t before)
{
    if (before == 0) {
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(setegid(0), 0);
    }
}

static void test_write_in_place(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = in_dir("f");
    assert_true(file_write_atomic(path, "a longer old text", 17, 0600, NULL));
    struct stat old, new;
    assert_int_equal(stat(path, &old), 0);
    assert_int_equal(chmod(dir, 0555), 0);
    uid_t root = drop_root(path);
    g_autoptr(GError) error = NULL;
    bool is_written = file_write_atomic(path, "new", 3, 0600, &error);
    g_autofree char *other = in_dir("other");
    bool is_made = file_write_atomic(other, "x", 1, 0600, NULL);
    regain_root(root);
    assert_true(is_written);
    assert_false(is_made);
    assert_content(path, "new");
    assert_int_equal(stat(path, &new), 0);
    assert_int_equal(old.st_ino, new.st_ino);
}

static void test_read_only_file_is_refused(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = in_dir("f");
    assert_true(file_write_atomic(path, "keep", 4, 0600, NULL));
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(dir, 0777), 0);
    uid_t root = drop_root(path);
    g_autoptr(GError) error = NULL;
    bool is_written = file_write_atomic(path, "new", 3, 0600, &error);
    regain_root(root);
    assert_false(is_written);
    assert_non_null(strstr(error->message, "Permission denied"));
    assert_content(path, "keep");
}

/* A file of somebody else in a shared directory stays theirs. */
static void test_owner_is_kept(void **state G_GNUC_UNUSED)
{
    if (geteuid() != 0)
        skip(); // only root can give files away
    g_autofree char *path = in_dir("f");
    assert_true(file_write_atomic(path, "theirs", 6, 0666, NULL));
    assert_int_equal(chown(path, 1234, 1234), 0);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(dir, 0777), 0);
    struct stat info;
    assert_true(file_write_atomic(path, "by root", 7, 0600, NULL));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, 1234);

    assert_int_equal(setegid(65534), 0);
    assert_int_equal(seteuid(65534), 0);
    bool is_written = file_write_atomic(path, "by nobody", 9, 0600, NULL);
    regain_root(0);
    assert_true(is_written);
    assert_content(path, "by nobody");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, 1234);
    assert_int_equal(count_entries(), 1);
}

/* tools-T161: what a file has besides its text stays. */
static void test_metadata_is_kept(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = in_dir("f"), *second = in_dir("g");
    assert_true(file_write_atomic(path, "old", 3, 0600, NULL));
    assert_int_equal(chmod(path, 0755), 0);
    // user::rwx user:1234:r-x group::r-x mask::r-x other::r-x
    static const unsigned char acl[] = {
        2, 0,    0,    0,    1,    0,    7,    0, 0xff, 0xff, 0xff, 0xff, 2,    0,    5,
        0, 0xd2, 4,    0,    0,    4,    0,    5, 0,    0xff, 0xff, 0xff, 0xff, 0x10, 0,
        5, 0,    0xff, 0xff, 0xff, 0xff, 0x20, 0, 5,    0,    0xff, 0xff, 0xff, 0xff,
    };
    bool has_user = setxattr(path, "user.k", "value", 5, 0) == 0;
    bool has_acl = setxattr(path, "system.posix_acl_access", acl, sizeof(acl), 0) == 0;
    if (!has_user && !has_acl)
        skip();                               // a file system without attributes
    for (int round = 0; round < 2; round++) { // with one name, then with two
        struct stat old, new;
        assert_int_equal(stat(path, &old), 0);
        assert_true(file_write_atomic(path, "new", 3, 0600, NULL));
        assert_int_equal(stat(path, &new), 0);
        assert_content(path, "new");
        assert_int_equal(mode_of(path), 0755);
        char value[sizeof(acl)];
        if (has_user) {
            assert_int_equal(getxattr(path, "user.k", value, sizeof(value)), 5);
            assert_memory_equal(value, "value", 5);
        }
        if (has_acl)
            assert_int_equal(getxattr(path, "system.posix_acl_access", value, sizeof(value)),
                             sizeof(acl));
        assert_int_equal(new.st_nlink, 1 + round);
        if (round == 1) { // every name shows the new text
            assert_int_equal(old.st_ino, new.st_ino);
            assert_content(second, "new");
        } else {
            assert_int_equal(link(path, second), 0);
        }
    }
    assert_int_equal(count_entries(), 2);
}

/* Takes O_TMPFILE away from this process, as some file systems do. */
static void forbid_nameless_files(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { .len = G_N_ELEMENTS(filter), .filter = filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit(77);
}

static void test_without_nameless_files(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = in_dir("f");
    pid_t child = fork();
    if (child == 0) {
        forbid_nameless_files();
        bool is_good = file_write_atomic(path, "made", 4, 0640, NULL) &&
                       file_write_atomic(path, "replaced", 8, 0600, NULL);
        _exit(is_good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip(); // no seccomp here
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_content(path, "replaced");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(count_entries(), 1);
}

/* The number of a process that is gone. */
static int dead_pid(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

/* What a killed process may have left is gone after the next write there; other files stay. */
static void test_left_over_names(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = in_dir("f"), *git = in_dir(".git"), *head = in_dir(".git/HEAD");
    g_autofree char *dead = g_strdup_printf("%s/.kedge-%d-0123.tmp", dir, dead_pid());
    g_autofree char *alive = g_strdup_printf("%s/.kedge-%d-0123.tmp", dir, (int)getpid());
    const char *const outside[] = { path, dead, alive };
    for (size_t i = 0; i < G_N_ELEMENTS(outside); i++)
        assert_true(file_write_atomic(outside[i], "x", 1, 0600, NULL));
    assert_true(file_write_atomic(path, "y", 1, 0600, NULL));
    assert_false(file_exists(dead));
    assert_true(file_exists(alive));

    assert_true(file_make_dirs(git, 0700, NULL) && file_write_atomic(head, "x", 1, 0600, NULL));
    g_autofree char *staging = in_dir(".git/kedge-tmp");
    g_autofree char *staged = g_strdup_printf("%s/%d-0123.tmp", staging, dead_pid());
    assert_true(file_make_dirs(staging, 0700, NULL));
    assert_true(file_write_atomic(staged, "x", 1, 0600, NULL));
    assert_true(file_write_atomic(path, "z", 1, 0600, NULL));
    assert_false(file_exists(staged));
    assert_content(path, "z");

    // a repository cannot send the name elsewhere
    g_autofree char *elsewhere = in_dir("elsewhere");
    assert_true(file_remove_tree(staging, NULL) && file_make_dirs(elsewhere, 0700, NULL));
    assert_int_equal(symlink("../elsewhere", staging), 0);
    assert_true(file_write_atomic(path, "w", 1, 0600, NULL));
    assert_content(path, "w");
}

/* Of a child that is going to be killed. */
static G_GNUC_NORETURN void write_for_ever(const char *path, const char *const texts[2],
                                           size_t size)
{
    for (int i = 0;; i++)
        if (!file_write_atomic(path, texts[i % 2], size, 0600, NULL))
            _exit(1);
}

/* tools-T162 (the tools: tests/stress/tool_stress.py): whenever the writer is killed, the file is
 * one text or the other, and alone. */
static void test_killed_while_writing(void **state G_GNUC_UNUSED)
{
    enum { ROUNDS = 150, SIZE = 9000 };
    g_autofree char *git = in_dir(".git"), *head = in_dir(".git/HEAD"), *path = in_dir("f");
    assert_true(file_make_dirs(git, 0700, NULL) && file_write_atomic(head, "x", 1, 0600, NULL));
    g_autofree char *first = g_strnfill(SIZE, 'a'), *second = g_strnfill(SIZE, 'b');
    const char *const texts[] = { first, second };
    assert_true(file_write_atomic(path, texts[0], SIZE, 0600, NULL));
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    for (int round = 0; round < ROUNDS; round++) {
        gulong pause_us = (gulong)g_rand_int_range(random, 0, 3000);
        pid_t child = fork();
        if (child == 0)
            write_for_ever(path, texts, SIZE);
        g_usleep(pause_us);
        kill(child, SIGKILL);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        g_autofree char *got = NULL;
        assert_true(file_read(path, SIZE + 1, &got, NULL, NULL));
        if (strcmp(got, texts[0]) != 0 && strcmp(got, texts[1]) != 0)
            fail_msg("round %d: %zu bytes, begins with %c", round, strlen(got), got[0]);
        assert_int_equal(count_entries(), 2); // the file and .git
    }
}

static void test_make_dirs(void **state G_GNUC_UNUSED)
{
    g_autofree char *deep = in_dir("a/b/c"), *middle = in_dir("a/b");
    assert_true(file_make_dirs(deep, 0700, NULL));
    assert_true(file_make_dirs(deep, 0755, NULL)); // there already: its mode stays
    assert_int_equal(mode_of(deep), 0700);
    assert_int_equal(mode_of(middle), 0700);
    g_autofree char *file = in_dir("file"), *below = in_dir("file/x");
    assert_true(file_write_atomic(file, "", 0, 0600, NULL));
    g_autoptr(GError) error = NULL;
    assert_false(file_make_dirs(below, 0700, &error));
    assert_true(error_is(error, KEDGE_ERROR_IO));
    assert_false(file_make_dirs(file, 0700, NULL));
}

static void test_exists(void **state G_GNUC_UNUSED)
{
    g_autofree char *dangling = in_dir("dangling"), *to_dir = in_dir("to-dir");
    g_autofree char *absent = in_dir("absent");
    assert_int_equal(symlink("nowhere", dangling), 0);
    assert_int_equal(symlink(".", to_dir), 0);
    assert_true(file_exists(dangling));
    assert_false(file_is_directory(dangling));
    assert_true(file_is_directory(to_dir));
    assert_true(file_is_directory(dir));
    assert_false(file_exists(absent));
    assert_false(file_is_directory(absent));
    assert_false(file_is_directory("/dev/null"));
}

static void test_remove_tree(void **state G_GNUC_UNUSED)
{
    g_autofree char *outside = in_dir("outside"), *kept = in_dir("outside/kept");
    g_autofree char *tree = in_dir("tree"), *deep = in_dir("tree/a/.hidden/c");
    g_autofree char *file = in_dir("tree/a/file"), *inner_link = in_dir("tree/a/link");
    g_autofree char *link = in_dir("link"), *link_slash = in_dir("link/");
    assert_true(file_make_dirs(outside, 0700, NULL));
    assert_true(file_write_atomic(kept, "kept", 4, 0600, NULL));
    assert_true(file_make_dirs(deep, 0700, NULL));
    assert_true(file_write_atomic(file, "x", 1, 0400, NULL));
    assert_int_equal(symlink(outside, inner_link), 0);
    assert_int_equal(symlink(outside, link), 0);

    assert_true(file_remove_tree(tree, NULL));
    assert_false(file_exists(tree));
    assert_true(file_remove_tree(link_slash, NULL));
    assert_false(file_exists(link));
    assert_content(kept, "kept");
    assert_true(file_remove_tree(kept, NULL));
    assert_true(file_remove_tree(kept, NULL)); // gone already
    assert_false(file_exists(kept));
}

/* As caches of modules are; root minds no modes, so that it is done as somebody else. */
static void test_remove_locked_tree(void **state G_GNUC_UNUSED)
{
    bool is_root = geteuid() == 0;
    if (is_root && seteuid(65534) != 0)
        skip();
    g_autofree char *tree = g_dir_make_tmp("kedge-locked-XXXXXX", NULL);
    bool is_removed = true;
    if (tree) {
        g_autofree char *outer = g_build_filename(tree, "a", NULL);
        g_autofree char *inner = g_build_filename(outer, "b", NULL);
        g_autofree char *file = g_build_filename(inner, "file", NULL);
        is_removed = file_make_dirs(inner, 0700, NULL) &&
                     file_write_atomic(file, "x", 1, 0400, NULL) && chmod(inner, 0555) == 0 &&
                     chmod(outer, 0) == 0 && file_remove_tree(tree, NULL) && !file_exists(tree);
    }
    if (is_root && seteuid(0) != 0)
        abort();
    if (!tree)
        skip();
    assert_true(is_removed);
}

int main(void)
{
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        IN_DIR(test_read),
        IN_DIR(test_read_specials),
        IN_DIR(test_write_new_and_old),
        IN_DIR(test_write_long_name),
        IN_DIR(test_write_through_links),
        IN_DIR(test_write_errors),
        IN_DIR(test_failed_write_keeps_the_old_file),
        IN_DIR(test_write_in_place),
        IN_DIR(test_read_only_file_is_refused),
        IN_DIR(test_owner_is_kept),
        IN_DIR(test_metadata_is_kept),
        IN_DIR(test_without_nameless_files),
        IN_DIR(test_left_over_names),
        IN_DIR(test_killed_while_writing),
        IN_DIR(test_make_dirs),
        IN_DIR(test_exists),
        IN_DIR(test_remove_tree),
        cmocka_unit_test(test_remove_locked_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
