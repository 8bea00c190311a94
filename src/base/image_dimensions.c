/*
 * What the structure of image files tells (image.h): width, height and channels from their heads,
 * so that a file of a few bytes that claims to be gigantic is never decoded, and whether their end
 * is there.
 */
#include "base/image.h"

#include <string.h>

typedef const unsigned char *Bytes;

static unsigned image_dimensions_big16(Bytes p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static unsigned image_dimensions_big32(Bytes p)
{
    return image_dimensions_big16(p) << 16 | image_dimensions_big16(p + 2);
}

static unsigned image_dimensions_little16(Bytes p)
{
    return (unsigned)p[1] << 8 | p[0];
}

static unsigned image_dimensions_little24(Bytes p)
{
    return (unsigned)p[2] << 16 | image_dimensions_little16(p);
}

/* A start-of-frame marker; DHT, JPG and DAC lie among them. */
static bool is_frame(unsigned marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* Where the first frame of a JPEG begins, of which 9 bytes are there; 0: there is none. */
static size_t find_frame(Bytes p, size_t size)
{
    for (size_t at = 2; at + 9 <= size;) {
        if (p[at] != 0xff)
            return 0;
        unsigned marker = p[at + 1];
        if (marker == 0xff) { // a fill byte
            at++;
            continue;
        }
        if (is_frame(marker))
            return at;
        bool is_alone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
        at += 2 + (is_alone ? 0 : MAX(image_dimensions_big16(p + at + 2), 2));
    }
    return 0;
}

static bool read_jpeg(Bytes p, size_t size, unsigned *width, unsigned *height)
{
    size_t at = find_frame(p, size);
    if (at == 0)
        return false;
    *height = image_dimensions_big16(p + at + 5);
    *width = image_dimensions_big16(p + at + 7);
    return true;
}

static bool read_webp(Bytes p, size_t size, unsigned *width, unsigned *height)
{
    if (size < 30)
        return false;
    if (memcmp(p + 12, "VP8 ", 4) == 0) {
        *width = image_dimensions_little16(p + 26) & 0x3fff;
        *height = image_dimensions_little16(p + 28) & 0x3fff;
    } else if (memcmp(p + 12, "VP8L", 4) == 0) {
        unsigned bits = image_dimensions_little16(p + 21) | image_dimensions_little16(p + 23) << 16;
        *width = (bits & 0x3fff) + 1;
        *height = (bits >> 14 & 0x3fff) + 1;
    } else if (memcmp(p + 12, "VP8X", 4) == 0) {
        *width = image_dimensions_little24(p + 24) + 1;
        *height = image_dimensions_little24(p + 27) + 1;
    } else {
        return false;
    }
    return true;
}

bool image_dimensions(const char *data, size_t size, unsigned *ret_width, unsigned *ret_height)
{
    Bytes p = (Bytes)data;
    unsigned width = 0, height = 0;
    if (size >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
        width = image_dimensions_big32(p + 16);
        height = image_dimensions_big32(p + 20);
    } else if (size >= 10 && memcmp(p, "GIF8", 4) == 0) {
        width = image_dimensions_little16(p + 6);
        height = image_dimensions_little16(p + 8);
    } else if (size >= 4 && p[0] == 0xff && p[1] == 0xd8) {
        if (!read_jpeg(p, size, &width, &height))
            return false;
    } else if (size >= 16 && memcmp(p, "RIFF", 4) == 0 && memcmp(p + 8, "WEBP", 4) == 0) {
        if (!read_webp(p, size, &width, &height))
            return false;
    }
    if (width == 0 || height == 0)
        return false;
    *ret_width = width;
    *ret_height = height;
    return true;
}

// ---- channels ----

static void set_channels(ImageFacts *facts, unsigned channels, ImageAlpha alpha)
{
    facts->channels = channels;
    facts->alpha = alpha;
}

static void read_jpeg_channels(Bytes p, size_t size, ImageFacts *facts)
{
    size_t at = find_frame(p, size);
    unsigned components = at + 9 < size ? p[at + 9] : 0;
    if (components == 1 || components == 3 || components == 4)
        set_channels(facts, components, IMAGE_ALPHA_NO);
}

/* Transparency of a palette is in a chunk behind the head. */
static void read_png_channels(unsigned color_type, ImageFacts *facts)
{
    switch (color_type) {
    case 0:
        set_channels(facts, 1, IMAGE_ALPHA_NO);
        break;
    case 2:
        set_channels(facts, 3, IMAGE_ALPHA_NO);
        break;
    case 3:
        set_channels(facts, 3, IMAGE_ALPHA_UNKNOWN);
        break;
    case 4:
        set_channels(facts, 2, IMAGE_ALPHA_YES);
        break;
    case 6:
        set_channels(facts, 4, IMAGE_ALPHA_YES);
        break;
    default:
        break;
    }
}

static void read_webp_channels(Bytes p, ImageFacts *facts)
{
    bool has_alpha = false;
    if (memcmp(p + 12, "VP8L", 4) == 0)
        has_alpha = p[24] & 0x10;
    else if (memcmp(p + 12, "VP8X", 4) == 0)
        has_alpha = p[20] & 0x10;
    set_channels(facts, has_alpha ? 4 : 3, has_alpha ? IMAGE_ALPHA_YES : IMAGE_ALPHA_NO);
}

void image_facts(const char *data, size_t size, ImageFacts *ret_facts)
{
    Bytes p = (Bytes)data;
    ImageFacts facts = { 0 };
    if (image_dimensions(data, size, &facts.width, &facts.height)) {
        if (p[0] == 0x89 && size > 25)
            read_png_channels(p[25], &facts);
        else if (p[0] == 'G')
            set_channels(&facts, 3, IMAGE_ALPHA_UNKNOWN);
        else if (p[0] == 0xff)
            read_jpeg_channels(p, size, &facts);
        else if (p[0] == 'R')
            read_webp_channels(p, &facts);
    }
    *ret_facts = facts;
}

// ---- the end ----

static bool is_whole_png(Bytes p, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        size_t chunk = image_dimensions_big32(p + at);
        if (chunk > size - at - 12)
            return false;
        if (memcmp(p + at + 4, "IEND", 4) == 0)
            return true;
        at += chunk + 12;
    }
    return false;
}

/* Cameras and programs put things of their own behind the end. */
static bool is_whole_jpeg(Bytes p, size_t size)
{
    for (size_t at = size - 1; at >= 3; at--) {
        if (p[at - 1] == 0xff && p[at] == 0xd9)
            return true;
    }
    return false;
}

bool image_is_whole(const char *data, size_t size)
{
    Bytes p = (Bytes)data;
    if (size >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0)
        return image_dimensions_big32(p + 16) > 0 && image_dimensions_big32(p + 20) > 0 &&
               is_whole_png(p, size);
    if (size >= 4 && p[0] == 0xff && p[1] == 0xd8)
        return is_whole_jpeg(p, size);
    if (size >= 14 && memcmp(p, "GIF8", 4) == 0)
        return memrchr(p + 13, ';', size - 13) != NULL;
    if (size >= 20 && memcmp(p, "RIFF", 4) == 0 && memcmp(p + 8, "WEBP", 4) == 0) {
        size_t says = image_dimensions_little16(p + 4) | (size_t)image_dimensions_little16(p + 6)
                                                             << 16;
        return says >= 12 && says <= size - 8;
    }
    return false;
}
