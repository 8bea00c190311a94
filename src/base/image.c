/*
 * Scaling and encoding images with libgd (image.h).
 */
#include "base/image.h"

#include "base/library.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define GD_LIBRARY "libgd.so.3"

enum {
    FIT_SIDE = 1568,
    FIT_BYTES = 512000,
    // what servers refuse: 5 MB in base64, 8000 pixels
    MOST_BYTES = 5 * 1000 * 1000 / 4 * 3,
    MOST_SIDE = 8000,
};

typedef struct gdImageStruct GdImage; // libgd's own, never looked into

#define GD_SYMBOLS(X)                                                                              \
    X(gdImageCreateFromPngPtr, GdImage *, (int size, void *data))                                  \
    X(gdImageCreateFromJpegPtr, GdImage *, (int size, void *data))                                 \
    X(gdImageCreateFromGifPtr, GdImage *, (int size, void *data))                                  \
    X(gdImageCreateFromWebpPtr, GdImage *, (int size, void *data))                                 \
    X(gdImageCreateTrueColor, GdImage *, (int width, int height))                                  \
    X(gdImageGetTrueColorPixel, int, (GdImage *, int x, int y))                                    \
    X(gdImageDestroy, void, (GdImage *))                                                           \
    X(gdImageAlphaBlending, void, (GdImage *, int is_blending))                                    \
    X(gdImageSaveAlpha, void, (GdImage *, int is_saved))                                           \
    X(gdImageFilledRectangle, void, (GdImage *, int x1, int y1, int x2, int y2, int color))        \
    X(gdImageCopyResampled, void,                                                                  \
      (GdImage * to, GdImage * from, int to_x, int to_y, int from_x, int from_y, int to_width,     \
       int to_height, int from_width, int from_height))                                            \
    X(gdImagePngPtr, void *, (GdImage *, int *size))                                               \
    X(gdImageJpegPtr, void *, (GdImage *, int *size, int quality))                                 \
    X(gdFree, void, (void *))                                                                      \
    X(gdSetErrorMethod, void, (void (*)(int, const char *, va_list)))

typedef struct Gd {
#define GD_MEMBER(name, result, arguments) result(*name) arguments;
    GD_SYMBOLS(GD_MEMBER)
#undef GD_MEMBER
} Gd;

// Written once, under gd_once.
static Gd gd;
static bool is_gd_loaded;
static pthread_once_t gd_once = PTHREAD_ONCE_INIT;

/* A broken image is our caller's to report; libgd would write to standard error. */
static void ignore_complaint(int priority G_GNUC_UNUSED, const char *format G_GNUC_UNUSED,
                             va_list arguments G_GNUC_UNUSED)
{
}

static void gd_load(void)
{
    static const LibrarySymbol symbols[] = {
#define GD_ROW(name, result, arguments) LIBRARY_SYMBOL(Gd, "", name),
        GD_SYMBOLS(GD_ROW)
#undef GD_ROW
    };
    is_gd_loaded = library_open(GD_LIBRARY, symbols, G_N_ELEMENTS(symbols), &gd, sizeof(gd));
    if (is_gd_loaded)
        gd.gdSetErrorMethod(ignore_complaint);
}

void image_fit_clear(ImageFit *self)
{
    g_clear_pointer(&self->data, g_free);
    g_clear_pointer(&self->note, g_free);
}

typedef struct Source {
    GdImage *image;
    unsigned width, height;
} Source;

static GdImage *image_decode(const char *data, size_t size, const char *type)
{
    void *bytes = (void *)data; // libgd reads only
    if (strcmp(type, "image/png") == 0)
        return gd.gdImageCreateFromPngPtr((int)size, bytes);
    if (strcmp(type, "image/jpeg") == 0)
        return gd.gdImageCreateFromJpegPtr((int)size, bytes);
    if (strcmp(type, "image/gif") == 0)
        return gd.gdImageCreateFromGifPtr((int)size, bytes);
    return gd.gdImageCreateFromWebpPtr((int)size, bytes);
}

/* A copy of that size; `is_opaque`: on white, since JPEG has no transparency. NULL: no memory. */
static GdImage *scaled_copy(const Source *source, unsigned width, unsigned height, bool is_opaque)
{
    GdImage *copy = gd.gdImageCreateTrueColor((int)width, (int)height);
    if (!copy)
        return NULL;
    gd.gdImageAlphaBlending(copy, is_opaque);
    gd.gdImageSaveAlpha(copy, !is_opaque);
    if (is_opaque)
        gd.gdImageFilledRectangle(copy, 0, 0, (int)width - 1, (int)height - 1, 0xffffff);
    gd.gdImageCopyResampled(copy, source->image, 0, 0, 0, 0, (int)width, (int)height,
                            (int)source->width, (int)source->height);
    return copy;
}

/* Takes the encoder's memory when it is the smallest so far. */
static void keep_smaller(ImageFit *best, void *encoded, int size, const char *type)
{
    if (encoded && size > 0 && (!best->data || (size_t)size < best->size)) {
        g_free(best->data);
        best->data = g_memdup2(encoded, (size_t)size);
        best->size = (size_t)size;
        best->type = type;
    }
    if (encoded)
        gd.gdFree(encoded);
}

/* The smallest that this size gives, PNG only at the best quality. */
static void source_encode(const Source *source, unsigned width, unsigned height, ImageFit *best)
{
    static const int qualities[] = { 75, 60, 45, 30 };
    int size = 0;
    GdImage *image = scaled_copy(source, width, height, false);
    if (image) {
        void *png = gd.gdImagePngPtr(image, &size);
        keep_smaller(best, png, size, "image/png");
        gd.gdImageDestroy(image);
    }
    image = scaled_copy(source, width, height, true);
    for (size_t i = 0; image && i < G_N_ELEMENTS(qualities); i++) {
        if (i > 0 && best->data && best->size <= FIT_BYTES)
            break;
        size = 0;
        void *jpeg = gd.gdImageJpegPtr(image, &size, qualities[i]);
        keep_smaller(best, jpeg, size, "image/jpeg");
    }
    if (image)
        gd.gdImageDestroy(image);
}

/* True with *best within the limits. */
static bool source_shrink(const Source *source, ImageFit *best, unsigned *ret_width,
                          unsigned *ret_height)
{
    static const double scales[] = { 1, 0.75, 0.5, 0.35, 0.25 };
    double fit = MIN(1.0, (double)FIT_SIDE / MAX(source->width, source->height));
    for (size_t i = 0; i < G_N_ELEMENTS(scales); i++) {
        *ret_width = MAX((unsigned)(source->width * fit * scales[i] + 0.5), 1);
        *ret_height = MAX((unsigned)(source->height * fit * scales[i] + 0.5), 1);
        image_fit_clear(best);
        source_encode(source, *ret_width, *ret_height, best);
        if (best->data && best->size <= FIT_BYTES)
            return true;
    }
    return false;
}

static void set_original(ImageFit *fit, const char *data, size_t size, const char *type)
{
    *fit = (ImageFit) { .data = g_memdup2(data, size), .size = size, .type = type };
}

static void set_refusal(ImageFit *fit, char *note)
{
    *fit = (ImageFit) { .note = note };
}

/* Without a smaller copy: the original where servers take it. */
static void fit_original(const char *data, size_t size, const char *type, const Source *source,
                         const char *problem, ImageFit *fit)
{
    if (size <= MOST_BYTES && MAX(source->width, source->height) <= MOST_SIDE)
        set_original(fit, data, size, type);
    else
        set_refusal(fit, g_strdup_printf("[image left out: %ux%u pixels, %zu bytes, and %s]",
                                         source->width, source->height, size, problem));
}

void image_keep(const char *data, size_t size, const char *type, ImageFit *ret_fit)
{
    unsigned width = 0, height = 0;
    if (size <= MOST_BYTES && image_dimensions(data, size, &width, &height) &&
        MAX(width, height) <= MOST_SIDE)
        set_original(ret_fit, data, size, type);
    else
        image_fit(data, size, type, ret_fit);
}

void image_fit(const char *data, size_t size, const char *type, ImageFit *ret_fit)
{
    Source source = { 0 };
    if (size > INT32_MAX || !image_dimensions(data, size, &source.width, &source.height)) {
        set_refusal(ret_fit, g_strdup_printf("[image left out: no readable %s]", type));
        return;
    }
    if (MAX(source.width, source.height) <= FIT_SIDE && size <= FIT_BYTES) {
        set_original(ret_fit, data, size, type);
        return;
    }
    if ((uint64_t)source.width * source.height > LIMIT_IMAGE_PIXELS) {
        fit_original(data, size, type, &source, "too many to make it smaller", ret_fit);
        return;
    }
    pthread_once(&gd_once, gd_load);
    if (!is_gd_loaded) {
        fit_original(data, size, type, &source,
                     "making it smaller needs " GD_LIBRARY " (package libgd3)", ret_fit);
        return;
    }
    source.image = image_decode(data, size, type);
    if (!source.image) {
        set_refusal(ret_fit, g_strdup_printf("[image left out: it cannot be decoded as %s]", type));
        return;
    }
    ImageFit best = { 0 };
    unsigned width = 0, height = 0;
    bool is_fit = source_shrink(&source, &best, &width, &height);
    gd.gdImageDestroy(source.image);
    if (!is_fit) {
        image_fit_clear(&best);
        fit_original(data, size, type, &source, "it cannot be made small enough", ret_fit);
        return;
    }
    if (width != source.width)
        best.note = g_strdup_printf("[Image: original %ux%u, displayed at %ux%u. Multiply "
                                    "coordinates by %.2f to map to original image.]",
                                    source.width, source.height, width, height,
                                    (double)source.width / width);
    *ret_fit = best;
}

/* A copy that fits into that many pixels; NULL: it is broken, or libgd is not there. */
static GdImage *image_do_unpack(const char *data, size_t size, const char *type, bool is_opaque,
                                unsigned *width, unsigned *height)
{
    Source source = { 0 };
    if (size > INT32_MAX || !image_dimensions(data, size, &source.width, &source.height) ||
        (uint64_t)source.width * source.height > LIMIT_IMAGE_PIXELS)
        return NULL;
    pthread_once(&gd_once, gd_load);
    source.image = is_gd_loaded ? image_decode(data, size, type) : NULL;
    if (!source.image)
        return NULL;
    double scale = MIN(1.0, MIN((double)*width / source.width, (double)*height / source.height));
    *width = MAX((unsigned)(source.width * scale + 0.5), 1);
    *height = MAX((unsigned)(source.height * scale + 0.5), 1);
    GdImage *image = scaled_copy(&source, *width, *height, is_opaque);
    gd.gdImageDestroy(source.image);
    return image;
}

bool image_as_png(const char *data, size_t size, const char *type, unsigned max_width,
                  unsigned max_height, char **ret_png, size_t *ret_size)
{
    GdImage *image = image_do_unpack(data, size, type, false, &max_width, &max_height);
    if (!image)
        return false;
    int encoded_size = 0;
    void *encoded = gd.gdImagePngPtr(image, &encoded_size);
    ImageFit png = { 0 };
    keep_smaller(&png, encoded, encoded_size, "image/png");
    gd.gdImageDestroy(image);
    if (!png.data)
        return false;
    *ret_png = png.data;
    *ret_size = png.size;
    return true;
}

void image_pixels_clear(ImagePixels *self)
{
    g_clear_pointer(&self->rgb, g_free);
}

bool image_unpack(const char *data, size_t size, const char *type, unsigned max_width,
                  unsigned max_height, ImagePixels *ret_pixels)
{
    GdImage *image = image_do_unpack(data, size, type, true, &max_width, &max_height);
    if (!image)
        return false;
    unsigned char *at = g_malloc((size_t)max_width * max_height * 3);
    *ret_pixels = (ImagePixels) { .rgb = at, .width = max_width, .height = max_height };
    for (unsigned y = 0; y < max_height; y++) {
        for (unsigned x = 0; x < max_width; x++) {
            unsigned colour = (unsigned)gd.gdImageGetTrueColorPixel(image, (int)x, (int)y);
            *at++ = colour >> 16 & 0xff;
            *at++ = colour >> 8 & 0xff;
            *at++ = colour & 0xff;
        }
    }
    gd.gdImageDestroy(image);
    return true;
}
