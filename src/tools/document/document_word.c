/*
 * Text of DOCX and PPTX (document.h): paragraphs, headings, lists and tables.
 */
#include "base/str.h"
#include "tools/document/document_parts.h"

#include <string.h>

enum { MAX_HEADING = 6 };

typedef struct Word {
    GString *out;
    GString *paragraph; // what is being read
    GString *row;       // cells so far, of the outermost table
    bool is_text;       // inside <w:t> or <a:t>
    bool is_list;
    int heading;
    unsigned tables; // how deep
    bool has_row;    // of the table, already
    unsigned cells;  // of the row
} Word;

static void start_word(void *word_, const char *name, const char **attributes)
{
    Word *word = word_;
    if (strcmp(name, "t") == 0) {
        word->is_text = true;
    } else if (strcmp(name, "p") == 0) {
        g_string_truncate(word->paragraph, 0);
        word->heading = 0;
        word->is_list = false;
    } else if (strcmp(name, "tab") == 0) {
        g_string_append_c(word->paragraph, '\t');
    } else if (strcmp(name, "br") == 0 || strcmp(name, "cr") == 0) {
        g_string_append_c(word->paragraph, word->tables ? ' ' : '\n');
    } else if (strcmp(name, "numPr") == 0) {
        word->is_list = true;
    } else if (strcmp(name, "pStyle") == 0) {
        const char *style = xml_attribute(attributes, "val");
        int level = style && str_has_prefix(style, "Heading") ? style[strlen("Heading")] - '0' : 0;
        word->heading = style && strcmp(style, "Title") == 0 ? 1
                        : level >= 1 && level <= MAX_HEADING ? level
                                                             : 0;
    } else if (strcmp(name, "tbl") == 0 && word->tables++ == 0) {
        word->has_row = false;
    } else if (strcmp(name, "tr") == 0 && word->tables == 1) {
        g_string_assign(word->row, "|");
        word->cells = 0;
    } else if (strcmp(name, "tc") == 0 && word->tables == 1) {
        g_string_append_c(word->row, ' ');
        word->cells++;
    }
}

static void end_paragraph(Word *word)
{
    g_strchomp(word->paragraph->str);
    word->paragraph->len = strlen(word->paragraph->str);
    if (word->paragraph->len == 0)
        return;
    if (word->tables > 0) {
        g_strdelimit(word->paragraph->str, "\n|", ' ');
        g_string_append_printf(word->row, "%s ", word->paragraph->str);
    } else {
        g_string_append_printf(word->out, "%.*s%s%s%s\n\n", word->heading, "######",
                               word->heading ? " " : "", word->is_list ? "- " : "",
                               word->paragraph->str);
    }
    g_string_truncate(word->paragraph, 0);
}

static void end_row(Word *word)
{
    g_string_append_printf(word->out, "%s\n", word->row->str);
    for (unsigned i = 0; !word->has_row && i < word->cells; i++)
        g_string_append(word->out, i + 1 < word->cells ? "| --- " : "| --- |\n");
    word->has_row = true;
}

static void end_word(void *word_, const char *name)
{
    Word *word = word_;
    if (strcmp(name, "t") == 0)
        word->is_text = false;
    else if (strcmp(name, "p") == 0)
        end_paragraph(word);
    else if (strcmp(name, "tc") == 0 && word->tables == 1)
        g_string_append_c(word->row, '|');
    else if (strcmp(name, "tr") == 0 && word->tables == 1)
        end_row(word);
    else if (strcmp(name, "tbl") == 0 && word->tables > 0 && --word->tables == 0)
        g_string_append_c(word->out, '\n');
}

static void take_word(void *word_, const char *text, size_t size)
{
    Word *word = word_;
    if (word->is_text && !document_is_full(word->out) && !document_is_full(word->row))
        g_string_append_len(word->paragraph, text, (gssize)size);
}

static bool read_part(GHashTable *parts, const char *name, Cancel *cancel, GString *out,
                      GError **error)
{
    static const XmlHandler handler = { start_word, end_word, take_word };
    g_autoptr(GString) paragraph = g_string_new(NULL);
    g_autoptr(GString) row = g_string_new(NULL);
    Word word = { .out = out, .paragraph = paragraph, .row = row };
    return document_parse(parts, name, &handler, &word, cancel, error);
}

bool document_read_docx(const char *path, Cancel *cancel, GString *out, GError **error)
{
    g_autoptr(GHashTable) parts = NULL;
    return document_load(path, cancel, &parts, error) &&
           read_part(parts, "word/document.xml", cancel, out, error);
}

bool document_read_pptx(const char *path, Cancel *cancel, GString *out, GError **error)
{
    g_autoptr(GHashTable) parts = NULL;
    if (!document_load(path, cancel, &parts, error))
        return false;
    // slides are numbered as they were made; gaps are slides that were removed
    unsigned left = g_hash_table_size(parts);
    for (unsigned i = 1; i <= LIMIT_DOCUMENT_SLIDES && left > 0 && !document_is_full(out); i++) {
        g_autofree char *name = g_strdup_printf("ppt/slides/slide%u.xml", i);
        if (!g_hash_table_contains(parts, name))
            continue;
        left--;
        g_string_append_printf(out, "## Slide %u\n\n", i);
        if (!read_part(parts, name, cancel, out, error))
            return false;
    }
    return out->len > 0 || fail_with(error, KEDGE_ERROR_NOT_FOUND, "no slides are in it");
}
