/* See hashline_repair.h. */
#include "tools/edit/hashline_repair.h"

enum { MIN_RUN = 2, MAX_RUN = 500, BRACKET_KINDS = 3 };

typedef struct Balance { // of each kind of brackets: opened less closed
    int open[BRACKET_KINDS];
} Balance;

static void balance_add(Balance *self, const char *text, size_t size)
{
    static const char opening[] = "([{", closing[] = ")]}";
    for (size_t i = 0; i < size; i++)
        for (int kind = 0; kind < BRACKET_KINDS; kind++)
            self->open[kind] += (text[i] == opening[kind]) - (text[i] == closing[kind]);
}

static Balance balance_of_payload(const HashlinePiece *piece, size_t from, size_t to)
{
    Balance balance = { 0 };
    for (size_t i = from; i < to; i++) {
        const char *line = piece->op->payload->pdata[i];
        balance_add(&balance, line, strlen(line));
    }
    return balance;
}

static Balance balance_of_lines(const GArray *lines, const HashlinePiece *piece)
{
    Balance balance = { 0 };
    for (size_t i = piece->above; i < piece->below; i++)
        balance_add(&balance, text_line_at(lines, i)->text, text_line_at(lines, i)->size);
    return balance;
}

static bool is_same_balance(const Balance *a, const Balance *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* `});` and the like. */
static bool is_closing(const char *line)
{
    line += strspn(line, " \t\r\f\v");
    size_t brackets = strspn(line, "])}");
    line += brackets;
    line += *line == ';' || *line == ',';
    return brackets > 0 && line[strspn(line, " \t\r\f\v")] == '\0';
}

typedef struct Repair {
    const GArray *lines;
    guint *owners; // for each line: number of the piece that names it, from 1; 0: none
    bool drops_runs;
    GPtrArray *warnings;
} Repair;

/* May piece `number` find the lines [from, to) in its payload? */
static bool is_free(const Repair *self, guint number, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (self->owners[i] != 0 && self->owners[i] != number)
            return false;
    return true;
}

static bool is_equal_run(const Repair *self, const HashlinePiece *piece, size_t payload_at,
                         size_t line_at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!text_line_is(text_line_at(self->lines, line_at + i),
                          piece->op->payload->pdata[payload_at + i]))
            return false;
    return true;
}

/* Without this one line the brackets are as before, with it they are not. */
static bool is_stray_bracket(const Repair *self, const HashlinePiece *piece, bool is_leading)
{
    size_t from = piece->from + (is_leading ? 1 : 0), to = piece->to - (is_leading ? 0 : 1);
    // what is all of the payload is no repetition, it is what is wanted
    if (from >= to || !is_closing(piece->op->payload->pdata[is_leading ? piece->from : to]))
        return false;
    Balance wanted = balance_of_lines(self->lines, piece);
    Balance whole = balance_of_payload(piece, piece->from, piece->to);
    Balance less = balance_of_payload(piece, from, to);
    return is_same_balance(&less, &wanted) && !is_same_balance(&whole, &wanted);
}

/* The longest run at one end of the payload that the lines beside the place are. */
static size_t count_repeated(const Repair *self, const HashlinePiece *piece, guint number,
                             bool is_leading)
{
    bool is_insertion = piece->op->kind != HASHLINE_REPLACE;
    size_t beside = is_leading ? piece->above : self->lines->len - piece->below;
    size_t count = MIN(MIN(piece->to - piece->from, beside), MAX_RUN);
    for (; count > 0; count--) {
        size_t line_at = is_leading ? piece->above - count : piece->below;
        size_t payload_at = is_leading ? piece->from : piece->to - count;
        bool is_wanted = count >= MIN_RUN ? !is_insertion || self->drops_runs
                                          : is_stray_bracket(self, piece, is_leading);
        if (is_wanted && is_equal_run(self, piece, payload_at, line_at, count) &&
            is_free(self, number, line_at, line_at + count))
            return count;
    }
    return 0;
}

static void repair_warn(Repair *self, const HashlinePiece *piece, bool is_leading, size_t first,
                        size_t count)
{
    bool is_insertion = piece->op->kind != HASHLINE_REPLACE;
    const char *end = is_leading ? "leading" : "trailing";
    size_t at = piece->op->body_line;
    g_ptr_array_add(
        self->warnings,
        is_insertion
            ? g_strdup_printf("Auto-dropped %zu duplicate line(s) at the %s of insert at line %zu "
                              "(file lines %zu..%zu already match the payload's %s lines).",
                              count, is_leading ? "start" : "end", at, first, first + count - 1,
                              end)
            : g_strdup_printf("Auto-absorbed %zu duplicate line(s) %s replacement at line %zu "
                              "(file lines %zu..%zu matched the payload's %s lines; widened the "
                              "deletion to absorb them).",
                              count, is_leading ? "above" : "below", at, first, first + count - 1,
                              end));
}

static void repair_end(Repair *self, HashlinePiece *piece, guint number, bool is_leading)
{
    size_t count = count_repeated(self, piece, number, is_leading);
    if (count == 0)
        return;
    size_t line_at = is_leading ? piece->above - count : piece->below;
    for (size_t i = line_at; i < line_at + count; i++)
        self->owners[i] = number;
    repair_warn(self, piece, is_leading, line_at + 1, count);
    if (is_leading)
        piece->from += count;
    else
        piece->to -= count;
}

/* The lines that each piece names: its range, or the line that it is put beside. */
static guint *owners_of(const GArray *lines, const GArray *pieces)
{
    guint *owners = g_new0(guint, lines->len + 1);
    for (guint number = pieces->len; number > 0; number--) {
        const HashlinePiece *piece = &g_array_index(pieces, HashlinePiece, number - 1);
        size_t from = piece->above, to = piece->below;
        if (piece->op->kind != HASHLINE_REPLACE) {
            from = piece->op->first.number - 1;
            to = from < lines->len ? from + 1 : 0; // BOF and EOF name none
        }
        for (size_t i = from; i < to; i++)
            owners[i] = owners[i] == 0 ? number : G_MAXUINT;
    }
    return owners;
}

void hashline_repair(const GArray *lines, GArray *pieces, bool drops_runs, GPtrArray *warnings)
{
    g_autofree guint *owners = owners_of(lines, pieces);
    Repair repair = { lines, owners, drops_runs, warnings };
    for (guint i = 0; i < pieces->len; i++) {
        HashlinePiece *piece = &g_array_index(pieces, HashlinePiece, i);
        if (piece->to == piece->from)
            continue; // a deletion
        repair_end(&repair, piece, i + 1, true);
        repair_end(&repair, piece, i + 1, false);
    }
}
