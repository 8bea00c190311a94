/* See ignore_levels.h. */
#include "tools/file/ignore_levels.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/git_dir.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"

typedef enum { KIND_RGIGNORE, KIND_IGNORE, KIND_GITIGNORE, KIND_EXCLUDE, KIND_USER, KINDS } Kind;

struct IgnoreLevel {
    int references; // atomic
    IgnoreLevel *above;
    size_t dir_size; // of the directory's path; 0 for the root
    bool is_repository;
    IgnoreRules *rules[KINDS]; // the last two of a repository's root only
};

// ---- the user's own excludes ----

/* `excludesFile = PATH` of a git configuration. Caller frees; NULL: none. */
static char *configured_excludes(const char *config)
{
    g_autofree char *text = NULL;
    if (!file_read(config, LIMIT_CONFIG_FILE_BYTES, &text, NULL, NULL))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    char *found = NULL;
    for (char **line = lines; *line; line++) {
        char *value = strchr(*line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        if (!str_equal_nocase(g_strstrip(*line), "excludesfile"))
            continue;
        g_free(found);
        found = path_expand_home(g_strdelimit(g_strstrip(value), "\"", ' '));
        g_strstrip(found);
    }
    return found;
}

static IgnoreRules *user_excludes(void)
{
    g_autofree char *home = dirs_home();
    const char *xdg = env_get_raw("XDG_CONFIG_HOME");
    g_autofree char *config_dir = xdg && g_path_is_absolute(xdg)
                                      ? g_build_filename(xdg, "git", NULL)
                                      : g_build_filename(home, ".config", "git", NULL);
    g_autofree char *own = g_build_filename(home, ".gitconfig", NULL);
    g_autofree char *other = g_build_filename(config_dir, "config", NULL);
    g_autofree char *path = configured_excludes(own);
    if (!path)
        path = configured_excludes(other);
    if (!path)
        path = g_build_filename(config_dir, "ignore", NULL);
    return ignore_rules_read(path);
}

// ---- levels ----

static IgnoreRules *rules_at(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return ignore_rules_read(path);
}

static void read_repository(IgnoreLevel *self, const char *dir)
{
    g_autofree char *git_dir = git_dir_at(dir);
    self->is_repository = git_dir != NULL;
    if (!git_dir)
        return;
    g_autofree char *common = git_dir_common(git_dir);
    self->rules[KIND_EXCLUDE] = rules_at(common, "info/exclude");
    self->rules[KIND_USER] = user_excludes();
}

IgnoreLevel *ignore_level_enter(IgnoreLevel *above, const char *dir)
{
    IgnoreLevel *self = g_new0(IgnoreLevel, 1);
    self->references = 1;
    self->above = above ? ignore_level_ref(above) : NULL;
    self->dir_size = strcmp(dir, "/") == 0 ? 0 : strlen(dir);
    self->rules[KIND_RGIGNORE] = rules_at(dir, ".rgignore");
    self->rules[KIND_IGNORE] = rules_at(dir, ".ignore");
    self->rules[KIND_GITIGNORE] = rules_at(dir, ".gitignore");
    read_repository(self, dir);
    return self;
}

/* Does the repository of `dir`, or `cwd`, reach farther up than `dir`? */
static bool reaches_above(const char *dir, const char *cwd)
{
    if (strcmp(dir, cwd) != 0 && path_is_inside(dir, cwd))
        return true;
    g_autofree char *place = g_strdup(dir);
    while (true) {
        g_autofree char *git_dir = git_dir_at(place);
        if (git_dir)
            return strcmp(place, dir) != 0;
        if (strcmp(place, "/") == 0)
            return false;
        char *parent = g_path_get_dirname(place);
        g_free(place);
        place = parent;
    }
}

IgnoreLevel *ignore_level_new(const char *dir, const char *cwd)
{
    g_autoptr(GPtrArray) dirs = g_ptr_array_new_with_free_func(g_free); // from below
    g_ptr_array_add(dirs, g_strdup(dir));
    for (const char *top = dir; reaches_above(top, cwd); top = dirs->pdata[dirs->len - 1])
        g_ptr_array_add(dirs, g_path_get_dirname(top));
    IgnoreLevel *level = NULL;
    for (unsigned i = dirs->len; i > 0; i--) {
        IgnoreLevel *below = ignore_level_enter(level, dirs->pdata[i - 1]);
        ignore_level_unref(level);
        level = below;
    }
    return level;
}

IgnoreLevel *ignore_level_ref(IgnoreLevel *self)
{
    g_atomic_int_inc(&self->references);
    return self;
}

void ignore_level_unref(IgnoreLevel *self)
{
    while (self && g_atomic_int_dec_and_test(&self->references)) {
        IgnoreLevel *above = self->above;
        for (Kind kind = 0; kind < KINDS; kind++)
            ignore_rules_free(self->rules[kind]);
        g_free(self);
        self = above;
    }
}

bool ignore_level_leaves_out(const IgnoreLevel *self, const char *path, bool is_directory,
                             bool excludes_hidden, IgnoreWatch *watch)
{
    IgnoreVerdict verdicts[KINDS] = { IGNORE_SAYS_NOTHING };
    const char *name = path + self->dir_size + 1;
    bool is_hidden = excludes_hidden && *name == '.', is_outside = false; // of the repository
    for (const IgnoreLevel *level = self; level; level = level->above) {
        const char *relative = path + level->dir_size + 1;
        for (Kind kind = 0; kind < KINDS; kind++)
            if (verdicts[kind] == IGNORE_SAYS_NOTHING && (kind < KIND_GITIGNORE || !is_outside))
                verdicts[kind] =
                    ignore_rules_judge(level->rules[kind], relative, is_directory, watch);
        is_outside = is_outside || level->is_repository;
    }
    for (Kind kind = 0; kind < KINDS; kind++)
        if (verdicts[kind] != IGNORE_SAYS_NOTHING)
            return verdicts[kind] == IGNORE_OUT;
    return is_hidden;
}
