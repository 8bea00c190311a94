/* See grep_page.h. */
#include "tools/search/grep_page.h"

#include "base/path.h"
#include "tools/file/file_heading.h"

void grep_printed_clear(GrepPrinted *self)
{
    if (self->text)
        g_string_free(self->text, TRUE);
    self->text = NULL;
    g_clear_pointer(&self->files, json_decref);
    g_clear_pointer(&self->counts, json_decref);
    g_clear_pointer(&self->seen, g_ptr_array_unref);
}

/* How many matches of each file are among the first `count` of the window's order. */
static unsigned *grep_found_deal(const GrepFound *found, unsigned count)
{
    unsigned *dealt = g_new0(unsigned, found->files->len + 1);
    bool has_given = true;
    while (has_given && count > 0) {
        has_given = false;
        for (unsigned i = 0; i < found->files->len && count > 0; i++) {
            const GrepFile *file = found->files->pdata[i];
            if (dealt[i] == file->matches)
                continue;
            dealt[i]++;
            count--;
            has_given = true;
        }
    }
    return dealt;
}

typedef struct Share { // matches of one file that are on the page: first < number <= last
    unsigned first, last;
} Share;

static bool is_shared(const GrepLine *line, const Share *share)
{
    return line->match > share->first && line->match <= share->last;
}

/* The lines of the page's matches, and those near them. */
static void append_file_lines(GrepPrinted *out, const GrepFile *file, const Share *share,
                              const GrepPage *page)
{
    g_autoptr(GArray) shown = g_array_new(FALSE, FALSE, sizeof(int64_t)); // numbers, ascending
    for (unsigned i = 0; i < file->lines->len; i++) {
        const GrepLine *line = file->lines->pdata[i];
        if (is_shared(line, share))
            g_array_append_val(shown, line->number);
    }
    ReadSnapshot *seen = page->has_anchors ? read_snapshot_new() : NULL;
    if (seen)
        g_ptr_array_add(out->seen, seen);
    unsigned next = 0; // the first match that the line is not yet behind
    for (unsigned i = 0; i < file->lines->len; i++) {
        const GrepLine *line = file->lines->pdata[i];
        while (next < shown->len &&
               g_array_index(shown, int64_t, next) + page->after < line->number)
            next++;
        if (next == shown->len)
            return;
        if (line->number < g_array_index(shown, int64_t, next) - page->before)
            continue;
        bool is_match = is_shared(line, share);
        out->has_cut_line = out->has_cut_line || line->is_cut;
        g_string_append_printf(out->text, "%c%" G_GINT64_FORMAT "%s|%s\n", is_match ? '*' : ' ',
                               line->number, line->letters, line->text);
        if (seen && !line->is_cut)
            read_snapshot_add(seen, (size_t)line->number, line->text, strlen(line->text));
    }
}

static char **display_paths(const GrepFound *found, const char *cwd)
{
    char **paths = g_new0(char *, found->files->len + 1);
    for (unsigned i = 0; i < found->files->len; i++)
        paths[i] = path_display(((const GrepFile *)found->files->pdata[i])->path, cwd);
    return paths;
}

/* The files that share in the page, as indices. Those of one directory stay together, in the order
   in which the directory was first seen. */
static GPtrArray *group_by_directory(char *const *paths, const Share *shares, unsigned count)
{
    GPtrArray *order = g_ptr_array_new();
    g_autoptr(GPtrArray) dirs = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) dir_of = g_new0(char *, count + 1);
    for (unsigned i = 0; i < count; i++) {
        dir_of[i] = g_path_get_dirname(paths[i]);
        if (shares[i].last > shares[i].first &&
            !g_ptr_array_find_with_equal_func(dirs, dir_of[i], g_str_equal, NULL))
            g_ptr_array_add(dirs, g_strdup(dir_of[i]));
    }
    for (unsigned d = 0; d < dirs->len; d++)
        for (unsigned i = 0; i < count; i++)
            if (shares[i].last > shares[i].first && strcmp(dir_of[i], dirs->pdata[d]) == 0)
                g_ptr_array_add(order, GUINT_TO_POINTER(i));
    return order;
}

typedef struct Layout { // what is the same for every length of the page
    const GrepFound *found;
    const GrepPage *page;
    char **paths;
    bool is_one_file;
} Layout;

static void append_file(GrepPrinted *out, const Layout *layout, unsigned index, const Share *share,
                        char **last_dir)
{
    const char *path = layout->paths[index];
    if (!layout->is_one_file)
        file_heading_append(out->text, path, "", last_dir);
    append_file_lines(out, layout->found->files->pdata[index], share, layout->page);
    json_append_take(out->counts, json_make("path:%s count:%u", path, share->last - share->first));
    json_append_take(out->files, json_text(path));
}

static Share *share_out(const GrepFound *found, unsigned first, unsigned count)
{
    g_autofree unsigned *before = grep_found_deal(found, first);
    g_autofree unsigned *through = grep_found_deal(found, first + count);
    Share *shares = g_new0(Share, found->files->len + 1);
    for (unsigned i = 0; i < found->files->len; i++)
        shares[i] = (Share) { before[i], through[i] };
    return shares;
}

/* `count` matches, from number `first` of the window's order on. */
static void print_slice(const Layout *layout, unsigned first, unsigned count, GrepPrinted *out)
{
    g_autofree Share *shares = share_out(layout->found, first, count);
    g_autoptr(GPtrArray) order =
        group_by_directory(layout->paths, shares, layout->found->files->len);
    g_autofree char *last_dir = NULL;
    *out = (GrepPrinted) {
        .text = g_string_new(NULL),
        .files = json_array(),
        .counts = json_array(),
        .shown = count,
        .seen = g_ptr_array_new_with_free_func((GDestroyNotify)read_snapshot_free),
    };
    for (unsigned k = 0; k < order->len; k++) {
        unsigned i = GPOINTER_TO_UINT(order->pdata[k]);
        append_file(out, layout, i, &shares[i], &last_dir);
    }
    if (out->text->len > 0)
        g_string_truncate(out->text, out->text->len - 1);
}

/* The longest beginning of the slice whose text fits: text only grows with the number of matches.
 */
static unsigned count_that_fits(const Layout *layout, unsigned first, unsigned count,
                                size_t max_bytes)
{
    unsigned fits = MIN(count, 1), over = count + 1;
    for (unsigned tried = count; over - fits > 1; tried = fits + (over - fits) / 2) {
        g_auto(GrepPrinted) printed = { 0 };
        print_slice(layout, first, tried, &printed);
        if (printed.text->len <= max_bytes)
            fits = tried;
        else
            over = tried;
    }
    return fits;
}

void grep_page_print(const GrepFound *found, const GrepPage *page, const char *cwd,
                     bool is_one_file, size_t max_bytes, GrepPrinted *ret_printed)
{
    g_auto(GStrv) paths = display_paths(found, cwd);
    const Layout layout = { found, page, paths, is_one_file };
    unsigned first = MIN(page->offset % GREP_WINDOW, found->matches);
    unsigned count = MIN(page->size, found->matches - first);
    if (count > 0)
        count = count_that_fits(&layout, first, count, max_bytes);
    print_slice(&layout, first, count, ret_printed);
    ret_printed->has_more = count > 0 && (found->has_more || first + count < found->matches);
}
