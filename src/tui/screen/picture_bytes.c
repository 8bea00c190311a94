/* See picture_bytes.h. */
#include "tui/screen/picture_bytes.h"

enum {
    CHUNK_BYTES = 4096, // of base64 in one sequence: kitty takes no more
    CHUNK_FRAME = 16,   // bytes around one
    HEAD_BYTES = 200,   // of all else
};

/* C=1: the cursor stays; q=2: no answers. Of its size the height alone is said, so that it keeps
   its shape whatever the shape of a cell is. */
static void append_kitty(const Picture *picture, const char *encoded, int rows, GString *out)
{
    size_t left = strlen(encoded);
    for (const char *at = encoded; left > 0;) {
        size_t size = MIN(left, (size_t)CHUNK_BYTES);
        left -= size;
        g_string_append(out, "\x1b_G");
        if (at == encoded)
            g_string_append_printf(out, "a=T,f=100,C=1,r=%d,", MIN(rows, picture->rows));
        g_string_append_printf(out, "q=2,m=%d;", left > 0);
        g_string_append_len(out, at, (gssize)size);
        g_string_append(out, "\x1b\\");
        at += size;
    }
}

static void append_iterm2(const Picture *picture, const char *encoded, int rows, int columns,
                          GString *out)
{
    g_string_append_printf(out,
                           "\x1b]1337;File=inline=1;size=%zu;width=%d;height=%d;"
                           "preserveAspectRatio=1:%s\a",
                           picture->size, MIN(columns, picture->columns), MIN(rows, picture->rows),
                           encoded);
}

void picture_bytes(const Picture *picture, int rows, int columns, GString *out)
{
    int room = columns - PICTURE_INDENT;
    bool is_sixel = picture->protocol == IMAGES_SIXEL;
    if (rows < 1 || room < 1 || (is_sixel && (rows < picture->rows || room < picture->columns)))
        return;
    g_autofree char *encoded =
        is_sixel ? NULL : g_base64_encode((const guchar *)picture->data, picture->size);
    g_string_append(out, "\x1b"
                         "7");
    if (rows > 1)
        g_string_append_printf(out, "\x1b[%dA", rows - 1);
    g_string_append_printf(out, "\x1b[%dG", PICTURE_INDENT + 1);
    if (is_sixel)
        g_string_append_len(out, picture->data, (gssize)picture->size);
    else if (picture->protocol == IMAGES_KITTY)
        append_kitty(picture, encoded, rows, out);
    else
        append_iterm2(picture, encoded, rows, room, out);
    g_string_append(out, "\x1b"
                         "8");
}

size_t picture_bytes_limit(const Picture *picture)
{
    size_t encoded = (picture->size + 2) / 3 * 4;
    return HEAD_BYTES + encoded + (encoded / CHUNK_BYTES + 1) * CHUNK_FRAME;
}
