/* See write_places.h. */
#include "tool/write_places.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/git_dir.h"
#include "base/lock.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tool/context.h"

#include <pwd.h>

#define PASSWD_BYTES   ((size_t)16 * 1024)
#define PLACES_KEPT_MS 1000
#define WHY_OWN        "kedge's own rules, settings and records are there"
#define WHY_SHELL      "a shell runs it when it starts"
#define WHY_LOGIN      "it says who may log in, and how"
#define WHY_DESKTOP    "it is run at the start of a session, or by the clock"
#define WHY_PROGRAM    "a program reads commands from it when it starts"
#define WHY_INSTALLED  "programs are run from there"
#define WHY_SYSTEM     "it belongs to the system"
#define WHY_ACTIONS    "GitHub runs it"
#define WHY_CI         "a build server runs it"
#define WHY_EDITOR     "editors run commands from it"
#define WHY_AGENT      "coding agents run commands from it"
#define WHY_HIDDEN     "programs keep there what they read and run when they start"
#define WHY_PYTHON     "Python runs what it says when it starts"

// ---- the list ----

typedef struct Row {
    const char *pattern; // lower case where it is of any depth
    const char *why;
} Row;

/* At any depth, in any case: the end of a path, or a folder with all below ("x/"). */
static const Row of_project[] = {
    { ".github/workflows/", WHY_ACTIONS },
    { ".github/actions/", WHY_ACTIONS },
    { ".wm/tasks/", "kedge wm runs it" },
    { ".wm/*.yml", "kedge wm is led by it" },
    { ".wm/*.json", "kedge wm is led by it" },
    { ".gitea/workflows/", WHY_CI },
    { ".forgejo/workflows/", WHY_CI },
    { ".gitlab-ci.yml", WHY_CI },
    { ".circleci/", WHY_CI },
    { ".buildkite/", WHY_CI },
    { ".woodpecker/", WHY_CI },
    { ".woodpecker.yml", WHY_CI },
    { ".travis.yml", WHY_CI },
    { ".drone.yml", WHY_CI },
    { "azure-pipelines.yml", WHY_CI },
    { "bitbucket-pipelines.yml", WHY_CI },
    { "jenkinsfile", WHY_CI },
    { ".husky/", WHY_HOOK },
    { ".githooks/", WHY_HOOK },
    { ".git-hooks/", WHY_HOOK },
    { ".lefthook/", WHY_HOOK },
    { "lefthook.yml", WHY_HOOK },
    { "lefthook-local.yml", WHY_HOOK },
    { ".lefthook.yml", WHY_HOOK },
    { ".lefthook-local.yml", WHY_HOOK },
    { ".pre-commit-config.yaml", WHY_HOOK },
    { ".vscode/tasks.json", WHY_EDITOR },
    { ".vscode/settings.json", WHY_EDITOR },
    { ".vscode/launch.json", WHY_EDITOR },
    { ".zed/tasks.json", WHY_EDITOR },
    { ".zed/debug.json", WHY_EDITOR },
    { ".zed/settings.json", WHY_EDITOR },
    { ".idea/runconfigurations/", WHY_EDITOR },
    { ".idea/workspace.xml", WHY_EDITOR },
    { "*.code-workspace", WHY_EDITOR },
    { ".helix/", WHY_EDITOR },
    { ".exrc", WHY_EDITOR },
    { ".nvimrc", WHY_EDITOR },
    { ".nvim.lua", WHY_EDITOR },
    { ".dir-locals.el", WHY_EDITOR },
    { ".devcontainer/", WHY_EDITOR },
    { ".devcontainer.json", WHY_EDITOR },
    { ".envrc", WHY_SHELL },
    { ".gitconfig", WHY_GIT }, // what a repository's include.path often names
    { ".cargo/config", WHY_PROGRAM },
    { ".cargo/config.toml", WHY_PROGRAM },
    { ".npmrc", WHY_PROGRAM },
    { ".yarnrc", WHY_PROGRAM },
    { ".yarnrc.yml", WHY_PROGRAM },
    { ".pnpmfile.cjs", WHY_PROGRAM },
    { ".mcp.json", WHY_AGENT },
    { "mcp.json", WHY_AGENT },
    { ".github/hooks/", WHY_AGENT },
    { ".claude/settings*.json", WHY_AGENT },
    { ".claude/hooks/", WHY_AGENT },
    { ".codex/", WHY_AGENT },
    { ".cursor/hooks.json", WHY_AGENT },
    { ".cursor/hooks/", WHY_AGENT },
    { ".windsurf/hooks.json", WHY_AGENT },
    { ".kiro/hooks/", WHY_AGENT },
    { ".gemini/settings.json", WHY_AGENT },
    { ".opencode/", WHY_AGENT },
    { ".aider.conf.yml", WHY_AGENT },
    { ".continue/", WHY_AGENT },
    { "opencode.json", WHY_AGENT },
    { "opencode.jsonc", WHY_AGENT },
    { ".omp/", WHY_AGENT },
    { ".pi/", WHY_AGENT },
    { "pyvenv.cfg", WHY_PYTHON },
    { "sitecustomize.py", WHY_PYTHON },
    { "usercustomize.py", WHY_PYTHON },
    { "site-packages/*.pth", WHY_PYTHON },
};

static const Row of_anyone[] = {
    { ".git/", WHY_GIT },
    { ".kedge/", WHY_OWN },
};

/* Below a home directory, with what is below them. Hidden ones that are not here are protected, too
   (write_hidden_find()): a row gives a better reason, and holds for what its links lead to. */
static const Row of_home[] = {
    { ".bashrc", WHY_SHELL },
    { ".bash_profile", WHY_SHELL },
    { ".bash_login", WHY_SHELL },
    { ".bash_logout", WHY_SHELL },
    { ".bash_aliases", WHY_SHELL },
    { ".profile", WHY_SHELL },
    { ".zshrc", WHY_SHELL },
    { ".zshenv", WHY_SHELL },
    { ".zprofile", WHY_SHELL },
    { ".zlogin", WHY_SHELL },
    { ".zlogout", WHY_SHELL },
    { ".kshrc", WHY_SHELL },
    { ".mkshrc", WHY_SHELL },
    { ".cshrc", WHY_SHELL },
    { ".tcshrc", WHY_SHELL },
    { ".login", WHY_SHELL },
    { ".logout", WHY_SHELL },
    { ".inputrc", WHY_SHELL },
    { ".direnvrc", WHY_SHELL },
    { ".config/fish", WHY_SHELL },
    { ".config/zsh", WHY_SHELL },
    { ".config/direnv", WHY_SHELL },
    { ".ssh", WHY_LOGIN },
    { ".gnupg", WHY_LOGIN },
    { ".netrc", WHY_LOGIN },
    { ".pam_environment", WHY_LOGIN },
    { ".config/gh", WHY_LOGIN },
    { ".xprofile", WHY_DESKTOP },
    { ".xinitrc", WHY_DESKTOP },
    { ".xsession", WHY_DESKTOP },
    { ".xsessionrc", WHY_DESKTOP },
    { ".config/autostart", WHY_DESKTOP },
    { ".config/systemd", WHY_DESKTOP },
    { ".config/environment.d", WHY_DESKTOP },
    { ".local/share/systemd", WHY_DESKTOP },
    { ".local/share/applications", WHY_DESKTOP },
    { ".local/share/dbus-1", WHY_DESKTOP },
    { ".gitconfig", WHY_GIT },
    { ".config/git", WHY_GIT },
    { ".vimrc", WHY_PROGRAM },
    { ".vim", WHY_PROGRAM },
    { ".config/nvim", WHY_PROGRAM },
    { ".emacs", WHY_PROGRAM },
    { ".emacs.d", WHY_PROGRAM },
    { ".config/emacs", WHY_PROGRAM },
    { ".tmux.conf", WHY_PROGRAM },
    { ".config/tmux", WHY_PROGRAM },
    { ".screenrc", WHY_PROGRAM },
    { ".gdbinit", WHY_PROGRAM },
    { ".config/gdb", WHY_PROGRAM },
    { ".lldbinit", WHY_PROGRAM },
    { ".npmrc", WHY_PROGRAM },
    { ".config/pip", WHY_PROGRAM },
    { ".pip", WHY_PROGRAM },
    { ".cargo/config", WHY_PROGRAM },
    { ".cargo/config.toml", WHY_PROGRAM },
    { ".cargo/env", WHY_SHELL },
    { ".curlrc", WHY_PROGRAM },
    { ".wgetrc", WHY_PROGRAM },
    { ".mailcap", WHY_PROGRAM },
    { ".docker", WHY_PROGRAM },
    { ".kube", WHY_LOGIN },
    { ".aws", WHY_LOGIN },
    { ".claude", WHY_AGENT },
    { ".claude.json", WHY_AGENT },
    { ".gemini", WHY_AGENT },
    { ".cursor", WHY_AGENT },
    { ".copilot", WHY_AGENT },
    { ".config/opencode", WHY_AGENT },
    { ".config/Code/User", WHY_EDITOR },
    { ".config/zed", WHY_EDITOR },
    { ".vscode-server", WHY_EDITOR },
    { ".config/kedge", WHY_OWN },
    { "bin", WHY_INSTALLED },
    { ".local/bin", WHY_INSTALLED },
    { ".cargo/bin", WHY_INSTALLED },
    { "go/bin", WHY_INSTALLED },
};

/* The same where a variable names a file or folder. */
static const Row of_variables[] = {
    { "BASH_ENV", WHY_SHELL },        { "ENV", WHY_SHELL },
    { "ZDOTDIR", WHY_SHELL },         { "GIT_CONFIG_GLOBAL", WHY_GIT },
    { "GIT_CONFIG_SYSTEM", WHY_GIT }, { "GH_CONFIG_DIR", WHY_LOGIN },
    { "CODEX_HOME", WHY_AGENT },      { "CLAUDE_CONFIG_DIR", WHY_AGENT },
    { "COPILOT_HOME", WHY_AGENT },    { "PYTHONSTARTUP", WHY_PYTHON },
    { "CARGO_HOME", WHY_PROGRAM },
};

static const Row of_system[] = {
    { "/etc", WHY_SYSTEM },
    { "/boot", WHY_SYSTEM },
    { "/proc", WHY_SYSTEM },
    { "/sys", WHY_SYSTEM },
    { "/dev", WHY_SYSTEM },
    { "/bin", WHY_INSTALLED },
    { "/sbin", WHY_INSTALLED },
    { "/lib", WHY_INSTALLED },
    { "/lib64", WHY_INSTALLED },
    { "/usr/bin", WHY_INSTALLED },
    { "/usr/sbin", WHY_INSTALLED },
    { "/usr/lib", WHY_INSTALLED },
    { "/usr/libexec", WHY_INSTALLED },
    { "/usr/local/bin", WHY_INSTALLED },
    { "/usr/local/sbin", WHY_INSTALLED },
    { "/usr/local/lib", WHY_INSTALLED },
    { "/usr/local/etc", WHY_SYSTEM },
    { "/usr", WHY_INSTALLED },
    { "/opt", WHY_INSTALLED },
    { "/var/spool/cron", WHY_DESKTOP },
    { "/var/spool/at", WHY_DESKTOP },
    { "/var/lib", WHY_SYSTEM },
    { "/run", WHY_SYSTEM },
};

// ---- the places ----

static void place_clear(void *data)
{
    WritePlace *self = data;
    g_free(self->named);
    g_free(self->real);
}

/* Takes `real`: where `named` leads; NULL: its links lead in a circle. */
static void survey_put(WriteSurvey *self, const char *named, char *real, const char *why,
                       bool is_strict)
{
    WritePlace place = { g_strdup(named), real, why, { 0 } };
    // what a person has opened as their workspace is theirs to have changed
    if (!place.real || (!is_strict && path_is_inside(self->real_root, place.real))) {
        place_clear(&place);
        return;
    }
    if (stat(place.real, &place.file) < 0 || !S_ISREG(place.file.st_mode))
        place.file = (struct stat) { 0 };
    g_array_append_val(self->list->places, place);
}

static void survey_add(WriteSurvey *self, const char *named, const char *why, bool is_strict)
{
    survey_put(self, named, path_resolved(named, true), why, is_strict);
}

/* A row of a home directory, also where XDG puts it. */
static void survey_add_home_row(WriteSurvey *self, const char *home, const char *real_home,
                                const Row *row)
{
    static const struct {
        const char *prefix, *variable;
    } bases[] = { { ".config/", "XDG_CONFIG_HOME" }, { ".local/share/", "XDG_DATA_HOME" } };
    g_autofree char *place = g_build_filename(home, row->pattern, NULL);
    survey_put(self, place, path_resolved_below(real_home, row->pattern), row->why, false);
    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        const char *base = env_get_raw(bases[i].variable);
        if (!base || !g_path_is_absolute(base) || !str_has_prefix(row->pattern, bases[i].prefix))
            continue;
        g_autofree char *other =
            g_build_filename(base, row->pattern + strlen(bases[i].prefix), NULL);
        survey_add(self, other, row->why, false);
    }
}

static void survey_add_home(WriteSurvey *self, const char *home)
{
    if (!home || !g_path_is_absolute(home) || strcmp(home, "/") == 0)
        return;
    g_ptr_array_add(self->list->homes, g_strdup(home));
    char *real = path_resolved(home, true);
    if (!real) // nothing can be written there
        return;
    g_ptr_array_add(self->list->homes, real);
    for (size_t i = 0; i < G_N_ELEMENTS(of_home); i++)
        survey_add_home_row(self, home, real, &of_home[i]);
}

/* As the list of users has it: HOME may be another. Caller frees. */
static char *home_of_user(void)
{
    g_autofree char *buffer = g_malloc(PASSWD_BYTES);
    struct passwd entry, *found = NULL;
    bool is_there = getpwuid_r(geteuid(), &entry, buffer, PASSWD_BYTES, &found) == 0 && found;
    return g_strdup(is_there ? entry.pw_dir : NULL);
}

char *write_workspace_root(const char *cwd)
{
    char *root = git_dir_marked(cwd);
    return root ? root : g_strdup(cwd);
}

/* All places, for a survey that has its roots. */
static void survey_fill(WriteSurvey *self)
{
    g_autofree char *config = dirs_config_root();
    g_autofree char *agent = dirs_agent();
    g_autofree char *home = dirs_home();
    g_autofree char *other = home_of_user();
    survey_add(self, config, WHY_OWN, true);
    survey_add(self, agent, WHY_OWN, true);
    if (tool_context_agent_dir(self->context))
        survey_add(self, tool_context_agent_dir(self->context), WHY_OWN, false);
    survey_add_home(self, home);
    if (g_strcmp0(home, other) != 0)
        survey_add_home(self, other);
    for (size_t i = 0; i < G_N_ELEMENTS(of_variables); i++) {
        const char *place = env_get_raw(of_variables[i].pattern);
        if (place && g_path_is_absolute(place) && !str_has_prefix(place, "/dev/"))
            survey_add(self, place, of_variables[i].why, false);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(of_system); i++)
        survey_add(self, of_system[i].pattern, of_system[i].why, false);
}

/* What the places depend on, with the time of the last change in the home directory. Caller frees.
 */
static char *survey_key(const WriteSurvey *self)
{
    g_autofree char *home = dirs_home();
    const char *agent = tool_context_agent_dir(self->context);
    struct stat facts = { 0 };
    (void)!stat(home, &facts);
    return g_strdup_printf("%s\n%s\n%s\n%lld.%09ld", self->real_root, home, agent ? agent : "",
                           (long long)facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec);
}

static void place_list_unref(WritePlaceList *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    g_array_unref(self->places);
    g_ptr_array_unref(self->homes);
    g_free(self);
}

static WritePlaceList *place_list_ref(WritePlaceList *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

static WritePlaceList *place_list_new(void)
{
    WritePlaceList *self = g_new0(WritePlaceList, 1);
    self->ref_count = 1;
    self->places = g_array_new(FALSE, FALSE, sizeof(WritePlace));
    g_array_set_clear_func(self->places, place_clear);
    self->homes = g_ptr_array_new_with_free_func(g_free);
    return self;
}

/* Looking at all places costs more than a small write, so that writes which come together share one
   look. Who could lead a place elsewhere in that time can write there already. */
static void survey_find_places(WriteSurvey *self)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static WritePlaceList *kept;
    static char *kept_key;
    static gint64 filled_at;
    HOLD_LOCK(&lock);
    g_autofree char *key = survey_key(self);
    if (g_strcmp0(key, kept_key) == 0 && time_monotonic_ms() - filled_at <= PLACES_KEPT_MS) {
        self->list = place_list_ref(kept);
        return;
    }
    self->list = place_list_new();
    survey_fill(self);
    place_list_unref(kept);
    g_free(kept_key);
    kept = place_list_ref(self->list);
    kept_key = g_steal_pointer(&key);
    filled_at = time_monotonic_ms();
}

WriteSurvey *write_survey_new(ToolContext *context)
{
    WriteSurvey *self = g_new0(WriteSurvey, 1);
    self->context = context;
    self->root = write_workspace_root(tool_context_cwd(context));
    self->real_root = path_resolved(self->root, true);
    self->real_root = self->real_root ? self->real_root : g_strdup(self->root);
    self->hooks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    survey_find_places(self);
    return self;
}

void write_survey_free(WriteSurvey *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->hooks);
    place_list_unref(self->list);
    g_free(self->real_root);
    g_free(self->root);
    g_free(self);
}

// ---- hidden folders of a home ----

/* The hidden file or folder of `home` that `path` is or is in; NULL: it is elsewhere. Caller frees.
 */
static char *hidden_part(const char *path, const char *home)
{
    size_t size = strlen(home);
    if (strncmp(path, home, size) != 0 || path[size] != '/' || path[size + 1] != '.')
        return NULL;
    return g_strndup(path, size + 1 + strcspn(path + size + 1, "/"));
}

const char *write_hidden_find(const WriteSurvey *self, const char *path)
{
    bool is_of_work = path_is_inside(path, self->root) || path_is_inside(path, self->real_root);
    for (guint i = 0; i < self->list->homes->len; i++) {
        g_autofree char *hidden = hidden_part(path, self->list->homes->pdata[i]);
        // a workspace in such a folder is like any other one
        bool is_opened =
            hidden && is_of_work &&
            (path_is_inside(self->root, hidden) || path_is_inside(self->real_root, hidden));
        if (hidden && !is_opened)
            return WHY_HIDDEN;
    }
    return NULL;
}

// ---- patterns ----

/* `path` in lower case, absolute. */
static bool pattern_matches(const char *pattern, const char *path)
{
    if (g_str_has_suffix(pattern, "/")) {
        g_autofree char *below = g_strconcat("/", pattern, NULL);
        g_autofree char *whole = g_strconcat(path, "/", NULL);
        return strstr(whole, below) != NULL;
    }
    unsigned parts = 1;
    for (const char *at = pattern; (at = strchr(at, '/')); at++)
        parts++;
    const char *tail = path + strlen(path);
    while (parts > 0 && tail > path)
        parts -= *--tail == '/';
    return parts == 0 && g_pattern_match_simple(pattern, tail + 1);
}

static const Row *find_row(const Row *rows, size_t count, const char *lower)
{
    for (size_t i = 0; i < count; i++)
        if (pattern_matches(rows[i].pattern, lower))
            return &rows[i];
    return NULL;
}

const char *write_pattern_find(const char *path, GuardLevel *ret_level)
{
    g_autofree char *lower =
        g_utf8_validate(path, -1, NULL) ? g_utf8_strdown(path, -1) : g_ascii_strdown(path, -1);
    const Row *strict = find_row(of_anyone, G_N_ELEMENTS(of_anyone), lower);
    const Row *row = strict ? strict : find_row(of_project, G_N_ELEMENTS(of_project), lower);
    if (row)
        *ret_level = strict ? GUARD_PERSON : GUARD_PROJECT;
    return row ? row->why : NULL;
}
