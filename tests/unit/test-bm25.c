/*
 * base/bm25.c: words, scores worked out by hand, order, and queries that nobody means well.
 */
#include "unit.h"

#include "base/bm25.h"

#include <math.h>

static char *join(GPtrArray *terms)
{
    g_ptr_array_add(terms, NULL);
    char *text = g_strjoinv(" ", (char **)terms->pdata);
    g_ptr_array_unref(terms);
    return text;
}

static void test_terms(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "", "" },
        { " -_./ ", "" },
        { "read_file", "read file" },
        { "gh_pr_view", "gh pr view" },
        { "readFile", "read file" },
        { "ReadFile", "read file" },
        { "HTTPServer", "http server" },
        { "parseHTTP", "parse http" },
        { "HTTP2", "http2" },
        { "bm25", "bm25" },
        { "file2Text", "file2 text" },
        { "A", "a" },
        { "Lists files, newest first.", "lists files newest first" },
        { "\xc3\x89tat \xc3\xa9tatCivil", "\xc3\xa9tat \xc3\xa9tat civil" },
        { "e\xcc\x81t\xc3\xa9", "e\xcc\x81t\xc3\xa9" },
        { "\xe6\x96\x87\xe4\xbb\xb6 \xe6\x90\x9c\xe7\xb4\xa2",
          "\xe6\x96\x87\xe4\xbb\xb6 \xe6\x90\x9c\xe7\xb4\xa2" },
        { "a\x01\x02z\x1b[31mred\x7f", "a z 31mred" },
        { "ab\xff\xfe\x63\xc3", "ab c" }, // bytes that are not UTF-8
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = join(bm25_terms(cases[i].in));
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("'%s': got '%s', want '%s'", cases[i].in, got, cases[i].want);
    }
}

/* Documents, one string each. */
static Bm25 *index_of(const char *const *texts)
{
    Bm25 *self = bm25_new();
    for (; *texts; texts++) {
        bm25_add_document(self);
        bm25_add_text(self, *texts, 1);
    }
    return self;
}

typedef struct Want {
    size_t document;
    double score;
} Want;

static void assert_hits(const char *name, const GArray *hits, const Want *want, size_t count)
{
    if (hits->len != count)
        fail_msg("%s: %u hits, not %zu", name, hits->len, count);
    for (guint i = 0; i < hits->len; i++) {
        const Bm25Hit *hit = &g_array_index(hits, Bm25Hit, i);
        if (hit->document != want[i].document || fabs(hit->score - want[i].score) > 1e-6)
            fail_msg("%s, hit %u: document %zu with %.7f", name, i, hit->document, hit->score);
    }
}

/* Three documents of lengths 2, 1 and 1, mean 4/3. "a" is in two of them:
   ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6 = 0.4700036; "c" in one: ln(1 + 2.5 / 1.5) =
   0.9808293. What stands under a word that comes once: 1 + 1.2 * (0.25 + 0.75 * length / mean),
   which is 2.65 for length 2 and 1.975 for length 1. */
static void test_scores(void **state G_GNUC_UNUSED)
{
    static const char *const texts[] = { "a b", "a", "c", NULL };
    static const struct {
        const char *query;
        Want want[3];
        size_t count;
    } cases[] = {
        { "a", { { 1, 0.4700036 * 2.2 / 1.975 }, { 0, 0.4700036 * 2.2 / 2.65 } }, 2 },
        { "A a, a!", { { 1, 0.4700036 * 2.2 / 1.975 }, { 0, 0.4700036 * 2.2 / 2.65 } }, 2 },
        { "c", { { 2, 0.9808293 * 2.2 / 1.975 } }, 1 },
        { "b", { { 0, 0.9808293 * 2.2 / 2.65 } }, 1 },
        { "a b",
          { { 0, (0.4700036 + 0.9808293) * 2.2 / 2.65 }, { 1, 0.4700036 * 2.2 / 1.975 } },
          2 },
        { "nothing of it", { { 0, 0 } }, 0 },
        { "", { { 0, 0 } }, 0 },
    };
    g_autoptr(Bm25) index = index_of(texts);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) hits = bm25_search(index, cases[i].query);
        assert_hits(cases[i].query, hits, cases[i].want, cases[i].count);
    }
}

/* A word of weight 6 counts and is as long as six: lengths 7 and 7, ln(1 + 0.5 / 2.5) = 0.1823216,
   and what stands below is 6 + 1.2 and 1 + 1.2. */
static void test_weights(void **state G_GNUC_UNUSED)
{
    static const Want want[] = { { 1, 0.1823216 * 6 * 2.2 / 7.2 }, { 0, 0.1823216 * 2.2 / 2.2 } };
    g_autoptr(Bm25) index = bm25_new();
    bm25_add_document(index);
    bm25_add_text(index, "other", 6);
    bm25_add_text(index, "issue", 1);
    bm25_add_document(index);
    bm25_add_text(index, "issue", 6);
    bm25_add_text(index, NULL, 4);
    bm25_add_text(index, "view", 1);
    g_autoptr(GArray) hits = bm25_search(index, "issue");
    assert_hits("weights", hits, want, 2);
}

static void test_nothing_to_search(void **state G_GNUC_UNUSED)
{
    g_autoptr(Bm25) empty = bm25_new();
    g_autoptr(GArray) none = bm25_search(empty, "word");
    assert_int_equal(none->len, 0);
    bm25_add_document(empty); // one without words
    g_autoptr(GArray) still_none = bm25_search(empty, "word");
    assert_int_equal(still_none->len, 0);
}

/* Random documents of few words, so that many are equal: every hit has a word of the query, no
   other document has; scores never rise; equals stand in the order in which they came; the same
   again. */
static void test_order(void **state G_GNUC_UNUSED)
{
    static const char *const words[] = { "red", "green", "blue", "round" };
    g_autoptr(GRand) random = g_rand_new_with_seed(25);
    for (int round = 0; round < 200; round++) {
        g_autoptr(Bm25) index = bm25_new();
        g_autofree bool *has_word = g_new0(bool, 40);
        guint count = (guint)g_rand_int_range(random, 0, 40);
        for (guint i = 0; i < count; i++) {
            bm25_add_document(index);
            for (int j = g_rand_int_range(random, 0, 3); j > 0; j--) {
                int word = g_rand_int_range(random, 0, 4);
                bm25_add_text(index, words[word], (unsigned)g_rand_int_range(random, 1, 7));
                has_word[i] = has_word[i] || word < 2;
            }
        }
        g_autoptr(GArray) hits = bm25_search(index, "red green");
        g_autoptr(GArray) again = bm25_search(index, "red green");
        assert_int_equal(hits->len, again->len);
        guint wanted = 0;
        for (guint i = 0; i < count; i++)
            wanted += has_word[i];
        assert_int_equal(hits->len, wanted);
        for (guint i = 0; i < hits->len; i++) {
            const Bm25Hit *hit = &g_array_index(hits, Bm25Hit, i);
            const Bm25Hit *before = i > 0 ? hit - 1 : NULL;
            assert_true(has_word[hit->document]);
            assert_true(hit->score > 0);
            assert_int_equal(hit->document, g_array_index(again, Bm25Hit, i).document);
            if (before && before->score < hit->score)
                fail_msg("round %d: hit %u is better than the one before", round, i);
            if (before && before->score <= hit->score && before->document > hit->document)
                fail_msg("round %d: hit %u is out of order", round, i);
        }
    }
}

/* What is too long counts as far as the limits go, and takes no time. */
static void test_hostile(void **state G_GNUC_UNUSED)
{
    static const char *const texts[] = { "needle", "w63", "w64", NULL };
    g_autoptr(Bm25) index = index_of(texts);
    g_autofree char *long_word = g_strnfill(1024 * 1024, 'a');
    g_autoptr(GPtrArray) one = bm25_terms(long_word);
    assert_int_equal(one->len, 1);
    assert_int_equal(strlen(one->pdata[0]), BM25_MAX_TERM_BYTES);

    g_autoptr(GString) behind = g_string_new(NULL);
    while (behind->len < BM25_MAX_TEXT_BYTES)
        g_string_append(behind, "x ");
    g_string_append(behind, "needle");
    g_autoptr(GArray) none = bm25_search(index, behind->str);
    assert_int_equal(none->len, 0);

    g_autoptr(GString) many = g_string_new(NULL);
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(many, "w%d w0 ", i);
    g_autoptr(GArray) first = bm25_search(index, many->str); // w0 … w63 are 64 words
    assert_int_equal(first->len, 1);
    assert_int_equal(g_array_index(first, Bm25Hit, 0).document, 1);

    g_autofree char *cut = g_strnfill(BM25_MAX_TEXT_BYTES + 2, 'b');
    memcpy(cut + BM25_MAX_TEXT_BYTES - 1, "\xe6\x96\x87", 3); // a character across the end
    g_autoptr(GPtrArray) whole = bm25_terms(cut);
    assert_int_equal(whole->len, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),   cmocka_unit_test(test_scores),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_nothing_to_search),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
