/*
 * Markdown as it arrives, line by line (md_stream.h).
 *
 * The text is taken in units that end after a blank or a line end, or after UNIT_BYTES without
 * one; whatever is decided is decided after a whole unit. So what has settled follows from the text
 * alone, wherever it was cut.
 */
#include "tui/text/md_stream.h"

#include "base/utf8.h"
#include "tui/text/md_leaf.h"

#include <string.h>

#define UNIT_BYTES      256
#define FIRST_BYTES     200 // of a line that begins a block: from there on it is text, if it may be
#define NEXT_BYTES      32  // of a line in a paragraph
#define MAX_DEFINITIONS 1000
#define MAX_BLANK_LINES 100 // in a row, in indented code: further ones are left out

struct MdStream {
    MdDoc doc;
    Utf8Decoder decoder;
    GString *input; // decoded, not taken yet
    GString *line;  // of what is not taken as text yet
    size_t unit_bytes;
    size_t next_try;     // when the line is that long it is looked at
    bool is_line_open;   // its beginning is taken, what follows is more of the same
    bool has_blank_line; // before the line
    bool has_block;
    bool is_after_paragraph;
};

MdStream *md_stream_new(const MdSpec *spec)
{
    MdStream *self = g_new0(MdStream, 1);
    md_doc_init(&self->doc, spec->style, spec->has_links);
    const MdFlow flow = { .width = MAX(spec->width, 1),
                          .theme = spec->theme,
                          .first = (Row *)spec->first,
                          .rest = (Row *)spec->rest,
                          .mark_style = spec->style };
    md_flow_init(&self->doc.flow, &flow);
    self->input = g_string_new(NULL);
    self->line = g_string_new(NULL);
    self->next_try = FIRST_BYTES;
    return self;
}

void md_stream_free(MdStream *self)
{
    if (!self)
        return;
    md_doc_clear(&self->doc);
    g_string_free(self->input, TRUE);
    g_string_free(self->line, TRUE);
    g_free(self);
}

void md_stream_set_width(MdStream *self, int width)
{
    self->doc.flow.width = MAX(width, 1);
}

void md_stream_set_theme(MdStream *self, const Theme *theme)
{
    self->doc.flow.theme = theme;
}

size_t md_stream_parsed_bytes(const MdStream *self)
{
    return self->doc.parsed_bytes + self->doc.flow.laid_bytes;
}

// ---- containers ----

static bool is_sibling(const MdFlow *flow, const MdPlan *plan)
{
    if (plan->added_count == 0 || plan->matched >= flow->depth)
        return false;
    const MdContainer *before = &flow->containers[plan->matched], *next = &plan->added[0];
    return before->is_item && next->is_item && before->mark == next->mark;
}

static bool is_in_item(const MdFlow *flow, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        if (flow->containers[i].is_item)
            return true;
    return false;
}

static bool begins_item(const MdPlan *plan)
{
    for (unsigned i = 0; i < plan->added_count; i++)
        if (plan->added[i].is_item)
            return true;
    return false;
}

/* Lists are tight; else there is an empty row between blocks, unless a list follows its paragraph
   at once. */
static bool is_apart(const MdStream *self, const MdPlan *plan)
{
    const MdFlow *flow = &self->doc.flow;
    bool is_item = plan->added_count > 0 && plan->added[0].is_item;
    if (!self->has_block || is_sibling(flow, plan))
        return false;
    if (is_in_item(flow, plan->matched)) {
        const MdContainer *item = &flow->containers[plan->matched - 1];
        bool is_first = item->is_item && !item->is_marked;
        return self->has_blank_line && !is_item && !is_first;
    }
    return self->has_blank_line || !is_item || !self->is_after_paragraph;
}

static void enter_containers(MdStream *self, const MdPlan *plan)
{
    MdFlow *flow = &self->doc.flow;
    bool is_next = is_sibling(flow, plan);
    unsigned number = is_next ? flow->containers[plan->matched].number + 1 : 0;
    bool has_gap = is_apart(self, plan);
    md_flow_leave(flow, plan->matched);
    if (has_gap)
        md_flow_separate(flow, plan->matched);
    for (unsigned i = 0; i < plan->added_count; i++)
        flow->containers[flow->depth++] = plan->added[i];
    if (is_next)
        flow->containers[plan->matched].number = number;
}

// ---- blocks ----

static void md_stream_define(MdStream *self, const MdPlan *plan)
{
    GHashTable *definitions = self->doc.definitions;
    const char *label;
    size_t size;
    if (self->doc.is_preview || g_hash_table_size(definitions) >= MAX_DEFINITIONS ||
        !md_definition(plan->text, plan->size, &label, &size))
        return;
    char *key = md_definition_key(label, size);
    if (g_hash_table_contains(definitions, key))
        g_free(key); // the first one counts
    else
        g_hash_table_insert(definitions, key, g_strndup(plan->text, plan->size));
}

static void begin_block(MdStream *self, const MdPlan *plan, bool is_whole)
{
    MdDoc *doc = &self->doc;
    bool is_code = plan->kind == MD_LINE_INDENTED;
    enter_containers(self, plan);
    self->has_block = true;
    self->has_blank_line = false;
    self->is_after_paragraph = plan->kind == MD_LINE_TEXT;
    if (plan->kind == MD_LINE_HEADING) {
        md_add_heading(doc, plan->text, plan->size, plan->level);
    } else if (plan->kind == MD_LINE_RULE) {
        md_add_rule(doc);
    } else if (plan->kind == MD_LINE_FENCE) {
        doc->fence = plan->fence;
        md_begin_code(doc, plan->text, plan->size);
    } else if (is_code) {
        md_begin_code(doc, NULL, 0);
        if (is_whole)
            md_add_code_line(doc, plan->text, plan->size);
        else
            md_add_code_text(doc, plan->text, plan->size);
    } else if (plan->kind == MD_LINE_TEXT) {
        md_begin_paragraph(doc, plan->text, plan->size, is_whole);
        if (!is_whole)
            md_settle_paragraph(doc);
    }
}

/* A line that says what the one before it was. */
static bool take_below_lone(MdStream *self, const MdPlan *plan)
{
    MdDoc *doc = &self->doc;
    if (!doc->is_lone || plan->matched < doc->flow.depth || plan->added_count > 0)
        return false;
    unsigned level = md_setext_level(plan->text, plan->size);
    if (level > 0 && plan->kind != MD_LINE_BLANK) {
        md_make_heading(doc, level);
        self->is_after_paragraph = false;
        return true;
    }
    return md_begin_table(doc, plan->text, plan->size);
}

static void take_code(MdStream *self, const MdPlan *plan, bool is_whole)
{
    if (plan->kind == MD_LINE_FENCE_END && is_whole)
        md_end_fence(&self->doc);
    else if (is_whole)
        md_add_code_line(&self->doc, plan->text, plan->size);
    else
        md_add_code_text(&self->doc, plan->text, plan->size);
}

/* True: the line belongs to the leaf that is open. */
static bool go_on(MdStream *self, const MdPlan *plan, bool is_whole)
{
    MdDoc *doc = &self->doc;
    bool is_inside = plan->matched == doc->flow.depth && plan->added_count == 0;
    switch (doc->leaf) {
    case MD_LEAF_NONE:
        return false;
    case MD_LEAF_FENCE:
        if (is_inside && (plan->kind == MD_LINE_CODE || plan->kind == MD_LINE_FENCE_END)) {
            take_code(self, plan, is_whole);
            return true;
        }
        return false;
    case MD_LEAF_INDENTED:
        if (is_inside && plan->kind == MD_LINE_BLANK && is_whole)
            doc->code.blank_lines = MIN(doc->code.blank_lines + 1, MAX_BLANK_LINES);
        else if (is_inside && plan->kind == MD_LINE_INDENTED)
            take_code(self, plan, is_whole);
        else
            return false;
        return true;
    case MD_LEAF_TABLE:
        if (!is_inside || !is_whole || plan->kind != MD_LINE_TEXT ||
            !memchr(plan->text, '|', plan->size))
            return false;
        md_add_table_line(doc, plan->text, plan->size);
        return true;
    case MD_LEAF_PARAGRAPH:
        if (is_whole && take_below_lone(self, plan))
            return true;
        if (plan->kind != MD_LINE_TEXT || plan->added_count > 0)
            return false;
        md_add_line(doc, plan->text, plan->size);
        md_settle_paragraph(doc);
        return true;
    }
    return false;
}

static void plan_line(const MdStream *self, MdPlan *ret_plan)
{
    const MdDoc *doc = &self->doc;
    const MdState state = { .containers = doc->flow.containers,
                            .depth = doc->flow.depth,
                            .leaf = doc->leaf,
                            .fence = doc->fence };
    md_plan_line(&state, self->line->str, self->line->len, ret_plan);
}

/* `is_whole` false: the line goes on, as text or code. */
static void take_line(MdStream *self, bool is_whole)
{
    MdPlan plan;
    plan_line(self, &plan);
    if (!is_whole && plan.kind != MD_LINE_CODE && plan.kind != MD_LINE_INDENTED)
        plan.kind = MD_LINE_TEXT;
    self->doc.parsed_bytes += self->line->len;
    if (!go_on(self, &plan, is_whole)) {
        bool was_indented = self->doc.leaf == MD_LEAF_INDENTED && self->doc.code.blank_lines > 0;
        md_end_leaf(&self->doc);
        self->has_blank_line |= was_indented;
        if (plan.kind == MD_LINE_BLANK && !begins_item(&plan)) {
            md_flow_leave(&self->doc.flow, plan.matched);
            self->has_blank_line = true;
        } else if (plan.kind == MD_LINE_DEFINITION) {
            md_flow_leave(&self->doc.flow, plan.matched);
            md_stream_define(self, &plan);
        } else {
            begin_block(self, &plan, is_whole);
        }
    }
    g_string_truncate(self->line, 0);
}

// ---- lines ----

static void add_to_open_line(MdStream *self)
{
    MdDoc *doc = &self->doc;
    if (doc->leaf == MD_LEAF_PARAGRAPH) {
        md_add_text(doc, self->line->str, self->line->len);
        md_settle_paragraph(doc);
    } else {
        self->doc.parsed_bytes += self->line->len;
        md_add_code_text(doc, self->line->str, self->line->len);
    }
    g_string_truncate(self->line, 0);
}

static void end_line(MdStream *self)
{
    bool was_open = self->is_line_open;
    self->is_line_open = false;
    if (!was_open) {
        take_line(self, true);
    } else {
        add_to_open_line(self);
        if (self->doc.leaf != MD_LEAF_PARAGRAPH)
            md_end_code_line(&self->doc);
    }
    self->next_try = self->doc.leaf == MD_LEAF_PARAGRAPH ? NEXT_BYTES : FIRST_BYTES;
}

/* What a line is shows at its end, but for text: that shows sooner, and in a line that is too long
   for anything else. */
static void end_unit(MdStream *self)
{
    self->unit_bytes = 0;
    bool is_long = self->line->len >= MD_LINE_BYTES;
    if (self->is_line_open) {
        if (self->doc.leaf == MD_LEAF_PARAGRAPH || is_long)
            add_to_open_line(self);
        return;
    }
    if (self->line->len < self->next_try)
        return;
    self->next_try = MIN(self->line->len * 2, MD_LINE_BYTES);
    MdPlan plan;
    plan_line(self, &plan);
    if (is_long || md_plan_is_surely_text(&plan)) {
        take_line(self, false);
        self->is_line_open = true;
    }
}

static void take_input(MdStream *self)
{
    for (size_t i = 0; i < self->input->len; i++) {
        char c = self->input->str[i];
        bool is_control = (unsigned char)c < ' ' || c == 0x7f;
        if (self->unit_bytes >= UNIT_BYTES && ((unsigned char)c & 0xc0) != 0x80)
            end_unit(self);
        self->unit_bytes++;
        if (c == '\n') {
            self->unit_bytes = 0;
            end_line(self);
            continue;
        }
        g_string_append_c(self->line, is_control ? ' ' : c);
        if (c == ' ')
            end_unit(self);
    }
    g_string_truncate(self->input, 0);
}

void md_stream_push(MdStream *self, const char *text, size_t size)
{
    utf8_decoder_push(&self->decoder, text, size, self->input);
    take_input(self);
}

static void end_document(MdStream *self)
{
    if (self->is_line_open || self->line->len > 0)
        end_line(self);
    md_end_leaf(&self->doc);
    md_flow_leave(&self->doc.flow, 0);
}

void md_stream_finish(MdStream *self)
{
    utf8_decoder_finish(&self->decoder, self->input);
    take_input(self);
    end_document(self);
}

// ---- rows ----

static void move_rows(GPtrArray *from, GPtrArray *to)
{
    for (unsigned i = 0; i < from->len; i++)
        g_ptr_array_add(to, row_ref(from->pdata[i]));
    g_ptr_array_set_size(from, 0);
}

void md_stream_take_settled(MdStream *self, GPtrArray *out)
{
    move_rows(self->doc.flow.out, out);
}

/* Marks alone say nothing yet: a dash may begin an item, a rule, or underline a heading. */
static bool has_words(const GString *line)
{
    size_t marks = strspn(line->str, " -=*_+#>|:`~.0123456789");
    return marks < line->len;
}

static void put_last_of_table(const MdStream *self, MdDoc *copy)
{
    const char *line = self->line->len > 0 ? self->line->str : md_table_last_line(self->doc.table);
    g_autoptr(Row) row = row_of(line, self->doc.style);
    g_autoptr(Row) cut = row_cut(row, md_flow_room(&copy->flow));
    md_flow_put(&copy->flow, cut);
}

/* What the text would look like if it ended here. */
void md_stream_open_rows(MdStream *self, GPtrArray *out)
{
    MdStream copy = *self;
    md_doc_init_copy(&copy.doc, &self->doc);
    copy.doc.is_preview = true;
    if (self->doc.table) {
        put_last_of_table(self, &copy.doc);
    } else {
        bool is_shown =
            self->is_line_open || self->doc.leaf == MD_LEAF_FENCE || has_words(self->line);
        copy.line = g_string_new(is_shown ? self->line->str : "");
        end_document(&copy);
        g_string_free(copy.line, TRUE);
    }
    move_rows(copy.doc.flow.out, out);
    md_doc_clear(&copy.doc);
}

void md_rows(const char *text, const MdSpec *spec, GPtrArray *out)
{
    g_autoptr(MdStream) stream = md_stream_new(spec);
    md_stream_push(stream, text, strlen(text));
    md_stream_finish(stream);
    md_stream_take_settled(stream, out);
}
