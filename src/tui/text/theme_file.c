/*
 * A theme file (agent-core §7.10): JSON to colours and symbols, and what is wrong with it.
 */
#include "tui/text/theme_private.h"

#include "base/utf8.h"
#include "base/visible.h"
#include "tui/text/clean.h"
#include "tui/text/width.h"

#include <string.h>

enum { SHOWN_CHARS = 40, SYMBOL_CELLS_MAX = 4, REFERENCES_MAX = 32 };

#define NAME_OF(item, name, ...) name,
static const char *const token_names[TOKEN_COUNT] = { NULL, THEME_TOKENS(NAME_OF) };
static const char *const symbol_names[SYMBOL_COUNT] = { THEME_SYMBOLS(NAME_OF) };

void theme_problem(ThemeProblems *self, const char *format, ...)
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

static void read_symbol(Theme *self, const char *name, const json_t *value, ThemeProblems *problems)
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

static void read_symbols(Theme *self, const json_t *symbols, ThemeProblems *problems)
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
        read_symbol(self, name, value, problems);
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

bool theme_read(Theme *self, const json_t *root, ThemeProblems *problems)
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
    read_symbols(self, symbols, problems);
    return is_good;
}
