/*
 * What a theme is to the files that make it: theme.c finds it, theme_file.c reads it, style.c makes
 * bytes of it.
 */
#pragma once

#include "tui/text/style.h"

#include "base/json.h"

typedef enum { COLOUR_DEFAULT, COLOUR_INDEX, COLOUR_RGB } ColourKind;

typedef struct Colour { // { 0 }: the terminal's own
    ColourKind kind;
    uint8_t index;
    uint8_t r, g, b;
    uint8_t as_256,
        as_16; // the nearest one that a terminal with fewer has; of any kind but DEFAULT
} Colour;

struct Theme {
    char *path; // NULL: built-in
    Colour colours[TOKEN_COUNT];
    const char *const *preset;     // [SYMBOL_COUNT]
    char *overrides[SYMBOL_COUNT]; // NULL: as the preset has it
};

/* Fills in `as_256` and `as_16`. */
void colour_reduce(Colour *self);
void colour_shift_to_blue(Colour *self); // a green, for eyes that take it for red

/* The symbols of "unicode", "nerd" or "ascii"; NULL: no such preset. */
const char *const *symbol_preset(const char *name);

/* What is wrong with a theme, for a person: the first few, and how many more. */
enum { THEME_PROBLEMS_SHOWN = 5 };

typedef struct ThemeProblems {
    GString *text;
    int count;
} ThemeProblems;

void theme_problem(ThemeProblems *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* False: it cannot be used. Problems may be noted all the same, such as unknown keys. */
bool theme_read(Theme *self, const json_t *root, ThemeProblems *problems);
