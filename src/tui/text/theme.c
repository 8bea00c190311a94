/*
 * Which theme is used (style.h): a built-in one, a file of the user's, or what stands in for it.
 */
#include "tui/text/theme_private.h"

#include "base/str.h"
#include "base/visible.h"
#include "tui/text/clean.h"
#include "tui/text/themes.h"

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

static void forget(Theme *self)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        g_clear_pointer(&self->overrides[i], g_free);
    memset(self->colours, 0, sizeof(self->colours));
}

void theme_free(Theme *self)
{
    if (!self)
        return;
    forget(self);
    g_free(self->path);
    g_free(self);
}

const char *theme_path(const Theme *self)
{
    return self->path;
}

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
        forget(self);
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
