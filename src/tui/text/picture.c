/*
 * Which pictures are shown, and how large (picture.h). What the head of a file says is believed
 * only as far as the limits go, and a file without its end is not shown. Only what the protocol
 * does not take is unpacked here.
 */
#include "tui/text/picture.h"

#include "base/image.h"
#include "base/sixel.h"

#include <string.h>

enum {
    CELL_WIDTH = 10, // pixels; nearly all fonts have that shape
    CELL_HEIGHT = 20,
    SIXEL_BAND = 6, // pixels that are drawn together, one below the other
};

/* By its first bytes; NULL: nothing that is ever shown. Constant. */
static const char *type_of(const char *data, size_t size)
{
    if (size > 4 && memcmp(data, "\x89PNG", 4) == 0)
        return "image/png";
    if (size > 3 && memcmp(data, "\xff\xd8\xff", 3) == 0)
        return "image/jpeg";
    if (size > 4 && memcmp(data, "GIF8", 4) == 0)
        return "image/gif";
    if (size > 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0)
        return "image/webp";
    return NULL;
}

/* kitty's protocol takes PNG, iTerm2's what all browsers have always shown. */
static bool is_taken(ImageProtocol protocol, const char *type)
{
    return g_str_equal(type, "image/png") ||
           (protocol == IMAGES_ITERM2 && !g_str_equal(type, "image/webp"));
}

/* The file; NULL: it is too large, or no base64. Caller frees. */
static char *picture_decode(const json_t *data, size_t *ret_size)
{
    size_t size = json_string_length(data);
    if (size == 0 || size > (size_t)LIMIT_PICTURE_BYTES / 3 * 4)
        return NULL;
    gsize decoded = 0;
    guchar *bytes = g_base64_decode(json_string_value(data), &decoded);
    *ret_size = decoded;
    return (char *)bytes;
}

/* Pixels of a cell. */
typedef struct Cell {
    int width, height;
} Cell;

static Cell cell_of(const PictureSpec *spec)
{
    if (spec->protocol != IMAGES_SIXEL)
        return (Cell) { CELL_WIDTH, CELL_HEIGHT };
    bool is_known = spec->cell_width > 0 && spec->cell_height >= SIXEL_BAND;
    return is_known ? (Cell) { MIN(spec->cell_width, LIMIT_PICTURE_CELL),
                               MIN(spec->cell_height, LIMIT_PICTURE_CELL) }
                    : (Cell) { 0 };
}

static int cells_of(unsigned pixels, int cell)
{
    return (int)((pixels + (unsigned)cell - 1) / (unsigned)cell);
}

/* Made smaller to fit, never larger. */
static void picture_fit(Picture *self, unsigned width, unsigned height, Cell cell, int max_columns,
                        int max_rows)
{
    int columns = cells_of(width, cell.width), rows = cells_of(height, cell.height);
    if (columns > max_columns) {
        rows = MAX(1, rows * max_columns / columns);
        columns = max_columns;
    }
    if (rows > max_rows) {
        columns = MAX(1, columns * max_rows / rows);
        rows = max_rows;
    }
    self->columns = columns;
    self->rows = rows;
}

/* Sizes within the limits, and whole. *ret_type: constant. */
static bool picture_check(const char *data, size_t size, unsigned *ret_width, unsigned *ret_height,
                          const char **ret_type)
{
    unsigned width = 0, height = 0;
    *ret_type = type_of(data, size);
    if (!*ret_type || !image_dimensions(data, size, &width, &height) || width == 0 || height == 0 ||
        width > LIMIT_PICTURE_SIDE || height > LIMIT_PICTURE_SIDE ||
        (guint64)width * height > LIMIT_PICTURE_PIXELS || !image_is_whole(data, size))
        return false;
    *ret_width = width;
    *ret_height = height;
    return true;
}

/* As large as it will be on the screen. */
static bool picture_convert(Picture *self, const char *type, guint64 pixels, size_t max_bytes)
{
    char *png = NULL;
    if (pixels > LIMIT_PICTURE_CONVERTED ||
        !image_as_png(self->data, self->size, type, (unsigned)self->columns * CELL_WIDTH,
                      (unsigned)self->rows * CELL_HEIGHT, &png, &self->size))
        return false;
    g_free(self->data);
    self->data = png;
    return self->size <= max_bytes;
}

/* No band reaches below the last of its rows: there a terminal would scroll. */
static bool make_sixel(Picture *self, const char *type, guint64 pixels, Cell cell, size_t max_bytes)
{
    g_auto(ImagePixels) unpacked = { 0 };
    unsigned height = (unsigned)(self->rows * cell.height / SIXEL_BAND * SIXEL_BAND);
    char *sequence = NULL;
    if (pixels > LIMIT_PICTURE_CONVERTED ||
        !image_unpack(self->data, self->size, type, (unsigned)(self->columns * cell.width), height,
                      &unpacked) ||
        !sixel_encode_rgb(unpacked.rgb, (int)unpacked.width, (int)unpacked.height, max_bytes,
                          &sequence, &self->size))
        return false;
    g_free(self->data);
    self->data = sequence;
    return true;
}

Picture *picture_new(const json_t *block, const PictureSpec *spec, int width)
{
    ImageProtocol protocol = spec->protocol;
    int max_columns = MIN(width - PICTURE_INDENT - 1, spec->max_columns);
    Cell cell = cell_of(spec);
    bool is_known = protocol != IMAGES_NONE && cell.width > 0;
    unsigned pixels_across = 0, pixels_down = 0;
    const char *type = NULL;
    size_t size = 0;
    if (!is_known || max_columns < 1)
        return NULL;
    g_autofree char *data = picture_decode(json_object_get(block, "data"), &size);
    if (!data || !picture_check(data, size, &pixels_across, &pixels_down, &type))
        return NULL;
    g_autoptr(Picture) self = g_new0(Picture, 1);
    self->ref_count = 1;
    self->protocol = protocol;
    self->data = g_steal_pointer(&data);
    self->size = size;
    picture_fit(self, pixels_across, pixels_down, cell, max_columns, MAX(spec->max_rows, 1));
    size_t max_bytes = spec->max_bytes > 0 ? spec->max_bytes : LIMIT_PICTURE_BYTES;
    guint64 pixels = (guint64)pixels_across * pixels_down;
    bool is_ready = is_taken(protocol, type) && size <= max_bytes;
    if (protocol == IMAGES_SIXEL)
        is_ready = make_sixel(self, type, pixels, cell, max_bytes);
    else if (!is_ready)
        is_ready = picture_convert(self, type, pixels, max_bytes);
    return is_ready ? g_steal_pointer(&self) : NULL;
}

Picture *picture_ref(Picture *self)
{
    self->ref_count++;
    return self;
}

void picture_unref(Picture *self)
{
    if (!self || --self->ref_count > 0)
        return;
    g_free(self->data);
    g_free(self);
}
