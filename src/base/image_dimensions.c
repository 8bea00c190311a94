/*
 * Width and height from the heads of image files (image.h), so that a file of a few bytes that
 * claims to be gigantic is never decoded.
 */
#include "base/image.h"

#include <string.h>

typedef const unsigned char *Bytes;

static unsigned big16(Bytes p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static unsigned big32(Bytes p)
{
    return big16(p) << 16 | big16(p + 2);
}

static unsigned little16(Bytes p)
{
    return (unsigned)p[1] << 8 | p[0];
}

static unsigned little24(Bytes p)
{
    return (unsigned)p[2] << 16 | little16(p);
}

/* A start-of-frame marker; DHT, JPG and DAC lie among them. */
static bool is_frame(unsigned marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static bool read_jpeg(Bytes p, size_t size, unsigned *width, unsigned *height)
{
    for (size_t at = 2; at + 9 <= size;) {
        if (p[at] != 0xff)
            return false;
        unsigned marker = p[at + 1];
        if (marker == 0xff) { // a fill byte
            at++;
            continue;
        }
        if (is_frame(marker)) {
            *height = big16(p + at + 5);
            *width = big16(p + at + 7);
            return true;
        }
        bool is_alone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
        at += 2 + (is_alone ? 0 : MAX(big16(p + at + 2), 2));
    }
    return false;
}

static bool read_webp(Bytes p, size_t size, unsigned *width, unsigned *height)
{
    if (size < 30)
        return false;
    if (memcmp(p + 12, "VP8 ", 4) == 0) {
        *width = little16(p + 26) & 0x3fff;
        *height = little16(p + 28) & 0x3fff;
    } else if (memcmp(p + 12, "VP8L", 4) == 0) {
        unsigned bits = little16(p + 21) | little16(p + 23) << 16;
        *width = (bits & 0x3fff) + 1;
        *height = (bits >> 14 & 0x3fff) + 1;
    } else if (memcmp(p + 12, "VP8X", 4) == 0) {
        *width = little24(p + 24) + 1;
        *height = little24(p + 27) + 1;
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
        width = big32(p + 16);
        height = big32(p + 20);
    } else if (size >= 10 && memcmp(p, "GIF8", 4) == 0) {
        width = little16(p + 6);
        height = little16(p + 8);
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
