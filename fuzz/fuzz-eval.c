/*
 * The text form of eval: cells never hold more than the text, a text without headers is one cell,
 * and what was read is the same when its cells are written out again.
 */
#include "tools/eval/eval_input.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each cell with a header that says nothing: its code comes back. */
static void check_again(const GPtrArray *cells)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < cells->len; i++)
        g_string_append_printf(text, "*** Cell\n%s\n", ((const EvalCell *)cells->pdata[i])->code);
    g_autoptr(GPtrArray) again = NULL;
    bool is_cut = false;
    if (!eval_input_parse(text->str, &again, &is_cut, NULL) || again->len != cells->len)
        abort();
    for (unsigned i = 0; i < cells->len; i++) {
        const EvalCell *cell = cells->pdata[i], *same = again->pdata[i];
        if (strcmp(cell->code, same->code) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *raw = g_strndup((const char *)data, size);
    g_autofree char *text = g_utf8_make_valid(raw, -1);
    g_autoptr(GPtrArray) cells = NULL;
    g_autoptr(GError) error = NULL;
    bool is_cut = false;
    bool has_stars = strstr(text, "**") != NULL;
    if (!eval_input_parse(text, &cells, &is_cut, &error)) {
        if (!error || !has_stars)
            abort();
        return 0;
    }
    if (cells->len > EVAL_MAX_CELLS || (!has_stars && (cells->len != 1 || is_cut)))
        abort();
    size_t total = 0;
    for (unsigned i = 0; i < cells->len; i++) {
        const EvalCell *cell = cells->pdata[i];
        total += strlen(cell->code);
        eval_sniff(cell->code);
    }
    if (total > strlen(text))
        abort();
    if (has_stars && cells->len > 1)
        check_again(cells);
    return 0;
}
