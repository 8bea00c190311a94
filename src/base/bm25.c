/* See bm25.h. */
#include "base/bm25.h"

#include <math.h>
#include <string.h>

#define K1 1.2
#define B  0.75

typedef struct Document {
    GHashTable *frequencies; // word → how often, a double
    double length;           // the sum of these
} Document;

struct Bm25 {
    GPtrArray *documents;
    double length; // of all of them
};

static void document_free(void *data)
{
    Document *self = data;
    g_hash_table_unref(self->frequencies);
    g_free(self);
}

Bm25 *bm25_new(void)
{
    Bm25 *self = g_new0(Bm25, 1);
    self->documents = g_ptr_array_new_with_free_func(document_free);
    return self;
}

void bm25_free(Bm25 *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->documents);
    g_free(self);
}

// ---- words ----

typedef enum {
    KIND_OTHER, // parts words
    KIND_UPPER,
    KIND_LOWER, // letters without case, too
    KIND_DIGIT, // and marks on letters: they go with what is before them
} Kind;

static Kind kind_of(gunichar c)
{
    if (g_unichar_isalpha(c))
        return g_unichar_isupper(c) ? KIND_UPPER : KIND_LOWER;
    return g_unichar_isalnum(c) || g_unichar_ismark(c) ? KIND_DIGIT : KIND_OTHER;
}

/* The character at `at` and its length; 0, which parts words, for a byte that begins none. */
static gunichar next_char(const char *at, const char *end, size_t *ret_length)
{
    gunichar c = g_utf8_get_char_validated(at, end - at);
    bool is_valid = c != (gunichar)-1 && c != (gunichar)-2;
    *ret_length = is_valid ? (size_t)(g_utf8_next_char(at) - at) : 1;
    return is_valid ? c : 0;
}

static Kind kind_at(const char *at, const char *end)
{
    size_t length = 0;
    return at < end ? kind_of(next_char(at, end, &length)) : KIND_OTHER;
}

static void append_char(GString *term, gunichar c)
{
    char bytes[6];
    int size = g_unichar_to_utf8(g_unichar_tolower(c), bytes);
    if (term->len + (size_t)size <= BM25_MAX_TERM_BYTES)
        g_string_append_len(term, bytes, size);
}

static void end_term(GPtrArray *terms, GString *term)
{
    if (term->len > 0)
        g_ptr_array_add(terms, g_strdup(term->str));
    g_string_truncate(term, 0);
}

GPtrArray *bm25_terms(const char *text)
{
    GPtrArray *terms = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) term = g_string_new(NULL);
    const char *end = text + strnlen(text, BM25_MAX_TEXT_BYTES);
    Kind before = KIND_OTHER;
    size_t length = 0;
    for (const char *at = text; at < end; at += length) {
        gunichar c = next_char(at, end, &length);
        Kind kind = kind_of(c);
        bool begins = kind == KIND_UPPER && // fooBar, HTTPServer
                      (before == KIND_LOWER || before == KIND_DIGIT ||
                       kind_at(at + length, end) == KIND_LOWER);
        if (kind == KIND_OTHER || begins)
            end_term(terms, term);
        if (kind != KIND_OTHER)
            append_char(term, c);
        before = kind;
    }
    end_term(terms, term);
    return terms;
}

// ---- documents ----

void bm25_add_document(Bm25 *self)
{
    Document *document = g_new0(Document, 1);
    document->frequencies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_ptr_array_add(self->documents, document);
}

static double frequency_of(const Document *self, const char *term)
{
    const double *count = g_hash_table_lookup(self->frequencies, term);
    return count ? *count : 0;
}

void bm25_add_text(Bm25 *self, const char *text, unsigned weight)
{
    g_assert(self->documents->len > 0);
    Document *document = self->documents->pdata[self->documents->len - 1];
    if (!text)
        return;
    g_autoptr(GPtrArray) terms = bm25_terms(text);
    for (guint i = 0; i < terms->len; i++) {
        double *count = g_new(double, 1);
        *count = frequency_of(document, terms->pdata[i]) + weight;
        g_hash_table_replace(document->frequencies, g_strdup(terms->pdata[i]), count);
        document->length += weight;
        self->length += weight;
    }
}

// ---- searching ----

/* What a word says: the fewer documents have it, the more. */
static double weight_of(const Bm25 *self, const char *term)
{
    double having = 0;
    for (guint i = 0; i < self->documents->len; i++)
        having += frequency_of(self->documents->pdata[i], term) > 0;
    return log(1 + (self->documents->len - having + 0.5) / (having + 0.5));
}

static void add_scores(const Bm25 *self, const char *term, double *scores)
{
    double weight = weight_of(self, term);
    double mean = self->length / self->documents->len;
    for (guint i = 0; i < self->documents->len; i++) {
        const Document *document = self->documents->pdata[i];
        double count = frequency_of(document, term);
        if (count > 0)
            scores[i] +=
                weight * count * (K1 + 1) / (count + K1 * (1 - B + B * document->length / mean));
    }
}

static gint compare_hits(gconstpointer a_, gconstpointer b_)
{
    const Bm25Hit *a = a_, *b = b_;
    if (a->score > b->score)
        return -1;
    if (a->score < b->score)
        return 1;
    return a->document < b->document ? -1 : a->document > b->document;
}

GArray *bm25_search(const Bm25 *self, const char *query)
{
    GArray *hits = g_array_new(FALSE, FALSE, sizeof(Bm25Hit));
    g_autofree double *scores = g_new0(double, self->documents->len);
    g_autoptr(GPtrArray) terms = bm25_terms(query);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < terms->len && g_hash_table_size(seen) < BM25_MAX_QUERY_TERMS; i++) {
        if (g_hash_table_add(seen, terms->pdata[i])) // said twice is not meant twice
            add_scores(self, terms->pdata[i], scores);
    }
    for (guint i = 0; i < self->documents->len; i++) {
        const Bm25Hit hit = { i, scores[i] };
        if (hit.score > 0)
            g_array_append_val(hits, hit);
    }
    g_array_sort(hits, compare_hits);
    return hits;
}
