/* See md_leaf.h. */
#include "tui/text/md_leaf.h"

#include "tui/text/width.h"

#include <string.h>

#define OPEN_ROWS      3  // that a span may go on without its end
#define BYTES_PER_CELL 8  // at most, of what is open
#define RULE_CELLS     60 // a longer one is wrapped when the window gets narrower

void md_doc_init(MdDoc *self, Style style, bool has_links)
{
    *self = (MdDoc) { .style = style, .has_links = has_links };
    self->flow.mark_style = style;
    self->raw = g_string_new(NULL);
    self->definitions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

void md_doc_init_copy(MdDoc *self, const MdDoc *like)
{
    *self = *like;
    md_flow_init(&self->flow, &like->flow);
    self->raw = g_string_new_len(like->raw->str, (gssize)like->raw->len);
    self->definitions = g_hash_table_ref(like->definitions);
    self->code.opening = g_strdup(like->code.opening);
    self->code.held = like->code.held ? g_string_new(like->code.held->str) : NULL;
    self->table = NULL;
}

static void clear_code(MdDoc *self)
{
    g_free(self->code.opening);
    if (self->code.held)
        g_string_free(self->code.held, TRUE);
    self->code = (MdCode) { 0 };
}

void md_doc_clear(MdDoc *self)
{
    md_flow_clear(&self->flow);
    clear_code(self);
    md_table_free(self->table);
    g_string_free(self->raw, TRUE);
    g_hash_table_unref(self->definitions);
}

static Style text_style(const MdDoc *self)
{
    Style style = self->style;
    for (unsigned i = 0; i < self->flow.depth; i++)
        if (!self->flow.containers[i].is_item)
            style.fg = TOKEN_MD_QUOTE;
    return style;
}

static MdInline inline_spec(MdDoc *self, Style style)
{
    return (MdInline) { .style = style,
                        .has_links = self->has_links,
                        .definitions = self->definitions,
                        .parsed_bytes = &self->parsed_bytes };
}

// ---- paragraphs ----

/* The first `size` bytes of what was not laid out. */
static void lay_out(MdDoc *self, size_t size, Style style)
{
    const MdInline spec = inline_spec(self, style);
    g_autoptr(GPtrArray) lines = rows_new();
    md_inline_rows(&spec, self->raw->str, size, lines);
    for (unsigned i = 0; i < lines->len; i++) {
        if (i > 0)
            md_flow_end_line(&self->flow, false);
        md_flow_add(&self->flow, lines->pdata[i], false);
    }
    g_string_erase(self->raw, 0, (gssize)size);
}

static int measure_part(MdDoc *self, size_t from, size_t to)
{
    self->parsed_bytes += to - from;
    return text_cells(self->raw->str + from, to - from);
}

/* Each byte is measured once when it comes, and once when it goes. */
static int measure_open(MdDoc *self, size_t from, size_t to)
{
    MdMeasure *open = &self->open;
    if (open->from > from || open->to < from || open->to > to)
        *open = (MdMeasure) { from, from, 0 };
    open->cells -= measure_part(self, open->from, from);
    open->cells += measure_part(self, open->to, to);
    open->from = from;
    open->to = to;
    return open->cells;
}

/* What is open has gone on for three rows. The address of a link is not shown as text, so it does
   not count. */
static bool is_endless(MdDoc *self, size_t from, int room)
{
    size_t end = self->spans.address > from ? self->spans.address : self->raw->len;
    size_t most = (size_t)room * OPEN_ROWS;
    return measure_open(self, from, end) > (int)most || end - from > most * BYTES_PER_CELL;
}

void md_settle_paragraph(MdDoc *self)
{
    int room = md_flow_room(&self->flow);
    size_t open = 0;
    bool is_changed = true;
    while (is_changed) {
        self->parsed_bytes += self->raw->len - self->spans.at;
        md_spans_scan(&self->spans, self->raw->str, self->raw->len);
        is_changed = md_spans_first_open(&self->spans, self->raw->len, &open) &&
                     is_endless(self, open, room);
        if (is_changed)
            md_spans_drop_first(&self->spans, self->raw->str, self->raw->len);
    }
    size_t safe = self->spans.safe;
    size_t carried = self->flow.carry ? (size_t)self->flow.carry->cells : 0;
    if (carried + safe <= (size_t)room)
        return; // it is the last row, whatever it holds
    md_spans_take_safe(&self->spans);
    if (self->open.from < safe)
        self->open = (MdMeasure) { 0 };
    else
        self->open = (MdMeasure) { self->open.from - safe, self->open.to - safe, self->open.cells };
    lay_out(self, safe, text_style(self));
}

/* "<div", "</p", "<!--": lines of HTML stay lines. */
static bool is_html_line(const char *text, size_t size)
{
    if (size < 2 || text[0] != '<' || !(g_ascii_isalpha(text[1]) || strchr("/!?", text[1])))
        return false;
    size_t i = 2;
    while (i < size && g_ascii_isalnum(text[i]))
        i++;
    return i == size || strchr(" >/-", text[i]);
}

static void note_blanks(MdDoc *self, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        self->end_blanks = text[i] == ' ' ? self->end_blanks + 1 : 0;
}

void md_add_text(MdDoc *self, const char *text, size_t size)
{
    g_string_append_len(self->raw, text, (gssize)size);
    note_blanks(self, text, size);
}

void md_begin_paragraph(MdDoc *self, const char *text, size_t size, bool is_lone)
{
    self->leaf = MD_LEAF_PARAGRAPH;
    self->spans = (MdSpans) { 0 };
    self->open = (MdMeasure) { 0 };
    self->is_lone = is_lone;
    self->is_html = is_html_line(text, size);
    self->end_blanks = 0;
    g_string_truncate(self->raw, 0);
    md_add_text(self, text, size);
}

static bool ends_with_backslash(const GString *raw)
{
    size_t count = 0;
    while (count < raw->len && raw->str[raw->len - 1 - count] == '\\')
        count++;
    return count % 2 == 1;
}

void md_add_line(MdDoc *self, const char *text, size_t size)
{
    bool is_html = is_html_line(text, size);
    bool is_break = self->end_blanks >= 2 || self->is_html || is_html;
    if (ends_with_backslash(self->raw)) {
        g_string_truncate(self->raw, self->raw->len - 1);
        is_break = true;
    }
    self->spans.at = MIN(self->spans.at, self->raw->len);
    g_string_append_c(self->raw, is_break ? '\v' : '\n');
    self->is_html = is_html;
    self->is_lone = false;
    self->end_blanks = 0;
    md_add_text(self, text, size);
}

static void end_paragraph(MdDoc *self)
{
    if (self->is_preview) {
        md_spans_scan(&self->spans, self->raw->str, self->raw->len);
        md_spans_close(&self->spans, self->raw);
    }
    lay_out(self, self->raw->len, text_style(self));
    md_flow_end_line(&self->flow, false);
}

static void put_heading(MdDoc *self, unsigned level)
{
    Style style = self->style;
    style.fg = TOKEN_MD_HEADING;
    style.attributes |= STYLE_BOLD;
    style.attributes |= level == 1 ? STYLE_UNDERLINE : level > 2 ? STYLE_ITALIC : 0;
    lay_out(self, self->raw->len, style);
    md_flow_end_line(&self->flow, false);
    self->leaf = MD_LEAF_NONE;
}

void md_add_heading(MdDoc *self, const char *text, size_t size, unsigned level)
{
    g_string_truncate(self->raw, 0);
    g_string_append_len(self->raw, text, (gssize)size);
    put_heading(self, level);
}

void md_make_heading(MdDoc *self, unsigned level)
{
    put_heading(self, level);
}

void md_add_rule(MdDoc *self)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    Style style = self->style;
    style.fg = TOKEN_MD_HR;
    int cells = MIN(md_flow_room(&self->flow), RULE_CELLS);
    for (int i = 0; i < cells; i++)
        row_builder_add(builder, theme_symbol(self->flow.theme, SYMBOL_RULE), -1, style, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    md_flow_put(&self->flow, row);
}

// ---- tables ----

static void put_table_rows(MdDoc *self, bool is_end)
{
    const MdInline spec = inline_spec(self, text_style(self));
    g_autoptr(GPtrArray) rows = rows_new();
    md_table_take(self->table, &spec, self->flow.theme, md_flow_room(&self->flow), is_end, rows);
    for (unsigned i = 0; i < rows->len; i++)
        md_flow_put(&self->flow, rows->pdata[i]);
}

static void end_table(MdDoc *self)
{
    put_table_rows(self, true);
    g_clear_pointer(&self->table, md_table_free);
}

bool md_begin_table(MdDoc *self, const char *delimiter, size_t size)
{
    self->table = md_table_new(self->raw->str, self->raw->len, delimiter, size);
    if (!self->table)
        return false;
    self->leaf = MD_LEAF_TABLE;
    return true;
}

void md_add_table_line(MdDoc *self, const char *text, size_t size)
{
    md_table_add(self->table, text, size);
    put_table_rows(self, false);
}

// ---- code ----

static Style code_style(const MdDoc *self, ThemeToken token)
{
    Style style = self->style;
    style.fg = (uint8_t)token;
    return style;
}

static void put_mark(MdDoc *self, const char *text)
{
    g_autoptr(Row) row = row_of(text, code_style(self, TOKEN_MD_CODE_BLOCK_BORDER));
    g_autoptr(Row) cut = row_cut(row, md_flow_room(&self->flow));
    md_flow_put(&self->flow, cut);
}

void md_begin_code(MdDoc *self, const char *line, size_t size)
{
    clear_code(self);
    self->leaf = line ? MD_LEAF_FENCE : MD_LEAF_INDENTED;
    self->code.is_shown = !line;
    if (!line)
        return;
    const char *info = line + self->fence.count, *end = line + size;
    while (info < end && *info == ' ')
        info++;
    size_t tag_size = 0;
    while (info + tag_size < end && info[tag_size] != ' ')
        tag_size++;
    g_autofree char *tag = g_strndup(info, tag_size);
    g_autofree char *mark = g_strnfill(MIN(self->fence.count, 8), self->fence.mark);
    self->code.opening = g_strconcat(mark, tag, NULL);
    self->code.is_markdown =
        g_ascii_strcasecmp(tag, "markdown") == 0 || g_ascii_strcasecmp(tag, "md") == 0;
    self->code.language = highlight_language(tag);
    if (!self->code.is_markdown) {
        put_mark(self, self->code.opening);
        self->code.is_shown = true;
    }
}

static void put_code(MdDoc *self, const char *text, size_t size)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    highlight_line(self->code.language, &self->code.state, text, size,
                   code_style(self, TOKEN_MD_CODE_BLOCK), builder);
    g_autoptr(Row) row = row_builder_take(builder);
    md_flow_add(&self->flow, row, true);
}

/* All that waits before a line of code. */
static void begin_code_line(MdDoc *self)
{
    MdCode *code = &self->code;
    if (!code->is_shown && !code->is_bare) {
        put_mark(self, code->opening);
        code->is_shown = true;
    }
    for (; code->blank_lines > 0; code->blank_lines--)
        md_flow_end_line(&self->flow, true);
    if (code->held) {
        g_autoptr(GString) held = g_steal_pointer(&code->held);
        put_code(self, held->str, held->len);
        md_flow_end_line(&self->flow, true);
    }
}

static bool is_blank(const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == ' ')
        size--;
    return size == 0;
}

/* A table in a fence that is tagged markdown. True: the line is of one, or waits. */
static bool take_in_table(MdDoc *self, const char *text, size_t size)
{
    MdCode *code = &self->code;
    bool has_bar = memchr(text, '|', size) != NULL;
    if (self->table && has_bar) {
        md_add_table_line(self, text, size);
        return true;
    }
    if (self->table)
        end_table(self);
    if (code->held) {
        self->table = md_table_new(code->held->str, code->held->len, text, size);
        if (self->table) {
            g_string_free(g_steal_pointer(&code->held), TRUE);
            code->is_bare |= !code->is_shown;
            for (; code->blank_lines > 0; code->blank_lines--)
                md_flow_end_line(&self->flow, true);
            return true;
        }
        begin_code_line(self);
    }
    if (has_bar)
        code->held = g_string_new_len(text, (gssize)size);
    return has_bar;
}

void md_add_code_line(MdDoc *self, const char *text, size_t size)
{
    if (self->code.is_markdown && take_in_table(self, text, size))
        return;
    if (self->code.is_bare && is_blank(text, size)) {
        self->code.blank_lines = 1;
        return;
    }
    begin_code_line(self);
    put_code(self, text, size);
    md_flow_end_line(&self->flow, true);
}

void md_add_code_text(MdDoc *self, const char *text, size_t size)
{
    if (self->table)
        end_table(self);
    begin_code_line(self);
    put_code(self, text, size);
}

void md_end_code_line(MdDoc *self)
{
    md_flow_end_line(&self->flow, true);
}

static void end_code(MdDoc *self)
{
    if (self->table)
        end_table(self);
    if (self->leaf == MD_LEAF_INDENTED)
        self->code.blank_lines = 0;
    if (self->code.held || !(self->code.is_bare || self->code.is_shown))
        begin_code_line(self);
}

void md_end_fence(MdDoc *self)
{
    end_code(self);
    g_autofree char *mark = g_strnfill(MIN(self->fence.count, 8), self->fence.mark);
    if (self->code.is_shown)
        put_mark(self, mark);
    clear_code(self);
    self->leaf = MD_LEAF_NONE;
}

// ---- the end of any ----

void md_end_leaf(MdDoc *self)
{
    switch (self->leaf) {
    case MD_LEAF_NONE:
        break;
    case MD_LEAF_PARAGRAPH:
        end_paragraph(self);
        break;
    case MD_LEAF_FENCE:
    case MD_LEAF_INDENTED:
        end_code(self);
        clear_code(self);
        break;
    case MD_LEAF_TABLE:
        end_table(self);
        break;
    }
    self->leaf = MD_LEAF_NONE;
}
