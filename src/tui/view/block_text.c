/*
 * What a person and the model have said, as rows (block.h): prompts, answers, thinking.
 */
#include "base/mask.h"
#include "model/message.h"
#include "tui/text/clean.h"
#include "tui/view/block_private.h"

// ---- prompts ----

static void user_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    g_autoptr(json_t) blocks = message_blocks(message);
    g_autofree char *text = message_blocks_text(blocks);
    const Style style = { .fg = TOKEN_USER_MESSAGE_TEXT, .bg = TOKEN_USER_MESSAGE_BG };
    const Style mark = { .fg = TOKEN_ACCENT, .attributes = STYLE_BOLD };
    block_marked(SYMBOL_CURSOR, mark, text, style, spec, out);
    block_images(blocks, spec, out);
}

// ---- answers ----

MdSpec block_md_spec(bool is_thinking, const BlockSpec *spec)
{
    const Style thinking = { .fg = TOKEN_THINKING_TEXT, .attributes = STYLE_DIM | STYLE_ITALIC };
    return (MdSpec) {
        .width = spec->width,
        .style = is_thinking ? thinking : (Style) { 0 },
        .has_links = spec->has_links,
        .theme = spec->theme,
    };
}

void block_answer_end(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    const char *reason = message_stop_reason(message), *problem = message_error(message);
    if (g_str_equal(reason, "aborted"))
        block_tone_rows(TONE_ERROR, "Operation aborted", spec, out);
    else if (g_str_equal(reason, "error"))
        block_tone_rows(TONE_ERROR, problem && *problem ? problem : "the request failed", spec,
                        out);
    else if (g_str_equal(reason, "length"))
        block_tone_rows(TONE_WARNING, "The answer was cut at its output limit.", spec, out);
}

/* The text of a part, as it is laid out; NULL: nothing is shown of it. Borrowed. */
static const char *part_text(const json_t *block, bool *ret_is_thinking, const BlockSpec *spec)
{
    const char *type = json_get_text(block, "type");
    *ret_is_thinking = g_strcmp0(type, "thinking") == 0;
    if (*ret_is_thinking)
        return spec->shows_thinking ? json_get_text(block, "thinking") : NULL;
    return g_strcmp0(type, "text") == 0 ? json_get_text(block, "text") : NULL;
}

/* As when it arrived. Caller frees. */
static char *clean_answer(const char *text, int tab_width)
{
    g_autoptr(Cleaner) cleaner = cleaner_new_flowing(tab_width);
    g_autoptr(GString) clean = g_string_new(NULL);
    cleaner_push(cleaner, text, strlen(text), clean);
    cleaner_finish(cleaner, clean);
    return mask_text(clean->str);
}

/* An empty row between what is there and what comes. */
static void append_apart(GPtrArray *rows, unsigned start, GPtrArray *out)
{
    if (rows->len > 0 && out->len > start)
        g_ptr_array_add(out, row_of("", (Style) { 0 }));
    for (unsigned i = 0; i < rows->len; i++)
        g_ptr_array_add(out, row_ref(rows->pdata[i]));
}

static void answer_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    g_autoptr(json_t) blocks = message_blocks(message);
    unsigned start = out->len;
    json_each (blocks, i, block) {
        bool is_thinking = false;
        const char *text = part_text(block, &is_thinking, spec);
        if (!text)
            continue;
        g_autofree char *clean = clean_answer(text, spec->tab_width);
        g_autoptr(GPtrArray) rows = rows_new();
        const MdSpec md = block_md_spec(is_thinking, spec);
        md_rows(clean, &md, rows);
        append_apart(rows, start, out);
    }
    g_autoptr(GPtrArray) end = rows_new();
    block_answer_end(message, spec, end);
    append_apart(end, start, out);
}

void block_message_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    const char *role = message_role(message);
    if (g_str_equal(role, "user"))
        user_rows(message, spec, out);
    else if (g_str_equal(role, "assistant"))
        answer_rows(message, spec, out);
    else
        block_notice_message(message, spec, out);
}
