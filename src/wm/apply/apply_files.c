/*
 * Files that an agent's pull request may not change unseen (task-engine §10.8): what decides which
 * code is built, run or trusted, a list of its own beside the guarded files of a session; and those
 * that the task lets it change, allowed-files and excluded-files, whose names alone are specified.
 */
#include "wm/apply/apply_private.h"

#include "base/glob.h"
#include "base/str.h"
#include "wm/engine/judge.h"

#define MAX_SHOWN 50 // files that are named

// wherever they stand, in any case
static const char *const names[] = {
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "CODEOWNERS",
    ".gitmodules",
    ".gitattributes",
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
    "bun.lockb",
    ".npmrc",
    "deno.json",
    "deno.jsonc",
    "deno.lock",
    "go.mod",
    "go.sum",
    "go.work",
    "go.work.sum",
    "Cargo.toml",
    "Cargo.lock",
    "Gemfile",
    "Gemfile.lock",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile",
    "Pipfile.lock",
    "setup.py",
    "setup.cfg",
    "composer.json",
    "composer.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradle.lockfile",
    "libs.versions.toml",
    "packages.config",
    "packages.lock.json",
    "Directory.Packages.props",
    "mix.exs",
    "mix.lock",
    "pubspec.yaml",
    "pubspec.lock",
    "Package.swift",
    "Package.resolved",
    "Podfile",
    "Podfile.lock",
    "rebar.config",
    "rebar.lock",
    "flake.nix",
    "flake.lock",
    "conanfile.txt",
    "conanfile.py",
    "vcpkg.json",
};
static const char *const endings[] = { ".csproj", ".fsproj", ".gemspec", ".cabal" };

/* A list of globs that has something in it. */
static bool has_list(const WmHandler *handler, const char *option)
{
    const json_t *value = json_object_get(handler->options, option);
    bool is_empty_list = json_is_array(value) && json_array_size(value) == 0;
    return value && !json_is_null(value) && !is_empty_list;
}

static bool has_protected(const WmHandler *handler)
{
    const json_t *option = json_object_get(handler->options, "protected-files");
    const char *policy =
        json_is_object(option) ? json_get_text(option, "policy") : json_string_value(option);
    return option && !json_is_null(option) && g_strcmp0(policy, "allowed") != 0;
}

bool apply_guards_files(const Applier *self)
{
    const WmHandler *handler = self->handler;
    return has_protected(handler) || has_list(handler, "allowed-files") ||
           has_list(handler, "excluded-files");
}

static bool is_requirements(const char *base)
{
    return g_ascii_strncasecmp(base, "requirements", strlen("requirements")) == 0 &&
           g_str_has_suffix(base, ".txt");
}

static bool is_protected(const char *path)
{
    if (path[0] == '.' && strchr(path, '/'))
        return true; // .github/, .wm/ and the like
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (str_equal_nocase(base, names[i]))
            return true;
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (g_str_has_suffix(base, endings[i]))
            return true;
    return is_requirements(base);
}

/* By path or, `by_name`, by name, as a glob. */
static bool is_listed(const char *path, const json_t *list, bool by_name)
{
    const char *slash = by_name ? strrchr(path, '/') : NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *pattern = json_string_value(json_array_get(list, i));
        g_autoptr(GRegex) regex = NULL;
        if (pattern && glob_compile(pattern, &regex, NULL) &&
            (g_regex_match(regex, path, 0, NULL) ||
             (slash && g_regex_match(regex, slash + 1, 0, NULL))))
            return true;
    }
    return false;
}

/* Names as git prints them: one a line, odd ones in quotes. Caller frees. */
static bool changed_files(Applier *self, const char *base, char ***ret_files, GError **error)
{
    g_autofree char *fork = g_strdup_printf("refs/remotes/origin/%s...HEAD", base);
    g_autofree char *direct = g_strdup_printf("refs/remotes/origin/%s..HEAD", base);
    const char *const since_fork[] = {
        "diff", "--name-only", "--no-renames", "--end-of-options", fork, "--", NULL
    };
    // of a shallow clone, in which nothing is common: what differs from the base, too
    const char *const from_base[] = {
        "diff", "--name-only", "--no-renames", "--end-of-options", direct, "--", NULL
    };
    g_autofree char *text = NULL;
    if (!apply_check_objects(self, error))
        return false;
    if (!wm_git(&self->git, since_fork, 0, self->cancel, &text, NULL) &&
        !wm_git(&self->git, from_base, 0, self->cancel, &text, error)) {
        g_prefix_error(error, "cannot tell which files have changed: ");
        return false;
    }
    char **files = g_strsplit(text, "\n", -1);
    for (char **file = files; *file; file++) {
        size_t size = strlen(*file);
        if (size < 2 || **file != '"')
            continue;
        (*file)[size - 1] = '\0';
        memmove(*file, *file + 1, size - 1);
    }
    *ret_files = files;
    return true;
}

static bool read_policy(const json_t *option, ApplyProtected *ret_action, bool *ret_blocks,
                        GError **error)
{
    const char *policy =
        json_is_object(option) ? json_get_text(option, "policy") : json_string_value(option);
    *ret_blocks = g_strcmp0(policy, "blocked") == 0;
    if (*ret_blocks)
        *ret_action = PROTECTED_NONE;
    else if (g_strcmp0(policy, "fallback-to-issue") == 0)
        *ret_action = PROTECTED_ISSUE;
    else if (g_strcmp0(policy, "request-review") == 0)
        *ret_action = PROTECTED_REVIEW;
    else
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "protected-files: \"%s\" is not known (use allowed, blocked, "
                         "fallback-to-issue, request-review)",
                         policy ? policy : "");
    return true;
}

static char *list_files(GPtrArray *files, const char *before, const char *between)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < MIN(files->len, MAX_SHOWN); i++)
        g_string_append_printf(text, "%s%s%s", i > 0 ? between : "", before,
                               (char *)files->pdata[i]);
    if (files->len > MAX_SHOWN)
        g_string_append_printf(text, "%s%sand %u more", between, before, files->len - MAX_SHOWN);
    return g_string_free(g_steal_pointer(&text), false);
}

/* The globs of an option. NULL without an error: it has none. New reference. */
static bool read_globs(const WmHandler *handler, const char *option, json_t **ret_list,
                       GError **error)
{
    g_autoptr(json_t) list = wm_handler_list(handler, option);
    if (!has_list(handler, option))
        return true;
    if (json_array_size(list) == 0)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s: a list of globs is expected", option);
    for (size_t i = 0; i < json_array_size(list); i++) {
        g_autoptr(GRegex) regex = NULL;
        if (!glob_compile(json_string_value(json_array_get(list, i)), &regex, error)) {
            g_prefix_error(error, "%s: ", option);
            return false;
        }
    }
    *ret_list = g_steal_pointer(&list);
    return true;
}

bool wm_apply_check_policy(const WmPolicy *policy, GError **error)
{
    static const WmKind kinds[] = { WM_CREATE_PULL_REQUEST, WM_PUSH_TO_PULL_REQUEST_BRANCH };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const WmHandler *handler = &policy->handlers[kinds[i]];
        const json_t *option = json_object_get(handler->options, "protected-files");
        g_autoptr(json_t) allowed = NULL, excluded = NULL;
        ApplyProtected action = PROTECTED_NONE;
        bool blocks = false;
        if (!handler->is_enabled ||
            ((!has_protected(handler) || read_policy(option, &action, &blocks, error)) &&
             read_globs(handler, "allowed-files", &allowed, error) &&
             read_globs(handler, "excluded-files", &excluded, error)))
            continue;
        g_prefix_error(error, "safe-outputs.%s.", wm_kind_table[kinds[i]].handler);
        return false;
    }
    if (!wm_judge_is_wanted(policy->threats) || wm_judge_check(policy->threats, error))
        return true;
    g_prefix_error(error, "safe-outputs.threat-detection: ");
    return false;
}

/* Of the files that changed all are among the allowed ones and none among the excluded ones. */
static bool check_scope(const Applier *self, char **changed, GError **error)
{
    g_autoptr(json_t) allowed = NULL, excluded = NULL;
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    if (!read_globs(self->handler, "allowed-files", &allowed, error) ||
        !read_globs(self->handler, "excluded-files", &excluded, error))
        return false;
    for (char **file = changed; *file; file++)
        if (**file &&
            ((allowed && !is_listed(*file, allowed, false)) || is_listed(*file, excluded, true)))
            g_ptr_array_add(found, *file);
    if (found->len == 0)
        return true;
    g_autofree char *text = list_files(found, "", ", ");
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "files changed that allowed-files or excluded-files rule out: %s", text);
}

bool apply_check_files(Applier *self, const char *base, ApplyProtected *ret_action,
                       char **ret_files, GError **error)
{
    const json_t *option = json_object_get(self->handler->options, "protected-files");
    *ret_action = PROTECTED_NONE;
    if (!apply_guards_files(self))
        return true;
    ApplyProtected action = PROTECTED_NONE;
    bool blocks = false;
    g_auto(GStrv) changed = NULL;
    if ((has_protected(self->handler) && !read_policy(option, &action, &blocks, error)) ||
        !changed_files(self, base, &changed, error) || !check_scope(self, changed, error))
        return false;
    const json_t *exclude = json_get_array(option, "exclude");
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    for (char **file = changed; has_protected(self->handler) && *file; file++)
        if (is_protected(*file) && !is_listed(*file, exclude, true))
            g_ptr_array_add(found, *file);
    if (found->len == 0)
        return true;
    if (blocks) {
        g_autofree char *text = list_files(found, "", ", ");
        return fail_with(error, KEDGE_ERROR_DENIED, "protected files changed: %s", text);
    }
    *ret_action = action;
    *ret_files = list_files(found, "- ", "\n");
    return true;
}

bool apply_is_titled(const json_t *element, const json_t *body)
{
    return g_strcmp0(json_get_text(element, "title"), json_get_text(body, "title")) == 0 &&
           !json_object_get(element, "pull_request");
}

bool apply_files_issue(Applier *self, const char *title, const char *files, GError **error)
{
    g_autofree char *text = g_strdup_printf(
        "Task `%s` wanted to push commits that change protected files. Nothing was pushed.\n\n%s",
        self->spec->task->name, files);
    g_autofree char *whole = apply_made_text(self, text);
    g_autoptr(json_t) body = json_object(), answer = NULL;
    json_add(body, "title:%s body:%s", title, whole);
    g_autofree char *path = apply_path(self, "/issues");
    g_autofree char *list = apply_path(self, "/issues?state=all");
    const ApplyPost post = {
        .step = "issue", .path = path, .body = body, .list = list, .is_it = apply_is_titled
    };
    if (!apply_post(self, &post, &answer, error))
        return false;
    apply_take(self, answer);
    return true;
}

void apply_files_review(Applier *self, int64_t number, const char *files)
{
    g_autofree char *pull = g_strdup_printf("%" G_GINT64_FORMAT, number);
    g_autofree char *text =
        g_strdup_printf("Protected files have changed. A person should look at them:\n\n%s", files);
    g_autofree char *whole = apply_comment_text(self, text, false);
    g_autoptr(json_t) body = json_make("event:%s body:%s", "REQUEST_CHANGES", whole);
    g_autoptr(GError) failed = NULL;
    if (apply_post_review(self, pull, body, NULL, &failed))
        return;
    if (wm_api_status(failed) == 422) { // no one can request changes of a pull request of their own
        g_clear_error(&failed);
        json_set_text(body, "event", "COMMENT");
        if (apply_post_review(self, pull, body, NULL, &failed))
            return;
    }
    apply_warn(self, "protected files have changed, and #%" G_GINT64_FORMAT " has no review: %s",
               number, failed->message);
}
