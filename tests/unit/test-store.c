/*
 * The file under a session: lock, torn tails, replacement.
 */
#include "unit.h"

#include "base/file.h"
#include "session/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char *root, *path;

static int setup(void **state G_GNUC_UNUSED)
{
    root = g_dir_make_tmp("kedge-store-XXXXXX", NULL);
    path = g_build_filename(root, "dir", "s.jsonl", NULL);
    return 0;
}

static int teardown(void **state G_GNUC_UNUSED)
{
    file_remove_tree(root, NULL);
    g_free(path);
    g_free(root);
    return 0;
}

static void assert_content(const char *want)
{
    g_autofree char *text = NULL;
    assert_true(file_read(path, 1000000, &text, NULL, NULL));
    assert_string_equal(text, want);
}

static void test_lock(void **state G_GNUC_UNUSED)
{
    Store *first = NULL;
    Store *second = NULL;
    StoreState how = STORE_LOCKED;
    assert_true(store_create(path, &first, NULL));
    assert_true(store_append(first, "a\n", 2, NULL));
    assert_true(store_open(path, &second, &how, NULL));
    assert_int_equal(how, STORE_BUSY);
    g_autoptr(GError) error = NULL;
    assert_false(store_append(second, "b\n", 2, &error)); // read only
    store_close(second);

    g_autoptr(Store) third = NULL;
    assert_false(store_create(path, &third, NULL)); // not ours to make
    store_close(first);
    assert_true(store_open(path, &second, &how, NULL));
    assert_int_equal(how, STORE_LOCKED);
    store_close(second);
    assert_content("a\n");
}

static void test_torn(void **state G_GNUC_UNUSED)
{
    g_autoptr(Store) store = NULL;
    assert_true(store_create(path, &store, NULL));
    assert_true(store_append(store, "{\"tor", 5, NULL));
    assert_true(store_append(store, "a\n", 2, NULL));
    assert_int_equal(store_appended_at(store), 6);
    assert_true(store_append(store, "b\n", 2, NULL));
    assert_true(store_sync(store, NULL));
    assert_content("{\"tor\na\nb\n");
}

static bool three_lines(GString *line, void *user_data, GError **error G_GNUC_UNUSED)
{
    int *number = user_data;
    if (*number == 3)
        return true;
    g_string_append_printf(line, "line %d\n", (*number)++);
    return true;
}

static void test_replace_keeps_the_lock(void **state G_GNUC_UNUSED)
{
    g_autoptr(Store) store = NULL;
    assert_true(store_create(path, &store, NULL));
    assert_true(store_append(store, "old\n", 4, NULL));
    int number = 0;
    assert_true(store_replace(store, three_lines, &number, NULL));
    assert_content("line 0\nline 1\nline 2\n");
    assert_true(store_append(store, "more\n", 5, NULL));
    assert_content("line 0\nline 1\nline 2\nmore\n");

    g_autoptr(Store) other = NULL;
    StoreState how = STORE_LOCKED;
    assert_true(store_open(path, &other, &how, NULL));
    assert_int_equal(how, STORE_BUSY);
}

/* The last line looks at what stands in the directory meanwhile. */
static bool last_line(GString *line, void *seen, GError **error G_GNUC_UNUSED)
{
    unsigned *names = seen;
    if (*names > 0)
        return true;
    g_autofree char *dir_path = g_path_get_dirname(path);
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    while (g_dir_read_name(dir))
        ++*names;
    g_string_append(line, "new\n");
    return true;
}

/* core-71: whoever is killed in the middle leaves nothing behind. */
static void test_replaced_without_a_name(void **state G_GNUC_UNUSED)
{
    int fd = open(root, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        skip(); // files without a name are not for this file system
    close(fd);
    g_autoptr(Store) store = NULL;
    assert_true(store_create(path, &store, NULL));
    assert_true(store_append(store, "old\n", 4, NULL));
    unsigned names = 0;
    assert_true(store_replace(store, last_line, &names, NULL));
    assert_int_equal(names, 1);
    assert_true(store_append(store, "more\n", 5, NULL));
    assert_content("new\nmore\n");
}

static void test_refused_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(Store) store = NULL;
    StoreState how = STORE_LOCKED;
    g_autoptr(GError) missing = NULL;
    assert_false(store_open(path, &store, &how, &missing));
    assert_int_equal(missing->code, KEDGE_ERROR_NOT_FOUND);

    g_autofree char *fifo = g_build_filename(root, "fifo", NULL);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    g_autoptr(GError) no_file = NULL;
    assert_false(store_open(fifo, &store, &how, &no_file)); // and does not wait for a writer
    assert_int_equal(no_file->code, KEDGE_ERROR_IO);
    g_autoptr(GError) directory = NULL;
    assert_false(store_open_to_read(root, &store, &directory));
    assert_int_equal(directory->code, KEDGE_ERROR_IO);
}

/* Another process is at work in a file that has taken the name: neither loses what it has. */
static void test_taken_name(void **state G_GNUC_UNUSED)
{
    g_autoptr(Store) store = NULL;
    g_autoptr(Store) other = NULL;
    g_autofree char *notice = NULL, *text = NULL;
    g_autofree char *ours = g_build_filename(root, "dir", "s-1.jsonl", NULL);
    StoreState how = STORE_BUSY;
    assert_true(store_create(path, &store, NULL));
    assert_int_equal(store_look(store), PLACE_EMPTY);
    assert_true(store_append(store, "old\n", 4, NULL));
    assert_int_equal(store_look(store), PLACE_OURS);
    assert_int_equal(truncate(path, 2), 0);
    assert_int_equal(store_look(store), PLACE_CUT);
    assert_true(file_write_atomic(path, "theirs\n", 7, 0600, NULL));
    assert_true(store_open(path, &other, &how, NULL));
    assert_int_equal(how, STORE_LOCKED);
    assert_int_equal(store_look(store), PLACE_LOST);
    int number = 0;
    assert_true(store_make_way(store, &notice, NULL));
    assert_non_null(strstr(notice, ours));
    assert_true(store_replace(store, three_lines, &number, NULL));
    assert_true(g_file_get_contents(ours, &text, NULL, NULL));
    assert_string_equal(text, "line 0\nline 1\nline 2\n");
    assert_content("theirs\n");
    assert_int_equal(store_look(store), PLACE_OURS);
    assert_int_equal(unlink(ours), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taken_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replace_keeps_the_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replaced_without_a_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_files, setup, teardown),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
