/*
 * The file of items: what is read of what an agent left, and lines that are whole or not there.
 */
#include "unit.h"

#include "base/file.h"
#include "wm/apply/item.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOOD "{\"type\":\"add_comment\",\"body\":\"x\"}"

static char *dir; // of this test program

static int set_up(void **state G_GNUC_UNUSED)
{
    dir = g_dir_make_tmp("kedge-items-XXXXXX", NULL);
    return dir ? 0 : -1;
}

static int tear_down(void **state G_GNUC_UNUSED)
{
    file_remove_tree(dir, NULL);
    g_free(dir);
    return 0;
}

static char *path_of(const char *name)
{
    return g_build_filename(dir, name, NULL);
}

static void put(const char *path, const char *data, size_t size)
{
    assert_true(g_file_set_contents(path, data, (gssize)size, NULL));
}

static char *content_of(const char *path)
{
    char *data = NULL;
    assert_true(g_file_get_contents(path, &data, NULL, NULL));
    return data;
}

/* task-engine §6.1; task-O05, task-O06, task-O39 as far as reading goes. */
static void test_read(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *data, *expected;
    } cases[] = {
        { "empty", "", "[]" },
        { "blank lines", "\n \r\n\t\n", "[]" },
        { "two", GOOD "\n" GOOD "\n", "[" GOOD "," GOOD "]" },
        { "no line end", GOOD, "[" GOOD "]" },
        { "half a line", GOOD "\n{\"type\":\"add_com", "[" GOOD "]" },
        { "not objects", "3\n[]\n\"x\"\nnull\n" GOOD "\n", "[" GOOD "]" },
        { "no JSON", "Done.\n" GOOD "\n", "[" GOOD "]" },
        { "CRLF", GOOD "\r\n" GOOD "\r\n", "[" GOOD "," GOOD "]" },
        { "an envelope (task-O39)", "{\"items\":[" GOOD ",7," GOOD "]}\n", "[" GOOD "," GOOD "]" },
        { "no envelope", "{\"type\":\"x\",\"items\":[1]}\n", "[{\"type\":\"x\",\"items\":[1]}]" },
        { "a noop (task-O06)", "{\"noop\":{\"message\":\"m\"}}\n",
          "[{\"message\":\"m\",\"type\":\"noop\"}]" },
        { "a noop that says it is more", "{\"noop\":{\"type\":\"add_comment\"}}\n",
          "[{\"type\":\"noop\"}]" },
        { "unknown type (task-O05)", "{\"type\":\"zzz\"}\n{}\n", "[{\"type\":\"zzz\"},{}]" },
        { "bad UTF-8", "{\"type\":\"noop\",\"message\":\"a\xff\"}\n",
          "[{\"type\":\"noop\",\"message\":\"a�\"}]" },
        { "huge numbers", "{\"type\":\"noop\",\"n\":1e999}\n" GOOD "\n", "[" GOOD "]" },
    };
    g_autofree char *path = path_of("read.jsonl");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put(path, cases[i].data, strlen(cases[i].data));
        g_autoptr(json_t) items = NULL;
        assert_true(wm_items_read(path, &items, NULL));
        g_autofree char *got = json_to_text(items);
        if (strcmp(got, cases[i].expected) != 0)
            fail_msg("%s: %s", cases[i].name, got);
    }
}

/* task-O35, and 10,000 lines. */
static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = path_of("limits.jsonl");
    g_autoptr(GString) data = g_string_new("{\"type\":\"noop\",\"message\":\"");
    for (size_t i = 0; i < 2 * 1024 * 1024; i++)
        g_string_append_c(data, 'a');
    g_string_append(data, "\"}\n" GOOD "\n");
    put(path, data->str, data->len);
    g_autoptr(json_t) after_long = NULL, many = NULL, deep = NULL;
    assert_true(wm_items_read(path, &after_long, NULL));
    assert_int_equal(json_array_size(after_long), 1);

    g_string_truncate(data, 0);
    for (size_t i = 0; i < 10000; i++)
        g_string_append_printf(data, "{\"type\":\"noop\",\"message\":\"%zu\"}\n", i);
    put(path, data->str, data->len);
    assert_true(wm_items_read(path, &many, NULL));
    assert_int_equal(json_array_size(many), WM_MAX_ITEMS);
    assert_string_equal(json_get_text(json_array_get(many, 999), "message"), "999");

    g_string_assign(data, "{\"type\":\"noop\",\"x\":");
    for (size_t i = 0; i < 10000; i++)
        g_string_append_c(data, '[');
    g_string_append(data, "\n" GOOD "\n");
    put(path, data->str, data->len);
    assert_true(wm_items_read(path, &deep, NULL));
    assert_int_equal(json_array_size(deep), 1);

    g_string_set_size(data, WM_MAX_OUTPUT_BYTES + 1);
    memset(data->str, '\n', data->len);
    put(path, data->str, data->len);
    g_autoptr(GError) error = NULL;
    json_t *none = NULL;
    assert_false(wm_items_read(path, &none, &error));
    assert_non_null(strstr(error->message, "is larger than 16777216 bytes"));
}

/* task-S05 and its like: neither read nor written through. */
static void test_no_regular_file(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = path_of("special"), *target = path_of("target");
    g_autoptr(WmPolicy) policy = wm_policy_new(NULL, NULL);
    const WmItemScope scope = { .policy = policy, .task_name = "x" };
    g_autoptr(json_t) item = json_pack("{s:s}", "type", "noop"), none = NULL;
    static const char *const kinds[] = { "symlink", "FIFO", "directory" };
    put(target, GOOD "\n", strlen(GOOD "\n"));
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autoptr(GError) read_error = NULL, write_error = NULL;
        int status = i == 0   ? symlink(target, path)
                     : i == 1 ? mkfifo(path, 0600)
                              : mkdir(path, 0700);
        assert_int_equal(status, 0);
        if (wm_items_read(path, &none, &read_error) ||
            wm_items_append(path, &scope, item, &write_error))
            fail_msg("%s was taken", kinds[i]);
        assert_true(file_remove_tree(path, NULL));
    }
    g_autofree char *left = content_of(target);
    assert_string_equal(left, GOOD "\n");
    assert_true(wm_items_read(path, &none, NULL)); // none there: none
    assert_int_equal(json_array_size(none), 0);
}

typedef struct Emit {
    const char *policy, *before, *item;
    const char *after; // the file; or the error, which begins with "!"
} Emit;

static void check_emit(const char *path, const Emit *one)
{
    g_autoptr(json_t) safe_outputs = NULL, item = NULL;
    assert_true(json_parse_text(one->policy, &safe_outputs, NULL));
    assert_true(json_parse_text(one->item, &item, NULL));
    g_autoptr(WmPolicy) policy = wm_policy_new(safe_outputs, NULL);
    const WmItemScope scope = {
        .policy = policy,
        .task_name = "x",
        .repo = "o/r",
        .issue = 7,
        .is_emit = true,
    };
    put(path, one->before, strlen(one->before));
    g_autoptr(GError) error = NULL;
    wm_items_append(path, &scope, item, &error);
    g_autofree char *content = content_of(path);
    g_autofree char *refused = error ? g_strconcat("!", error->message, NULL) : NULL;
    if (strcmp(refused ? refused : content, one->after) != 0)
        fail_msg("%s: %s", one->item, refused ? refused : content);
    if (refused)
        assert_string_equal(content, one->before);
}

static void test_append(void **state G_GNUC_UNUSED)
{
    static const Emit cases[] = {
        { "{\"add-comment\":null}", "", GOOD,
          "{\"body\":\"x\",\"target\":0,\"type\":\"add_comment\"}\n" },
        { "{\"add-comment\":null}", "{\"type\":\"add_c", GOOD,
          "{\"type\":\"add_c\n{\"body\":\"x\",\"target\":0,\"type\":\"add_comment\"}\n" },
        // task-E03
        { "{\"add-comment\":{\"max\":2}}", GOOD "\n{\"items\":[" GOOD "]}\n", GOOD,
          "!policy: max 2 for add_comment exceeded" },
        // the maximum is looked at before the item
        { "{\"add-comment\":null}", GOOD "\n", "{\"type\":\"add_comment\"}",
          "!policy: max 1 for add_comment exceeded" },
        // task-E06
        { "{\"add-comment\":null}", "", "{\"type\":\"create_issue\",\"title\":\"t\"}",
          "!kind \"create_issue\" not permitted by safe-outputs:" },
        { "{}", "", "{\"type\":\"create_discussion\"}",
          "!item: unknown type \"create_discussion\"" },
        { "{}", "", "{\"body\":\"x\"}", "!item: the field \"type\" is missing" },
        // task-E12: never counted
        { "{}", "{\"type\":\"noop\"}\n{\"type\":\"noop\"}\n", "{\"type\":\"noop\"}",
          "{\"type\":\"noop\"}\n{\"type\":\"noop\"}\n{\"message\":\"\",\"type\":\"noop\"}\n" },
        // what an earlier line has may be the target
        { "{\"add-comment\":null}",
          "{\"type\":\"create_issue\",\"temporary_id\":\"tmp_1\",\"title\":\"t\"}\n",
          "{\"type\":\"add_comment\",\"body\":\"see #tmp_1\",\"target\":\"tmp_1\"}",
          "{\"type\":\"create_issue\",\"temporary_id\":\"tmp_1\",\"title\":\"t\"}\n"
          "{\"body\":\"see #tmp_1\",\"target\":\"tmp_1\",\"type\":\"add_comment\"}\n" },
        { "{\"create-issue\":{\"max\":5}}",
          "{\"type\":\"create_issue\",\"temporary_id\":\"tmp_1\",\"title\":\"t\"}\n",
          "{\"type\":\"create_issue\",\"temporary_id\":\"TMP_1\",\"title\":\"t\"}",
          "!create_issue: temporary_id \"tmp_1\" is that of an earlier item" },
    };
    g_autofree char *path = path_of("append.jsonl");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_emit(path, &cases[i]);
}

/* task-E23 and the other maxima. */
static void test_too_much(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = path_of("much.jsonl");
    g_autofree char *long_text = g_strnfill(1536 * 1024, 'a');
    g_autofree char *large = g_strdup_printf("{\"type\":\"noop\",\"message\":\"%s\"}", long_text);
    g_autofree char *too_large =
        g_strdup_printf("!item too large (%zu bytes; limit 1048576)", strlen(large));
    check_emit(path, &(Emit) { "{}", "", large, too_large });

    g_autoptr(GString) many = g_string_new(NULL);
    for (size_t i = 0; i < WM_MAX_ITEMS; i++)
        g_string_append(many, "{\"type\":\"noop\"}\n");
    check_emit(path,
               &(Emit) { "{}", many->str, "{\"type\":\"noop\"}", "!too many items (limit 1000)" });

    g_autofree char *blank = g_strnfill(WM_MAX_OUTPUT_BYTES - 10, '\n');
    g_autofree char *full = g_strdup_printf("!%s would be larger than 16777216 bytes", path);
    check_emit(path, &(Emit) { "{}", blank, "{\"type\":\"noop\"}", full });
}

/* No room for the whole line: the file is as it was. */
static void test_disk_full(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = path_of("full.jsonl");
    g_autoptr(WmPolicy) policy = wm_policy_new(NULL, NULL);
    const WmItemScope scope = { .policy = policy, .task_name = "x" };
    g_autoptr(json_t) item = json_pack("{s:s}", "type", "noop");
    g_autoptr(GError) error = NULL;
    struct rlimit before;
    put(path, GOOD "\n", strlen(GOOD "\n"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    const struct rlimit tight = { strlen(GOOD "\n") + 5, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    bool is_appended = wm_items_append(path, &scope, item, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_false(is_appended);
    assert_non_null(strstr(error->message, "cannot write to"));
    g_autofree char *content = content_of(path);
    assert_string_equal(content, GOOD "\n");
}

static void test_private(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = path_of("new.jsonl");
    g_autoptr(WmPolicy) policy = wm_policy_new(NULL, NULL);
    const WmItemScope scope = { .policy = policy, .task_name = "x" };
    g_autoptr(json_t) item = json_pack("{s:s}", "type", "noop");
    struct stat info;
    assert_true(wm_items_append(path, &scope, item, NULL));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_regular_file),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_private),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
