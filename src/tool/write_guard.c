/* See write_guard.h. */
#include "tool/write_guard.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/git.h"
#include "base/git_dir.h"
#include "base/git_kept.h"
#include "base/path.h"
#include "base/str.h"
#include "base/visible.h"
#include "tool/call_paths.h"
#include "tool/call_private.h"
#include "tool/write_places.h"

#define GIT_TIMEOUT_MS (5 * 1000)
#define MAX_LEADS      20 // files of a call that are looked at for its title
#define WHY_LINK       "a link of this project leads out of it"

// ---- one file ----

void write_guard_free(WriteGuard *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->real);
    g_free(self->why);
    g_free(self);
}

static void guard_note(WriteGuard *self, GuardLevel level, const char *why)
{
    if (self->level >= level)
        return;
    self->level = level;
    g_free(self->why);
    self->why = g_strdup(why);
}

static void guard_match_patterns(WriteGuard *self, const char *path)
{
    GuardLevel level = GUARD_NONE;
    const char *why = write_pattern_find(path, &level);
    if (why)
        guard_note(self, level, why);
}

/* Is it the place, or below it: by name, by links, or by a second name of the same file? */
static void guard_match_places(WriteGuard *self, const WriteSurvey *survey)
{
    struct stat own;
    bool is_file = stat(self->real, &own) == 0 && S_ISREG(own.st_mode);
    for (guint i = 0; i < survey->list->places->len; i++) {
        const WritePlace *place = &g_array_index(survey->list->places, WritePlace, i);
        bool is_same = is_file && place->file.st_mode && place->file.st_dev == own.st_dev &&
                       place->file.st_ino == own.st_ino;
        if (is_same || path_is_inside(self->path, place->named) ||
            path_is_inside(self->real, place->real))
            guard_note(self, GUARD_PERSON, place->why);
    }
    const char *hidden = write_hidden_find(survey, self->path);
    hidden = hidden ? hidden : write_hidden_find(survey, self->real);
    if (hidden)
        guard_note(self, GUARD_PERSON, hidden);
}

// ---- git ----

/* Where a repository, or the person's settings, have its hooks; "": where git has them. Caller
   frees. */
static char *ask_for_hooks(const char *tree)
{
    const GitSpec spec = {
        .dir = tree,
        .args = (const char *const[]) { "config", "--type=path", "--get", "core.hooksPath", NULL },
        .timeout_ms = GIT_TIMEOUT_MS,
    };
    g_auto(GitResult) result = { 0 };
    bool is_set = git_start(&spec, NULL, &result, NULL) && result.exit_status == 0 &&
                  result.output[0] != '\0';
    g_autofree char *named = is_set ? g_canonicalize_filename(result.output, tree) : NULL;
    char *real = named ? path_resolved(named, true) : NULL;
    return real ? real : g_strdup("");
}

/* Asking costs more than the write, so that writes which come together share an answer. Caller
 * frees.
 */
static char *hooks_of(const char *tree)
{
    g_autofree char *key = git_kept_key(tree, "core.hooksPath", NULL);
    size_t size = 0;
    char *hooks = key ? git_kept_find(key, &size) : NULL;
    if (hooks)
        return hooks;
    hooks = ask_for_hooks(tree);
    if (key)
        git_kept_put(key, hooks, strlen(hooks));
    return hooks;
}

/* Borrowed. */
static const char *survey_hooks(WriteSurvey *self, const char *real)
{
    g_autofree char *dir = g_path_get_dirname(real);
    while (!file_is_directory(dir)) {
        char *parent = g_path_get_dirname(dir);
        g_free(dir);
        dir = parent;
    }
    char *tree = git_dir_work_tree(dir);
    if (!tree)
        return "";
    char *hooks = g_hash_table_lookup(self->hooks, tree);
    if (hooks) {
        g_free(tree);
        return hooks;
    }
    hooks = hooks_of(tree);
    g_hash_table_insert(self->hooks, tree, hooks);
    return hooks;
}

/* git's own, and what git is told to run. */
static void guard_match_git(WriteGuard *self, WriteSurvey *survey)
{
    if (self->level == GUARD_PERSON)
        return;
    if (git_dir_is_inside(self->real)) {
        guard_note(self, GUARD_PERSON, WHY_GIT);
        return;
    }
    const char *hooks = survey_hooks(survey, self->real);
    bool is_all = *hooks && path_is_inside(survey->real_root, hooks);
    if (*hooks && !is_all && path_is_inside(self->real, hooks))
        guard_note(self, GUARD_PERSON, WHY_HOOK);
}

// ---- what is left out ----

/* The rest of `path` below `dir`, with its slash; NULL: it is elsewhere. */
static const char *rest_below(const char *path, const char *dir)
{
    g_autofree char *real = dir ? path_resolved(dir, true) : NULL;
    size_t size = real ? strlen(real) : 0;
    bool is_below = size > 1 && strncmp(path, real, size) == 0 && path[size] == '/';
    return is_below ? path + size : NULL;
}

/* kedge makes folders for a conversation's own files and for work trees in its directory. What is
   below them is judged as if it were anywhere else. NULL: it is not there. Borrowed. */
static const char *rest_in_lent_folder(ToolContext *context, const char *real)
{
    Artifacts *artifacts = tool_context_artifacts(context);
    g_autofree char *local =
        artifacts ? g_build_filename(artifacts_dir(artifacts), "local", NULL) : NULL;
    g_autofree char *trees = dirs_worktrees();
    const char *rest = rest_below(real, local);
    return rest ? rest : rest_below(real, trees);
}

static bool is_named_in_settings(const WriteSurvey *survey, const char *file)
{
    const json_t *list =
        settings_user_json(tool_context_settings(survey->context), "tools.unaskedWrites");
    size_t i;
    json_t *each;
    json_array_foreach ((json_t *)list, i, each) {
        const char *text = json_string_value(each);
        if (str_is_empty(text))
            continue;
        g_autofree char *expanded = path_expand_home(text);
        g_autofree char *place = path_absolute(expanded, survey->root);
        g_autofree char *real = path_resolved(place, true);
        if (real && path_is_inside(file, real))
            return true;
    }
    return false;
}

// ---- the verdict ----

char *write_guard_leads_out(const char *path, const char *cwd)
{
    g_autofree char *root = write_workspace_root(cwd);
    g_autofree char *real_root = path_resolved(root, true);
    g_autofree char *real = path_resolved(path, true);
    bool is_out =
        path_is_inside(path, root) && real && real_root && !path_is_inside(real, real_root);
    return is_out ? g_steal_pointer(&real) : NULL;
}

char *write_guard_leads_of(const json_t *arguments, const char *cwd)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) leads = g_string_new(NULL);
    call_paths_add(arguments, paths);
    for (guint i = 0; i < MIN(paths->len, MAX_LEADS); i++) {
        g_autofree char *expanded = path_expand_home(paths->pdata[i]);
        g_autofree char *path = path_absolute(expanded, cwd);
        char *selector = strchr(strrchr(path, '/'), ':'); // "notes.md:10-20"
        if (selector && !file_exists(path))
            *selector = '\0';
        g_autofree char *real = write_guard_leads_out(path, cwd);
        if (real && !strstr(leads->str, real))
            g_string_append_printf(leads, "%s%s", leads->len > 0 ? ", " : "", real);
    }
    return leads->len > 0 ? g_string_free(g_steal_pointer(&leads), FALSE) : NULL;
}

WriteGuard *write_guard_look(WriteSurvey *survey, const char *path, bool is_name)
{
    WriteGuard *self = g_new0(WriteGuard, 1);
    self->path = path_absolute(path, "/");
    self->real = path_resolved(path, !is_name);
    if (!self->real) // links in a circle: nothing is written there
        self->real = g_strdup(self->path);
    const char *rest = rest_in_lent_folder(survey->context, self->real);
    guard_match_patterns(self, rest ? rest : self->real);
    if (!rest) {
        self->leads_out = path_is_inside(self->path, survey->root) &&
                          !path_is_inside(self->real, survey->real_root);
        guard_match_patterns(self, self->path);
        guard_match_places(self, survey);
    }
    guard_match_git(self, survey);
    if (self->leads_out)
        guard_note(self, GUARD_PROJECT, WHY_LINK);
    if (self->level != GUARD_NONE && is_named_in_settings(survey, self->real)) {
        self->level = GUARD_NONE;
        g_clear_pointer(&self->why, g_free);
    }
    return self;
}

char *write_guard_text(const WriteGuard *self, const char *cwd)
{
    g_autofree char *shown = path_display(self->path, cwd);
    GString *text = g_string_new(NULL);
    visible_append(text, shown);
    if (strcmp(self->path, self->real) != 0) {
        g_string_append(text, " leads to ");
        visible_append(text, self->real);
    }
    if (self->why)
        g_string_append_printf(text, ": %s", self->why);
    return g_string_free(text, FALSE);
}

// ---- right before it is written ----

static bool was_judged(const ToolCall *call, const char *real)
{
    const GPtrArray *guards = call->guards;
    for (guint i = 0; guards && i < guards->len; i++)
        if (strcmp(((const WriteGuard *)guards->pdata[i])->real, real) == 0)
            return true;
    return false;
}

bool write_guard_pass(const ToolCall *call, const char *path, bool is_name, char **ret_real,
                      GError **error)
{
    ToolContext *context = call->spec->context;
    g_autofree char *real = path_resolved(path, !is_name);
    if (!real)
        return fail_with(error, KEDGE_ERROR_FAILED, "cannot write %s: its links lead in a circle",
                         path);
    bool is_fine = was_judged(call, real) || call->spec->door->kind == DOOR_TYPED;
    g_autoptr(WriteSurvey) survey = is_fine ? NULL : write_survey_new(context);
    g_autoptr(WriteGuard) guard = survey ? write_guard_look(survey, path, is_name) : NULL;
    if (guard && guard->level != GUARD_NONE) {
        g_autofree char *text = write_guard_text(guard, tool_context_cwd(context));
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "not written: %s. No one was asked about that file: call again", text);
    }
    *ret_real = g_steal_pointer(&real);
    return true;
}
