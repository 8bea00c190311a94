/*
 * Rows that several kinds of blocks have (block_private.h): after a mark, titles, pictures.
 */
#include "base/image.h"
#include "base/str.h"
#include "tui/text/wrap.h"
#include "tui/view/block_private.h"

enum {
    IMAGE_HEAD_BYTES = 256 * 1024, // of the base64, in which its size is looked for
    IMAGE_TYPE_CELLS = 20,
    LIMIT_BLOCK_IMAGES = 100, // that are said one by one
    LIMIT_BLOCK_PICTURES = 4, // that are drawn
};

// ---- rows after a mark ----

/* "✗ ", and as many blanks for the rows below. Caller unrefs. */
static Row *mark_row(Symbol mark, Style style, const BlockSpec *spec)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, theme_symbol(spec->theme, mark), -1, style, NULL);
    row_builder_add(builder, " ", 1, (Style) { 0 }, NULL);
    return row_builder_take(builder);
}

static Row *blank_like(const Row *row)
{
    g_autofree char *blanks = g_strnfill((gsize)row->cells, ' ');
    return row_of(blanks, (Style) { 0 });
}

void block_marked(Symbol mark, Style mark_style, const char *text, Style style,
                  const BlockSpec *spec, GPtrArray *out)
{
    g_autoptr(Row) first = mark_row(mark, mark_style, spec);
    g_autoptr(Row) rest = blank_like(first);
    const LinesSpec lines = {
        .block = spec,
        .style = style,
        .max_lines = BLOCK_PROMPT_LINES,
        .is_prose = true,
        .first = first,
        .rest = rest,
    };
    block_lines(text, strlen(text), &lines, out);
}

void block_tone_rows(Tone tone, const char *text, const BlockSpec *spec, GPtrArray *out)
{
    static const struct {
        Symbol mark;
        Style style;
    } tones[] = {
        [TONE_NOTE] = { SYMBOL_BULLET, { .fg = TOKEN_DIM } },
        [TONE_WARNING] = { SYMBOL_WARNING, { .fg = TOKEN_WARNING } },
        [TONE_ERROR] = { SYMBOL_ERROR, { .fg = TOKEN_ERROR } },
    };
    Style text_style = tone == TONE_NOTE ? (Style) { .fg = TOKEN_MUTED } : tones[tone].style;
    block_marked(tones[tone].mark, tones[tone].style, text, text_style, spec, out);
}

void block_wrap_title(const Row *title, const BlockSpec *spec, GPtrArray *out)
{
    g_autoptr(Row) rest = row_of("    ", (Style) { 0 });
    const WrapSpec wrap = { .width = spec->width, .rest = rest };
    wrap_row(title, &wrap, out);
}

// ---- pictures ----

static bool is_image(const json_t *block)
{
    return g_strcmp0(json_get_text(block, "type"), "image") == 0;
}

bool block_has_images(const json_t *blocks)
{
    json_each (blocks, i, block) {
        if (is_image(block))
            return true;
    }
    return false;
}

/* What its head says; " 800x600", "" when it says nothing. Caller frees. */
static char *image_size(const json_t *block)
{
    const json_t *data = json_object_get(block, "data");
    size_t size = MIN(json_string_length(data), (size_t)IMAGE_HEAD_BYTES) / 4 * 4;
    unsigned width = 0, height = 0;
    if (size == 0)
        return g_strdup("");
    g_autofree char *head = g_strndup(json_string_value(data), size);
    gsize decoded = 0;
    g_base64_decode_inplace(head, &decoded);
    bool is_known = image_dimensions(head, decoded, &width, &height);
    return is_known ? g_strdup_printf(" %ux%u", width, height) : g_strdup("");
}

static void add_image(const json_t *block, const BlockSpec *spec, GPtrArray *out)
{
    const char *mime = json_get_text(block, "mimeType");
    const char *name = mime && str_has_prefix(mime, "image/") ? mime + strlen("image/") : mime;
    g_autofree char *type = block_clean_line(name ? name : "", IMAGE_TYPE_CELLS);
    g_autofree char *size = image_size(block);
    g_autofree char *text =
        g_strdup_printf("%*s[image%s%s%s]", BLOCK_INDENT, "", *type ? " " : "", type, size);
    g_autoptr(Row) row = row_of(text, (Style) { .fg = TOKEN_MUTED });
    g_ptr_array_add(out, row_cut(row, spec->width));
}

static void add_picture(const json_t *block, const BlockSpec *spec, GPtrArray *out)
{
    g_autoptr(Picture) picture = picture_new(block, &spec->pictures, spec->width);
    for (int i = 0; picture && i < picture->rows; i++)
        g_ptr_array_add(out, row_of_picture(picture));
}

void block_images(const json_t *blocks, const BlockSpec *spec, GPtrArray *out)
{
    int count = 0;
    json_each (blocks, i, block) {
        if (!is_image(block) || count++ >= LIMIT_BLOCK_IMAGES)
            continue;
        add_image(block, spec, out);
        if (count <= LIMIT_BLOCK_PICTURES)
            add_picture(block, spec, out);
    }
}
