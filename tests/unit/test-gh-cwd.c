/*
 * The working directory of a gh call (gh-policy §1.5): what is local and allowed, and that the
 * directory which was checked is the one that is used.
 */
#include "unit.h"

#include "base/file.h"
#include "base/path.h"
#include "base/proc.h"
#include "github/classify/gh_kind.h"
#include "github/safe/gh_cwd.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

typedef struct Place {
    char *root; // home, work, other, allowed below it
    char *home, *work;
    Settings *settings;
} Place;

static Place place;

static char *below(const char *name)
{
    return g_build_filename(place.root, name, NULL);
}

static void make_dir(const char *name)
{
    g_autofree char *path = below(name);
    assert_int_equal(g_mkdir_with_parents(path, 0700), 0);
}

static int set_up(void **state G_GNUC_UNUSED)
{
    g_autofree char *made = g_dir_make_tmp("kedge-cwd-XXXXXX", NULL);
    place.root = path_real(made);
    place.home = below("home");
    place.work = below("work");
    static const char *const dirs[] = { "home/sub", "work/sub", "other", "allowed/sub",
                                        "work/host:" };
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++)
        make_dir(dirs[i]);
    g_autofree char *link = below("home/link");
    assert_int_equal(symlink("../other", link), 0);
    g_autofree char *file = below("home/file");
    assert_true(g_file_set_contents(file, "x", -1, NULL));
    g_setenv("HOME", place.home, true);

    g_autofree char *json =
        g_strdup_printf("{\"gh\":{\"allowedRoots\":[\"%s/allowed\",\"relative\"]}}", place.root);
    g_autoptr(json_t) overrides = NULL;
    assert_true(json_parse_text(json, &overrides, NULL));
    place.settings = settings_new(overrides);
    return 0;
}

static int tear_down(void **state G_GNUC_UNUSED)
{
    bool is_removed = file_remove_tree(place.root, NULL);
    settings_unref(place.settings);
    g_free(place.home);
    g_free(place.work);
    free(place.root);
    return is_removed ? 0 : -1;
}

/* The kind; GH_KIND_NONE when it opens. `%` stands for the root of the tree. */
static GhKind open_kind(const char *text, const char *mounts, char **ret_message)
{
    g_auto(GStrv) parts = g_strsplit(text, "%", -1);
    g_autofree char *path = g_strjoinv(place.root, parts);
    const GhCwdSpec spec = {
        .settings = place.settings,
        .text = path,
        .workspace = place.work,
        .mounts = mounts,
    };
    g_auto(GhCwd) cwd = { .fd = -1 };
    g_autoptr(GError) error = NULL;
    if (gh_cwd_open(&spec, &cwd, &error)) {
        assert_true(cwd.fd > 2 && g_path_is_absolute(cwd.path));
        return GH_KIND_NONE;
    }
    assert_int_equal(cwd.fd, -1);
    if (ret_message)
        *ret_message = g_strdup(error->message);
    return gh_kind_of_error(error);
}

static const struct {
    const char *name, *text;
    GhKind want;
} cases[] = {
    { "gh-1.5-1 home", "%/home", GH_KIND_NONE },
    { "gh-1.5-2 below home", "%/home/sub", GH_KIND_NONE },
    { "gh-1.5-3 tilde", "~/sub", GH_KIND_NONE },
    { "gh-1.5-4 the workspace", "%/work", GH_KIND_NONE },
    { "gh-1.5-5 relative to the workspace", "sub", GH_KIND_NONE },
    { "gh-1.5-6 an allowed root", "%/allowed/sub", GH_KIND_NONE },
    { "gh-1.5-7 outside", "%/other", GH_KIND_INVALID_CWD },
    { "gh-1.5-8 the root", "/", GH_KIND_INVALID_CWD },
    { "gh-1.5-9 a name that begins alike", "%/home2", GH_KIND_INVALID_CWD },
    { "gh-1.5-10 a link that leads out", "%/home/link", GH_KIND_INVALID_CWD },
    { "gh-1.5-11 dots that lead out", "%/home/../other", GH_KIND_INVALID_CWD },
    { "gh-1.5-12 does not exist", "%/home/none", GH_KIND_INVALID_CWD },
    { "gh-1.5-13 a file", "%/home/file", GH_KIND_INVALID_CWD },
    { "gh-1.5-14 ssh", "ssh://host/x", GH_KIND_REMOTE_CWD },
    { "gh-1.5-15 sftp", "sftp://u:p@host/x", GH_KIND_REMOTE_CWD },
    { "gh-1.5-16 ssh of an editor", "/ssh:host:/x", GH_KIND_REMOTE_CWD },
    { "gh-1.5-17 sudo of an editor", "/sudo:root@host:/x", GH_KIND_REMOTE_CWD },
    { "gh-1.5-18 a share", "\\\\server\\share", GH_KIND_REMOTE_CWD },
    { "gh-1.5-19 scp form", "user@host:/x", GH_KIND_REMOTE_CWD },
    { "gh-1.5-20 a local directory that looks like it", "host:/", GH_KIND_NONE },
    { "gh-1.5-21 a colon in a local name", "%/home/a:b", GH_KIND_INVALID_CWD },
};

static void test_cases(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *message = NULL;
        GhKind got = open_kind(cases[i].text, NULL, &message);
        if (got != cases[i].want)
            fail_msg("%s: %s (%s)", cases[i].name, gh_kind_name(got), message);
    }
}

static void test_messages(void **state G_GNUC_UNUSED)
{
    g_autofree char *remote = NULL, *missing = NULL, *outside = NULL;
    open_kind("sftp://u:p@host/x", NULL, &remote);
    open_kind("none", NULL, &missing);
    open_kind("/", NULL, &outside);
    assert_non_null(strstr(remote, "Cannot run gh from remote directory: sftp://[REDACTED]"));
    assert_string_equal(missing, "Working directory does not exist: none.");
    assert_string_equal(outside,
                        "Working directory is outside the home directory and the workspace: /.");
}

#define ROOT_MOUNT "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"

/* The type of the file system, from what /proc/self/mountinfo would say; %s is the root. */
static void test_mounts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *format;
        GhKind want;
    } tables[] = {
        { "local", ROOT_MOUNT "22 21 0:3 / %s/home rw - xfs x rw\n", GH_KIND_NONE },
        { "gh-1.5-30 sshfs",
          ROOT_MOUNT "22 21 0:3 / %s/home rw shared:2 master:3 - fuse.sshfs h:/ rw\n",
          GH_KIND_REMOTE_CWD },
        { "gh-1.5-31 the longest mount point counts",
          ROOT_MOUNT "22 21 0:3 / %s/home rw - cifs x rw\n23 22 0:4 / %s/home/sub rw - ext4 y rw\n",
          GH_KIND_NONE },
        { "gh-1.5-32 in any order",
          "23 22 0:4 / %s/home/sub rw - ext4 y rw\n22 21 0:3 / %s/home rw - cifs x rw\n" ROOT_MOUNT,
          GH_KIND_NONE },
        { "gh-1.5-33 the last of two counts",
          "22 21 0:3 / %s/home rw - ext4 x rw\n23 22 0:4 / %s/home rw - davfs y rw\n",
          GH_KIND_REMOTE_CWD },
        { "gh-1.5-34 another directory", ROOT_MOUNT "22 21 0:3 / %s/ho rw - cifs x rw\n",
          GH_KIND_NONE },
        { "gh-1.5-35 NFS is allowed", "22 21 0:3 / %s/home rw - nfs4 x rw\n", GH_KIND_NONE },
        { "gh-1.5-36 nonsense", "\n- -\nx y z\n22 21 0:3 / relative rw - cifs x rw\n",
          GH_KIND_NONE },
    };
    g_autofree char *path = below("mountinfo");
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_auto(GStrv) parts = g_strsplit(tables[i].format, "%s", -1);
        g_autofree char *text = g_strjoinv(place.root, parts);
        assert_true(g_file_set_contents(path, text, -1, NULL));
        GhKind got = open_kind("%/home/sub", path, NULL);
        if (got != tables[i].want)
            fail_msg("%s: %s", tables[i].name, gh_kind_name(got));
    }
}

/* A blank in a mount point is written as \040. */
static void test_escaped_mount(void **state G_GNUC_UNUSED)
{
    make_dir("home/a b");
    g_autofree char *path = below("mountinfo");
    g_autofree char *text =
        g_strdup_printf("22 21 0:3 / %s/home/a\\040b rw - fuse.rclone x rw\n", place.root);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(open_kind("%/home/a b", path, NULL), GH_KIND_REMOTE_CWD);
}

/* gh-14-25: what was checked is used, also when something else has its name by now. */
static void test_swapped(void **state G_GNUC_UNUSED)
{
    make_dir("home/checked");
    g_autofree char *name = below("home/checked");
    g_autofree char *moved = below("home/moved");
    g_autofree char *other = below("other");
    const GhCwdSpec spec = { .settings = place.settings, .text = name, .workspace = place.work };
    g_auto(GhCwd) cwd = { .fd = -1 };
    assert_true(gh_cwd_open(&spec, &cwd, NULL));
    assert_int_equal(g_rename(name, moved), 0);
    assert_int_equal(symlink(other, name), 0);

    g_autofree char *spawn_path = gh_cwd_spawn_path(&cwd);
    const ProcSpec proc = {
        .argv = (const char *const[]) { "pwd", "-P", NULL },
        .cwd = spawn_path,
        .timeout_ms = 60 * 1000,
        .max_output_bytes = 4096,
    };
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&proc, NULL, &result, NULL));
    assert_string_equal(g_strchomp(result.output), moved);
}

static void test_workspace_by_default(void **state G_GNUC_UNUSED)
{
    const GhCwdSpec spec = { .settings = place.settings, .workspace = place.work };
    g_auto(GhCwd) cwd = { .fd = -1 };
    assert_true(gh_cwd_open(&spec, &cwd, NULL));
    assert_string_equal(cwd.path, place.work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),   cmocka_unit_test(test_messages),
        cmocka_unit_test(test_mounts),  cmocka_unit_test(test_escaped_mount),
        cmocka_unit_test(test_swapped), cmocka_unit_test(test_workspace_by_default),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
