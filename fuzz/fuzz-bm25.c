/*
 * Ranking by BM25: texts that end with a NUL, the first of them the query. Words are within their
 * bounds, and hits are in order, each once, with a finite score; what fits is what has a word.
 */
#include "base/bm25.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXTS 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The words of a query that count. */
static GHashTable *words_of(const char *query)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) terms = bm25_terms(query);
    for (guint i = 0; i < terms->len && g_hash_table_size(set) < BM25_MAX_QUERY_TERMS; i++)
        g_hash_table_add(set, g_strdup(terms->pdata[i]));
    return set;
}

static bool has_any(const char *text, GHashTable *words)
{
    g_autoptr(GPtrArray) terms = bm25_terms(text);
    bool has = false;
    for (guint i = 0; i < terms->len; i++) {
        size_t length = strlen(terms->pdata[i]);
        if (length == 0 || length > BM25_MAX_TERM_BYTES ||
            !g_utf8_validate(terms->pdata[i], -1, NULL))
            abort();
        has = has || g_hash_table_contains(words, terms->pdata[i]);
    }
    return has;
}

static void check(char *const *texts, guint count)
{
    g_autoptr(Bm25) index = bm25_new();
    g_autoptr(GHashTable) words = words_of(texts[0]);
    guint wanted = 0;
    for (guint i = 1; i < count; i++) {
        bm25_add_document(index);
        bm25_add_text(index, texts[i], i % 7 + 1);
        wanted += has_any(texts[i], words);
    }
    g_autoptr(GArray) hits = bm25_search(index, texts[0]);
    if (hits->len != wanted)
        abort();
    for (guint i = 0; i < hits->len; i++) {
        const Bm25Hit *hit = &g_array_index(hits, Bm25Hit, i);
        if (!isfinite(hit->score) || hit->score <= 0 || !has_any(texts[hit->document + 1], words))
            abort();
        if (i > 0 && (hit[-1].score < hit->score ||
                      (hit[-1].score <= hit->score && hit[-1].document >= hit->document)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    while (at < end && texts->len < MAX_TEXTS) {
        size_t length = strnlen(at, (size_t)(end - at));
        g_ptr_array_add(texts, g_strndup(at, length)); // of exactly this size
        at += length + 1;
    }
    if (texts->len > 0)
        check((char *const *)texts->pdata, texts->len);
    return 0;
}
