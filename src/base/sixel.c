/* See sixel.h. */
#include "base/sixel.h"

#include "base/library.h"

#include <glib.h>
#include <pthread.h>

#define SIXEL_LIBRARY "libsixel.so.1"

enum { COLOURS = 256, PIXELS_RGB888 = 3, BYTES_A_PIXEL = 3, FLAG_FAILED = 0x1000 };

typedef struct sixel_output SixelOutput; // libsixel's own, never looked into
typedef struct sixel_dither SixelDither;

#define SIXEL_SYMBOLS(X)                                                                           \
    X(sixel_output_new, int,                                                                       \
      (SixelOutput * *ret_output, int (*write)(char *data, int size, void *user_data),             \
       void *user_data, void *allocator))                                                          \
    X(sixel_output_unref, void, (SixelOutput *))                                                   \
    X(sixel_dither_new, int, (SixelDither * *ret_dither, int colours, void *allocator))            \
    X(sixel_dither_initialize, int,                                                                \
      (SixelDither *, unsigned char *pixels, int width, int height, int format, int largest,       \
       int representative, int quality))                                                           \
    X(sixel_dither_unref, void, (SixelDither *))                                                   \
    X(sixel_encode, int,                                                                           \
      (unsigned char *pixels, int width, int height, int depth, SixelDither *, SixelOutput *))

typedef struct SixelLibrary {
#define SIXEL_MEMBER(name, result, arguments) result(*name) arguments;
    SIXEL_SYMBOLS(SIXEL_MEMBER)
#undef SIXEL_MEMBER
} SixelLibrary;

// Written once, under sixel_once.
static SixelLibrary sixel;
static bool is_sixel_loaded;
static pthread_once_t sixel_once = PTHREAD_ONCE_INIT;

static void sixel_load(void)
{
    static const LibrarySymbol symbols[] = {
#define SIXEL_ROW(name, result, arguments) LIBRARY_SYMBOL(SixelLibrary, "", name),
        SIXEL_SYMBOLS(SIXEL_ROW)
#undef SIXEL_ROW
    };
    is_sixel_loaded =
        library_open(SIXEL_LIBRARY, symbols, G_N_ELEMENTS(symbols), &sixel, sizeof(sixel));
}

typedef struct Written {
    GString *text;
    size_t max_bytes;
    bool is_cut;
} Written;

static int write_piece(char *data, int size, void *written_)
{
    Written *written = written_;
    written->is_cut = written->is_cut || written->text->len + (size_t)size > written->max_bytes;
    if (!written->is_cut)
        g_string_append_len(written->text, data, size);
    return size;
}

static bool encode(unsigned char *rgb, int width, int height, SixelDither *dither, Written *written)
{
    SixelOutput *output = NULL;
    if (sixel.sixel_output_new(&output, write_piece, written, NULL) & FLAG_FAILED)
        return false;
    int status = sixel.sixel_dither_initialize(dither, rgb, width, height, PIXELS_RGB888, 0, 0, 0);
    if (!(status & FLAG_FAILED))
        status = sixel.sixel_encode(rgb, width, height, BYTES_A_PIXEL, dither, output);
    sixel.sixel_output_unref(output);
    return !(status & FLAG_FAILED) && !written->is_cut && written->text->len > 0;
}

bool sixel_encode_rgb(unsigned char *rgb, int width, int height, size_t max_bytes, char **ret_text,
                      size_t *ret_size)
{
    SixelDither *dither = NULL;
    pthread_once(&sixel_once, sixel_load);
    if (!is_sixel_loaded || (sixel.sixel_dither_new(&dither, COLOURS, NULL) & FLAG_FAILED))
        return false;
    Written written = { .text = g_string_new(NULL), .max_bytes = max_bytes };
    bool is_done = encode(rgb, width, height, dither, &written);
    sixel.sixel_dither_unref(dither);
    *ret_size = is_done ? written.text->len : *ret_size;
    char *text = g_string_free(written.text, !is_done);
    if (is_done)
        *ret_text = text;
    return is_done;
}
