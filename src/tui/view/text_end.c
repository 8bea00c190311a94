/* See text_end.h. */
#include "tui/view/text_end.h"

#include "tui/text/width.h"

char *text_end(const char *text, int max_cells, const Theme *theme)
{
    const char *mark = theme_symbol(theme, SYMBOL_ELLIPSIS);
    size_t size = strlen(text), at = 0;
    int cells = text_cells(text, size), mark_cells = text_cells(mark, strlen(mark));
    if (cells <= max_cells)
        return g_strdup(text);
    bool has_mark = mark_cells <= max_cells;
    int room = has_mark ? max_cells - mark_cells : MAX(max_cells, 0);
    while (cells > room && at < size) {
        int each = 0;
        at += cluster_size(text + at, size - at, &each);
        cells -= each;
    }
    return g_strconcat(has_mark ? mark : "", text + at, NULL);
}
