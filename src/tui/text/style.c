/*
 * From styles to bytes (style.h): the colours that a terminal has, the sequences that switch them,
 * and the symbols.
 *
 * Besides term/, screen/ and the viewer this is the one place of tui/ that writes escape bytes.
 */
#include "tui/text/theme_private.h"

#include <limits.h>
#include <string.h>

enum { BASIC_COLOURS = 16, CUBE_START = 16, CUBE_SIDE = 6, GREY_START = 232, GREYS = 24 };
enum { DISTINCT = 48 }; // between the strongest and the weakest part of a colour

typedef struct Rgb {
    uint8_t r, g, b;
} Rgb;

static const Rgb basic_colours[BASIC_COLOURS] = {
    { 0, 0, 0 },       { 128, 0, 0 },   { 0, 128, 0 },   { 128, 128, 0 },
    { 0, 0, 128 },     { 128, 0, 128 }, { 0, 128, 128 }, { 192, 192, 192 },
    { 128, 128, 128 }, { 255, 0, 0 },   { 0, 255, 0 },   { 255, 255, 0 },
    { 0, 0, 255 },     { 255, 0, 255 }, { 0, 255, 255 }, { 255, 255, 255 },
};

static uint8_t cube_level(int step)
{
    return (uint8_t)(step == 0 ? 0 : 55 + step * 40);
}

// Of the usual palette of 256.
static Rgb rgb_of_index(int index)
{
    if (index < CUBE_START)
        return basic_colours[index];
    if (index >= GREY_START) {
        uint8_t level = (uint8_t)(8 + (index - GREY_START) * 10);
        return (Rgb) { level, level, level };
    }
    int place = index - CUBE_START;
    return (Rgb) {
        cube_level(place / (CUBE_SIDE * CUBE_SIDE)),
        cube_level(place / CUBE_SIDE % CUBE_SIDE),
        cube_level(place % CUBE_SIDE),
    };
}

static uint8_t style_nearest(Rgb want, int first, int end)
{
    int best = first, best_distance = INT_MAX;
    for (int i = first; i < end; i++) {
        Rgb have = rgb_of_index(i);
        int r = want.r - have.r, g = want.g - have.g, b = want.b - have.b;
        int distance = r * r + g * g + b * b;
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    return (uint8_t)best;
}

/* Of the 16. By distance a soft colour would always come out grey, so a distinct one goes by its
   hue. */
static uint8_t nearest_basic(Rgb want)
{
    int most = MAX(want.r, MAX(want.g, want.b)), least = MIN(want.r, MIN(want.g, want.b));
    if (most - least < DISTINCT)
        return style_nearest(want, 0, BASIC_COLOURS);
    int middle = (most + least) / 2;
    int hue = (want.r > middle ? 1 : 0) | (want.g > middle ? 2 : 0) | (want.b > middle ? 4 : 0);
    return (uint8_t)(middle >= 128 ? hue + 8 : hue);
}

static Rgb rgb_of(const Colour *colour)
{
    if (colour->kind == COLOUR_INDEX)
        return rgb_of_index(colour->index);
    return (Rgb) { colour->r, colour->g, colour->b };
}

void colour_reduce(Colour *self)
{
    if (self->kind == COLOUR_DEFAULT)
        return;
    // the first 16 are whatever a person has made of them: never chosen for their looks
    Rgb rgb = rgb_of(self);
    self->as_256 = self->kind == COLOUR_INDEX ? self->index
                                              : style_nearest(rgb, CUBE_START, GREY_START + GREYS);
    self->as_16 = self->kind == COLOUR_INDEX && self->index < BASIC_COLOURS ? self->index
                                                                            : nearest_basic(rgb);
}

void colour_shift_to_blue(Colour *self)
{
    if (self->kind == COLOUR_DEFAULT)
        return;
    Rgb rgb = rgb_of(self);
    *self = (Colour) {
        .kind = COLOUR_RGB,
        .r = (uint8_t)(rgb.r * 3 / 5),
        .g = (uint8_t)(rgb.g * 7 / 10),
        .b = (uint8_t)MIN(MAX(rgb.g, rgb.b) * 6 / 5, 255),
    };
    colour_reduce(self);
}

// The parameters that set it, without any for the default.
typedef struct Paint {
    char text[20];
} Paint;

static Paint paint_of(const Theme *theme, ColourDepth depth, ThemeToken token, bool is_background)
{
    const Colour *colour = &theme->colours[token];
    Paint paint = { "" };
    if (depth == DEPTH_NONE || token >= TOKEN_COUNT || colour->kind == COLOUR_DEFAULT)
        return paint;
    int index = depth == DEPTH_16 ? colour->as_16 : colour->as_256;
    if (depth == DEPTH_TRUE && colour->kind == COLOUR_RGB)
        g_snprintf(paint.text, sizeof(paint.text), "%d;2;%d;%d;%d", is_background ? 48 : 38,
                   colour->r, colour->g, colour->b);
    else if (index < BASIC_COLOURS)
        g_snprintf(paint.text, sizeof(paint.text), "%d",
                   index % 8 + (index < 8 ? 30 : 90) + (is_background ? 10 : 0));
    else
        g_snprintf(paint.text, sizeof(paint.text), "%d;5;%d", is_background ? 48 : 38, index);
    return paint;
}

static void style_add(GString *parameters, const char *text)
{
    if (parameters->len > 0)
        g_string_append_c(parameters, ';');
    g_string_append(parameters, text);
}

static const struct {
    uint8_t attribute;
    const char *on, *off;
} switches[] = {
    { STYLE_BOLD, "1", "22" },      { STYLE_DIM, "2", "22" },     { STYLE_ITALIC, "3", "23" },
    { STYLE_UNDERLINE, "4", "24" }, { STYLE_REVERSE, "7", "27" }, { STYLE_STRIKE, "9", "29" },
};

static void add_attributes(GString *parameters, unsigned from, unsigned to)
{
    unsigned gone = from & ~to;
    if (gone & (STYLE_BOLD | STYLE_DIM)) { // one switch turns both off
        style_add(parameters, "22");
        from &= ~(unsigned)(STYLE_BOLD | STYLE_DIM);
        gone &= ~(unsigned)(STYLE_BOLD | STYLE_DIM);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
        if (gone & switches[i].attribute)
            style_add(parameters, switches[i].off);
        else if (to & ~from & switches[i].attribute)
            style_add(parameters, switches[i].on);
    }
}

static void add_paint(GString *parameters, const Paint *from, const Paint *to, const char *normal)
{
    if (strcmp(from->text, to->text) != 0)
        style_add(parameters, to->text[0] != '\0' ? to->text : normal);
}

void theme_switch(const Theme *self, ColourDepth depth, Style from, Style to, GString *out)
{
    static const Paint none = { "" };
    if (style_equal(from, to))
        return;
    Paint from_fg = paint_of(self, depth, from.fg, false);
    Paint from_bg = paint_of(self, depth, from.bg, true);
    Paint to_fg = paint_of(self, depth, to.fg, false);
    Paint to_bg = paint_of(self, depth, to.bg, true);

    g_autoptr(GString) change = g_string_new(NULL);
    add_attributes(change, from.attributes, to.attributes);
    add_paint(change, &from_fg, &to_fg, "39");
    add_paint(change, &from_bg, &to_bg, "49");
    if (change->len == 0)
        return;

    // from the start again, where that is shorter: the reset is no parameter, or an empty first one
    g_autoptr(GString) anew = g_string_new(NULL);
    add_attributes(anew, 0, to.attributes);
    add_paint(anew, &none, &to_fg, "39");
    add_paint(anew, &none, &to_bg, "49");
    if (anew->len > 0)
        g_string_prepend(anew, "0;");
    g_string_append_printf(out, "\x1b[%sm", anew->len < change->len ? anew->str : change->str);
}

#define UNICODE_OF(symbol, name, unicode, nerd, ascii) unicode,
#define NERD_OF(symbol, name, unicode, nerd, ascii)    nerd,
#define ASCII_OF(symbol, name, unicode, nerd, ascii)   ascii,
static const char *const unicode_symbols[SYMBOL_COUNT] = { THEME_SYMBOLS(UNICODE_OF) };
static const char *const nerd_symbols[SYMBOL_COUNT] = { THEME_SYMBOLS(NERD_OF) };
static const char *const ascii_symbols[SYMBOL_COUNT] = { THEME_SYMBOLS(ASCII_OF) };

const char *const *symbol_preset(const char *name)
{
    static const struct {
        const char *name;
        const char *const *symbols;
    } presets[] = {
        { "unicode", unicode_symbols },
        { "nerd", nerd_symbols },
        { "ascii", ascii_symbols },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(presets); i++)
        if (strcmp(presets[i].name, name) == 0)
            return presets[i].symbols;
    return NULL;
}

const char *theme_symbol(const Theme *self, Symbol symbol)
{
    if (!self)
        return unicode_symbols[symbol];
    return self->overrides[symbol] ? self->overrides[symbol] : self->preset[symbol];
}
