/*
 * Which theme is used (style.h): a built-in one, a file of the user's, or what stands in for it;
 * and what is in the file.
 */
#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "tui/text/clean.h"
#include "tui/text/theme_private.h"
#include "tui/text/themes.h"
#include "tui/text/width.h"

#include <string.h>

enum { THEMES_MAX = 200, NAME_CELLS_MAX = 60 };

static const struct {
    const char *name, *text;
} built_in[] = {
    { "kedge-dark", kedge_dark_json },
    { "kedge-light", kedge_light_json },
};

static const char *built_in_text(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(built_in); i++)
        if (strcmp(built_in[i].name, name) == 0)
            return built_in[i].text;
    return NULL;
}

/* A name of a file in the directory, and one that can be shown as it is. */
static bool is_name(const char *name)
{
    if (*name == '\0' || *name == '.' || strchr(name, '/') || !g_utf8_validate(name, -1, NULL))
        return false;
    g_autofree char *clean = clean_line(name, NAME_CELLS_MAX);
    return strcmp(clean, name) == 0;
}

static void theme_forget(Theme *self)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        g_clear_pointer(&self->overrides[i], g_free);
    memset(self->colours, 0, sizeof(self->colours));
}

void theme_free(Theme *self)
{
    if (!self)
        return;
    theme_forget(self);
    g_free(self->path);
    g_free(self);
}

const char *theme_path(const Theme *self)
{
    return self->path;
}

// ---- a theme file (agent-core §7.10): JSON to colours and symbols, and what is wrong with it ----

enum { SHOWN_CHARS = 40, SYMBOL_CELLS_MAX = 4, REFERENCES_MAX = 32 };

#define NAME_OF(item, name, ...) name,
static const char *const token_names[TOKEN_COUNT] = { NULL, THEME_TOKENS(NAME_OF) };
static const char *const symbol_names[SYMBOL_COUNT] = { THEME_SYMBOLS(NAME_OF) };

/* What is wrong with a theme, for a person: the first few, and how many more. */
enum { THEME_PROBLEMS_SHOWN = 5 };

typedef struct ThemeProblems {
    GString *text;
    int count;
} ThemeProblems;

static void theme_problem(ThemeProblems *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void theme_problem(ThemeProblems *self, const char *format, ...)
{
    if (++self->count > THEME_PROBLEMS_SHOWN)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (self->text->len > 0)
        g_string_append(self->text, "; ");
    visible_append(self->text, text);
}

// A word of the file as a message shows it. Caller frees.
static char *theme_file_shown(const char *text)
{
    return utf8_ellipsize(text, SHOWN_CHARS);
}

static int index_of(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool read_rgb(const char *text, Colour *ret_colour)
{
    if (strlen(text) != 7 || text[0] != '#')
        return false;
    int digits[6];
    for (int i = 0; i < 6; i++) {
        digits[i] = g_ascii_xdigit_value(text[i + 1]);
        if (digits[i] < 0)
            return false;
    }
    *ret_colour = (Colour) {
        .kind = COLOUR_RGB,
        .r = (uint8_t)(digits[0] * 16 + digits[1]),
        .g = (uint8_t)(digits[2] * 16 + digits[3]),
        .b = (uint8_t)(digits[4] * 16 + digits[5]),
    };
    return true;
}

/* `value` or what the variables say that it is. `where` names it in messages. */
static bool read_colour(const json_t *value, const json_t *vars, const char *where,
                        Colour *ret_colour, ThemeProblems *problems)
{
    for (int references = 0;; references++) {
        if (json_is_integer(value)) {
            json_int_t index = json_integer_value(value);
            if (index >= 0 && index <= 255) {
                *ret_colour = (Colour) { .kind = COLOUR_INDEX, .index = (uint8_t)index };
                return true;
            }
            theme_problem(problems, "%s is %" JSON_INTEGER_FORMAT ", not 0 to 255", where, index);
            return false;
        }
        const char *text = json_string_value(value);
        if (!text) {
            theme_problem(problems, "%s is neither a text nor a whole number", where);
            return false;
        }
        *ret_colour = (Colour) { 0 };
        if (*text == '\0' || read_rgb(text, ret_colour))
            return true;
        g_autofree char *word = theme_file_shown(text);
        if (*text == '#') {
            theme_problem(problems, "%s is \"%s\", not of the form #rrggbb", where, word);
            return false;
        }
        if (references == REFERENCES_MAX) {
            theme_problem(problems, "%s goes in circles, or over more than %d variables", where,
                          REFERENCES_MAX);
            return false;
        }
        value = json_object_get(vars, text);
        if (!value) {
            theme_problem(problems, "%s is \"%s\", and there is no such variable", where, word);
            return false;
        }
    }
}

static bool read_vars(const json_t *vars, ThemeProblems *problems)
{
    bool is_good = true;
    json_each_member (vars, key, value) {
        Colour colour;
        g_autofree char *word = theme_file_shown(key);
        g_autofree char *where = g_strconcat("vars.", word, NULL);
        is_good &= read_colour(value, vars, where, &colour, problems);
    }
    return is_good;
}

static bool read_colours(Theme *self, const json_t *colours, const json_t *vars,
                         ThemeProblems *problems)
{
    bool is_good = true;
    for (int i = TOKEN_DEFAULT + 1; i < TOKEN_COUNT; i++) {
        const json_t *value = json_object_get(colours, token_names[i]);
        g_autofree char *where = g_strconcat("colors.", token_names[i], NULL);
        if (value) {
            is_good &= read_colour(value, vars, where, &self->colours[i], problems);
            colour_reduce(&self->colours[i]);
            continue;
        }
        theme_problem(problems, "%s is missing", where);
        is_good = false;
    }
    return is_good;
}

// Terminals agree on how wide it is.
static bool is_sure(const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0, step; i < size; i += step) {
        step = cluster_size(text + i, size - i, NULL);
        if (cluster_is_unsure(text + i, step))
            return false;
    }
    return true;
}

static void theme_read_symbol(Theme *self, const char *name, const json_t *value,
                              ThemeProblems *problems)
{
    g_autofree char *word = theme_file_shown(name);
    int index = index_of(symbol_names, SYMBOL_COUNT, name);
    const char *text = json_string_value(value);
    if (index < 0 || !text) {
        theme_problem(problems,
                      index < 0 ? "symbols.overrides.%s is not known"
                                : "symbols.overrides.%s is no text",
                      word);
        return;
    }
    g_autofree char *clean = clean_text(text, 1);
    if (*clean == '\0' || strchr(clean, '\n') || !is_sure(clean) ||
        text_cells(clean, strlen(clean)) > SYMBOL_CELLS_MAX)
        theme_problem(problems,
                      "symbols.overrides.%s is empty, wider than %d cells, or of a character whose "
                      "width terminals disagree on",
                      word, SYMBOL_CELLS_MAX);
    else
        self->overrides[index] = g_steal_pointer(&clean);
}

static void theme_read_symbols(Theme *self, const json_t *symbols, ThemeProblems *problems)
{
    if (symbols && !json_is_object(symbols))
        theme_problem(problems, "symbols is no object");
    const char *preset = json_get_text(symbols, "preset");
    if (preset) {
        const char *const *found = symbol_preset(preset);
        g_autofree char *word = theme_file_shown(preset);
        if (found)
            self->preset = found;
        else
            theme_problem(problems, "symbols.preset is \"%s\", not unicode, nerd or ascii", word);
    }
    json_each_member (json_get_object(symbols, "overrides"), name, value)
        theme_read_symbol(self, name, value, problems);
}

static void report_unknown(const json_t *object, const char *prefix, const char *const *known,
                           int count, ThemeProblems *problems)
{
    json_each_member (object, key, value) {
        g_autofree char *word = theme_file_shown(key);
        if (index_of(known, count, key) < 0)
            theme_problem(problems, "%s%s is not known", prefix, word);
    }
}

/* False: it cannot be used. Problems may be noted all the same, such as unknown keys. */
static bool theme_read(Theme *self, const json_t *root, ThemeProblems *problems)
{
    static const char *const keys[] = { "name", "vars", "colors", "symbols", "export", "$schema" };
    static const char *const symbol_keys[] = { "preset", "overrides" };
    if (!json_is_object(root)) {
        theme_problem(problems, "it is no object");
        return false;
    }
    const json_t *vars = json_object_get(root, "vars");
    const json_t *colours = json_object_get(root, "colors");
    const json_t *symbols = json_object_get(root, "symbols");
    bool is_good = true;
    if (!json_get_text(root, "name")) {
        theme_problem(problems, "name is missing");
        is_good = false;
    }
    if (vars && !json_is_object(vars)) {
        theme_problem(problems, "vars is no object");
        is_good = false;
    }
    if (!json_is_object(colours)) {
        theme_problem(problems, "colors is missing, or no object");
        return false;
    }
    is_good &= read_vars(json_is_object(vars) ? vars : NULL, problems);
    is_good &= read_colours(self, colours, vars, problems);
    report_unknown(root, "", keys, G_N_ELEMENTS(keys), problems);
    report_unknown(colours, "colors.", token_names, TOKEN_COUNT, problems);
    report_unknown(symbols, "symbols.", symbol_keys, G_N_ELEMENTS(symbol_keys), problems);
    theme_read_symbols(self, symbols, problems);
    return is_good;
}

// ---- one of a name ----

static void read_built_in(Theme *self, const char *text)
{
    g_autoptr(json_t) root = NULL;
    g_autoptr(GString) none = g_string_new(NULL);
    ThemeProblems problems = { .text = none };
    bool is_good = json_parse_text(text, &root, NULL) && theme_read(self, root, &problems);
    g_assert(is_good);
}

static bool read_file(Theme *self, const ThemeSpec *spec, ThemeProblems *problems)
{
    if (!is_name(spec->name)) {
        theme_problem(problems, "that is no name of a theme, which is a file's in themes/ without "
                                ".json");
        return false;
    }
    if (!spec->dir) {
        theme_problem(problems, "there is none of that name");
        return false;
    }
    self->path = g_strdup_printf("%s/%s.json", spec->dir, spec->name);
    g_autoptr(json_t) root = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_read_file(self->path, &root, &error)) {
        theme_problem(problems, "%s", error->message);
        return false;
    }
    return theme_read(self, root, problems);
}

/* "theme "x": colors.accent is missing; …, and 3 more; kedge-dark stands in". Caller frees. */
static char *message_of(const ThemeSpec *spec, const ThemeProblems *problems, int shown,
                        const char *stand_in)
{
    GString *out = g_string_new("theme \"");
    g_autofree char *name = clean_line(spec->name, NAME_CELLS_MAX);
    visible_append(out, name);
    g_string_append_printf(out, "\": %s", problems->text->str);
    if (problems->count > shown)
        g_string_append_printf(out, "; and %d more", problems->count - shown);
    if (stand_in)
        g_string_append_printf(out, "; %s is used until that is fixed", stand_in);
    return g_string_free(out, FALSE);
}

Theme *theme_load(const ThemeSpec *spec, char **ret_problem)
{
    Theme *self = g_new0(Theme, 1);
    const char *const *preset = spec->symbols ? symbol_preset(spec->symbols) : NULL;
    self->preset = preset ? preset : symbol_preset("unicode");
    preset = self->preset;

    g_autoptr(GString) text = g_string_new(NULL);
    ThemeProblems problems = { .text = text };
    const char *built_in_theme = built_in_text(spec->name);
    const char *stand_in = NULL;
    if (built_in_theme) {
        read_built_in(self, built_in_theme);
    } else if (!read_file(self, spec, &problems)) {
        stand_in = spec->is_light ? "kedge-light" : "kedge-dark";
        theme_forget(self);
        self->preset = preset;
        read_built_in(self, built_in_text(stand_in));
    }
    if (spec->is_colour_blind)
        colour_shift_to_blue(&self->colours[TOKEN_DIFF_ADDED]);
    if (ret_problem)
        *ret_problem =
            problems.count > 0 ? message_of(spec, &problems, THEME_PROBLEMS_SHOWN, stand_in) : NULL;
    return self;
}

char **theme_names(const char *dir)
{
    GPtrArray *names = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(built_in); i++)
        g_ptr_array_add(names, g_strdup(built_in[i].name));
    g_autoptr(GDir) files = dir ? g_dir_open(dir, 0, NULL) : NULL;
    const char *file;
    while (files && names->len < THEMES_MAX && (file = g_dir_read_name(files))) {
        if (!g_str_has_suffix(file, ".json"))
            continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(".json"));
        if (is_name(name) && !built_in_text(name))
            g_ptr_array_add(names, g_steal_pointer(&name));
    }
    g_ptr_array_sort(names, str_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}
