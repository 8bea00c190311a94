/*
 * Which pictures are shown, and how large (picture.h). Nothing is unpacked here: what the head of a
 * file says is believed only as far as the limits go, and a file without its end is not shown.
 */
#include "tui/text/picture.h"

#include "base/image.h"

#include <string.h>

enum { CELL_WIDTH = 10, CELL_HEIGHT = 20 }; // pixels; nearly all fonts have that shape

/* kitty's protocol takes PNG, iTerm2's what a browser shows. */
static bool can_show(ImageProtocol protocol, const char *data, size_t size)
{
    bool is_png = size > 4 && memcmp(data, "\x89PNG", 4) == 0;
    bool is_jpeg = size > 3 && memcmp(data, "\xff\xd8\xff", 3) == 0;
    bool is_gif = size > 4 && memcmp(data, "GIF8", 4) == 0;
    return is_png || (protocol == IMAGES_ITERM2 && (is_jpeg || is_gif));
}

/* The file; NULL: it is too large, or no base64. Caller frees. */
static char *decode(const json_t *data, size_t *ret_size)
{
    size_t size = json_string_length(data);
    if (size == 0 || size > (size_t)LIMIT_PICTURE_BYTES / 3 * 4)
        return NULL;
    gsize decoded = 0;
    guchar *bytes = g_base64_decode(json_string_value(data), &decoded);
    *ret_size = decoded;
    return (char *)bytes;
}

static int cells_of(unsigned pixels, int cell)
{
    return (int)((pixels + (unsigned)cell - 1) / (unsigned)cell);
}

/* Made smaller to fit, never larger. */
static void fit(Picture *self, unsigned width, unsigned height, int max_columns, int max_rows)
{
    int columns = cells_of(width, CELL_WIDTH), rows = cells_of(height, CELL_HEIGHT);
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

Picture *picture_new(const json_t *block, const PictureSpec *spec, int width)
{
    ImageProtocol protocol = spec->protocol;
    int max_columns = MIN(width - PICTURE_INDENT - 1, spec->max_columns);
    bool is_known = protocol == IMAGES_KITTY || protocol == IMAGES_ITERM2;
    unsigned pixels_across = 0, pixels_down = 0;
    size_t size = 0;
    if (!is_known || max_columns < 1)
        return NULL;
    g_autofree char *data = decode(json_object_get(block, "data"), &size);
    if (!data || !can_show(protocol, data, size) ||
        !image_dimensions(data, size, &pixels_across, &pixels_down) || pixels_across == 0 ||
        pixels_down == 0 || pixels_across > LIMIT_PICTURE_SIDE ||
        pixels_down > LIMIT_PICTURE_SIDE ||
        (guint64)pixels_across * pixels_down > LIMIT_PICTURE_PIXELS || !image_is_whole(data, size))
        return NULL;
    Picture *self = g_new0(Picture, 1);
    self->ref_count = 1;
    self->protocol = protocol;
    self->data = g_steal_pointer(&data);
    self->size = size;
    fit(self, pixels_across, pixels_down, max_columns, MAX(spec->max_rows, 1));
    return self;
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
