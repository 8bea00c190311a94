/*
 * A command is read as a shell would divide it, but only roughly: quotes are dropped, and what is
 * inside them counts as words too. So a word too many is looked at, never one too few.
 */
#include "base/git_command.h"

#include "base/path.h"
#include "base/str.h"

#include <string.h>

#define SPACES    " \t\r\n"
#define SEPARATES ";|&(){}<>`\n" // what follows is a command of its own, or a file
#define QUOTES    "\"'\\"

#define MAX_EXTENSION 5 // of a program's file

/* They run what a bare word, or the place where they are started, says. */
static const char *const loaders[] = {
    ".",       "sh",      "bash",   "dash",    "zsh",    "ksh",    "fish",     "busybox", "source",
    "eval",    "exec",    "env",    "command", "nice",   "nohup",  "timeout",  "time",    "stdbuf",
    "sudo",    "doas",    "setsid", "xargs",   "find",   "make",   "gmake",    "cmake",   "ninja",
    "just",    "task",    "rake",   "gradle",  "mvn",    "ant",    "cargo",    "go",      "npm",
    "npx",     "pnpm",    "pnpx",   "yarn",    "bun",    "bunx",   "deno",     "node",    "nodejs",
    "php",     "java",    "dotnet", "swift",   "lua",    "tclsh",  "perl",     "ruby",    "bundle",
    "pipx",    "poetry",  "uv",     "uvx",     "hatch",  "tox",    "prettier", "eslint",  "tsx",
    "ts-node", "Rscript", "julia",  "guile",   "racket", "expect", "pwsh",     "groovy",  "elixir",
    NULL,
};
static const char *const loader_families[] = { "python", "perl5", "ruby2", "ruby3",
                                               "lua5",   "pypy",  NULL };

/* What git finds itself, unless the person has an alias of that name. */
static const char *const git_programs[] = { "lfs", "crypt", "annex", "agecrypt", NULL };

static bool is_loader(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    for (size_t i = 0; loader_families[i]; i++)
        if (str_has_prefix(name, loader_families[i]))
            return true;
    return g_strv_contains(loaders, name);
}

/* The path that a word with an absolute one in it means; NULL: it is no such. Caller frees. */
static char *absolute_path(const char *word)
{
    static const char *const homes[] = { "$HOME/", "${HOME}/" };
    for (size_t i = 0; i < G_N_ELEMENTS(homes); i++)
        if (str_has_prefix(word, homes[i])) {
            g_autofree char *tilde = g_strconcat("~/", word + strlen(homes[i]), NULL);
            return path_expand_home(tilde);
        }
    if (*word == '~')
        return path_expand_home(word);
    return *word == '/' ? g_strdup(word) : NULL;
}

static bool is_inside(const char *path, const char *tree)
{
    g_autofree char *plain = g_canonicalize_filename(path, "/");
    g_autofree char *real = path_real(path);
    g_autofree char *real_tree = path_real(tree);
    return path_is_inside(plain, tree) || (real && path_is_inside(real, tree)) ||
           (real && real_tree && path_is_inside(real, real_tree));
}

static bool path_is_anchored(const char *word, const char *tree)
{
    g_autofree char *path = absolute_path(word);
    if (!path)
        return strstr(word, "://") != NULL;
    return !tree || !is_inside(path, tree);
}

/* A word without a slash is found on PATH, or is no file. */
static bool word_is_anchored(const char *word, const char *tree)
{
    const char *equals = strchr(word, '=');
    const char *value = equals ? equals + 1 : word;
    return strcmp(value, "..") != 0 && (!strchr(value, '/') || path_is_anchored(value, tree));
}

static bool names_file_next(const char *option)
{
    static const char *const options[] = { "-F", "-f", "--file", "--config", "--rcfile", NULL };
    return g_strv_contains(options, option);
}

/* strip.R, -fstrip.awk: also a program that is not listed may load it. */
static bool has_name_of_file(const char *word)
{
    const char *dot = strrchr(word, '.');
    if (!dot || dot == word || !g_ascii_isalpha(dot[1]))
        return false;
    size_t size = strspn(dot + 1, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS);
    return size <= MAX_EXTENSION && dot[1 + size] == '\0';
}

/* One command of the line: `words` from `at` to `end`. */
static bool segment_is_anchored(char **words, size_t at, size_t end, const char *tree)
{
    while (at < end && strchr(words[at], '=') && words[at][0] != '-') // NAME=value before it
        if (!word_is_anchored(words[at++], tree))
            return false;
    if (at == end)
        return true;
    const char *program = words[at];
    bool loads = is_loader(program), has_file = false;
    if (strcmp(program, "git") == 0 &&
        (at + 1 == end || !g_strv_contains(git_programs, words[at + 1])))
        return false; // -c, or an alias
    for (size_t i = at; i < end; i++) {
        bool is_file = path_is_anchored(words[i], tree);
        bool must_be_file = i > at && ((loads && words[i][0] != '-' && words[i][0] != '%') ||
                                       names_file_next(words[i - 1]) || has_name_of_file(words[i]));
        if (!word_is_anchored(words[i], tree) || (must_be_file && !is_file))
            return false;
        has_file = has_file || (i > at && is_file);
    }
    return !loads || has_file;
}

bool git_command_is_anchored(const char *command, const char *tree)
{
    g_autoptr(GString) line = g_string_new(NULL);
    for (const char *at = command; *at; at++) {
        if (strchr(SEPARATES, *at) && !(*at == '{' && at > command && at[-1] == '$') &&
            !(*at == '}' && strchr(line->str, '$')))
            g_string_append(line, " ; ");
        else if (!strchr(QUOTES, *at))
            g_string_append_c(line, *at);
    }
    g_auto(GStrv) all = g_strsplit_set(line->str, SPACES, -1);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (char **word = all; *word; word++)
        if (**word != '\0')
            g_ptr_array_add(words, *word);
    unsigned from = 0;
    for (unsigned i = 0; i <= words->len; i++) {
        if (i < words->len && strcmp(words->pdata[i], ";") != 0)
            continue;
        if (!segment_is_anchored((char **)words->pdata, from, i, tree))
            return false;
        from = i + 1;
    }
    return true;
}

bool git_helper_is_anchored(const char *value, const char *tree)
{
    if (*value == '!')
        return git_command_is_anchored(value + 1, tree);
    if (*value == '\0' || g_path_is_absolute(value))
        return git_command_is_anchored(value, tree);
    g_autofree char *command = g_strconcat("git-credential-", value, NULL);
    return git_command_is_anchored(command, tree);
}
