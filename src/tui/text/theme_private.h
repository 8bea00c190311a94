/*
 * What a theme is to the files that make it: theme.c finds and reads it, style.c makes bytes of
 * it.
 */
#pragma once

#include "tui/text/style.h"

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
