/* See select_match.h. */
#include "tui/view/select_match.h"

#include "tui/edit/fuzzy.h"

#define ITEMS_PER_LOOK 64 // at the token

struct Match {
    MatchSpec spec;
    char *filter;
    GArray *hits;
    bool has_literal; // hits are those that have the words as they are written
};

Match *match_new(const MatchSpec *spec)
{
    Match *self = g_new0(Match, 1);
    self->spec = *spec;
    self->filter = g_strdup(spec->filter);
    self->hits = g_array_new(FALSE, FALSE, sizeof(MatchHit));
    return self;
}

void match_free(Match *self)
{
    if (!self)
        return;
    g_free(self->filter);
    g_array_unref(self->hits);
    g_free(self);
}

static int compare_hits(const void *a_, const void *b_)
{
    const MatchHit *a = a_, *b = b_;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Letters that are scattered over a text count only while no text has the words in one piece: long
   texts have all letters of nearly everything. */
static void add_hit(Match *self, const char *text, MatchHit hit)
{
    bool is_literal = fuzzy_is_literal(self->filter, text);
    if (self->has_literal && !is_literal)
        return;
    if (is_literal && !self->has_literal)
        g_array_set_size(self->hits, 0);
    self->has_literal = is_literal;
    g_array_append_val(self->hits, hit);
}

void match_run(Match *self, Cancel *cancel)
{
    const MatchSpec *spec = &self->spec;
    g_array_set_size(self->hits, 0);
    self->has_literal = false;
    for (size_t i = 0; i < spec->count; i++) {
        if (i % ITEMS_PER_LOOK == 0 && cancel_has_fired(cancel))
            return;
        g_autofree char *text = spec->text(i, spec->user_data);
        MatchHit hit = { .index = i };
        if (fuzzy_match(self->filter, text, &hit.score))
            add_hit(self, text, hit);
    }
    if (!spec->keeps_order)
        g_array_sort(self->hits, compare_hits);
}

GArray *match_take_hits(Match *self)
{
    GArray *hits = self->hits;
    self->hits = g_array_new(FALSE, FALSE, sizeof(MatchHit));
    return hits;
}
