/*
 * Pictures in the scrollback: which are drawn, how large, with which bytes, and that a frame never
 * takes more than the terminal's queue.
 */
#include "base/str.h"
#include "unit.h"

#include "tui/screen/backlog.h"
#include "tui/screen/picture_bytes.h"
#include "tui/screen/screen.h"
#include "tui/view/block_private.h"

#include <dlfcn.h>
#include <string.h>

/* A PNG that is whole by its structure; what is in it does not matter here. Caller frees. */
static char *png(guint32 width, guint32 height, size_t data_bytes, bool has_end)
{
    GString *file = g_string_new_len("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    guint32 numbers[] = { GUINT32_TO_BE(width), GUINT32_TO_BE(height) };
    guint32 size = GUINT32_TO_BE((guint32)data_bytes);
    g_string_append_len(file, (const char *)numbers, sizeof(numbers));
    g_string_append_len(file, "\x08\x02\0\0\0CRC_", 9);
    g_string_append_len(file, (const char *)&size, sizeof(size));
    g_string_append(file, "IDAT");
    for (size_t i = 0; i < data_bytes; i++)
        g_string_append_c(file, 'x');
    g_string_append(file, "CRC_");
    if (has_end)
        g_string_append_len(file, "\0\0\0\0IENDCRC_", 12);
    char *encoded = g_base64_encode((const guchar *)file->str, file->len);
    g_string_free(file, TRUE);
    return encoded;
}

/* Takes `data`. New reference. */
static json_t *block_of(char *data)
{
    json_t *block =
        json_pack("{s:s, s:s, s:s}", "type", "image", "mimeType", "image/png", "data", data);
    g_free(data);
    return block;
}

static Picture *picture_of(char *data, ImageProtocol protocol, int width)
{
    const PictureSpec spec = { .protocol = protocol, .max_columns = 100, .max_rows = 20 };
    g_autoptr(json_t) block = block_of(data);
    return picture_new(block, &spec, width);
}

static void test_sizes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        guint32 across, down;
        int width, columns, rows;
    } cases[] = {
        { "small", 40, 40, 80, 4, 2 },
        { "a pixel", 1, 1, 80, 1, 1 },
        { "wide", 1600, 400, 83, 80, 10 },
        { "high", 400, 4000, 80, 4, 20 },
        { "very wide", 8192, 1, 80, 77, 1 },
        { "narrow window", 800, 400, 13, 10, 2 },
        { "no room", 800, 400, 3, 0, 0 },
        { "nothing", 0, 10, 80, 0, 0 },
        { "a side too many", 9000, 10, 80, 0, 0 },
        { "a bomb", 8000, 8000, 80, 0, 0 },
        { "huge numbers", 0xffffffff, 0xffffffff, 80, 0, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Picture) picture =
            picture_of(png(cases[i].across, cases[i].down, 10, true), IMAGES_KITTY, cases[i].width);
        int columns = picture ? picture->columns : 0, rows = picture ? picture->rows : 0;
        if (columns != cases[i].columns || rows != cases[i].rows)
            fail_msg("%s: %d x %d, want %d x %d", cases[i].name, columns, rows, cases[i].columns,
                     cases[i].rows);
    }
}

static void test_which(void **state G_GNUC_UNUSED)
{
    static const char jpeg[] = "/9j/wAALCAAKAAoBAREA/9k=", gif[] = "R0lGODlhCgAKAAAAADs7";
    static const struct {
        const char *name, *data; // NULL: a PNG
        ImageProtocol protocol;
        size_t bytes;
        bool has_end, is_drawn;
    } cases[] = {
        { "kitty", NULL, IMAGES_KITTY, 10, true, true },
        { "iTerm2", NULL, IMAGES_ITERM2, 10, true, true },
        { "no protocol", NULL, IMAGES_NONE, 10, true, false },
        { "sixel, of cells that are not known", NULL, IMAGES_SIXEL, 10, true, false },
        { "cut", NULL, IMAGES_KITTY, 10, false, false },
        { "large", NULL, IMAGES_KITTY, LIMIT_PICTURE_BYTES - 200, true, true },
        { "too large", NULL, IMAGES_KITTY, LIMIT_PICTURE_BYTES + 200, true, false },
        { "JPEG for kitty", jpeg, IMAGES_KITTY, 0, true, false },
        { "JPEG for iTerm2", jpeg, IMAGES_ITERM2, 0, true, true },
        { "GIF for iTerm2", gif, IMAGES_ITERM2, 0, true, true },
        { "no base64", "\x1b]0;evil\a", IMAGES_ITERM2, 0, true, false },
        { "nothing", "", IMAGES_KITTY, 0, true, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Picture) picture =
            picture_of(cases[i].data ? g_strdup(cases[i].data)
                                     : png(100, 100, cases[i].bytes, cases[i].has_end),
                       cases[i].protocol, 80);
        if ((picture != NULL) != cases[i].is_drawn)
            fail_msg("%s: %s", cases[i].name, picture ? "drawn" : "not drawn");
    }
}

/* What kitty does not take becomes a PNG where libgd is. */
static void test_converted(void **state G_GNUC_UNUSED)
{
    void *gd = dlopen("libgd.so.3", RTLD_LAZY);
    if (!gd)
        skip();
    static const char gif[] = "R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==";
    g_autoptr(Picture) picture = picture_of(g_strdup(gif), IMAGES_KITTY, 80);
    g_autoptr(Picture) as_it_is = picture_of(g_strdup(gif), IMAGES_ITERM2, 80);
    assert_true(picture && as_it_is);
    assert_memory_equal(picture->data, "\x89PNG", 4);
    assert_memory_equal(as_it_is->data, "GIF8", 4);
    dlclose(gd);
}

/* What the sequence says of its size: ESC P … q " 1 ; 1 ; width ; height. */
static void sixel_size(const Picture *picture, int *ret_width, int *ret_height)
{
    assert_true(str_has_prefix(picture->data, "\x1bP"));
    assert_string_equal(picture->data + picture->size - 2, "\x1b\\");
    const char *raster = strchr(picture->data, '"');
    assert_non_null(raster);
    assert_int_equal(sscanf(raster, "\"1;1;%d;%d", ret_width, ret_height), 2);
}

/* A GIF of one colour. Caller frees. */
static char *gif(unsigned char width, unsigned char height)
{
    // clear, then "colour 0" and clear in turn: no code is ever longer than three bits
    GString *file = g_string_new_len("GIF89a", 6);
    const unsigned char head[] = { width, 0,    height, 0, 0x80, 0, 0,     30, 60,     90, 0, 0,
                                   0,     0x2c, 0,      0, 0,    0, width, 0,  height, 0,  0, 2 };
    g_string_append_len(file, (const char *)head, sizeof(head));
    guint64 bits = 0;
    int count = 0;
    g_autoptr(GByteArray) codes = g_byte_array_new();
    for (int i = 0; i <= width * height; i++) {
        unsigned pair = i < width * height ? 4 | 0 << 3 : 5;
        bits |= (guint64)pair << count;
        count += i < width * height ? 6 : 3;
        for (; count >= 8 || (i == width * height && count > 0); count -= 8, bits >>= 8) {
            guint8 byte = bits & 0xff;
            g_byte_array_append(codes, &byte, 1);
        }
    }
    for (guint at = 0; at < codes->len; at += 255) {
        guint size = MIN(255, codes->len - at);
        g_string_append_c(file, (char)size);
        g_string_append_len(file, (const char *)codes->data + at, size);
    }
    g_string_append_len(file, "\0;", 2);
    char *encoded = g_base64_encode((const guchar *)file->str, file->len);
    g_string_free(file, TRUE);
    return encoded;
}

/* In the pixels of the terminal's own cells, and never below the last of its rows. */
static void test_sixel(void **state G_GNUC_UNUSED)
{
    void *gd = dlopen("libgd.so.3", RTLD_LAZY), *sixel = dlopen("libsixel.so.1", RTLD_LAZY);
    if (!gd || !sixel)
        skip();
    static const struct {
        unsigned char across, down;
        int cell_width, cell_height, columns, rows, width, height; // of 0 columns: not drawn
    } cases[] = {
        { 40, 40, 10, 20, 4, 2, 36, 36 }, // whole bands of six
        { 40, 40, 8, 16, 5, 3, 40, 40 },  // 48 pixels are there
        { 200, 10, 4, 8, 40, 1, 120, 6 }, { 10, 200, 4, 8, 2, 20, 8, 156 },
        { 40, 40, 0, 0, 0, 0, 0, 0 },     { 40, 40, 10, 3, 0, 0, 0, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const PictureSpec spec = {
            .protocol = IMAGES_SIXEL,
            .max_columns = 40,
            .max_rows = 20,
            .cell_width = cases[i].cell_width,
            .cell_height = cases[i].cell_height,
        };
        g_autoptr(json_t) block = block_of(gif(cases[i].across, cases[i].down));
        g_autoptr(Picture) picture = picture_new(block, &spec, 80);
        int width = 0, height = 0;
        if (picture)
            sixel_size(picture, &width, &height);
        if ((picture ? picture->columns : 0) != cases[i].columns ||
            (picture ? picture->rows : 0) != cases[i].rows || width != cases[i].width ||
            height != cases[i].height)
            fail_msg("case %zu: %dx%d pixels in %dx%d cells", i, width, height,
                     picture ? picture->columns : 0, picture ? picture->rows : 0);
    }
    dlclose(sixel);
    dlclose(gd);
}

static char *bytes_of(const Picture *picture, int rows, int columns)
{
    GString *out = g_string_new(NULL);
    picture_bytes(picture, rows, columns, out);
    assert_true(out->len <= picture_bytes_limit(picture));
    return g_string_free(out, FALSE);
}

static void test_sixel_bytes(void **state G_GNUC_UNUSED)
{
    Picture picture = { 1, IMAGES_SIXEL, 6, 3, (char *)"\x1bPq~\x1b\\", 6 };
    static const struct {
        int rows, columns;
        const char *want;
    } cases[] = {
        { 3, 80,
          "\x1b"
          "7\x1b[2A\x1b[3G\x1bPq~\x1b\\\x1b"
          "8" },
        { 3, 8,
          "\x1b"
          "7\x1b[2A\x1b[3G\x1bPq~\x1b\\\x1b"
          "8" },
        { 2, 80, "" }, // it cannot be made smaller any more
        { 3, 7, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = bytes_of(&picture, cases[i].rows, cases[i].columns);
        assert_string_equal(got, cases[i].want);
    }
}

/* Over a slow line: what cannot be made small enough is named alone. */
static void test_slow_line(void **state G_GNUC_UNUSED)
{
    const PictureSpec spec = {
        .protocol = IMAGES_KITTY, .max_columns = 100, .max_rows = 20, .max_bytes = LIMIT_PICTURE_SSH
    };
    g_autoptr(json_t) small = block_of(png(100, 100, LIMIT_PICTURE_SSH - 200, true));
    g_autoptr(json_t) large = block_of(png(100, 100, LIMIT_PICTURE_SSH + 200, true));
    g_autoptr(Picture) drawn = picture_new(small, &spec, 80);
    assert_non_null(drawn);
    assert_null(picture_new(large, &spec, 80)); // no real PNG: nothing can be made of it
}

// ---- bytes ----

static void test_bytes(void **state G_GNUC_UNUSED)
{
    g_autofree char *data = png(100, 60, 10, true);
    g_autoptr(Picture) kitty = picture_of(g_strdup(data), IMAGES_KITTY, 80);
    g_autoptr(Picture) iterm = picture_of(g_strdup(data), IMAGES_ITERM2, 80);
    assert_int_equal(kitty->rows, 3);
    g_autofree char *got = bytes_of(kitty, 3, 80);
    g_autofree char *want =
        g_strdup_printf("\x1b"
                        "7\x1b[2A\x1b[3G\x1b_Ga=T,f=100,C=1,r=3,q=2,m=0;%s\x1b\\\x1b"
                        "8",
                        data);
    assert_string_equal(got, want);
    g_autofree char *other = bytes_of(iterm, 2, 8); // fewer rows are there, and a narrower window
    g_autofree char *smaller =
        g_strdup_printf("\x1b"
                        "7\x1b[1A\x1b[3G\x1b]1337;File=inline=1;size=%zu;width=6;height=2;"
                        "preserveAspectRatio=1:%s\a\x1b"
                        "8",
                        iterm->size, data);
    assert_string_equal(other, smaller);
    g_autofree char *none = bytes_of(iterm, 2, 2);
    assert_string_equal(none, "");
}

/* kitty takes 4096 bytes at once. */
static void test_chunks(void **state G_GNUC_UNUSED)
{
    g_autoptr(Picture) picture = picture_of(png(100, 100, 20000, true), IMAGES_KITTY, 80);
    g_autofree char *got = bytes_of(picture, 5, 80);
    g_auto(GStrv) chunks = g_strsplit(got, "\x1b\\", -1);
    guint count = g_strv_length(chunks) - 1;
    g_autoptr(GString) joined = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
        const char *data = strchr(chunks[i], ';') + 1;
        assert_true(strlen(data) <= 4096 && (i + 1 == count || strlen(data) % 4 == 0));
        assert_non_null(strstr(chunks[i], i + 1 < count ? "m=1;" : "m=0;"));
        g_string_append(joined, data);
    }
    g_autofree char *want = png(100, 100, 20000, true);
    assert_int_equal(count, 7);
    assert_string_equal(joined->str, want);
}

// ---- in the conversation ----

static void test_block(void **state G_GNUC_UNUSED)
{
    BlockSpec spec = { .width = 80, .tab_width = 4 };
    g_autoptr(json_t) blocks = json_array();
    json_append_take(blocks, block_of(png(40, 60, 10, true)));
    for (int i = 0; i < 2; i++) {
        g_autoptr(GPtrArray) rows = rows_new();
        spec.pictures = (PictureSpec) { i == 0 ? IMAGES_NONE : IMAGES_KITTY, 100, 20, 0 };
        block_images(blocks, &spec, rows);
        assert_int_equal(rows->len, i == 0 ? 1 : 4);
        assert_string_equal(((Row *)rows->pdata[0])->text, "  [image png 40x60]");
        assert_true(i == 0 || ((Row *)rows->pdata[3])->picture);
    }
}

/* Once, when its last row is on the terminal, over the rows that are there. */
static void test_screen(void **state G_GNUC_UNUSED)
{
    const TermCaps caps = { .has_queries = true };
    g_autoptr(Picture) picture = picture_of(png(40, 60, 10, true), IMAGES_KITTY, 80);
    for (int cut = 0; cut < 2; cut++) {
        g_autoptr(Screen) screen = screen_new();
        g_autoptr(GPtrArray) history = rows_new(), live = rows_new();
        g_autoptr(GString) out = g_string_new(NULL);
        const TerminalSize size = { 80, 24 };
        LiveArea area = { .rows = live };
        screen_set_look(screen, NULL, &caps);
        g_ptr_array_add(history, row_of("named", (Style) { 0 }));
        for (int i = cut; i < picture->rows; i++)
            g_ptr_array_add(history, row_of_picture(picture));
        g_ptr_array_add(history, row_of("behind", (Style) { 0 }));
        g_ptr_array_add(live, row_of("> ", (Style) { 0 }));
        screen_draw(screen, size, history, &area, out);
        g_auto(GStrv) parts = g_strsplit(out->str, "\x1b_G", -1);
        g_autofree char *head = g_strdup_printf("\r\n\x1b"
                                                "7\x1b[%dA\x1b[3G",
                                                picture->rows - 1 - cut);
        assert_int_equal(g_strv_length(parts), 2);
        assert_true(g_str_has_suffix(parts[0], head) && strstr(parts[0], "named"));
        assert_non_null(strstr(parts[1], "\x1b"
                                         "8\r\n"));
        assert_non_null(strstr(parts[1], "behind"));
        g_string_truncate(out, 0);
        g_ptr_array_set_size(history, 0);
        screen_draw(screen, size, history, &area, out);
        assert_string_equal(out->str, "");
    }
}

// ---- portions ----

static void test_backlog(void **state G_GNUC_UNUSED)
{
    enum { ROWS = 5000, PORTION = 20000 };
    g_autoptr(Picture) picture = picture_of(png(40, 400, 50000, true), IMAGES_KITTY, 80);
    g_autoptr(GPtrArray) rows = rows_new();
    for (int i = 0; i < ROWS; i++) {
        g_autofree char *text =
            g_strdup_printf("row %d \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", i);
        g_ptr_array_add(rows, row_of(text, (Style) { .fg = TOKEN_ERROR }));
        for (int k = 0; i == ROWS / 2 && k < picture->rows; k++)
            g_ptr_array_add(rows, row_of_picture(picture));
    }
    const TermCaps caps = { .has_queries = true };
    g_autoptr(Screen) screen = screen_new();
    g_autoptr(GString) all = g_string_new(NULL);
    g_autoptr(GPtrArray) live = rows_new();
    screen_set_look(screen, NULL, &caps);
    unsigned frames = 0;
    for (; rows->len > 0; frames++) {
        g_autoptr(GPtrArray) taken = backlog_take(rows, PORTION);
        g_autoptr(GString) out = g_string_new(NULL);
        size_t limit = PORTION + 200;
        for (guint i = 0; i < taken->len; i++)
            limit =
                ((Row *)taken->pdata[i])->picture ? picture_bytes_limit(picture) + PORTION : limit;
        LiveArea area = { .rows = live };
        screen_draw(screen, (TerminalSize) { 80, 24 }, taken, &area, out);
        assert_true(taken->len > 0 && out->len <= limit);
        g_string_append_len(all, out->str, (gssize)out->len);
    }
    assert_true(frames > 10);
    g_auto(GStrv) said = g_strsplit(all->str, "row ", -1);
    g_auto(GStrv) drawn = g_strsplit(all->str, "a=T", -1);
    assert_int_equal(g_strv_length(said), ROWS + 1);
    assert_int_equal(g_strv_length(drawn), 2);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal((int)g_ascii_strtoll(said[i + 1], NULL, 10), i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_which),
        cmocka_unit_test(test_converted),   cmocka_unit_test(test_sixel),
        cmocka_unit_test(test_sixel_bytes), cmocka_unit_test(test_slow_line),
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_block),       cmocka_unit_test(test_screen),
        cmocka_unit_test(test_backlog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
