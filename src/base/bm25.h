/*
 * BM25: ranks short texts by the words of a query (Okapi BM25, k1 1.2, b 0.75), where the parts of
 * a document may count more than once.
 *
 * A word is a run of letters and digits in lower case; camelCase and HTTPServer are cut where their
 * words meet. Of each text BM25_MAX_TEXT_BYTES count, of a query BM25_MAX_QUERY_TERMS different
 * words, of a word BM25_MAX_TERM_BYTES; bytes that are not UTF-8 part words. Pure; one thread at a
 * time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define BM25_MAX_TEXT_BYTES  (16 * 1024)
#define BM25_MAX_QUERY_TERMS 64
#define BM25_MAX_TERM_BYTES  64

typedef struct Bm25 Bm25;

Bm25 *bm25_new(void);
void bm25_free(Bm25 *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bm25, bm25_free)

/* The documents are numbered from 0 in the order in which they come. */
void bm25_add_document(Bm25 *self);
/* To the document that was added last: each of its words counts `weight` times. NULL adds none. */
void bm25_add_text(Bm25 *self, const char *text, unsigned weight);

typedef struct Bm25Hit {
    size_t document;
    double score; // above 0
} Bm25Hit;

/* Of Bm25Hit: the documents that have some word of the query, best first, equals in their own
   order. Caller frees with g_array_unref(). */
GArray *bm25_search(const Bm25 *self, const char *query);

/* The words of a text, in order. Caller frees. */
GPtrArray *bm25_terms(const char *text);
