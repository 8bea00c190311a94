/*
 * The stub `gh` and the calls through it; see gh_fixture.h. The stub finds its files beside itself,
 * since its environment is built from nothing by the program under test.
 */
#include "unit.h"

#include "gh_fixture.h"

#include "base/file.h"
#include "github/github.h"

#include <errno.h>
#include <sys/stat.h>

#define FIXTURE_NOW_MS   G_GINT64_CONSTANT(1780209000000) // 2026-05-31T06:30:00Z
#define FIXTURE_MAX_FILE ((size_t)256 * 1024 * 1024)

// `set -C` makes a redirection an O_EXCL create, so that stubs running side by side get numbers of
// their own.
static const char STUB[] =
    "#!/bin/sh\n"
    "d=${0%/*}/../stub\n"
    "[ \"$*\" != --version ] || exec cat \"$d/version\"\n"
    "read -r _ _ v _ <\"$d/version\"\n"
    "case $v in 2.9[789].*|2.1??.*|DEV) is_new=1 ;; *) is_new= ;; esac\n"
    "args=${*%% --allow-escape-sequences}\n"
    "if [ ! \"$is_new\" ] && [ \"$args\" != \"$*\" ]; then\n"
    "  echo 'unknown flag: --allow-escape-sequences' >&2\n"
    "  exit 1\n"
    "fi\n"
    "refuses() {\n"
    "  [ \"$is_new\" ] && [ \"$args\" = \"$*\" ] && grep -q \"$(printf '\\033')\" \"$r.out\"\n"
    "}\n"
    "i=0\n"
    "set -C\n"
    "until { true >\"$d/calls/$i\"; } 2>/dev/null; do i=$((i + 1)); done\n"
    "set +C\n"
    "printf '%s\\0' \"$@\" >\"$d/calls/$i.argv\"\n"
    "echo $$ >\"$d/calls/$i.pid\"\n"
    "cat /proc/$$/environ >\"$d/calls/$i.env\"\n"
    "p=\n"
    "for a in \"$@\"; do\n"
    "  if [ \"$p\" = --body-file ] || [ \"$p\" = --input ]; then\n"
    "    { stat -c %a \"$a\"; cat \"$a\"; } >\"$d/calls/$i.body\"\n"
    "  fi\n"
    "  p=$a\n"
    "done\n"
    "answer() {\n"
    "  read -r status pause <\"$1.status\"\n"
    "  [ \"$pause\" = 0 ] || sleep \"$pause\"\n"
    "  [ ! -s \"$1.err\" ] || cat \"$1.err\" >&2\n"
    "  [ ! -s \"$1.out\" ] || cat \"$1.out\"\n"
    "  exit \"$status\"\n"
    "}\n"
    "for r in \"$d\"/replies/*.match; do\n"
    "  [ -e \"$r\" ] || continue\n"
    "  IFS= read -r pattern <\"$r\"\n"
    "  # shellcheck disable=SC2254\n"
    "  case $args in $pattern) ;; *) continue ;; esac\n"
    "  r=${r%.match}\n"
    "  if [ ! -e \"$r.repeat\" ]; then\n"
    "    set -C\n"
    "    { true >\"$r.taken\"; } 2>/dev/null || continue\n"
    "    set +C\n"
    "  fi\n"
    "  if [ -s \"$r.out\" ] && refuses \"$@\"; then\n"
    "    echo 'the response contains terminal escape sequences; pass --allow-escape-sequences to "
    "output it "
    "anyway' >&2\n"
    "    exit 1\n"
    "  fi\n"
    "  answer \"$r\"\n"
    "done\n"
    "echo \"stub gh: no reply for: $*\" >&2\n"
    "exit 99\n";

static char *path_in(const GhFixture *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

static char *path_in(const GhFixture *self, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_autofree char *name = g_strdup_vprintf(format, list);
    va_end(list);
    return g_build_filename(self->dir, name, NULL);
}

static void write_file(const char *path, const char *data)
{
    if (!g_file_set_contents(path, data, -1, NULL))
        fail_msg("cannot write %s", path);
}

static void make_dir(const char *path)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        fail_msg("cannot make %s", path);
}

static void update_free(void *data)
{
    GhUpdate *update = data;
    g_free(update->text);
    json_decref(update->details);
    g_free(update);
}

static void set_environment(const GhFixture *self)
{
    static char *original_path;
    if (!original_path)
        original_path = g_strdup(g_getenv("PATH"));

    static const char *const unset[] = {
        "GH_HOST",
        "GH_REPO",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "GH_ENTERPRISE_TOKEN",
        "GITHUB_ENTERPRISE_TOKEN",
        "XDG_CONFIG_HOME",
        "KEDGE_CONFIG_DIR",
        "KEDGE_AGENT_DIR",
        "KEDGE_WORKTREE_DIR",
        "OMP_WORKTREE_DIR",
        "CI",
        "GITHUB_ACTIONS",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "PI_CONFIG_DIR",
        "PI_AGENT_DIR",
        "PI_WORKTREE_DIR",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(unset); i++)
        g_unsetenv(unset[i]);
    g_autofree char *path = g_strconcat(self->bin, ":", original_path, NULL);
    g_autofree char *gh_config = path_in(self, "gh-config");
    g_setenv("PATH", path, true);
    g_setenv("HOME", self->home, true);
    g_setenv("TMPDIR", self->temp, true);
    g_setenv("TZ", "UTC", true);
    g_setenv("GH_CONFIG_DIR", gh_config, true);
    g_setenv("GIT_CONFIG_NOSYSTEM", "1", true);
    tzset();
}

GhFixture *gh_fixture_new(void)
{
    return gh_fixture_new_with(NULL);
}

GhFixture *gh_fixture_new_with(const char *settings_json)
{
    if (!settings_json || *settings_json == '\0')
        settings_json = "{\"gh\":{\"knownHosts\":[\"ghe.example.com\",\"ghe\"]}}";
    g_autoptr(json_t) overrides = NULL;
    assert_true(json_parse_text(settings_json, &overrides, NULL));

    GhFixture *self = g_new0(GhFixture, 1);
    g_autofree char *made = g_dir_make_tmp("kedge-gh-XXXXXX", NULL);
    assert_non_null(made);
    self->dir = realpath(made, NULL); // paths in answers are real paths
    static const char *const dirs[] = { "work", "bin",        "home",         "tmp",
                                        "stub", "stub/calls", "stub/replies", "gh-config" };
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_autofree char *dir = path_in(self, "%s", dirs[i]);
        make_dir(dir);
    }
    self->cwd = path_in(self, "work");
    self->bin = path_in(self, "bin");
    self->home = path_in(self, "home");
    self->temp = path_in(self, "tmp");
    g_autofree char *stub = path_in(self, "bin/gh");
    write_file(stub, STUB);
    assert_int_equal(chmod(stub, 0755), 0);

    set_environment(self);
    self->settings = settings_new(overrides);
    self->cancel = cancel_new(NULL);
    self->now_ms = FIXTURE_NOW_MS;
    self->sleeps = g_array_new(false, false, sizeof(int64_t));
    self->updates = g_ptr_array_new_with_free_func(update_free);
    gh_fixture_set_version(self, "2.92.0");
    return self;
}

void gh_fixture_free(GhFixture *self)
{
    tool_context_free(self->context);
    if (!self)
        return;
    g_unsetenv("TMPDIR"); // it is about to vanish
    file_remove_tree(self->dir, NULL);
    settings_unref(self->settings);
    cancel_unref(self->cancel);
    g_array_unref(self->sleeps);
    g_ptr_array_unref(self->updates);
    free(self->dir); // from realpath()
    g_free(self->cwd);
    g_free(self->bin);
    g_free(self->home);
    g_free(self->temp);
    g_free(self->artifacts_dir);
    g_free(self);
}

void gh_fixture_set_version(GhFixture *self, const char *version)
{
    g_autofree char *path = path_in(self, "stub/version");
    g_autofree char *text = g_strdup_printf("gh version %s (2026-05-01)\n", version);
    write_file(path, text);
}

static void write_reply(const char *base, const GhReply *reply)
{
    g_autofree char *out = g_strconcat(base, ".out", NULL);
    g_autofree char *err = g_strconcat(base, ".err", NULL);
    g_autofree char *status = g_strconcat(base, ".status", NULL);
    g_autofree char *text = g_strdup_printf("%d %d\n", reply->status, reply->sleep_s);
    write_file(out, reply->out != NULL ? reply->out : "");
    write_file(err, reply->err != NULL ? reply->err : "");
    write_file(status, text);
}

void gh_fixture_reply(GhFixture *self, const GhReply *reply)
{
    g_autofree char *base = path_in(self, "stub/replies/%06u", self->next_reply++);
    write_reply(base, reply);
    if (reply->is_repeated) {
        g_autofree char *repeat = g_strconcat(base, ".repeat", NULL);
        write_file(repeat, "");
    }
    g_autofree char *match = g_strconcat(base, ".match", NULL);
    g_autofree char *pattern = g_strconcat(reply->match != NULL ? reply->match : "*", "\n", NULL);
    write_file(match, pattern);
}

void gh_fixture_reply_out(GhFixture *self, const char *out)
{
    gh_fixture_reply(self, &(GhReply) { .out = out });
}

void gh_fixture_set_origin(GhFixture *self, const char *url)
{
    g_autofree char *git = path_in(self, "work/.git");
    assert_true(file_remove_tree(git, NULL));
    if (!url)
        return;
    static const char *const dirs[] = { "work/.git", "work/.git/objects", "work/.git/refs" };
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_autofree char *dir = path_in(self, "%s", dirs[i]);
        make_dir(dir);
    }
    g_autofree char *head = path_in(self, "work/.git/HEAD");
    g_autofree char *config = path_in(self, "work/.git/config");
    g_autofree char *text = g_strdup_printf(
        "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = %s\n", url);
    write_file(head, "ref: refs/heads/main\n");
    write_file(config, text);
}

void gh_fixture_renew_cancel(GhFixture *self)
{
    cancel_unref(self->cancel);
    self->cancel = cancel_new(NULL);
}

static int64_t clock_now(void *data)
{
    const GhFixture *self = data;
    return self->now_ms;
}

static bool clock_sleep(void *data, int64_t duration_ms, Cancel *cancel, GError **error)
{
    GhFixture *self = data;
    g_array_append_val(self->sleeps, duration_ms);
    self->now_ms += duration_ms;
    if (self->on_sleep)
        self->on_sleep(self, duration_ms);
    return cancel_check(cancel, error);
}

static void record_update(const char *text, const json_t *details, void *data)
{
    GhFixture *self = data;
    GhUpdate *update = g_new0(GhUpdate, 1);
    update->text = g_strdup(text);
    update->details = details != NULL ? json_deep_copy(details) : NULL;
    g_ptr_array_add(self->updates, update);
}

static const UrlScheme *const schemes[] = { &url_issue, &url_pr, &url_run, &url_gh, NULL };

static ToolContext *new_context(GhFixture *self, const char *cwd)
{
    const ToolClock clock = { .now_ms = clock_now, .sleep = clock_sleep, .user_data = self };
    Artifacts *artifacts = self->artifacts_dir != NULL ? artifacts_new(self->artifacts_dir) : NULL;
    ToolContext *context = tool_context_new(cwd, self->settings, artifacts);
    tool_context_set_clock(context, &clock);
    tool_context_add_schemes(context, schemes);
    return context;
}

void gh_fixture_converse(GhFixture *self)
{
    self->context = new_context(self, self->cwd);
}

ToolResult gh_fixture_call_in(GhFixture *self, const char *cwd, const char *arguments)
{
    g_autoptr(json_t) decoded = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(arguments, &decoded, &error))
        fail_msg("bad arguments of a test: %s: %s", arguments, error->message);

    const ToolDoor agent = { .kind = DOOR_AGENT };
    g_autoptr(ToolContext) own = self->context == NULL ? new_context(self, cwd) : NULL;
    const ToolCallSpec spec = {
        .tool = self->tool != NULL ? self->tool : &tool_github,
        .call_id = "call-1",
        .arguments = decoded,
        .context = own != NULL ? own : self->context,
        .door = self->door != NULL ? self->door : &agent,
        .cancel = self->cancel,
        .on_update = record_update,
        .user_data = self,
    };
    ToolResult result = { 0 };
    tool_call(&spec, &result);
    return result;
}

ToolResult gh_fixture_call(GhFixture *self, const char *arguments)
{
    return gh_fixture_call_in(self, self->cwd, arguments);
}

/* Files named <number>.argv are complete once the call has returned. */
unsigned gh_fixture_call_count(const GhFixture *self)
{
    unsigned count = 0;
    for (;; count++) {
        g_autofree char *path = path_in(self, "stub/calls/%u", count);
        if (!file_exists(path))
            return count;
    }
}

static char *call_file(const GhFixture *self, unsigned number, const char *suffix, size_t *ret_size)
{
    g_autofree char *path = path_in(self, "stub/calls/%u.%s", number, suffix);
    char *data = NULL;
    if (!file_read(path, FIXTURE_MAX_FILE, &data, ret_size, NULL))
        return NULL;
    return data;
}

/* NUL-terminated strings, one after the other. */
static char **split_nul(const char *data, size_t size)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (const char *at = data; at < data + size; at += strlen(at) + 1)
        g_ptr_array_add(list, g_strdup(at));
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&list), false);
}

char *gh_fixture_argv(const GhFixture *self, unsigned number)
{
    size_t size = 0;
    g_autofree char *data = call_file(self, number, "argv", &size);
    if (!data)
        return NULL;
    g_auto(GStrv) argv = split_nul(data, size);
    return g_strjoinv("|", argv);
}

char **gh_fixture_environment(const GhFixture *self, unsigned number)
{
    size_t size = 0;
    g_autofree char *data = call_file(self, number, "env", &size);
    return data != NULL ? split_nul(data, size) : NULL;
}

char *gh_fixture_body(const GhFixture *self, unsigned number)
{
    return call_file(self, number, "body", NULL);
}

int64_t gh_fixture_pid(const GhFixture *self, unsigned number)
{
    g_autofree char *text = call_file(self, number, "pid", NULL);
    return text != NULL ? g_ascii_strtoll(text, NULL, 10) : 0;
}

void gh_fixture_reset(GhFixture *self)
{
    static const char *const dirs[] = { "stub/calls", "stub/replies" };
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_autofree char *dir = path_in(self, "%s", dirs[i]);
        assert_true(file_remove_tree(dir, NULL));
        make_dir(dir);
    }
    g_array_set_size(self->sleeps, 0);
    g_ptr_array_set_size(self->updates, 0);
}

static void expect_result(const char *name, const ToolResult *result, const char *want,
                          bool is_error)
{
    g_autofree char *text = tool_result_text(result);
    if (result->is_error != is_error)
        fail_msg("%s: %s: %s", name, result->is_error ? "error" : "no error", text);
    if (strcmp(text, want) != 0)
        fail_msg("%s: got\n%s\nwant\n%s", name, text, want);
}

void gh_expect_text(const char *name, const ToolResult *result, const char *want)
{
    expect_result(name, result, want, false);
}

void gh_expect_error(const char *name, const ToolResult *result, const char *want)
{
    expect_result(name, result, want, true);
}

void gh_expect_argv(const char *name, const GhFixture *self, unsigned number, const char *want)
{
    g_autofree char *argv = gh_fixture_argv(self, number);
    if (g_strcmp0(argv, want) != 0)
        fail_msg("%s: call %u: got\n%s\nwant\n%s", name, number, argv != NULL ? argv : "(none)",
                 want);
}

void gh_expect_calls(const char *name, const GhFixture *self, unsigned want)
{
    unsigned got = gh_fixture_call_count(self);
    if (got != want)
        fail_msg("%s: %u calls of gh, want %u", name, got, want);
}
