/* See git_kept.h. */
#include "base/git_kept.h"

#include "base/env.h"
#include "base/git_dir.h"
#include "base/lock.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <stdbool.h>
#include <sys/stat.h>

#define KEPT_MS 2000
#define SLOTS   4

typedef struct Kept {
    char *key;
    GString *answer;
    gint64 asked_at; // monotonic milliseconds
} Kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Kept slots[SLOTS];
static unsigned next_slot;

/* Which file it is, its size, and when it was changed last. */
static void add_mark(GString *key, const char *dir, const char *name)
{
    g_autofree char *path = dir ? g_build_filename(dir, name, NULL) : NULL;
    struct stat facts = { 0 };
    if (path && stat(path, &facts) == 0)
        g_string_append_printf(key, "%llu:%lld:%lld.%09ld", (unsigned long long)facts.st_ino,
                               (long long)facts.st_size, (long long)facts.st_ctim.tv_sec,
                               facts.st_ctim.tv_nsec);
    g_string_append_c(key, '\n');
}

static const char *variable(const char *const *env, const char *name)
{
    return env ? g_environ_getenv((char **)env, name) : env_get_raw(name);
}

/* Variables that lead git to settings, or are some. */
static void add_variables(GString *key, const char *const *env)
{
    static const char *const prefixes[] = { "GIT_CONFIG", "HOME=", "XDG_CONFIG_HOME=" };
    for (const char *const *entry = env; entry && *entry; entry++)
        for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
            if (str_has_prefix(*entry, prefixes[i]))
                g_string_append_printf(key, "%s\n", *entry);
}

char *git_kept_key(const char *dir, const char *question, const char *const *env)
{
    g_autofree char *absolute = g_canonicalize_filename(dir, NULL);
    g_autofree char *top = git_dir_marked(absolute);
    g_autofree char *git_dir = top ? git_dir_at(top) : NULL;
    g_autofree char *common = git_dir ? git_dir_common(git_dir) : NULL;
    if (variable(env, "GIT_DIR") || variable(env, "GIT_COMMON_DIR") || (top && !git_dir) ||
        git_dir_is_inside(absolute))
        return NULL;
    const char *home = variable(env, "HOME");
    const char *global = variable(env, "GIT_CONFIG_GLOBAL");
    const char *base = variable(env, "XDG_CONFIG_HOME");
    GString *key = g_string_new(NULL);
    g_string_append_printf(key, "%s\n%s\n", absolute, question);
    add_mark(key, common, "config");
    add_mark(key, git_dir, "config.worktree");
    add_mark(key, global ? global : home, global ? "" : ".gitconfig");
    add_mark(key, base ? base : home, base ? "git/config" : ".config/git/config");
    add_mark(key, "/etc", "gitconfig");
    add_variables(key, env);
    return g_string_free(key, FALSE);
}

char *git_kept_find(const char *key, size_t *ret_size)
{
    HOLD_LOCK(&lock);
    for (size_t i = 0; i < SLOTS; i++) {
        if (g_strcmp0(slots[i].key, key) != 0 || time_monotonic_ms() - slots[i].asked_at > KEPT_MS)
            continue;
        *ret_size = slots[i].answer->len;
        return g_memdup2(slots[i].answer->str, slots[i].answer->len + 1);
    }
    return NULL;
}

void git_kept_put(const char *key, const char *answer, size_t size)
{
    HOLD_LOCK(&lock);
    Kept *slot = &slots[next_slot++ % SLOTS];
    g_free(slot->key);
    if (slot->answer)
        g_string_free(slot->answer, TRUE);
    *slot = (Kept) { g_strdup(key), g_string_new_len(answer, (gssize)size), time_monotonic_ms() };
}
