/*
 * base/image*.c: which images are made smaller, and what becomes of those that cannot be.
 */
#include "unit.h"

#include "base/image.h"
#include "base/limits.h"

#include <dlfcn.h>

static void put32(GString *out, guint32 value)
{
    guint32 big = GUINT32_TO_BE(value);
    g_string_append_len(out, (const char *)&big, 4);
}

static guint32 crc_of(const char *data, size_t size)
{
    guint32 crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= (guint8)data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static void put_chunk(GString *out, const char *type, const GString *data)
{
    put32(out, (guint32)data->len);
    size_t start = out->len;
    g_string_append(out, type);
    g_string_append_len(out, data->str, (gssize)data->len);
    put32(out, crc_of(out->str + start, out->len - start));
}

/* A grey PNG whose data is stored, not packed; noisy, or the same everywhere. */
static GString *make_png(unsigned width, unsigned height, bool is_noisy)
{
    GString *out = g_string_new_len("\x89PNG\r\n\x1a\n", 8);
    g_autoptr(GString) head = g_string_new(NULL);
    put32(head, width);
    put32(head, height);
    g_string_append_len(head, "\x08\0\0\0", 5);
    put_chunk(out, "IHDR", head);

    g_autoptr(GString) body = g_string_new_len("\x78\x01", 2);
    guint32 a = 1, b = 0, noise = 1;
    for (unsigned y = 0; y < height; y++) { // a block a row: a filter byte and the pixels
        guint16 size = (guint16)(width + 1);
        const guint8 block[] = { y + 1 == height, (guint8)size, (guint8)(size >> 8), (guint8)~size,
                                 (guint8)(~size >> 8) };
        g_string_append_len(body, (const char *)block, sizeof block);
        for (unsigned x = 0; x <= width; x++) {
            noise = noise * 1664525 + 1013904223;
            guint8 value = x == 0 ? 0 : is_noisy ? (guint8)(noise >> 24) : 200;
            g_string_append_c(body, (char)value);
            a = (a + value) % 65521;
            b = (b + a) % 65521;
        }
    }
    put32(body, b << 16 | a);
    put_chunk(out, "IDAT", body);
    g_autoptr(GString) nothing = g_string_new(NULL);
    put_chunk(out, "IEND", nothing);
    return out;
}

static bool has_gd(void)
{
    void *library = dlopen("libgd.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        dlclose(library);
    return library != NULL;
}

static void test_small_stays(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) png = make_png(100, 50, true);
    g_auto(ImageFit) fit = { 0 };
    image_fit(png->str, png->len, "image/png", &fit);
    assert_null(fit.note);
    assert_int_equal(fit.size, png->len);
    assert_memory_equal(fit.data, png->str, png->len);
    assert_string_equal(fit.type, "image/png");
}

static void test_large_is_scaled(void **state G_GNUC_UNUSED)
{
    if (!has_gd())
        skip();
    g_autoptr(GString) png = make_png(1800, 1200, false);
    g_auto(ImageFit) fit = { 0 };
    image_fit(png->str, png->len, "image/png", &fit);
    assert_non_null(fit.data);
    assert_string_equal(fit.note, "[Image: original 1800x1200, displayed at 1568x1045. Multiply "
                                  "coordinates by 1.15 to map to original image.]");
    unsigned width = 0, height = 0;
    assert_true(image_dimensions(fit.data, fit.size, &width, &height));
    assert_int_equal(width, 1568);
    assert_int_equal(height, 1045);
    assert_true(fit.size <= 512000);
}

static void test_heavy_is_packed(void **state G_GNUC_UNUSED)
{
    if (!has_gd())
        skip();
    g_autoptr(GString) png = make_png(800, 800, true);
    g_auto(ImageFit) fit = { 0 };
    image_fit(png->str, png->len, "image/png", &fit);
    assert_non_null(fit.data);
    assert_true(fit.size <= 512000);
    assert_string_equal(fit.type, "image/jpeg"); // noise packs in no other way
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const char bomb[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\x01\0\0\x08\x06\0\0\0";
    g_auto(ImageFit) fit = { 0 };
    image_fit(bomb, sizeof bomb - 1, "image/png", &fit); // 65536 × 65536 in 29 bytes
    assert_null(fit.data);
    assert_non_null(strstr(fit.note, "65536x65536 pixels"));

    g_auto(ImageFit) text = { 0 };
    image_fit("hello, world, this is text", 26, "image/png", &text);
    assert_null(text.data);
    assert_string_equal(text.note, "[image left out: no readable image/png]");

    if (!has_gd())
        return;
    g_autoptr(GString) png = make_png(2000, 10, false);
    g_auto(ImageFit) broken = { 0 };
    image_fit(png->str, 60, "image/png", &broken);
    assert_null(broken.data);
    assert_string_equal(broken.note, "[image left out: it cannot be decoded as image/png]");
}

static void test_dimensions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *data;
        size_t size;
        unsigned width, height; // 0: not readable
    } cases[] = {
        { "gif", "GIF89a\x03\x01\x02\0\0\0", 12, 259, 2 },
        { "jpeg", "\xff\xd8\xff\xe0\0\x04\0\0\xff\xc0\0\x11\x08\x01\x02\x03\x04\x03", 19, 772,
          258 },
        { "jpeg, cut", "\xff\xd8\xff\xe0\0\x04\0\0\xff\xc0\0\x11", 12, 0, 0 },
        { "jpeg, lengths of nothing", "\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0", 12, 0, 0 },
        { "webp", "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\0", 30, 320, 240 },
        { "webp, lossless", "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\0\0\0\0\0\0", 31, 320,
          240 },
        { "webp, extended", "RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0", 30, 320,
          240 },
        { "webp, cut", "RIFF\0\0\0\0WEBPVP8X", 16, 0, 0 },
        { "nothing", "", 0, 0, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        unsigned width = 0, height = 0;
        g_autofree char *exact = g_memdup2(cases[i].data, cases[i].size); // for sanitizers
        bool is_read = image_dimensions(exact, cases[i].size, &width, &height);
        if (is_read != (cases[i].width > 0) || width != cases[i].width || height != cases[i].height)
            fail_msg("%s: %d %u %u", cases[i].name, is_read, width, height);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_stays),     cmocka_unit_test(test_large_is_scaled),
        cmocka_unit_test(test_heavy_is_packed), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_dimensions),
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
