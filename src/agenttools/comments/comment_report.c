/* See comment_report.h. */
#include "agenttools/comments/comment_report.h"

#include <string.h>

void comment_lines_init(CommentLines *self, const CommentText *text)
{
    *self = (CommentLines) { .text = text, .starts = g_array_new(FALSE, FALSE, sizeof(size_t)) };
    for (size_t start = 0; start < text->size;) {
        g_array_append_val(self->starts, start);
        const char *end = memchr(text->data + start, '\n', text->size - start);
        start = end != NULL ? (size_t)(end - text->data) + 1 : text->size;
    }
}

void comment_lines_clear(CommentLines *self)
{
    g_clear_pointer(&self->starts, g_array_unref);
}

/* Line `number`, right-trimmed; "" for one that the text does not have. New reference. */
static json_t *line_text(const CommentLines *self, size_t number)
{
    if (number < 1 || number > self->starts->len)
        return json_text("");
    size_t start = g_array_index(self->starts, size_t, number - 1);
    size_t end =
        number < self->starts->len ? g_array_index(self->starts, size_t, number) : self->text->size;
    while (end > start && g_ascii_isspace(self->text->data[end - 1]))
        end--;
    return json_text_n(self->text->data + start, end - start);
}

/* Lines first to last, those that there are. New reference. */
static json_t *line_texts(const CommentLines *self, int64_t first, int64_t last)
{
    json_t *texts = json_array();
    for (int64_t number = MAX(first, 1); number <= MIN(last, (int64_t)self->starts->len); number++)
        json_append_take(texts, line_text(self, (size_t)number));
    return texts;
}

json_t *comment_to_json(const Comment *comment, const CommentLines *lines, const char *path,
                        int64_t context)
{
    static const char *const kinds[] = { "line", "block", "doc" };
    int64_t line = (int64_t)comment->line, end_line = (int64_t)comment->end_line;
    json_t *before, *after;
    if (context < 0) {
        before = line_text(lines, comment->line - 1);
        after = line_text(lines, comment->end_line + 1);
    } else {
        before = line_texts(lines, line - context, line - 1);
        after = line_texts(lines, end_line + 1, end_line + context);
    }
    return json_make("file:%s line:%jd type:%s content:%p contextBefore:%p contextAfter:%p "
                     "endLine:%jd column:%zu kind:%s language:%s trailing:%hhd directive:%hhd",
                     path, line, comment->is_delimited ? "multi" : "single",
                     json_text_n(lines->text->data + comment->start, comment->end - comment->start),
                     before, after, end_line, comment->column, kinds[comment->kind],
                     language_name(comment->language), comment->is_trailing, comment->is_directive);
}
