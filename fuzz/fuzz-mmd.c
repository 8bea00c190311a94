/*
 * Fuzz target: the Mermaid validator. The first byte chooses: the text is one diagram, or a
 * document whose diagrams are looked for. Whatever the input, every verdict is complete and every
 * place lies inside the text.
 */
#include "agenttools/mermaid/mmd.h"
#include "agenttools/mermaid/mmd_document.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == '\n' || (*c == '\r' && c[1] != '\n');
    return count;
}

static void check_error(const MmdError *error, size_t line_count)
{
    g_assert(error->line >= 1 && error->line <= line_count && error->column >= 1);
    g_assert(error->opened_line <= error->line);
    g_assert(*error->message != '\0' && strpbrk(error->message, "\n\x01\x02") == NULL);
    g_assert(g_utf8_validate(error->message, -1, NULL));
    g_assert(error->hint == NULL || g_utf8_validate(error->hint, -1, NULL));
}

static void check_diagram(const char *text)
{
    g_auto(MmdVerdict) verdict = { 0 };
    mmd_check(text, strlen(text), &verdict);
    g_assert(verdict.errors->len <= 5);
    g_assert(verdict.type != NULL || verdict.errors->len > 0);
    size_t line_count = count_lines(text);
    for (unsigned i = 0; i < verdict.errors->len; i++)
        check_error(g_ptr_array_index(verdict.errors, i), line_count);
}

static void check_document(const char *text)
{
    size_t line_count = count_lines(text);
    g_autoptr(GPtrArray) blocks = mmd_document_blocks(text, strlen(text), NULL, MMD_FORMAT_AUTO);
    for (unsigned i = 0; i < blocks->len; i++) {
        const MmdBlock *block = g_ptr_array_index(blocks, i);
        g_assert(block->start_line >= 1 && block->start_line <= block->end_line);
        g_assert(block->end_line <= line_count && block->fence_line <= block->start_line);
        check_diagram(block->text);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size == 0)
        return 0;
    g_autofree char *text = utf8_from_bytes((const char *)data + 1, size - 1);
    if (data[0] == '#')
        check_document(text);
    else
        check_diagram(text);
    return 0;
}
