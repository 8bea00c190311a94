/*
 * Rows as bytes for a terminal, and where two of them differ.
 */
#include "tui/screen/row_bytes.h"

#include <string.h>

#include "tui/text/width.h"

// ---- clusters of a row ----

typedef struct ClusterWalk {
    const Row *row;
    size_t offset; // of the next cluster
    int column;    // and its own
} ClusterWalk;

/* Returns the bytes of the cluster that it passed; 0: there is none. */
static size_t walk_step(ClusterWalk *walk)
{
    const Row *row = walk->row;
    int cells = 0;
    size_t size = cluster_size(row->text + walk->offset, row->size - walk->offset, &cells);
    walk->offset += size;
    walk->column += cells;
    return size;
}

/* The last boundary of clusters at or before `offset`. */
static size_t boundary_before(const Row *row, size_t offset, int *ret_column)
{
    ClusterWalk walk = { .row = row };
    size_t found = 0;
    *ret_column = 0;
    while (walk_step(&walk) > 0 && walk.offset <= offset) {
        found = walk.offset;
        *ret_column = walk.column;
    }
    return found;
}

/* The first one at or after it. */
static size_t boundary_behind(const Row *row, size_t offset, int *ret_column)
{
    ClusterWalk walk = { .row = row };
    while (walk.offset < offset && walk_step(&walk) > 0)
        continue;
    *ret_column = walk.column;
    return walk.offset;
}

RowPiece row_whole(const Row *row)
{
    return (RowPiece) { .end = row->size, .end_column = row->cells };
}

bool row_is_ascii(const Row *row, RowPiece piece)
{
    for (size_t i = piece.from; i < piece.end; i++) {
        if ((unsigned char)row->text[i] >= 0x80)
            return false;
    }
    return true;
}

bool row_is_unsure(const Row *row, size_t from)
{
    if (row_is_ascii(row, row_whole(row)))
        return false;

    ClusterWalk walk = { .row = row };
    for (size_t size; (size = walk_step(&walk)) > 0;) {
        if (walk.offset > from && cluster_is_unsure(row->text + walk.offset - size, size))
            return true;
    }
    return false;
}

int row_wrapped_count(const Row *row, int columns)
{
    ClusterWalk walk = { .row = row };
    int used = 0, count = 1;
    for (int before = 0; walk_step(&walk) > 0; before = walk.column) {
        int cells = walk.column - before;
        if (used + cells > columns && used > 0) {
            count++;
            used = 0;
        }
        used += cells;
    }
    return count;
}

// ---- what differs ----

static bool run_looks_same(const RowRun *a, const RowRun *b)
{
    return style_equal(a->style, b->style) && g_strcmp0(a->link, b->link) == 0;
}

/* Bytes from the start that are the same in text, style and link. */
static size_t common_head(const Row *a, const Row *b)
{
    size_t same = 0, limit = MIN(a->size, b->size);
    while (same < limit && a->text[same] == b->text[same])
        same++;

    size_t a_end = 0, b_end = 0, at = 0;
    for (uint32_t i = 0, j = 0; at < same;) {
        if (a_end <= at)
            a_end += a->runs[i++].size;
        else if (b_end <= at)
            b_end += b->runs[j++].size;
        else if (!run_looks_same(&a->runs[i - 1], &b->runs[j - 1]))
            break;
        else
            at = MIN(a_end, b_end);
    }
    return MIN(same, at);
}

/* The same from the end, in at most `limit` bytes. */
static size_t common_tail(const Row *a, const Row *b, size_t limit)
{
    size_t same = 0;
    while (same < limit && a->text[a->size - same - 1] == b->text[b->size - same - 1])
        same++;

    size_t a_end = 0, b_end = 0, at = 0; // counted from the end
    for (uint32_t i = a->run_count, j = b->run_count; at < same;) {
        if (a_end <= at)
            a_end += a->runs[--i].size;
        else if (b_end <= at)
            b_end += b->runs[--j].size;
        else if (!run_looks_same(&a->runs[i], &b->runs[j]))
            break;
        else
            at = MIN(a_end, b_end);
    }
    return MIN(same, at);
}

RowPiece row_difference(const Row *old, const Row *now)
{
    RowPiece piece = { .from = common_head(old, now) };
    int column = 0;
    for (size_t before = SIZE_MAX; before != piece.from;) {
        before = piece.from; // what belongs to another cluster there was drawn otherwise
        piece.from = boundary_before(old, piece.from, &column);
        piece.from = boundary_before(now, piece.from, &piece.column);
    }

    size_t tail = 0;
    if (old->cells == now->cells) // else it stands elsewhere
        tail = common_tail(old, now, MIN(old->size, now->size) - piece.from);
    for (size_t before = SIZE_MAX; before != tail;) {
        before = tail;
        tail = old->size - boundary_behind(old, old->size - tail, &column);
        tail = now->size - boundary_behind(now, now->size - tail, &piece.end_column);
    }
    piece.end = now->size - tail;
    return piece;
}

// ---- bytes ----

/* What may be an address of a link: http, https, mailto, file. */
static bool link_is_usable(const char *link, Look look)
{
    static const char *const schemes[] = { "http://", "https://", "mailto:", "file://" };
    if (!link || !look.caps || !look.caps->has_links || strlen(link) > LIMIT_LINK_BYTES)
        return false;

    bool is_known = false;
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++)
        is_known |= g_ascii_strncasecmp(link, schemes[i], strlen(schemes[i])) == 0;
    for (const char *p = link; is_known && *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f) // it would end the sequence
            return false;
    }
    return is_known;
}

/* The same id in each row, so that a link of several rows is one. */
static void link_begin(const char *link, GString *out)
{
    g_string_append_printf(out, "\x1b]8;id=k%08x;", g_str_hash(link));
    for (const char *p = link; *p; p++) {
        if ((unsigned char)*p > ' ' && (unsigned char)*p < 0x7f)
            g_string_append_c(out, *p);
        else
            g_string_append_printf(out, "%%%02X", (unsigned char)*p);
    }
    g_string_append(out, "\x1b\\");
}

static void switch_style(Look look, Style *now, Style wanted, GString *out)
{
    if (look.theme)
        theme_switch(look.theme, look.caps ? look.caps->depth : DEPTH_NONE, *now, wanted, out);
    *now = wanted;
}

static bool is_control(const char *cluster)
{
    const unsigned char *p = (const unsigned char *)cluster;
    return p[0] < ' ' || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

void row_bytes(const Row *row, RowPiece piece, Look look, GString *out)
{
    Style style = { 0 };
    const char *link = NULL;
    ClusterWalk walk = { .row = row };
    RowPlace place = { 0 };
    bool is_measured = look.caps && look.caps->has_clusters;
    for (size_t size; walk.offset < piece.end && (size = walk_step(&walk)) > 0;) {
        const char *cluster = row->text + walk.offset - size;
        if (walk.offset <= piece.from || is_control(cluster))
            continue;

        const RowRun *run = row_run_at(row, &place, walk.offset - size);
        const char *wanted = link_is_usable(run->link, look) ? run->link : NULL;
        if (g_strcmp0(link, wanted) != 0)
            wanted ? link_begin(wanted, out) : (void)g_string_append(out, "\x1b]8;;\x1b\\");
        link = wanted;
        if (!style_equal(style, run->style))
            switch_style(look, &style, run->style, out);
        g_string_append_len(out, cluster, (gssize)size);
        if (!is_measured && size > 1 && cluster_is_unsure(cluster, size))
            g_string_append_printf(out, "\x1b[%dG", walk.column + 1);
    }
    if (link)
        g_string_append(out, "\x1b]8;;\x1b\\");
    switch_style(look, &style, (Style) { 0 }, out);
}
