/*
 * The directory of a run: its name, its files, which ones go, and that no link leads out of it.
 */
#include "base/str.h"
#include "unit.h"

#include "wm/workspace/run_dir.h"
#include "wm/workspace/run_file.h"

#include "base/file.h"
#include "base/path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY (24 * 60 * 60)

typedef struct Place {
    char *root;
    WmEvent event;
} Place;

static int set_up(void **state)
{
    g_autofree char *made = g_dir_make_tmp("kedge-run-dir-XXXXXX", NULL);
    Place *self = g_new0(Place, 1);
    self->root = path_real(made);
    self->event.name = g_strdup("issues");
    self->event.payload = json_object();
    json_set_text(self->event.payload, "action", "a < b & c");
    g_unsetenv("WM_RUN_DIR");
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    Place *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->root);
    g_free(self->event.name);
    json_decref(self->event.payload);
    g_free(self);
    g_unsetenv("WM_RUN_DIR");
    return 0;
}

static void make(const Place *place, const char *task, WmRunDir *ret_dir)
{
    g_autoptr(GError) error = NULL;
    if (!wm_run_dir_make(place->root, task, &place->event, ret_dir, &error))
        fail_msg("%s", error->message);
}

static char *read_text(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    char *text = NULL;
    g_autoptr(GError) error = NULL;
    if (!g_file_get_contents(path, &text, NULL, &error))
        fail_msg("%s", error->message);
    return text;
}

static void write_text(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void test_slug(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *slug;
    } cases[] = {
        { "My Task_v2!", "my-task-v2" },
        { "fix", "fix" },
        { "  --a__ b\t- ", "a-b" },
        { "!?", "task" },
        { "", "task" },
        { "\xc3\x84rger & Co", "\xc3\x84rger-co" },
        { "a.b/c", "abc" },
        { "x\xff", "x" },
        { "123456789012345678901234567890123456789012345678901", // 51
          "123456789012345678901234567890123456789012345678" },
        { "12345678901234567890123456789012345678901234567 x", // the dash is the 48th
          "12345678901234567890123456789012345678901234567" },
        { "12345678901234567890123456789012345678901234567\xc3\xa9", // no half character
          "12345678901234567890123456789012345678901234567" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *slug = wm_slug(cases[i].name);
        assert_string_equal(slug, cases[i].slug);
    }
}

static void test_duration(void **state G_GNUC_UNUSED)
{
    static const struct {
        int64_t milliseconds;
        const char *text;
    } cases[] = {
        { 0, "0s" },
        { -5, "0s" },
        { 8, "8ms" },
        { 52, "52ms" },
        { 999, "999ms" },
        { 1000, "1s" },
        { 1500, "1.5s" },
        { 12052, "12.052s" },
        { 59999, "59.999s" },
        { 60000, "1m0s" },
        { 123004, "2m3.004s" },
        { 3600000, "1h0m0s" },
        { 3661100, "1h1m1.1s" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = wm_duration_text(cases[i].milliseconds);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_made(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) dir = { 0 };
    make(place, "My Task_v2!", &dir);
    assert_true(g_regex_match_simple("^my-task-v2-\\d{8}T\\d{6}-[0-9a-f]{8}$", dir.id, 0, 0));
    g_autofree char *base = g_build_filename(place->root, ".wm/runs", dir.id, NULL);
    assert_string_equal(dir.path, base);

    g_autofree char *meta = read_text(dir.path, "meta.json");
    g_autofree char *want = g_strdup_printf("{\n  \"run_id\": \"%s\",\n"
                                            "  \"task_name\": \"My Task_v2!\",\n"
                                            "  \"event_name\": \"issues\",\n"
                                            "  \"started_at\": \"%s\",\n"
                                            "  \"phase\": \"activation\",\n"
                                            "  \"success\": false\n}\n",
                                            dir.id, dir.started_at);
    assert_string_equal(meta, want);
    g_autofree char *event = read_text(dir.path, "event.json");
    assert_string_equal(event, "{\"action\":\"a < b & c\"}");

    g_autoptr(GError) error = NULL;
    assert_true(wm_run_dir_set_phase(&dir, "conclusion", true, &error));
    g_auto(WmRunDir) again = { 0 };
    assert_true(wm_run_dir_open(dir.path, &again, &error));
    assert_string_equal(again.id, dir.id);
    assert_string_equal(again.task_name, "My Task_v2!");
    assert_string_equal(again.started_at, dir.started_at);
    g_autofree char *later = read_text(dir.path, "meta.json");
    assert_non_null(strstr(later, "\"phase\": \"conclusion\",\n  \"success\": true"));
}

/* Once; also where the repository says it itself, in a file that another commit may not have, and
   where WM_RUN_DIR puts runs into the work tree. */
static void test_kept_out_of_git(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) first = { 0 }, second = { 0 }, third = { 0 };
    make(place, "x", &first);
    g_autofree char *base = g_path_get_dirname(first.path);
    g_autofree char *rules = read_text(base, ".gitignore");
    assert_string_equal(rules, "*\n");
    write_text(base, ".gitignore", "mine\n");
    make(place, "x", &second);
    g_autofree char *kept = read_text(base, ".gitignore");
    assert_string_equal(kept, "mine\n");

    g_autofree char *own = g_build_filename(base, ".gitignore", NULL);
    g_autofree char *above = g_build_filename(place->root, ".wm", NULL);
    assert_int_equal(unlink(own), 0);
    write_text(above, ".gitignore", "tmp\n/runs/\n");
    make(place, "x", &third);
    assert_true(file_exists(own));

    g_autofree char *inside = g_build_filename(place->root, "more", NULL);
    g_autofree char *outside = g_dir_make_tmp("kedge-runs-XXXXXX", NULL);
    const char *const bases[] = { inside, outside };
    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        g_auto(WmRunDir) dir = { 0 };
        g_setenv("WM_RUN_DIR", bases[i], TRUE);
        make(place, "x", &dir);
        g_unsetenv("WM_RUN_DIR");
        g_autofree char *mark = g_build_filename(bases[i], ".gitignore", NULL);
        assert_int_equal(file_exists(mark), bases[i] == inside);
    }
    file_remove_tree(outside, NULL);
}

static void test_json_is_escaped_and_whole(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) dir = { 0 };
    make(place, "x", &dir);
    g_autoptr(json_t) value = json_pack("{s:[s]}", "errors", "--> <b> & \"q\"");
    g_autoptr(GError) error = NULL;
    assert_true(wm_run_dir_write_json(&dir, "result.json", value, &error));
    g_autofree char *text = read_text(dir.path, "result.json");
    assert_string_equal(text, "{\n  \"errors\": [\n    \"--\\u003e \\u003cb\\u003e \\u0026 "
                              "\\\"q\\\"\"\n  ]\n}\n");
    g_autoptr(json_t) back = NULL;
    assert_true(wm_run_dir_read_json(&dir, "result.json", &back, &error));
    assert_true(json_equal(value, back));
    assert_false(wm_run_dir_read_json(&dir, "none.json", &back, &error));
    assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
}

/* What an agent left in place of a file or of the whole directory is neither read nor written
   through. */
static void test_no_links(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) dir = { 0 };
    make(place, "x", &dir);
    write_text(place->root, "secret", "{\"mine\": true}");
    g_autofree char *link = g_build_filename(dir.path, "result.json", NULL);
    g_autofree char *secret = g_build_filename(place->root, "secret", NULL);
    assert_int_equal(symlink(secret, link), 0);

    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(wm_run_dir_read_json(&dir, "result.json", &value, &error));
    assert_non_null(strstr(error->message, "a symbolic link"));
    assert_false(run_file_exists(dir.path, "result.json"));
    g_clear_error(&error);

    g_autoptr(json_t) other = json_object();
    assert_true(wm_run_dir_write_json(&dir, "result.json", other, &error));
    g_autofree char *kept = read_text(place->root, "secret");
    assert_string_equal(kept, "{\"mine\": true}");
    assert_true(run_file_exists(dir.path, "result.json"));

    g_autofree char *fifo = g_build_filename(dir.path, "pipe.json", NULL);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_false(wm_run_dir_read_json(&dir, "pipe.json", &value, &error));
    assert_non_null(strstr(error->message, "not a regular file"));
    g_clear_error(&error);

    g_autofree char *moved = g_strconcat(dir.path, ".moved", NULL);
    assert_int_equal(rename(dir.path, moved), 0);
    assert_int_equal(symlink(moved, dir.path), 0);
    assert_false(wm_run_dir_write_json(&dir, "result.json", other, &error));
    g_clear_error(&error);
    g_auto(WmRunDir) opened = { 0 };
    assert_false(wm_run_dir_open(dir.path, &opened, &error));
}

static void test_runs_lead_out(void **state) // task-S14
{
    const Place *place = *state;
    g_autofree char *wm = g_build_filename(place->root, "repo/.wm", NULL);
    g_autofree char *root = g_build_filename(place->root, "repo", NULL);
    g_autofree char *outside = g_build_filename(place->root, "outside", NULL);
    g_autofree char *runs = g_build_filename(wm, "runs", NULL);
    assert_int_equal(g_mkdir_with_parents(wm, 0755), 0);
    assert_int_equal(g_mkdir_with_parents(outside, 0755), 0);
    assert_int_equal(symlink(outside, runs), 0);

    g_auto(WmRunDir) dir = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(wm_run_dir_make(root, "x", &place->event, &dir, &error));
    assert_non_null(strstr(error->message, "leads out of the repository"));
    g_autoptr(GDir) listing = g_dir_open(outside, 0, NULL);
    assert_null(g_dir_read_name(listing));
    g_clear_error(&error);
    g_autofree char *newest = NULL;
    assert_false(wm_run_dir_newest(root, "x", &newest, &error));
    g_clear_error(&error);

    // one that stays inside is the person's own order
    g_autofree char *inside = g_build_filename(root, "kept", NULL);
    assert_int_equal(g_mkdir_with_parents(inside, 0755), 0);
    assert_int_equal(unlink(runs), 0);
    assert_int_equal(symlink(inside, runs), 0);
    assert_true(wm_run_dir_make(root, "x", &place->event, &dir, &error));

    // one that leads nowhere makes nothing there
    assert_int_equal(unlink(runs), 0);
    g_autofree char *nowhere = g_build_filename(place->root, "nowhere", NULL);
    assert_int_equal(symlink(nowhere, runs), 0);
    g_auto(WmRunDir) none = { 0 };
    assert_false(wm_run_dir_make(root, "x", &place->event, &none, &error));
    assert_false(file_exists(nowhere));
}

static void age(const char *path, int days)
{
    const struct timespec times[2] = { { .tv_sec = time(NULL) - (time_t)days * DAY },
                                       { .tv_sec = time(NULL) - (time_t)days * DAY } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void test_old_ones_go(void **state) // task-R23
{
    const Place *place = *state;
    g_autofree char *base = g_build_filename(place->root, "elsewhere", NULL);
    g_setenv("WM_RUN_DIR", base, TRUE);
    g_auto(WmRunDir) old = { 0 }, young = { 0 }, renamed = { 0 }, next = { 0 };
    make(place, "old", &old);
    make(place, "young", &young);
    make(place, "renamed", &renamed);
    assert_true(str_has_prefix(old.path, base));
    g_autofree char *unrelated = g_build_filename(base, "unrelated", NULL);
    g_autofree char *other_name = g_build_filename(base, "other-name", NULL);
    g_autofree char *linked = g_build_filename(base, "linked", NULL);
    assert_int_equal(g_mkdir_with_parents(unrelated, 0755), 0);
    assert_int_equal(rename(renamed.path, other_name), 0); // its meta.json says another name
    assert_int_equal(symlink(young.path, linked), 0);
    age(old.path, 8);
    age(young.path, 6);
    age(unrelated, 30);
    age(other_name, 30);
    age(linked, 30);

    make(place, "next", &next);
    assert_false(file_exists(old.path));
    assert_true(file_exists(young.path));
    assert_true(file_exists(unrelated));
    assert_true(file_exists(other_name));
    assert_true(file_exists(linked));
}

static void test_newest(void **state)
{
    const Place *place = *state;
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(wm_run_dir_newest(place->root, "x", &path, &error));
    g_autofree char *missing = g_strdup_printf("find run dir: missing %s/.wm/runs", place->root);
    assert_string_equal(error->message, missing);
    g_clear_error(&error);

    g_auto(WmRunDir) first = { 0 }, second = { 0 }, other = { 0 };
    make(place, "x", &first);
    make(place, "x", &second);
    make(place, "y", &other);
    g_autofree char *meta = g_build_filename(second.path, "meta.json", NULL);
    age(meta, 1);
    assert_true(wm_run_dir_newest(place->root, "x", &path, &error));
    assert_string_equal(path, first.path);
    g_clear_pointer(&path, g_free);

    write_text(first.path, "meta.json", "{\"task_name\":");
    assert_true(wm_run_dir_newest(place->root, "x", &path, &error));
    assert_string_equal(path, second.path);
    g_clear_pointer(&path, g_free);

    assert_false(wm_run_dir_newest(place->root, "z", &path, &error));
    g_autofree char *none =
        g_strdup_printf("find run dir: no run for task \"z\" under %s/.wm/runs", place->root);
    assert_string_equal(error->message, none);
}

static void test_bad_meta(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) dir = { 0 }, opened = { 0 };
    make(place, "x", &dir);
    static const struct {
        const char *text, *problem;
    } cases[] = {
        { "{\"task_name\":", "parse meta.json: " },
        { "[1]", "parse meta.json: no object" },
        { "", "parse meta.json: " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        write_text(dir.path, "meta.json", cases[i].text);
        assert_false(wm_run_dir_open(dir.path, &opened, &error));
        if (!str_has_prefix(error->message, cases[i].problem))
            fail_msg("%s: %s", cases[i].text, error->message);
    }
    write_text(dir.path, "meta.json", "{\"run_id\":\"../../x\",\"task_name\":3}");
    assert_true(wm_run_dir_open(dir.path, &opened, NULL));
    assert_string_equal(opened.id, dir.id);
    assert_string_equal(opened.task_name, "");
}

static void test_one_applies_at_a_time(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) dir = { 0 };
    make(place, "x", &dir);
    g_auto(Fd) first = -1, second = -1;
    g_autoptr(GError) error = NULL;
    assert_true(wm_run_dir_lock(&dir, &first, &error));
    assert_false(wm_run_dir_lock(&dir, &second, &error));
    assert_true(error_is(error, KEDGE_ERROR_DENIED));
    g_clear_error(&error);
    fd_close(fd_steal(&first));
    assert_true(wm_run_dir_lock(&dir, &second, &error));
}

static void test_no_room(void **state)
{
    const Place *place = *state;
    g_auto(WmRunDir) dir = { 0 };
    make(place, "x", &dir);
    g_autofree char *before = read_text(dir.path, "meta.json");
    g_autoptr(json_t) value = json_pack("{s:s}", "text", "0123456789");
    g_autoptr(GError) error = NULL;
    // a directory stands in the way of the rename: what was written is taken away again
    g_autofree char *taken = g_build_filename(dir.path, "plan.json", NULL);
    assert_int_equal(g_mkdir_with_parents(taken, 0755), 0);
    assert_false(wm_run_dir_write_json(&dir, "plan.json", value, &error));
    assert_true(str_has_prefix(error->message, "cannot write "));
    g_autoptr(GDir) listing = g_dir_open(dir.path, 0, NULL);
    const char *name = NULL;
    while ((name = g_dir_read_name(listing)))
        if (g_str_has_suffix(name, ".tmp"))
            fail_msg("left behind: %s", name);
    g_autofree char *after = read_text(dir.path, "meta.json");
    assert_string_equal(before, after);
}

#define PLACED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slug),
        cmocka_unit_test(test_duration),
        PLACED(test_made),
        PLACED(test_kept_out_of_git),
        PLACED(test_json_is_escaped_and_whole),
        PLACED(test_no_links),
        PLACED(test_runs_lead_out),
        PLACED(test_old_ones_go),
        PLACED(test_newest),
        PLACED(test_bad_meta),
        PLACED(test_one_applies_at_a_time),
        PLACED(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
