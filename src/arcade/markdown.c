/*
 * md4c's callbacks for blocks, and the whole document (markdown.h).
 */
#include "arcade/markdown.h"

#include "agenttools/mermaid/mmd.h"
#include "arcade/markdown_html.h"
#include "arcade/markdown_link.h"
#include "arcade/markdown_raw.h"
#include "arcade/markdown_spans.h"
#include "base/str.h"
#include "base/yaml.h"

#define FRONT_MATTER_BYTES ((size_t)64 * 1024)

// ---- blocks ----

static void begin_code(Html *self, const MD_BLOCK_CODE_DETAIL *detail)
{
    // one class, whatever a decoded entity stands for
    g_autofree char *language = g_strdelimit(link_text(&detail->lang), " \t\r\n\f", '-');
    html_begin_block(self, "pre");
    html_put(self, "><code");
    if (language[0]) {
        g_autofree char *class = g_strconcat("language-", language, NULL);
        html_attribute(self->out, "class", class);
    }
    html_put(self, ">");
    bool is_mermaid = str_equal_nocase(language, "mermaid");
    self->is_in_code = true;
    self->code = (CodeBlock) { .is_fenced = detail->fence_char != 0,
                               .diagram = is_mermaid ? g_string_new(NULL) : NULL };
    // the info is on the fence's line, unless it had to be decoded
    self->code.fence_line = detail->info.size > 0 ? lines_at(self->lines, detail->info.text) : 0;
}

/* The line of the opening fence; 0 for an indented block. */
static size_t place_fences(Html *self)
{
    const CodeBlock *code = &self->code;
    if (!code->is_fenced)
        return 0;
    size_t opening = code->fence_line       ? code->fence_line
                     : code->first_line > 1 ? code->first_line - 1
                                            : lines_add_fence(self->lines);
    size_t closing = opening + code->line_count + 1;
    if (!lines_is_fence(self->lines, closing))
        closing--; // the document, or what is around, ended first
    lines_add(self->lines, (Span) { opening, closing });
    return opening;
}

/* Attributes for the page's badge. Caller frees. */
static char *check_diagram(const GString *diagram, size_t fence_line)
{
    g_auto(MmdVerdict) verdict = { 0 };
    mmd_check(diagram->str, diagram->len, &verdict);
    GString *attributes = g_string_new(NULL);
    if (verdict.errors->len == 0) {
        html_attribute(attributes, "data-mermaid", "valid");
        return g_string_free(attributes, FALSE);
    }
    const MmdError *first = verdict.errors->pdata[0];
    html_attribute(attributes, "data-mermaid", "invalid");
    g_string_append_printf(attributes, " data-mermaid-line=\"%zu\"", fence_line + first->line);
    html_attribute(attributes, "data-mermaid-message", first->message);
    return g_string_free(attributes, FALSE);
}

static void end_code(Html *self)
{
    size_t fence_line = place_fences(self);
    char *attributes = self->code.diagram ? check_diagram(self->code.diagram, fence_line) : NULL;
    html_end_block(self, attributes);
    html_put(self, "</code></pre>\n");
    if (self->code.diagram)
        g_string_free(self->code.diagram, TRUE);
    self->code = (CodeBlock) { 0 };
    self->is_in_code = false;
}

static void begin_item(Html *self, const MD_BLOCK_LI_DETAIL *detail)
{
    html_begin_block(self, "li");
    if (!detail->is_task) {
        html_put(self, ">");
        return;
    }
    bool is_done = detail->task_mark != ' ';
    html_put(self, " class=\"task\"><input type=\"checkbox\" disabled");
    html_put(self, is_done ? " checked aria-label=\"done\"> " : " aria-label=\"not done\"> ");
}

static void begin_cell(Html *self, const char *tag, const MD_BLOCK_TD_DETAIL *detail)
{
    static const char *const classes[] = { "", " class=\"left\"", " class=\"center\"",
                                           " class=\"right\"" };
    g_string_append_printf(self->out, "<%s%s>", tag, classes[detail->align]);
}

static void begin_heading(Html *self, const MD_BLOCK_H_DETAIL *detail)
{
    const char tag[] = { 'h', (char)('0' + CLAMP(detail->level, 1, 6)), '\0' };
    html_begin_block(self, tag);
    html_put(self, ">");
    self->heading = g_string_new(NULL);
}

/* The second heading of a name gets -1, the third -2, as links to them say. */
static char *unique_slug(Html *self, const char *heading)
{
    g_autofree char *slug = heading_slug(heading);
    unsigned used = GPOINTER_TO_UINT(g_hash_table_lookup(self->slugs, slug));
    char *id = used ? g_strdup_printf("%s-%u", slug, used) : g_strdup(slug);
    g_hash_table_insert(self->slugs, g_steal_pointer(&slug), GUINT_TO_POINTER(used + 1));
    return id;
}

static void end_heading(Html *self, const MD_BLOCK_H_DETAIL *detail)
{
    g_autofree char *slug = unique_slug(self, self->heading->str);
    g_autofree char *id = g_strconcat(HEADING_ID_PREFIX, slug, NULL);
    GString *attributes = g_string_new(NULL);
    html_attribute(attributes, "id", id);
    html_end_block(self, g_string_free(attributes, FALSE));
    g_string_append_printf(self->out, "</h%u>\n", CLAMP(detail->level, 1, 6));
    g_string_free(g_steal_pointer(&self->heading), TRUE);
}

static void begin_list(Html *self, const MD_BLOCK_OL_DETAIL *detail)
{
    html_begin_block(self, "ol");
    if (detail->start != 1)
        g_string_append_printf(self->out, " start=\"%u\"", detail->start);
    html_put(self, ">\n");
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *html)
{
    static const char *const tags[] = {
        [MD_BLOCK_QUOTE] = "blockquote", [MD_BLOCK_UL] = "ul", [MD_BLOCK_P] = "p",
        [MD_BLOCK_TABLE] = "table",      [MD_BLOCK_TR] = "tr",
    };
    Html *self = html;
    html_end_spans(self);
    switch (type) {
    case MD_BLOCK_DOC:
        lines_enter(self->lines);
        break;
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_P:
    case MD_BLOCK_TABLE:
    case MD_BLOCK_TR:
        html_begin_block(self, tags[type]);
        html_put(self, ">");
        break;
    case MD_BLOCK_OL:
        begin_list(self, detail);
        break;
    case MD_BLOCK_LI:
        begin_item(self, detail);
        break;
    case MD_BLOCK_HR:
        html_begin_block(self, "hr");
        html_put(self, ">\n");
        lines_add_rule(self->lines);
        break;
    case MD_BLOCK_H:
        begin_heading(self, detail);
        break;
    case MD_BLOCK_CODE:
        begin_code(self, detail);
        break;
    case MD_BLOCK_HTML:
        raw_begin(self);
        break;
    case MD_BLOCK_THEAD:
        html_put(self, "<thead>");
        break;
    case MD_BLOCK_TBODY:
        html_put(self, "<tbody>");
        break;
    case MD_BLOCK_TH:
        begin_cell(self, "th", detail);
        break;
    case MD_BLOCK_TD:
        begin_cell(self, "td", detail);
        break;
    }
    return html_state(self);
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *html)
{
    static const char *const ends[] = {
        [MD_BLOCK_QUOTE] = "</blockquote>\n",
        [MD_BLOCK_UL] = "</ul>\n",
        [MD_BLOCK_OL] = "</ol>\n",
        [MD_BLOCK_LI] = "</li>\n",
        [MD_BLOCK_HR] = "",
        [MD_BLOCK_P] = "</p>\n",
        [MD_BLOCK_TABLE] = "</table>\n",
        [MD_BLOCK_THEAD] = "</thead>\n",
        [MD_BLOCK_TBODY] = "</tbody>\n",
        [MD_BLOCK_TR] = "</tr>\n",
        [MD_BLOCK_TH] = "</th>",
        [MD_BLOCK_TD] = "</td>",
    };
    Html *self = html;
    html_end_spans(self);
    if (type == MD_BLOCK_DOC || type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI)
        raw_end_details(self);
    switch (type) {
    case MD_BLOCK_DOC:
        lines_leave(self->lines);
        break;
    case MD_BLOCK_HTML:
        raw_end(self);
        break;
    case MD_BLOCK_H:
        end_heading(self, detail);
        break;
    case MD_BLOCK_CODE:
        end_code(self);
        break;
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
    case MD_BLOCK_LI:
    case MD_BLOCK_HR:
    case MD_BLOCK_P:
    case MD_BLOCK_TABLE:
    case MD_BLOCK_TR:
        html_end_block(self, NULL);
        html_put(self, ends[type]);
        break;
    case MD_BLOCK_THEAD:
        lines_add_any(self->lines); // the row of dashes, which has no text
        html_put(self, ends[type]);
        break;
    case MD_BLOCK_TBODY:
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        html_put(self, ends[type]);
        break;
    }
    return html_state(self);
}

// ---- the whole ----

/* How much of the text is front matter: lines of a YAML mapping between --- and --- or `...`; 0:
 * none. */
static size_t front_matter_size(const char *text, size_t size)
{
    const char *end = text + MIN(size, FRONT_MATTER_BYTES);
    const char *first = memchr(text, '\n', (size_t)(end - text));
    if (!first || !(str_has_prefix(text, "---\n") || str_has_prefix(text, "---\r\n")))
        return 0;
    for (const char *line = first + 1; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((next ? next : end) - line);
        if (length > 0 && line[length - 1] == '\r')
            length--;
        if (length == 3 && (memcmp(line, "---", 3) == 0 || memcmp(line, "...", 3) == 0)) {
            g_autoptr(json_t) value = NULL;
            size_t inside = (size_t)(line - first - 1);
            bool is_mapping = yaml_parse(first + 1, inside, "front matter", &value, NULL) &&
                              json_is_object(value);
            return is_mapping ? (size_t)((next ? next + 1 : end) - text) : 0;
        }
        if (!next)
            break;
        line = next + 1;
    }
    return 0;
}

/* Returns where the document begins. */
static const char *put_front_matter(Html *self, const char *text, size_t size)
{
    size_t length = front_matter_size(text, size);
    if (length == 0)
        return text;
    size_t trimmed = length;
    while (trimmed > 0 && (text[trimmed - 1] == '\n' || text[trimmed - 1] == '\r'))
        trimmed--;
    lines_enter(self->lines);
    html_begin_block(self, "pre");
    html_put(self, " class=\"front-matter\"><code class=\"language-yaml\">");
    lines_add_text(self->lines, text, trimmed);
    html_escape(self->out, text, trimmed);
    html_end_block(self, NULL);
    html_put(self, "</code></pre>\n");
    lines_leave(self->lines);
    return text + length;
}

/* The text of a footnote, a part at a time, and the way back. */
static int put_note(Html *self, const MD_PARSER *parser, const char *whole, const Note *note)
{
    html_begin_block(self, "li");
    g_string_append_printf(self->out, " id=\"md-fn-%u\">", note->number);
    lines_add(self->lines, (Span) { note->first_line, note->first_line });
    int status = 0;
    for (unsigned i = 0; i < note->parts->len && status == 0; i++) {
        const NotePart *part = &g_array_index(note->parts, NotePart, i);
        status = md_parse(whole + part->from, (MD_SIZE)(part->to - part->from), parser, self);
    }
    g_string_append_printf(self->out,
                           "<a class=\"footnote-back\" href=\"#md-fnref-%u\" aria-label=\"Back to "
                           "the text\"></a>",
                           note->number);
    html_end_block(self, NULL);
    html_put(self, "</li>\n");
    return status;
}

static int put_notes(Html *self, const MD_PARSER *parser, const char *whole)
{
    notes_number_rest(self->notes);
    if (self->notes->numbered->len == 0)
        return 0;
    int status = 0;
    lines_enter(self->lines);
    html_put(self, "<section class=\"footnotes\" aria-label=\"Footnotes\"><ol>\n");
    for (unsigned i = 0; i < self->notes->numbered->len && status == 0; i++)
        status = put_note(self, parser, whole, self->notes->numbered->pdata[i]);
    html_put(self, "</ol></section>\n");
    lines_leave(self->lines);
    return status;
}

/* It may hold a NUL. */
static char *copy_of(const char *text, size_t size)
{
    char *copy = g_malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

bool markdown_to_html(const char *text, size_t size, char **ret_html, GError **error)
{
    static const MD_PARSER parser = {
        .flags = MD_DIALECT_GITHUB,
        .enter_block = on_enter_block,
        .leave_block = on_leave_block,
        .enter_span = html_enter_span,
        .leave_span = html_leave_span,
        .text = html_add_text,
    };
    g_autofree char *whole = copy_of(text, size);
    g_autofree char *body =
        copy_of(text, size); // without the footnotes; all else stays in its place
    g_auto(Html) html = { 0 };
    html_init(&html, size);
    html.notes = notes_take(body, whole, size);
    html.lines = lines_new(body, size);
    const char *end = body + size;
    const char *start = str_has_prefix(body, "\xef\xbb\xbf") ? body + 3 : body;
    start = put_front_matter(&html, start, (size_t)(end - start));
    int status = md_parse(start, (MD_SIZE)(end - start), &parser, &html);
    if (status == 0 && html.notes->list->len > 0) {
        lines_free(html.lines);
        html.lines = lines_new(whole, size);
        status = put_notes(&html, &parser, whole);
    }
    if (status < 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "the Markdown cannot be parsed");
    if (status > 0)
        return fail_with(error, KEDGE_ERROR_LIMIT, "the document is too large to be rendered");
    *ret_html = html_finish(&html);
    return true;
}
