/*
 * gh's aliases and extensions (gh_aliases.h). What is executed is the expansion, never the alias,
 * so the expansion is made here, the way gh makes it.
 */
#include "github/safe/gh_aliases.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/str.h"
#include "base/yaml.h"

#define EXPANSION_MAX_BYTES ((size_t)120000) // as all arguments together (gh-policy §2.1)
#define EXTENSIONS_MAX      1000             // listed
#define EXTENSION_PREFIX    "gh-"

/* $VARIABLE/gh, or the directory below home that stands for it. */
static char *gh_dir(const char *variable, const char *fallback)
{
    const char *base = env_get_raw(variable);
    if (base)
        return g_build_filename(base, "gh", NULL);
    g_autofree char *home = dirs_home();
    return g_build_filename(home, fallback, "gh", NULL);
}

char *gh_config_dir(void)
{
    const char *dir = env_get_raw("GH_CONFIG_DIR");
    return dir != NULL ? g_strdup(dir) : gh_dir("XDG_CONFIG_HOME", ".config");
}

static char *extensions_dir(void)
{
    g_autofree char *data = gh_dir("XDG_DATA_HOME", ".local/share");
    return g_build_filename(data, "extensions", NULL);
}

json_t *gh_aliases_load(void)
{
    g_autofree char *dir = gh_config_dir();
    g_autofree char *path = g_build_filename(dir, "config.yml", NULL);
    g_autoptr(json_t) config = NULL;
    json_t *found = json_object();
    if (!yaml_read_file(path, &config, NULL))
        return found;
    const char *name;
    json_t *expansion;
    json_object_foreach (json_get_object(config, "aliases"), name, expansion) {
        if (json_is_string(expansion))
            json_object_set(found, name, expansion);
    }
    return found;
}

/* Do the words of `name` spell `parent` and then `word`? */
static bool is_name_of(const char *name, const char *parent, const char *word)
{
    g_autofree char *wanted = g_strconcat(parent, *parent != '\0' ? " " : "", word, NULL);
    g_auto(GStrv) parts = g_strsplit_set(name, " \t", -1);
    g_autoptr(GString) plain = g_string_new(NULL);
    for (char **part = parts; *part; part++) {
        if (**part != '\0')
            g_string_append_printf(plain, "%s%s", plain->len > 0 ? " " : "", *part);
    }
    return strcmp(plain->str, wanted) == 0;
}

const char *gh_alias_find(const json_t *aliases, const char *parent, const char *word)
{
    const char *name;
    json_t *expansion;
    json_object_foreach ((json_t *)aliases, name, expansion) {
        if (is_name_of(name, parent, word))
            return json_string_value(expansion);
    }
    return NULL;
}

bool gh_alias_is_shell(const char *expansion)
{
    return *expansion == '!';
}

typedef struct Splitter {
    GPtrArray *words;
    GString *word; // NULL between words
} Splitter;

static void splitter_begin(Splitter *self)
{
    if (!self->word)
        self->word = g_string_new(NULL);
}

static void splitter_end(Splitter *self)
{
    if (self->word)
        g_ptr_array_add(self->words, g_string_free(self->word, false));
    self->word = NULL;
}

/* The text behind an opening quote; the closing one, or NULL when there is none. Between double
   quotes a backslash takes the next character as it is. */
static const char *splitter_quoted(Splitter *self, const char *p, char quote)
{
    splitter_begin(self);
    for (; *p != '\0' && *p != quote; p++) {
        if (quote == '"' && *p == '\\' && *++p == '\0')
            return NULL;
        g_string_append_c(self->word, *p);
    }
    return *p == quote ? p : NULL;
}

/* Appends the words of `text`; false when a quote stays open. Quotes, backslashes and comments mean
   what they mean to the splitter in gh, which is simpler than a shell. */
static bool split_words(const char *text, GPtrArray *words)
{
    Splitter self = { .words = words };
    bool is_whole = true;
    for (const char *p = text; is_whole && *p != '\0'; p++) {
        if (strchr(" \t\r\n", *p)) {
            splitter_end(&self);
        } else if (*p == '#' && !self.word) {
            p += strcspn(p, "\n") - 1;
        } else if (*p == '\'' || *p == '"') {
            const char *end = splitter_quoted(&self, p + 1, *p);
            is_whole = end != NULL;
            p = is_whole ? end : p;
        } else if (*p == '\\' && p[1] == '\0') {
            is_whole = false;
        } else {
            splitter_begin(&self);
            p += *p == '\\';
            g_string_append_c(self.word, *p);
        }
    }
    splitter_end(&self);
    return is_whole;
}

static bool has_placeholder(const char *text)
{
    for (const char *p = strchr(text, '$'); p; p = strchr(p + 1, '$')) {
        if (g_ascii_isdigit(p[1]))
            return true;
    }
    return false;
}

static bool fail_too_long(GError **error)
{
    return fail_with(error, KEDGE_ERROR_USAGE, "the alias expands to more than %zu bytes",
                     EXPANSION_MAX_BYTES);
}

/* A short text of the user can hold the same number many times, and a value may be long. */
static bool fits_replaced(const GString *text, const char *name, const char *value)
{
    size_t count = 0;
    for (const char *p = strstr(text->str, name); p; p = strstr(p + strlen(name), name))
        count++;
    return count == 0 ||
           strlen(value) <= (EXPANSION_MAX_BYTES - MIN(text->len, EXPANSION_MAX_BYTES)) / count;
}

bool gh_alias_expand(const char *expansion, const char *const *args, char ***ret_argv,
                     GError **error)
{
    g_autoptr(GString) text = g_string_new(expansion);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) rest = g_ptr_array_new();
    for (unsigned i = 0; args[i]; i++) {
        if (!strchr(text->str, '$')) {
            g_ptr_array_add(rest, (char *)args[i]);
            continue;
        }
        g_autofree char *name = g_strdup_printf("$%u", i + 1);
        if (!fits_replaced(text, name, args[i]))
            return fail_too_long(error);
        g_string_replace(text, name, args[i], 0);
    }
    if (has_placeholder(text->str))
        return fail_with(error, KEDGE_ERROR_USAGE, "not enough arguments for the alias \"%s\"",
                         expansion);
    if (text->len > EXPANSION_MAX_BYTES)
        return fail_too_long(error);
    if (!split_words(text->str, words))
        return fail_with(error, KEDGE_ERROR_USAGE, "the alias \"%s\" has an open quote", expansion);
    for (unsigned i = 0; i < rest->len; i++)
        g_ptr_array_add(words, g_strdup(rest->pdata[i]));
    g_ptr_array_add(words, NULL);
    g_ptr_array_set_free_func(words, NULL);
    *ret_argv = (char **)g_ptr_array_free(g_steal_pointer(&words), false);
    return true;
}

bool gh_extension_exists(const char *word)
{
    if (*word == '\0' || strchr(word, '/'))
        return false;
    g_autofree char *dir = extensions_dir();
    g_autofree char *name = g_strconcat(EXTENSION_PREFIX, word, NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return file_exists(path);
}

char **gh_extensions_list(void)
{
    GPtrArray *names = g_ptr_array_new();
    g_autofree char *path = extensions_dir();
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && names->len < EXTENSIONS_MAX && (name = g_dir_read_name(dir))) {
        if (str_has_prefix(name, EXTENSION_PREFIX))
            g_ptr_array_add(names, g_strdup(name + strlen(EXTENSION_PREFIX)));
    }
    g_ptr_array_sort(names, str_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, false);
}
