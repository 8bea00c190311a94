/*
 * What a kind of key is set to so that nothing runs: most may be empty, some need a program that
 * does nothing, and some git takes from the first file that has them, so that the command has to be
 * refused.
 */
#include "base/git_programs.h"

#include "base/error.h"
#include "base/git_command.h"
#include "base/str.h"

#include <string.h>

#define MAX_KEYS   512
#define PARAMETERS "GIT_CONFIG_PARAMETERS"

typedef struct Closed {
    const char *section, *name; // of the key
    const char *value;          // NULL: it cannot be overridden
} Closed;

static const Closed closed[] = {
    { "filter.", ".clean", "" },
    { "filter.", ".smudge", "" },
    { "filter.", ".process", "" },
    { "merge.", ".driver", "false" }, // a conflict, which nobody resolves unseen
    { "gpg.", "program", "false" },
    { "core.", ".sshcommand", "ssh" },
    { "core.", ".askpass", "" },
    { "core.", ".alternaterefscommand", "true" },
    { "core.", ".gitproxy", NULL },
    { "remote.", ".uploadpack", NULL },
    { "remote.", ".receivepack", NULL },
};

typedef struct Entry { // of git's configuration; borrowed
    const char *key, *value;
} Entry;

/* What `git -c` handed on to us counts after the entries of GIT_CONFIG_COUNT: there it has to be
   said, too. */
static char **add_parameter(char **env, const char *key, const char *value)
{
    const char *given = g_environ_getenv(env, PARAMETERS);
    if (!given)
        return env;
    g_autofree char *quoted_key = g_shell_quote(key);
    g_autofree char *quoted_value = g_shell_quote(value);
    g_autofree char *all = g_strconcat(given, " ", quoted_key, "=", quoted_value, NULL);
    return g_environ_setenv(env, PARAMETERS, all, true);
}

char **git_env_add(char **env, const char *key, const char *value)
{
    const char *text = g_environ_getenv(env, "GIT_CONFIG_COUNT");
    int64_t count = 0;
    if (text && (!str_parse_int(text, &count) || count < 0))
        count = 0; // git would refuse to run with it
    g_autofree char *key_name = g_strdup_printf("GIT_CONFIG_KEY_%" G_GINT64_FORMAT, count);
    g_autofree char *value_name = g_strdup_printf("GIT_CONFIG_VALUE_%" G_GINT64_FORMAT, count);
    g_autofree char *next = g_strdup_printf("%" G_GINT64_FORMAT, count + 1);
    env = g_environ_setenv(env, key_name, key, true);
    env = g_environ_setenv(env, value_name, value, true);
    env = g_environ_setenv(env, "GIT_CONFIG_COUNT", next, true);
    return add_parameter(env, key, value);
}

/* NULL: too many. The keys and values are parts of `text`, which is cut into them. */
static GArray *entries_of(char *text, size_t size, GError **error)
{
    g_autoptr(GArray) entries = g_array_new(false, false, sizeof(Entry));
    for (char *at = text; at < text + size; at += strlen(at) + 1) {
        char *newline = strchr(at, '\n');
        Entry entry = { .key = at, .value = newline ? newline + 1 : "" };
        if (entries->len == MAX_KEYS) {
            fail_with(error, KEDGE_ERROR_LIMIT,
                      "git's configuration has more than %d entries about filters and other "
                      "programs",
                      MAX_KEYS);
            return NULL;
        }
        g_array_append_val(entries, entry);
        if (newline) {
            at += strlen(at);
            *newline = '\0';
        }
    }
    return g_steal_pointer(&entries);
}

static const Closed *kind_of(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(closed); i++)
        if (str_has_prefix(key, closed[i].section) && g_str_has_suffix(key, closed[i].name))
            return &closed[i];
    return NULL;
}

/* filter.NAME.smudge → filter.NAME.required=false. Takes over `env`. */
static char **drop_required(char **env, const char *key)
{
    g_autofree char *required =
        g_strdup_printf("%.*srequired", (int)(strrchr(key, '.') + 1 - key), key);
    return git_env_add(env, required, "false");
}

bool git_programs_close_filters(const char *answer, size_t size, char ***env, GError **error)
{
    g_autoptr(GString) text = g_string_new_len(answer, (gssize)size);
    g_autoptr(GArray) entries = entries_of(text->str, size, error);
    if (!entries)
        return false;
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned i = 0; i < entries->len; i++) {
        const char *key = g_array_index(entries, Entry, i).key;
        if (g_hash_table_add(seen, (char *)key))
            *env = git_env_add(*env, key, g_str_has_suffix(key, ".required") ? "false" : "");
    }
    return true;
}

static void note_left_off(GPtrArray *left_off, const Entry *entry)
{
    if (left_off)
        g_ptr_array_add(left_off, g_strdup_printf("%s (%s)", entry->key, entry->value));
}

static bool is_helper(const char *key)
{
    return str_has_prefix(key, "credential.") && g_str_has_suffix(key, ".helper");
}

/* Helpers are a list: it is emptied, and those that may stay are put into it again. */
static void close_helpers(const GArray *entries, const char *tree, char ***env, GPtrArray *left_off)
{
    bool is_any_loose = false;
    for (unsigned i = 0; i < entries->len; i++) {
        const Entry *entry = &g_array_index(entries, Entry, i);
        if (!is_helper(entry->key) || git_helper_is_anchored(entry->value, tree))
            continue;
        is_any_loose = true;
        note_left_off(left_off, entry);
    }
    if (!is_any_loose)
        return;
    *env = git_env_add(*env, "credential.helper", "");
    for (unsigned i = 0; i < entries->len; i++) {
        const Entry *entry = &g_array_index(entries, Entry, i);
        if (is_helper(entry->key) && git_helper_is_anchored(entry->value, tree))
            *env = git_env_add(*env, entry->key, entry->value);
    }
}

/* git-lfs itself starts programs that git's configuration names. */
static bool lfs_is_loose(const GArray *entries, const char *tree, GPtrArray *left_off)
{
    bool is_loose = false;
    for (unsigned i = 0; i < entries->len; i++) {
        const Entry *entry = &g_array_index(entries, Entry, i);
        if (!str_has_prefix(entry->key, "lfs.") || git_command_is_anchored(entry->value, tree))
            continue;
        is_loose = true;
        note_left_off(left_off, entry);
    }
    return is_loose;
}

bool git_programs_close_foreign(const char *answer, size_t size, const char *tree, bool connects,
                                char ***env, GPtrArray *left_off, GError **error)
{
    g_autoptr(GString) text = g_string_new_len(answer, (gssize)size);
    g_autoptr(GArray) entries = entries_of(text->str, size, error);
    if (!entries)
        return false;
    close_helpers(entries, tree, env, left_off);
    bool has_loose_lfs = lfs_is_loose(entries, tree, left_off);
    for (unsigned i = 0; i < entries->len; i++) {
        const Entry *entry = &g_array_index(entries, Entry, i);
        const Closed *kind = kind_of(entry->key);
        bool is_loose = !git_command_is_anchored(entry->value, tree) ||
                        (has_loose_lfs && strstr(entry->value, "lfs") != NULL);
        if (!kind || !is_loose || (!kind->value && !connects))
            continue;
        if (!kind->value)
            return fail_with(error, KEDGE_ERROR_DENIED,
                             "git's configuration has %s = %s, which a stranger's files could "
                             "replace: give the program an absolute path",
                             entry->key, entry->value);
        note_left_off(left_off, entry);
        *env = git_env_add(*env, entry->key, kind->value);
        if (str_has_prefix(entry->key, "filter."))
            *env = drop_required(*env, entry->key);
    }
    return true;
}

/* A list without relative and empty entries, which mean the directory where git is. Caller frees.
 */
static char *absolute_entries(const char *list, const char *separators)
{
    g_auto(GStrv) entries = g_strsplit_set(list, separators, -1);
    g_autoptr(GString) kept = g_string_new(NULL);
    for (char **entry = entries; *entry; entry++)
        if (g_path_is_absolute(*entry))
            g_string_append_printf(kept, "%s%s", kept->len > 0 ? ":" : "", *entry);
    return g_string_free(g_steal_pointer(&kept), FALSE);
}

/* Where git, and the programs that it starts, look for programs and libraries. */
static char **close_lists(char **env)
{
    static const char *const lists[] = { "PATH",    "LD_LIBRARY_PATH", "PYTHONPATH", "PERL5LIB",
                                         "PERLLIB", "RUBYLIB",         "NODE_PATH" };
    static const char *const preloads[] = { "LD_PRELOAD", "LD_AUDIT" };
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        const char *list = g_environ_getenv(env, lists[i]);
        g_autofree char *kept = list ? absolute_entries(list, ":") : NULL;
        if (kept)
            env = *kept != '\0' ? g_environ_setenv(env, lists[i], kept, true)
                                : g_environ_unsetenv(env, lists[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(preloads); i++) {
        const char *list = g_environ_getenv(env, preloads[i]);
        g_autofree char *kept = list && strchr(list, '/') ? absolute_entries(list, ": ") : NULL;
        if (kept)
            env = g_environ_setenv(env, preloads[i], kept, true);
    }
    return env;
}

char **git_programs_close_variables(char **env, const char *tree)
{
    static const char *const commands[] = {
        "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS",
        "BASH_ENV",        "ENV"
    };
    static const char *const files[] = { "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_CONFIG_GLOBAL",
                                         "GIT_CONFIG_SYSTEM" };
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        const char *value = g_environ_getenv(env, commands[i]);
        if (value && !git_command_is_anchored(value, tree))
            env = g_environ_unsetenv(env, commands[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        const char *value = g_environ_getenv(env, files[i]);
        if (value && *value != '\0' && !g_path_is_absolute(value))
            env = g_environ_unsetenv(env, files[i]);
    }
    return close_lists(env);
}
