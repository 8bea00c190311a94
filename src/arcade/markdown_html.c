/*
 * Writing the HTML of a Markdown document (markdown_html.h).
 *
 * The lines of a block are known when it ends, its tag is written when it begins: a Mark remembers
 * where in the tag they belong, and they are put in when all is written.
 */
#include "arcade/markdown_html.h"

#include "arcade/markdown.h"

#define MARK_BYTES 32 // of an attribute, about

void html_init(Html *self, size_t size)
{
    *self = (Html) {
        .out = g_string_sized_new(size + size / 4),
        .marks = g_array_new(FALSE, FALSE, sizeof(Mark)),
        .open = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .slugs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .spans = g_array_new(FALSE, FALSE, sizeof(OpenSpan)),
        .details = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .alt = g_string_new(NULL),
    };
}

void html_clear(Html *self)
{
    for (unsigned i = 0; i < self->marks->len; i++)
        g_free(g_array_index(self->marks, Mark, i).attributes);
    lines_free(self->lines);
    g_string_free(self->out, TRUE);
    g_array_unref(self->marks);
    g_array_unref(self->open);
    g_hash_table_unref(self->slugs);
    g_array_unref(self->spans);
    g_string_free(self->alt, TRUE);
    g_array_unref(self->details);
    notes_free(self->notes);
    if (self->raw)
        g_string_free(self->raw, TRUE);
    if (self->heading)
        g_string_free(self->heading, TRUE);
    if (self->code.diagram)
        g_string_free(self->code.diagram, TRUE);
}

void html_put(Html *self, const char *text)
{
    g_string_append(self->out, text);
}

int html_state(const Html *self)
{
    return self->out->len + (size_t)self->marks->len * MARK_BYTES > MARKDOWN_HTML_BYTES;
}

void html_begin_block(Html *self, const char *tag)
{
    html_put(self, "<");
    html_put(self, tag);
    const Mark mark = { .at = self->out->len };
    g_array_append_val(self->open, self->marks->len);
    g_array_append_val(self->marks, mark);
    lines_enter(self->lines);
}

void html_end_block(Html *self, char *attributes)
{
    unsigned index = g_array_index(self->open, unsigned, self->open->len - 1);
    g_array_set_size(self->open, self->open->len - 1);
    Mark *mark = &g_array_index(self->marks, Mark, index);
    mark->attributes = attributes;
    mark->span = lines_leave(self->lines);
}

char *html_finish(const Html *self)
{
    const GString *out = self->out;
    GString *whole = g_string_sized_new(out->len + (size_t)self->marks->len * MARK_BYTES);
    size_t done = 0;
    for (unsigned i = 0; i < self->marks->len; i++) {
        const Mark *mark = &g_array_index(self->marks, Mark, i);
        g_string_append_len(whole, out->str + done, (gssize)(mark->at - done));
        g_string_append_printf(whole, " data-line=\"%zu-%zu\"%s", mark->span.first, mark->span.last,
                               mark->attributes ? mark->attributes : "");
        done = mark->at;
    }
    g_string_append_len(whole, out->str + done, (gssize)(out->len - done));
    return g_string_free(whole, FALSE);
}
