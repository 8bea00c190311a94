/*
 * Images that are to go to a model: brought down to a size that servers take (agent-tools §3.1.10).
 *
 * libgd does the work. It is opened with dlopen() when the first image needs it, and not needed at
 * all while images are small. Thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct ImageFit {
    char *data; // NULL: it cannot be sent
    size_t size;
    const char *type; // MIME type; static or the caller's
    char *note;       // how it was changed, or why it cannot be sent; NULL: it is as it was
} ImageFit;

void image_fit_clear(ImageFit *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImageFit, image_fit_clear)

/* `type` is the MIME type that the content has: PNG, JPEG, GIF or WebP. */
void image_fit(const char *data, size_t size, const char *type, ImageFit *ret_fit);

/* The same, but what servers take as it is stays so, however large. */
void image_keep(const char *data, size_t size, const char *type, ImageFit *ret_fit);

/* A PNG of it (of one of its frames), made smaller to fit into that many pixels; *ret_png is the
   caller's. Blocks as long as unpacking takes. False: it is broken, or libgd is not there. */
bool image_as_png(const char *data, size_t size, const char *type, unsigned max_width,
                  unsigned max_height, char **ret_png, size_t *ret_size);

typedef struct ImagePixels {
    unsigned char *rgb; // three bytes a pixel, row by row; what is transparent is on white
    unsigned width, height;
} ImagePixels;

void image_pixels_clear(ImagePixels *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImagePixels, image_pixels_clear)

/* Its pixels, made smaller to fit into that many; as image_as_png(). */
bool image_unpack(const char *data, size_t size, const char *type, unsigned max_width,
                  unsigned max_height, ImagePixels *ret_pixels);

typedef enum { IMAGE_ALPHA_UNKNOWN, IMAGE_ALPHA_NO, IMAGE_ALPHA_YES } ImageAlpha;

typedef struct ImageFacts {
    unsigned width, height; // 0: unknown
    unsigned channels;      // 0: unknown
    ImageAlpha alpha;
} ImageFacts;

/* What the head of a file says, of the same four; what it does not say stays unknown. */
void image_facts(const char *data, size_t size, ImageFacts *ret_facts);

/* Of the same four, from the head of the file. False: none of them, or broken. */
bool image_dimensions(const char *data, size_t size, unsigned *ret_width, unsigned *ret_height);

/* Is the end there, too? Of the same four, by their structure: nothing is decoded, and a picture
   may be damaged inside. */
bool image_is_whole(const char *data, size_t size);
