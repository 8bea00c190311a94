/* See languages.h. */
#include "lang/languages.h"

#include "lang/lexer_state.h"

#include <string.h>

#define INTERPRETER_MAX 64
#define PROBE_BYTES     ((size_t)64 * 1024) // of a text that is asked what it is

const char *language_name(const Language *self)
{
    return self->name;
}

const Language *language_find(const char *name)
{
    for (const Language *row = language_rows; row->name; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

const char **language_names(void)
{
    GPtrArray *names = g_ptr_array_new();
    for (const Language *row = language_rows; row->name; row++) {
        if (language_find(row->name) == row)
            g_ptr_array_add(names, (char *)row->name);
    }
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(names, FALSE);
}

// ---- by name ----

/* `word` of a row's list: ".c", "Makefile" or "Dockerfile*". */
static bool file_fits(const char *word, size_t size, const char *base, const char *extension)
{
    if (word[size - 1] == '*')
        return strncmp(word, base, size - 1) == 0;
    bool is_base = strlen(base) == size && memcmp(word, base, size) == 0;
    bool is_extension = word[0] == '.' && extension != NULL && strlen(extension) == size &&
                        memcmp(word, extension, size) == 0;
    return is_base || is_extension;
}

static const Language *find_by_file(const char *base, const char *extension)
{
    for (const Language *row = language_rows; row->name; row++) {
        for (const char *word = row->files; *word != '\0';) {
            size_t size = strcspn(word, " ");
            if (file_fits(word, size, base, extension))
                return row;
            word += size;
            word += strspn(word, " ");
        }
    }
    return NULL;
}

LanguageByName language_by_name(const char *path, const Language **ret_language)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *extension = strrchr(base, '.');
    if (extension == base) // .profile has none, .env is a name
        extension = NULL;
    const Language *row = find_by_file(base, extension);
    if (!row && extension) {
        g_autofree char *small = g_ascii_strdown(extension, -1);
        row = find_by_file(base, small);
    }
    if (!row)
        return extension != NULL || *base == '.' ? LANGUAGE_UNSUPPORTED : LANGUAGE_IN_TEXT;
    *ret_language = row;
    return LANGUAGE_KNOWN;
}

// ---- by text ----

static bool languages_contains(const char *text, size_t size, const char *needle)
{
    return memmem(text, MIN(size, PROBE_BYTES), needle, strlen(needle)) != NULL;
}

/* A line begins with `word`, blanks aside. */
static bool has_line(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    const char *end = text + MIN(size, PROBE_BYTES);
    for (const char *line = text; line < end;) {
        while (line < end && lexer_is_blank(*line))
            line++;
        if ((size_t)(end - line) >= length && memcmp(line, word, length) == 0)
            return true;
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next != NULL ? next + 1 : end;
    }
    return false;
}

static bool is_objective_c(const char *text, size_t size)
{
    static const char *const words[] = { "@interface", "@implementation", "@protocol",
                                         "@class",     "@import",         "#import" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (has_line(text, size, words[i]))
            return true;
    }
    return false;
}

/* A header without extension of its own: C, C++ or Objective-C. */
static const Language *detect_header(const char *text, size_t size)
{
    static const char *const words[] = { "namespace ", "template <", "template<", "class ",
                                         "public:",    "private:",   "using ",    "constexpr " };
    if (is_objective_c(text, size))
        return language_find("objective-c");
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (has_line(text, size, words[i]))
            return language_find("cpp");
    }
    return language_find("c");
}

/* Objective-C, or MATLAB: functions that end with `end`, and % comments. */
static const Language *detect_m(const char *text, size_t size)
{
    bool is_c = is_objective_c(text, size) || has_line(text, size, "#include") ||
                has_line(text, size, "//") || has_line(text, size, "/*");
    bool is_matlab = has_line(text, size, "function") || has_line(text, size, "classdef") ||
                     has_line(text, size, "%") || has_line(text, size, "end");
    return is_c || !is_matlab ? language_find("objective-c") : &language_row_matlab;
}

static bool is_mysql(const char *text, size_t size)
{
    static const char *const signs[] = { "ENGINE=", "AUTO_INCREMENT", "auto_increment",
                                         "DELIMITER ", "`" };
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        if (languages_contains(text, size, signs[i]))
            return true;
    }
    return false;
}

/* The program of a first line `#!/usr/bin/env -S python3 -u`: "python". False when there is none.
 */
static bool read_interpreter(const char *text, size_t size, char ret_name[INTERPRETER_MAX])
{
    if (size < 2 || memcmp(text, "#!", 2) != 0)
        return false;
    const char *end = memchr(text, '\n', size);
    size_t length = MIN(end != NULL ? (size_t)(end - text) : size, (size_t)256);
    g_autofree char *line = g_strndup(text + 2, length - 2);
    g_auto(GStrv) words = g_strsplit_set(line, " \t", -1);
    for (char **word = words; *word; word++) {
        g_autofree char *base = g_path_get_basename(*word);
        bool is_env = strcmp(base, "env") == 0 || base[0] == '-' || strchr(base, '=') != NULL;
        if (**word == '\0' || is_env)
            continue;
        g_strlcpy(ret_name, base, INTERPRETER_MAX);
        // python3.11 → python
        for (size_t i = strlen(ret_name); i > 1 && strchr("0123456789.", ret_name[i - 1]); i--)
            ret_name[i - 1] = '\0';
        return true;
    }
    return false;
}

static const Language *detect_interpreter(const char *text, size_t size)
{
    char name[INTERPRETER_MAX];
    if (!read_interpreter(text, size, name))
        return NULL;
    size_t length = strlen(name);
    for (const Language *row = language_rows; row->name; row++) {
        for (const char *word = row->interpreters; word && *word != '\0';) {
            size_t word_size = strcspn(word, " ");
            if (word_size == length && memcmp(word, name, length) == 0)
                return row;
            word += word_size;
            word += strspn(word, " ");
        }
    }
    return NULL;
}

const Language *language_detect(const char *path, const char *text, size_t size)
{
    const Language *row = NULL;
    switch (language_by_name(path, &row)) {
    case LANGUAGE_UNSUPPORTED:
        return NULL;
    case LANGUAGE_IN_TEXT:
        return detect_interpreter(text, size);
    case LANGUAGE_KNOWN:
        break;
    }
    if (g_str_has_suffix(path, ".h"))
        return detect_header(text, size);
    if (g_str_has_suffix(path, ".m"))
        return detect_m(text, size);
    if (strcmp(row->name, "sql") == 0 && is_mysql(text, size))
        return &language_row_mysql;
    return row;
}
