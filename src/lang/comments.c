/*
 * The comments of a text, found and joined (lexer.h).
 */
#include "lang/lexer_state.h"
#include "lang/locate.h"

GArray *comment_lex(const Language *language, const char *text, size_t size, unsigned flags)
{
    Lexer self = {
        .text = text,
        .end = size,
        .language = language,
        .find_language = language_find,
        .flags = flags,
        .comments = g_array_new(FALSE, FALSE, sizeof(Comment)),
    };
    lexer_run(&self);
    comments_locate(self.comments, text);
    return self.comments;
}

static bool goes_on(const Comment *before, const Comment *comment)
{
    return !before->is_delimited && !comment->is_delimited && !comment->is_trailing &&
           !before->is_directive && !comment->is_directive && before->kind == comment->kind &&
           before->language == comment->language && comment->line == before->end_line + 1 &&
           comment->column == before->column;
}

void comment_merge(GArray *comments)
{
    guint kept = 0;
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        Comment *before = kept > 0 ? &g_array_index(comments, Comment, kept - 1) : NULL;
        if (before && goes_on(before, comment)) {
            before->end = comment->end;
            before->end_line = comment->end_line;
        } else {
            g_array_index(comments, Comment, kept++) = *comment;
        }
    }
    g_array_set_size(comments, kept);
}
