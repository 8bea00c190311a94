/*
 * Inside the blocks: links, pictures, emphasis, texts (markdown_spans.h).
 */
#include "arcade/markdown_spans.h"

#include "arcade/markdown_link.h"
#include "arcade/markdown_raw.h"

#define MAX_SEARCH 64 // of open spans, for the one that ends

static void put_title(Html *self, const MD_ATTRIBUTE *title)
{
    g_autofree char *text = link_text(title);
    if (text[0])
        html_attribute(self->out, "title", text);
}

/* Leaves the page as it is, and does not tell where it came from. */
static void put_web_link(Html *self, const char *destination)
{
    html_attribute(self->out, "href", destination);
    html_put(self, " target=\"_blank\" rel=\"noopener noreferrer\"");
}

/* What the page needs to make a link of it when it leads to an artifact of the run. */
static void put_local_link(Html *self, const char *destination)
{
    g_autofree char *path = link_path(destination);
    const char *heading = strchr(destination, '#');
    if (!path)
        return;
    html_attribute(self->out, "data-link", path);
    if (heading && heading[1])
        html_attribute(self->out, "data-heading", heading + 1);
}

/* Returns what ends it. */
static const char *begin_link(Html *self, const MD_SPAN_A_DETAIL *detail)
{
    g_autofree char *destination = link_text(&detail->href);
    LinkKind kind = link_kind(destination);
    if (kind == LINK_NONE || kind == LINK_LOCAL) {
        html_put(self, "<span class=\"unlinked\"");
        html_attribute(self->out, "title", destination);
        if (kind == LINK_LOCAL)
            put_local_link(self, destination);
        html_put(self, ">");
        return "</span>";
    }
    html_put(self, "<a");
    if (kind == LINK_PAGE) {
        g_autofree char *id = g_strconcat("#" HEADING_ID_PREFIX, destination + 1, NULL);
        html_attribute(self->out, "href", id);
    } else if (kind == LINK_MAIL) {
        html_attribute(self->out, "href", destination);
        html_put(self, " rel=\"noopener noreferrer\"");
    } else {
        put_web_link(self, destination);
    }
    put_title(self, &detail->title);
    html_put(self, ">");
    return "</a>";
}

static void put_remote_picture(Html *self, const char *destination, const MD_ATTRIBUTE *title)
{
    bool is_in_link = self->links > 0;
    html_put(self, is_in_link ? "<span class=\"picture\"" : "<a class=\"picture\"");
    if (!is_in_link)
        put_web_link(self, destination);
    put_title(self, title);
    html_put(self, ">");
    if (self->alt->len > 0)
        g_string_append_len(self->out, self->alt->str, (gssize)self->alt->len);
    else
        html_escape(self->out, destination, strlen(destination));
    html_put(self, is_in_link ? "</span>" : "</a>");
}

static void put_picture(Html *self, const MD_SPAN_IMG_DETAIL *detail)
{
    g_autofree char *destination = link_text(&detail->src);
    LinkKind kind = link_kind(destination);
    if (kind == LINK_WEB) {
        put_remote_picture(self, destination, &detail->title);
        return;
    }
    g_autofree char *path = kind == LINK_LOCAL ? link_path(destination) : NULL;
    html_put(self, path ? "<img" : "<span class=\"unlinked\"");
    html_attribute(self->out, path ? "data-asset" : "title", path ? path : destination);
    if (path) {
        g_string_append_printf(self->out, " alt=\"%s\"", self->alt->str);
        put_title(self, &detail->title);
        html_put(self, ">");
        return;
    }
    g_string_append_printf(self->out, ">%s</span>", self->alt->str);
}

static void end_innermost(Html *self)
{
    const OpenSpan *span = &g_array_index(self->spans, OpenSpan, self->spans->len - 1);
    html_put(self, span->end);
    self->links -= span->type == MD_SPAN_A;
    g_array_set_size(self->spans, self->spans->len - 1);
}

void html_end_spans(Html *self)
{
    while (self->spans->len > 0)
        end_innermost(self);
    self->picture_depth = 0;
}

/* md4c ends some spans that it never began ("www.a~b ~~c~"); those are not there for us. What is
   still open inside a span ends with it. */
static void end_span(Html *self, MD_SPANTYPE type)
{
    unsigned length = self->spans->len;
    unsigned lowest = length > MAX_SEARCH ? length - MAX_SEARCH : 0;
    for (unsigned i = length; i > lowest; i--)
        if (g_array_index(self->spans, OpenSpan, i - 1).type == type) {
            while (self->spans->len >= i)
                end_innermost(self);
            return;
        }
}

static void begin_span(Html *self, MD_SPANTYPE type, void *detail)
{
    static const struct {
        const char *begin, *end;
    } tags[] = {
        [MD_SPAN_EM] = { "<em>", "</em>" },
        [MD_SPAN_STRONG] = { "<strong>", "</strong>" },
        [MD_SPAN_CODE] = { "<code>", "</code>" },
        [MD_SPAN_DEL] = { "<del>", "</del>" },
        [MD_SPAN_U] = { NULL, NULL }, // the last: others are not asked for
    };
    OpenSpan span = { .type = type, .end = "" };
    if (type == MD_SPAN_A) {
        if (self->links == 0) // links do not nest
            span.end = begin_link(self, detail);
        self->links++;
    } else if (tags[type].begin) {
        html_put(self, tags[type].begin);
        span.end = tags[type].end;
    }
    g_array_append_val(self->spans, span);
}

/* Inside a picture there is only its alternative text. */
int html_enter_span(MD_SPANTYPE type, void *detail, void *html)
{
    Html *self = html;
    if (type == MD_SPAN_IMG && self->picture_depth++ == 0)
        g_string_truncate(self->alt, 0);
    else if (self->picture_depth == 0)
        begin_span(self, type, detail);
    return html_state(self);
}

int html_leave_span(MD_SPANTYPE type, void *detail, void *html)
{
    Html *self = html;
    bool is_picture = type == MD_SPAN_IMG && self->picture_depth > 0;
    if (is_picture && --self->picture_depth == 0)
        put_picture(self, detail);
    else if (self->picture_depth == 0)
        end_span(self, type);
    return html_state(self);
}

/* The line ends of a code block are no part of the document's text. */
static void note_code(Html *self, const char *text, size_t size)
{
    CodeBlock *code = &self->code;
    size_t line = lines_at(self->lines, text);
    if (line > 0 && code->first_line == 0)
        code->first_line = line > code->line_count ? line - code->line_count : 0;
    if (line == 0 && size == 1 && text[0] == '\n')
        code->line_count++;
    if (code->diagram)
        g_string_append_len(code->diagram, text, (gssize)size);
}

/* Goes out as it came in, since every browser knows all of them: it can only stand for text. */
static void put_entity(GString *target, const char *text, size_t size)
{
    bool is_entity = size > 2 && text[0] == '&' && text[size - 1] == ';';
    for (size_t i = 1; is_entity && i < size - 1; i++)
        is_entity = g_ascii_isalnum(text[i]) || text[i] == '#';
    if (is_entity)
        g_string_append_len(target, text, (gssize)size);
    else
        html_escape(target, text, size);
}

/* Text of a paragraph, in which footnotes may be referred to. The number is shown by the page's
   style: it is no text of the document. */
static void put_prose(Html *self, GString *target, const char *text, size_t size)
{
    size_t done = 0;
    for (size_t at = 0; at < size && self->links == 0 && self->picture_depth == 0; at++) {
        size_t length = 0;
        bool is_first = false;
        const Note *note = text[at] == '['
                               ? notes_refer(self->notes, text + at, size - at, &length, &is_first)
                               : NULL;
        if (!note)
            continue;
        html_escape(target, text + done, at - done);
        g_string_append_printf(target, "<sup class=\"footnote\"><a href=\"#md-fn-%u\"",
                               note->number);
        if (is_first)
            g_string_append_printf(target, " id=\"md-fnref-%u\"", note->number);
        g_string_append_printf(target, " data-number=\"%u\" aria-label=\"Footnote %u\"></a></sup>",
                               note->number, note->number);
        done = at + length;
        at = done - 1;
    }
    html_escape(target, text + done, size - done);
}

int html_add_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *html)
{
    Html *self = html;
    bool is_in_picture = self->picture_depth > 0;
    GString *target = is_in_picture ? self->alt : self->out;
    lines_add_text(self->lines, text, size);
    if (self->raw) {
        raw_add(self, text, size);
        return html_state(self);
    }
    if (self->is_in_code)
        note_code(self, text, size);
    switch (type) {
    case MD_TEXT_NULLCHAR:
        g_string_append_unichar(target, 0xfffd);
        break;
    case MD_TEXT_BR:
        g_string_append(target, is_in_picture ? " " : "<br>\n");
        break;
    case MD_TEXT_SOFTBR:
        g_string_append(target, is_in_picture ? " " : "\n");
        break;
    case MD_TEXT_ENTITY:
        put_entity(target, text, size);
        break;
    case MD_TEXT_HTML:
        if (!is_in_picture && raw_is_break(text, size))
            g_string_append(target, "<br>");
        else
            html_escape(target, text, size);
        break;
    case MD_TEXT_NORMAL:
        put_prose(self, target, text, size);
        if (self->heading)
            g_string_append_len(self->heading, text, (gssize)size);
        break;
    default:
        html_escape(target, text, size);
        if (self->heading)
            g_string_append_len(self->heading, text, (gssize)size);
        break;
    }
    return html_state(self);
}
