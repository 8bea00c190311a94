/*
 * Mentions (mentions.h). A Markdown parser tells what is text and what is code: a name in
 * back-quotes inside of code would be outside of it.
 */
#include "wm/task/mentions.h"

#include <glib.h>
#include <md4c.h>
#include <stdbool.h>
#include <string.h>

#define MAX_URL_BYTES 2048 // looked at before a name

typedef struct Mention {
    size_t start, end; // in the text
    bool is_html;      // where back-quotes say nothing
} Mention;

typedef struct Finder {
    const char *text;
    size_t size;
    GArray *mentions; // of Mention
} Finder;

static bool is_name(char c)
{
    return g_ascii_isalnum(c) || c == '-';
}

/* Of `@name` or `@organisation/team` at the @; its start where there is none. */
static size_t mention_end(const Finder *self, size_t at)
{
    size_t end = at + 1;
    while (end < self->size && is_name(self->text[end]))
        end++;
    if (end == at + 1 || self->text[at + 1] == '-')
        return at;
    size_t team = end + 1;
    while (end < self->size && self->text[end] == '/' && team < self->size &&
           (is_name(self->text[team]) || strchr("._", self->text[team])))
        team++;
    return team > end + 1 ? team : end;
}

/* In the path of an address, which GitHub makes a link. */
static bool is_in_url(const Finder *self, size_t at)
{
    size_t start = at;
    while (start > 0 && at - start < MAX_URL_BYTES && !g_ascii_isspace(self->text[start - 1]))
        start--;
    g_autofree char *word = g_strndup(self->text + start, at - start);
    const char *scheme = strstr(word, "https://"), *plain = strstr(word, "http://");
    const char *host = scheme  ? scheme + strlen("https://")
                       : plain ? plain + strlen("http://")
                               : "";
    return g_ascii_isalnum(host[0]) && strchr(host, '/');
}

static void find_in(Finder *self, size_t from, size_t to, bool is_html)
{
    for (size_t at = from; at < to; at++) {
        char before = at > 0 ? self->text[at - 1] : ' ';
        if (self->text[at] != '@' || g_ascii_isalnum(before) || before == '_')
            continue;
        Mention mention = { .start = at, .end = mention_end(self, at), .is_html = is_html };
        if (mention.end == at || is_in_url(self, at))
            continue;
        size_t slashes = 0; // one that escapes the @ would escape the back-quote
        while (slashes < at && self->text[at - 1 - slashes] == '\\')
            slashes++;
        mention.start -= slashes % 2;
        g_array_append_val(self->mentions, mention);
    }
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *finder_)
{
    Finder *self = finder_;
    bool is_ours = text >= self->text && text + size <= self->text + self->size;
    bool is_readable = type == MD_TEXT_NORMAL || type == MD_TEXT_HTML;
    if (is_ours && is_readable)
        find_in(self, (size_t)(text - self->text), (size_t)(text - self->text) + size,
                type == MD_TEXT_HTML);
    return 0;
}

static int on_span(MD_SPANTYPE type G_GNUC_UNUSED, void *detail G_GNUC_UNUSED,
                   void *finder G_GNUC_UNUSED)
{
    return 0;
}

static int on_block(MD_BLOCKTYPE type G_GNUC_UNUSED, void *detail G_GNUC_UNUSED,
                    void *finder G_GNUC_UNUSED)
{
    return 0;
}

static int by_start(gconstpointer a, gconstpointer b)
{
    size_t first = ((const Mention *)a)->start, second = ((const Mention *)b)->start;
    return first < second ? -1 : first > second;
}

static char *with_quotes(const Finder *self)
{
    GString *out = g_string_sized_new(self->size);
    size_t done = 0;
    for (unsigned i = 0; i < self->mentions->len; i++) {
        const Mention *mention = &g_array_index(self->mentions, Mention, i);
        if (mention->start < done)
            continue;
        g_string_append_len(out, self->text + done, (gssize)(mention->start - done));
        g_string_append(out, mention->is_html ? "<code>" : "`");
        g_string_append_len(out, self->text + mention->start,
                            (gssize)(mention->end - mention->start));
        g_string_append(out, mention->is_html ? "</code>" : "`");
        done = mention->end;
    }
    g_string_append(out, self->text + done);
    return g_string_free(out, FALSE);
}

char *wm_mentions_quote(const char *text)
{
    g_autoptr(GArray) mentions = g_array_new(FALSE, FALSE, sizeof(Mention));
    Finder finder = { .text = text, .size = strlen(text), .mentions = mentions };
    const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
        .enter_block = on_block,
        .leave_block = on_block,
        .enter_span = on_span,
        .leave_span = on_span,
        .text = on_text,
    };
    if (strchr(text, '@'))
        md_parse(text, (MD_SIZE)finder.size, &parser, &finder);
    g_array_sort(mentions, by_start);
    return with_quotes(&finder);
}
