/* See hashline_apply.h. */
#include "tools/edit/hashline_apply.h"

#include "tools/edit/hashline_repair.h"

static const HashlineOp *op_at(const GPtrArray *ops, unsigned index)
{
    return ops->pdata[index];
}

static bool has_letters(const HashlineAnchor *anchor)
{
    return anchor->number != HASHLINE_BOF && anchor->number != HASHLINE_EOF;
}

static bool check_anchor(const GArray *lines, const HashlineAnchor *anchor, GArray *stale,
                         GError **error)
{
    if (!has_letters(anchor))
        return true;
    if (anchor->number > lines->len)
        return fail_with(error, KEDGE_ERROR_USAGE, "Line %zu does not exist (file has %u lines)",
                         anchor->number, lines->len);
    const TextLine *line = text_line_at(lines, anchor->number - 1);
    char letters[HASHLINE_LETTERS + 1];
    hashline_letters(anchor->number, line->text, line->size, letters);
    if (strcmp(letters, anchor->letters) != 0)
        g_array_append_val(stale, anchor->number);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    size_t first = *(const size_t *)a, second = *(const size_t *)b;
    return (first > second) - (first < second);
}

static int compare_ranges(const void *a, const void *b)
{
    const HashlineOp *first = *(const HashlineOp *const *)a,
                     *second = *(const HashlineOp *const *)b;
    int order = compare_numbers(&first->first.number, &second->first.number);
    return order != 0 ? order : compare_numbers(&first->body_line, &second->body_line);
}

/* What is to become of a line that two operations take? */
static bool check_overlaps(const GPtrArray *ops, GError **error)
{
    g_autoptr(GPtrArray) ranges = g_ptr_array_new();
    for (unsigned i = 0; i < ops->len; i++)
        if (op_at(ops, i)->kind == HASHLINE_REPLACE)
            g_ptr_array_add(ranges, ops->pdata[i]);
    g_ptr_array_sort(ranges, compare_ranges);
    for (unsigned i = 1; i < ranges->len; i++) {
        const HashlineOp *a = op_at(ranges, i - 1), *b = op_at(ranges, i);
        if (b->first.number <= a->last.number)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "line %zu: range %zu%s..%zu%s overlaps range %zu%s..%zu%s of line "
                             "%zu. Give each line of the file to one operation.",
                             b->body_line, b->first.number, b->first.letters, b->last.number,
                             b->last.letters, a->first.number, a->first.letters, a->last.number,
                             a->last.letters, a->body_line);
    }
    return true;
}

bool hashline_check(const GArray *lines, const GPtrArray *ops, GArray **ret_stale, GError **error)
{
    g_autoptr(GArray) stale = g_array_new(FALSE, FALSE, sizeof(size_t));
    if (!check_overlaps(ops, error))
        return false;
    for (unsigned i = 0; i < ops->len; i++)
        if (!check_anchor(lines, &op_at(ops, i)->first, stale, error) ||
            !check_anchor(lines, &op_at(ops, i)->last, stale, error))
            return false;
    g_array_sort(stale, compare_numbers);
    unsigned kept = 0;
    for (unsigned i = 0; i < stale->len; i++) {
        size_t number = g_array_index(stale, size_t, i);
        if (kept == 0 || g_array_index(stale, size_t, kept - 1) != number)
            g_array_index(stale, size_t, kept++) = number;
    }
    g_array_set_size(stale, kept);
    *ret_stale = g_steal_pointer(&stale);
    return true;
}

void hashline_check_inner(const GArray *lines, const GPtrArray *ops, const ReadSnapshot *seen,
                          GArray *stale, GArray *unseen)
{
    for (unsigned i = 0; i < ops->len; i++) {
        const HashlineOp *op = op_at(ops, i);
        for (size_t number = op->first.number + 1;
             op->kind == HASHLINE_REPLACE && number < op->last.number; number++) {
            const TextLine *line = text_line_at(lines, number - 1);
            const char *shown =
                seen ? g_hash_table_lookup(seen->lines, GSIZE_TO_POINTER(number)) : NULL;
            if (!shown)
                g_array_append_val(unseen, number);
            else if (!hashline_is_same(number, shown, line->text, line->size))
                g_array_append_val(stale, number);
        }
    }
    g_array_sort(stale, compare_numbers);
    g_array_sort(unseen, compare_numbers);
}

/* How many lines stand before what is put at the end: all, but for the empty one behind a final
   newline. */
static size_t end_of(const GArray *lines)
{
    return lines->len - (lines->len > 0 && text_line_at(lines, lines->len - 1)->size == 0);
}

static bool is_at_end(const GArray *lines, const HashlineOp *op)
{
    return op->first.number == HASHLINE_EOF ||
           (op->kind == HASHLINE_INSERT_AFTER && op->first.number == lines->len);
}

static HashlinePiece piece_of(const GArray *lines, const HashlineOp *op)
{
    HashlinePiece piece = { .op = op, .to = op->payload->len };
    if (op->kind == HASHLINE_REPLACE) {
        piece.above = op->first.number - 1;
        piece.below = op->last.number;
        return piece;
    }
    if (is_at_end(lines, op))
        piece.above = end_of(lines);
    else if (op->first.number != HASHLINE_BOF)
        piece.above = op->first.number - (op->kind == HASHLINE_INSERT_BEFORE);
    piece.below = piece.above;
    return piece;
}

/* Whether a piece goes to one of the ends, and not in front of a line. */
static bool is_end_piece(const GArray *lines, const HashlinePiece *piece)
{
    return piece->op->kind != HASHLINE_REPLACE &&
           (piece->op->first.number == HASHLINE_BOF || is_at_end(lines, piece->op));
}

/* What is inserted at a line goes before what replaces it. */
static int compare_pieces(const void *a_, const void *b_)
{
    const HashlinePiece *a = a_, *b = b_;
    int order = compare_numbers(&a->above, &b->above);
    bool is_a_replacing = a->op->kind == HASHLINE_REPLACE;
    bool is_b_replacing = b->op->kind == HASHLINE_REPLACE;
    return order != 0 ? order : is_a_replacing - is_b_replacing;
}

static void append_payload(GArray *out, const HashlinePiece *piece)
{
    for (size_t i = piece->from; i < piece->to; i++) {
        const char *text = piece->op->payload->pdata[i];
        const TextLine line = { text, strlen(text) };
        g_array_append_val(out, line);
    }
}

/* Puts pieces at the beginning and the end; a text that is one empty line is nothing to be put
 * beside. */
static void add_ends(GArray *out, const GArray *begin, const GArray *end)
{
    bool is_one_empty_line = out->len == 1 && text_line_at(out, 0)->size == 0;
    if ((begin->len > 0 || end->len > 0) && is_one_empty_line)
        g_array_set_size(out, 0);
    g_array_prepend_vals(out, begin->data, begin->len);
    g_array_insert_vals(out, (unsigned)end_of(out), end->data, end->len);
}

/* Pieces at one place keep the order in which they were asked for: the sort is stable. */
static char *hashline_apply_build(const GArray *lines, GArray *pieces, GArray *newlines)
{
    g_autoptr(GArray) out = g_array_new(FALSE, FALSE, sizeof(TextLine));
    g_autoptr(GArray) begin = g_array_new(FALSE, FALSE, sizeof(TextLine));
    g_autoptr(GArray) end = g_array_new(FALSE, FALSE, sizeof(TextLine));
    size_t next = 0; // the first line that is neither kept nor replaced yet
    g_array_sort(pieces, compare_pieces);
    for (unsigned i = 0; i < pieces->len; i++) {
        const HashlinePiece *piece = &g_array_index(pieces, HashlinePiece, i);
        if (is_end_piece(lines, piece)) {
            append_payload(piece->op->first.number == HASHLINE_BOF ? begin : end, piece);
            continue;
        }
        text_lines_append(out, lines, next, piece->above);
        append_payload(out, piece);
        next = MAX(next, piece->below);
    }
    text_lines_append(out, lines, next, lines->len);
    add_ends(out, begin, end);
    return text_lines_join(out, text_line_at(lines, 0)->text, newlines);
}

char *hashline_apply(const GArray *lines, const GPtrArray *ops, bool drops_runs,
                     GPtrArray *warnings, GArray *newlines)
{
    g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(HashlinePiece));
    for (unsigned i = 0; i < ops->len; i++) {
        const HashlinePiece piece = piece_of(lines, op_at(ops, i));
        g_array_append_val(pieces, piece);
    }
    hashline_repair(lines, pieces, drops_runs, warnings);
    return hashline_apply_build(lines, pieces, newlines);
}
