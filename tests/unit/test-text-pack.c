/*
 * Packed texts: what goes in comes out again, before, while and after it is compressed.
 */
#include "unit.h"

#include "base/compress.h"
#include "base/worker.h"
#include "session/text_pack.h"

#define MANY 400

/* Of about 3 KB, each another one; every 100th of half a megabyte. */
static char *text_of(unsigned number)
{
    GString *text = g_string_new(NULL);
    unsigned lines = number % 100 == 99 ? 20000 : 60 + number % 40;
    for (unsigned i = 0; i < lines; i++)
        g_string_append_printf(text, "%u: the tide of line %u\n", number, i * 7919 + number);
    return g_string_free(text, FALSE);
}

static void check_all(TextPack *pack, const TextPlace *places)
{
    for (unsigned i = 0; i < MANY; i++) {
        unsigned number = (i * 37) % MANY; // far from one another
        g_autofree char *want = text_of(number);
        g_autofree char *got = text_pack_get(pack, &places[number]);
        assert_string_equal(got, want);
    }
}

static void wait_until_packed(TextPack *pack)
{
    for (int i = 0; i < 60 * 1000 && text_pack_size(pack).is_at_work; i++)
        g_usleep(1000);
    assert_false(text_pack_size(pack).is_at_work);
}

static void test_many(void **state G_GNUC_UNUSED)
{
    g_autoptr(TextPack) pack = text_pack_new();
    TextPlace places[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *text = text_of(i);
        places[i] = text_pack_add(pack, text, strlen(text));
    }
    TextPackSize before = text_pack_size(pack);
    assert_int_equal(before.text_bytes, before.kept_bytes);
    check_all(pack, places);
    text_pack_compress(pack);
    check_all(pack, places); // while a thread is at it
    wait_until_packed(pack);
    check_all(pack, places);
    TextPackSize after = text_pack_size(pack);
    assert_int_equal(after.text_bytes, before.text_bytes);
    assert_true(after.kept_bytes < before.kept_bytes / 2);

    // more, when the first thread has ended
    g_autofree char *more = g_strnfill(600 * 1000, 'm');
    TextPlace place = text_pack_add(pack, more, strlen(more));
    text_pack_add(pack, "", 0);
    text_pack_compress(pack);
    text_pack_compress(pack);
    wait_until_packed(pack);
    g_autofree char *got = text_pack_get(pack, &place);
    assert_string_equal(got, more);
    check_all(pack, places);
}

static void test_bytes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        size_t size;
    } cases[] = { { "", 0 }, { "a", 1 }, { "a\0b\n", 4 }, { "{\"é\":1}", 8 } };
    g_autoptr(TextPack) pack = text_pack_new();
    TextPlace places[G_N_ELEMENTS(cases)];
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        places[i] = text_pack_add(pack, cases[i].text, cases[i].size);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = text_pack_get(pack, &places[i]);
        assert_memory_equal(got, cases[i].text, cases[i].size);
        assert_int_equal(got[cases[i].size], '\0');
    }
}

/* What has no pattern stays as it is; nobody waits for the end. */
static void test_noise(void **state G_GNUC_UNUSED)
{
    g_autoptr(TextPack) pack = text_pack_new();
    TextPlace places[8];
    g_autoptr(GRand) dice = g_rand_new_with_seed(7);
    g_autofree char *noise = g_malloc(200 * 1000);
    for (size_t i = 0; i < 200 * 1000; i++)
        noise[i] = (char)g_rand_int_range(dice, 0, 256);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        places[i] = text_pack_add(pack, noise, 200 * 1000);
    text_pack_compress(pack);
    wait_until_packed(pack);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *got = text_pack_get(pack, &places[i]);
        assert_memory_equal(got, noise, 200 * 1000);
    }
    assert_int_equal(text_pack_size(pack).kept_bytes, 8 * 200 * 1000);
    for (size_t i = 0; i < 40; i++)
        text_pack_add(pack, noise, 200 * 1000);
    text_pack_compress(pack); // and is freed at once
}

typedef struct Reader {
    TextPack *pack;
    const TextPlace *places;
    bool is_wrong;
} Reader;

static void read_all(void *self_)
{
    Reader *self = self_;
    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *want = text_of(i);
        g_autofree char *got = text_pack_get(self->pack, &self->places[i]);
        self->is_wrong = self->is_wrong || strcmp(got, want) != 0;
    }
}

static void test_threads(void **state G_GNUC_UNUSED)
{
    g_autoptr(TextPack) pack = text_pack_new();
    TextPlace places[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *text = text_of(i);
        places[i] = text_pack_add(pack, text, strlen(text));
    }
    Reader readers[2] = { { pack, places, false }, { pack, places, false } };
    Worker *workers[2];
    for (size_t i = 0; i < 2; i++)
        workers[i] = worker_start("reader", read_all, &readers[i]);
    for (int i = 0; i < 40; i++) {
        text_pack_compress(pack);
        g_autofree char *text = text_of((unsigned)i);
        text_pack_add(pack, text, strlen(text));
    }
    for (size_t i = 0; i < 2; i++) {
        worker_join(workers[i]);
        assert_false(readers[i].is_wrong);
    }
}

static void test_compress(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = text_of(99);
    size_t size = strlen(text), packed_size = 0;
    g_autofree char *packed = compress_bytes(text, size, &packed_size);
    assert_non_null(packed);
    assert_true(packed_size < size);
    g_autofree char *back = g_malloc0(size + 1);
    assert_true(compress_restore(packed, packed_size, back, size));
    assert_string_equal(back, text);
    assert_false(compress_restore(packed, packed_size - 1, back, size)); // cut
    assert_false(compress_restore(packed, packed_size, back, size - 1)); // no room
    assert_false(compress_restore(text, size, back, size));              // something else
    assert_null(compress_bytes("", 0, &packed_size));
    assert_null(compress_bytes("ab", 2, &packed_size)); // nothing would be gained
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),     cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_noise),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_compress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
