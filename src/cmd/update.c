/*
 * `kedge update --check`: is there a newer release, and where. kedge does not replace itself.
 */
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"
#include "github/repo_ref.h"
#include "github/rest/rest.h"

#define ASK_MS         (60 * 1000)
#define VERSION_PARTS  3
#define VERSION_DIGITS 9

typedef struct UpdateOptions {
    bool wants_check, is_json;
    const char *repo;
} UpdateOptions;

static const FieldDef update_options[] = {
    { "check", FIELD_BOOLEAN, offsetof(UpdateOptions, wants_check),
      .help = "Say whether there is a newer release and where; changes nothing" },
    { "repo", FIELD_STRING, offsetof(UpdateOptions, repo), .refuses_blank = true, .value_name = "R",
      .help = "Where releases are published, [HOST/]OWNER/REPO (default: what the build names)" },
    { "json", FIELD_BOOLEAN, offsetof(UpdateOptions, is_json),
      .help = "Print {current, latest, isNewer, url}" },
    { 0 },
};

typedef struct Update {
    const char *repo;
    char *cwd;
    Settings *settings;
    char *latest, *url;
} Update;

static void update_clear(Update *self)
{
    g_free(self->cwd);
    settings_unref(self->settings);
    g_free(self->latest);
    g_free(self->url);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Update, update_clear)

/* "v1.2.3-rc1" → 1, 2, 3; "2.1" → 2, 1, 0; false for what is no version. */
static bool read_version(const char *text, int64_t parts[VERSION_PARTS])
{
    text += *text == 'v';
    for (int i = 0; i < VERSION_PARTS; i++) {
        size_t digits = strspn(text, "0123456789");
        if (digits > VERSION_DIGITS || (digits == 0 && i == 0))
            return false;
        parts[i] = digits > 0 ? g_ascii_strtoll(text, NULL, 10) : 0;
        text += digits;
        text += *text == '.' && g_ascii_isdigit(text[1]);
    }
    return true;
}

static bool is_newer(const char *latest)
{
    int64_t theirs[VERSION_PARTS], ours[VERSION_PARTS];
    if (!read_version(latest, theirs) || !read_version(KEDGE_VERSION, ours))
        return false;
    for (int i = 0; i < VERSION_PARTS; i++)
        if (theirs[i] != ours[i])
            return theirs[i] > ours[i];
    return false;
}

static bool update_ask(void *update, Cancel *cancel, GError **error)
{
    Update *self = update;
    g_auto(RepoRef) ref = { 0 };
    if (!repo_ref_parse(self->repo, &ref))
        return fail_with(error, KEDGE_ERROR_USAGE, "--repo must be [HOST/]OWNER/REPO, not %s",
                         self->repo);
    g_autofree char *owner = g_strndup(ref.slug, strcspn(ref.slug, "/"));
    g_autofree char *path = rest_repo_path(owner, strchr(ref.slug, '/') + 1, "/releases/latest");
    const RestOptions options = {
        .host = ref.host,
        .is_from_argument = ref.host != NULL,
        .uses_login = true,
        .may_be_anonymous = true,
        .cwd = self->cwd,
        .user_agent_part = "update",
        .max_wait_s = 0,
        .timeout_ms = ASK_MS,
        .settings = self->settings,
    };
    const RestCall call = { .method = "GET", .path = path, .operation = "update" };
    g_autoptr(Rest) rest = NULL;
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_new(&options, cancel, &rest, error) ||
        !rest_call(rest, &call, cancel, &answer, error))
        return false;
    self->latest = g_strdup(json_get_text(answer.body, "tag_name"));
    self->url = g_strdup(json_get_text(answer.body, "html_url"));
    int64_t parts[VERSION_PARTS];
    return (self->latest && self->url && read_version(self->latest, parts)) ||
           rest_fail_unreadable("update", error);
}

static int update_show(const Update *self, bool is_json)
{
    if (is_json) {
        g_autoptr(json_t) said = json_make("current:%s latest:%s isNewer:%i url:%s", KEDGE_VERSION,
                                           self->latest, is_newer(self->latest), self->url);
        g_autofree char *text = json_to_pretty(said);
        return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
    }
    g_autoptr(GString) line = g_string_new(NULL);
    if (is_newer(self->latest))
        g_string_printf(line, "%s is out, this is " KEDGE_VERSION ": %s", self->latest, self->url);
    else
        g_string_printf(line, KEDGE_VERSION " is the newest release (%s: %s)", self->latest,
                        self->url);
    return cmd_print_line(line->str) ? EXIT_OK : EXIT_FAILED;
}

static int update_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    UpdateOptions options = { 0 };
    if (!cmd_decode_options(update_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (!options.wants_check) {
        log_text("usage: kedge update --check [--repo R]; kedge does not replace itself");
        return EXIT_USAGE;
    }
    const char *repo = options.repo ? options.repo : env->releases;
    if (*repo == '\0') {
        log_error("this build of " KEDGE_VERSION " names no place of releases: look where it came "
                  "from (in a checkout of its source: git pull && make), or use --repo OWNER/REPO");
        return EXIT_FAILED;
    }
    g_auto(Update) update = { .repo = repo, .cwd = g_get_current_dir() };
    update.settings = cmd_load_settings(update.cwd);
    int stopped = cmd_run_blocking(update_ask, &update, &error);
    if (stopped)
        return stopped;
    return error ? cmd_fail(error) : update_show(&update, options.is_json);
}

const Command command_update = {
    .name = "update",
    .summary = "Say whether there is a newer release, and where",
    .usage = "--check [--repo R] [--json]",
    .options = update_options,
    .help = "Asks GitHub for the latest release, once, with gh's login or GH_TOKEN. Who builds "
            "kedge names the\nrepository: meson setup -Dreleases=OWNER/REPO.",
    .run = update_run,
};
