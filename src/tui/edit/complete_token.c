/* See complete_token.h. */
#include "tui/edit/complete_token.h"

#include "base/str.h"

#include <limits.h>
#include <string.h>

static bool has_blank(const char *text, size_t size)
{
    return memchr(text, ' ', size) || memchr(text, '\n', size);
}

static bool find_command(const char *text, size_t cursor, CompleteToken *token)
{
    if (cursor == 0 || text[0] != '/' || memchr(text, '\n', cursor) ||
        memchr(text + 1, '/', cursor - 1))
        return false;
    const char *blank = memchr(text, ' ', cursor);
    if (!blank) {
        token->kind = TOKEN_KIND_COMMAND;
        token->query = g_strndup(text + 1, cursor - 1);
        return true;
    }
    size_t start = (size_t)(blank - text) + 1;
    if (has_blank(text + start, cursor - start) || memchr(text + start, '@', cursor - start))
        return false;
    token->kind = TOKEN_KIND_OPTION;
    token->start = start;
    token->command = g_strndup(text, start - 1);
    token->query = g_strndup(text + start, cursor - start);
    return true;
}

static bool find_action(const char *text, size_t cursor, CompleteToken *token)
{
    if (cursor == 0 || text[0] != '#' || has_blank(text, cursor))
        return false;
    token->kind = TOKEN_KIND_ACTION;
    token->query = g_strndup(text + 1, cursor - 1);
    return true;
}

/* After the line end before the cursor; what is farther away than a path is long is no part of a
   name. */
static size_t line_start(const char *text, size_t cursor)
{
    size_t far = cursor > PATH_MAX ? cursor - PATH_MAX : 0;
    const char *newline = memrchr(text + far, '\n', cursor - far);
    return newline ? (size_t)(newline - text) + 1 : far;
}

/* Where the "@" of the word at the cursor stands; false: it has none. Inside of quotes and brackets
   it counts, too. */
static bool find_at(const char *text, size_t cursor, size_t *ret_at)
{
    size_t start = line_start(text, cursor), at = cursor;
    while (at > start) {
        at--;
        if (text[at] != '@' || (at > 0 && !strchr(" \n(['\"", text[at - 1])))
            continue;
        bool is_quoted = text[at + 1] == '"' && at + 1 < cursor;
        size_t from = at + 1 + is_quoted;
        *ret_at = at;
        return !memchr(text + from, '"', cursor - from) &&
               (is_quoted || !memchr(text + from, ' ', cursor - from));
    }
    return false;
}

/* Where the last word begins: after a blank, or at a quote that is open. */
static size_t word_start(const char *text, size_t cursor)
{
    size_t start = line_start(text, cursor);
    bool is_quoted = false;
    for (size_t i = start; i < cursor; i++) {
        if (text[i] == '"' && (is_quoted || i == start))
            is_quoted = !is_quoted;
        else if (text[i] == ' ' && !is_quoted)
            start = i + 1;
    }
    return start;
}

static bool is_elsewhere(const char *query)
{
    return str_has_prefix(query, "/") || str_has_prefix(query, "~/") ||
           str_has_prefix(query, "./") || str_has_prefix(query, "../");
}

static void find_word(const char *text, size_t cursor, bool is_forced, CompleteToken *token)
{
    size_t start;
    bool has_at = find_at(text, cursor, &start);
    if (!has_at && !is_forced)
        return;
    if (!has_at)
        start = word_start(text, cursor);
    size_t from = start + has_at;
    from += from < cursor && text[from] == '"';
    if (memchr(text + from, '"', cursor - from)) // it is closed, or none of ours
        return;
    token->start = start;
    token->has_at = has_at;
    token->query = g_strndup(text + from, cursor - from);
    token->kind = has_at && !is_elsewhere(token->query) ? TOKEN_KIND_FILE : TOKEN_KIND_PATH;
}

void complete_token_find(const char *text, size_t cursor, bool is_forced, CompleteToken *ret_token)
{
    CompleteToken token = { 0 };
    if (is_forced || (!find_command(text, cursor, &token) && !find_action(text, cursor, &token)))
        find_word(text, cursor, is_forced, &token);
    *ret_token = token;
}

void complete_token_clear(CompleteToken *self)
{
    g_free(self->query);
    g_free(self->command);
    *self = (CompleteToken) { 0 };
}

bool complete_token_equal(const CompleteToken *a, const CompleteToken *b)
{
    return a->kind == b->kind && a->start == b->start && a->has_at == b->has_at &&
           g_strcmp0(a->query, b->query) == 0 && g_strcmp0(a->command, b->command) == 0;
}

char *complete_token_write(const CompleteToken *self, const char *name)
{
    const char *sign = self->has_at ? "@" : "";
    bool is_directory = g_str_has_suffix(name, "/");
    if (strchr(name, ' '))
        return g_strdup_printf("%s\"%s%s", sign, name, is_directory ? "" : "\" ");
    return g_strconcat(sign, name, is_directory ? "" : " ", NULL);
}
