/* See markdown_notes.h. */
#include "arcade/markdown_notes.h"

#include <string.h>

#define LABEL_BYTES 200
#define TAB_COLUMNS 4

static void note_free(void *self_)
{
    Note *self = self_;
    g_free(self->label);
    g_array_unref(self->parts);
    g_free(self);
}

/* Size of "[^label]" at the start; 0: there is none. */
static size_t reference_size(const char *text, size_t size)
{
    if (size < 4 || text[0] != '[' || text[1] != '^')
        return 0;
    for (size_t i = 2; i < MIN(size, LABEL_BYTES); i++) {
        if (text[i] == ']')
            return i > 2 ? i + 1 : 0;
        if (g_ascii_isspace(text[i]) || text[i] == '[' || text[i] == '\0')
            return 0;
    }
    return 0;
}

static char *label_of(const char *reference, size_t size)
{
    g_autofree char *label = g_strndup(reference + 2, size - 3);
    return g_utf8_casefold(label, -1);
}

typedef struct Line {
    size_t from, to, next; // `to` without the line's end
    size_t indent;         // in columns
    size_t text;           // behind the indentation
} Line;

static Line line_at(const char *text, size_t size, size_t from)
{
    const char *end = memchr(text + from, '\n', size - from);
    Line line = { .from = from,
                  .to = end ? (size_t)(end - text) : size,
                  .next = end ? (size_t)(end - text) + 1 : size };
    if (line.to > from && text[line.to - 1] == '\r')
        line.to--;
    line.text = from;
    for (; line.text < line.to && (text[line.text] == ' ' || text[line.text] == '\t'); line.text++)
        line.indent += text[line.text] == '\t' ? TAB_COLUMNS : 1;
    return line;
}

typedef struct Scan {
    const char *text;
    size_t size;
    size_t number; // of the line
    char fence;    // 0: in none
    Note *note;    // whose lines go on; NULL: none
    bool after_blank;
} Scan;

static bool is_fence_line(Scan *self, const Line *line)
{
    char mark = line->text < line->to ? self->text[line->text] : '\0';
    bool is_fence = (mark == '`' || mark == '~') && line->to - line->text >= 3 &&
                    self->text[line->text + 1] == mark && self->text[line->text + 2] == mark;
    if (!is_fence || (self->fence && self->fence != mark))
        return false;
    self->fence = self->fence ? '\0' : mark;
    return true;
}

static void add_part(Note *note, size_t from, size_t to, bool is_new)
{
    if (from == to)
        return;
    if (!is_new && note->parts->len > 0) {
        g_array_index(note->parts, NotePart, note->parts->len - 1).to = to;
        return;
    }
    const NotePart part = { from, to };
    g_array_append_val(note->parts, part);
}

/* The note that a line defines; NULL: none. */
static Note *notes_define(Notes *self, const Scan *scan, const Line *line)
{
    size_t size = reference_size(scan->text + line->text, line->to - line->text);
    if (size == 0 || line->indent >= TAB_COLUMNS || line->text + size >= line->to ||
        scan->text[line->text + size] != ':' || self->list->len >= NOTES_MAX)
        return NULL;
    g_autofree char *label = label_of(scan->text + line->text, size);
    if (g_hash_table_contains(self->by_label, label))
        return NULL;
    Note *note = g_new0(Note, 1);
    note->label = g_steal_pointer(&label);
    note->first_line = scan->number;
    note->parts = g_array_new(FALSE, FALSE, sizeof(NotePart));
    g_ptr_array_add(self->list, note);
    g_hash_table_insert(self->by_label, note->label, note);
    size_t from = line->text + size + 1;
    while (from < line->to && (scan->text[from] == ' ' || scan->text[from] == '\t'))
        from++;
    add_part(note, from, line->to, true);
    return note;
}

/* Does the line belong to a footnote? */
static bool takes_line(Notes *self, Scan *scan, const Line *line)
{
    bool is_blank = line->text == line->to;
    if (scan->note && is_blank) {
        scan->after_blank = true;
        return true;
    }
    if (scan->note && line->indent >= TAB_COLUMNS) {
        add_part(scan->note, line->text, line->to, scan->after_blank);
        scan->after_blank = false;
        return true;
    }
    bool is_fence = is_fence_line(scan, line);
    if (!is_fence && !scan->fence) {
        Note *note = notes_define(self, scan, line);
        if (note) {
            scan->note = note;
            scan->after_blank = false;
            return true;
        }
        if (scan->note && !scan->after_blank) { // a paragraph goes on without indentation
            add_part(scan->note, line->text, line->to, false);
            return true;
        }
    }
    scan->note = NULL;
    return false;
}

Notes *notes_take(char *text, const char *whole, size_t size)
{
    Notes *self = g_new0(Notes, 1);
    self->list = g_ptr_array_new_with_free_func(note_free);
    self->by_label = g_hash_table_new(g_str_hash, g_str_equal);
    self->numbered = g_ptr_array_new();
    if (!g_strstr_len(whole, (gssize)size, "[^"))
        return self;
    Scan scan = { .text = whole, .size = size };
    for (size_t from = 0; from < size;) {
        Line line = line_at(whole, size, from);
        scan.number++;
        if (takes_line(self, &scan, &line))
            memset(text + line.from, ' ', line.to - line.from);
        from = line.next;
    }
    return self;
}

void notes_free(Notes *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->list);
    g_ptr_array_unref(self->numbered);
    g_hash_table_unref(self->by_label);
    g_free(self);
}

static bool number_it(Notes *self, Note *note)
{
    if (note->number > 0)
        return false;
    g_ptr_array_add(self->numbered, note);
    note->number = self->numbered->len;
    return true;
}

const Note *notes_refer(Notes *self, const char *text, size_t size, size_t *ret_size,
                        bool *ret_is_first)
{
    size_t length = self->list->len > 0 ? reference_size(text, size) : 0;
    if (length == 0)
        return NULL;
    g_autofree char *label = label_of(text, length);
    Note *note = g_hash_table_lookup(self->by_label, label);
    if (!note)
        return NULL;
    *ret_size = length;
    *ret_is_first = number_it(self, note);
    return note;
}

void notes_number_rest(Notes *self)
{
    for (unsigned i = 0; i < self->list->len; i++)
        number_it(self, self->list->pdata[i]);
}
