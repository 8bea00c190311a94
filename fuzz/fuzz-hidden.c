/*
 * Fuzz target: hidden_remove() on any text, in each place. What comes out is valid and has no
 * character that no one sees; what is code loses nothing but gains escapes; nothing is removed
 * without being counted.
 */
#include "base/hidden.h"
#include "base/utf8.h"

#include <stdint.h>

#define MAX_INPUT_BYTES 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Joiners and selectors that change how their neighbours look may stay. */
static bool may_stay(const char *text, const char *at)
{
    gunichar before = at > text ? g_utf8_get_char(g_utf8_prev_char(at)) : 0;
    return !hidden_is(g_utf8_get_char(at)) ||
           hidden_is_read(before, g_utf8_get_char(at), g_utf8_get_char(g_utf8_next_char(at)));
}

static void check(const char *text, HiddenPlace place)
{
    HiddenCount count = { 0 };
    g_autofree char *got = hidden_remove(text, place, &count);
    g_assert_true(g_utf8_validate(got, -1, NULL));
    for (const char *at = got; *at != '\0'; at = g_utf8_next_char(at))
        g_assert_true(may_stay(got, at));
    bool is_same = strcmp(got, text) == 0 || place == HIDDEN_IN_CODE; // which is escaped
    g_assert_true(is_same || count.characters + count.comments + count.texts > 0);
    g_assert_true(place == HIDDEN_IN_CODE || strlen(got) <= strlen(text));
    g_autofree char *notice = hidden_notice(&count);
    g_assert_true((notice != NULL) == (count.characters + count.comments + count.texts > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT_BYTES)
        return 0;
    g_autofree char *text = utf8_from_bytes((const char *)data, size);
    for (int place = HIDDEN_IN_LINE; place <= HIDDEN_AMONG_OTHERS; place++)
        check(text, (HiddenPlace)place);
    return 0;
}
