/*
 * Fuzz target: the comment lexer. The first byte chooses the language, the second what is asked
 * for; the rest is a file's bytes. They are read as they are, and as the text made of them.
 * Comments are in order, inside the text, and never overlap, merged or not.
 */
#include "agenttools/comments/comment_text.h"
#include "lang/lexer.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const GArray *comments, size_t size)
{
    size_t end = 0, line = 1;
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        g_assert(comment->start >= end && comment->end > comment->start && comment->end <= size);
        g_assert(comment->line >= line && comment->end_line >= comment->line);
        g_assert(comment->column >= 1 && comment->language != NULL);
        end = comment->end;
        line = comment->line;
    }
}

static void lex(const Language *language, const char *text, size_t size, unsigned flags)
{
    g_autoptr(GArray) comments = comment_lex(language, text, size, flags);
    check(comments, size);
    comment_merge(comments);
    check(comments, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    g_autofree const char **names = language_names();
    const char *name = names[data[0] % g_strv_length((char **)names)];
    const Language *language = language_find(name);
    unsigned flags = data[1] & 1 ? LEX_DOCSTRINGS : 0;
    const char *bytes = (const char *)data + 2;
    lex(language, bytes, size - 2, flags);

    g_auto(CommentText) text = { 0 };
    comment_text_init(&text, bytes, size - 2);
    g_assert(g_utf8_validate_len(text.data, text.size, NULL));
    g_assert(memchr(text.data, '\r', text.size) == NULL);
    lex(language, text.data, text.size, flags);
    language_detect("file", text.data, text.size);
    language_detect("file.h", text.data, text.size);
    language_detect("file.m", text.data, text.size);
    language_detect("file.sql", text.data, text.size);
    return 0;
}
