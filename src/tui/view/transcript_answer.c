/*
 * An answer that arrives (transcript_private.h): its parts one after the other through MdStream,
 * settled rows for good at once, the rest live.
 *
 * Of a part only the number of its bytes is kept. When an update was missed, what came is exact up
 * to there, and the whole message has the rest.
 */
#include "base/str.h"
#include "model/message.h"
#include "tui/view/transcript_private.h"

// ---- parts ----

static void part_free(gpointer self_)
{
    Part *self = self_;
    if (self->later)
        g_string_free(self->later, TRUE);
    g_free(self);
}

static Part *part_at(Answer *self, size_t index, bool is_thinking)
{
    if (!self->parts)
        self->parts = g_ptr_array_new_with_free_func(part_free);
    unsigned place = self->parts->len;
    for (unsigned i = self->parts->len; i > 0; i--) {
        Part *part = self->parts->pdata[i - 1];
        if (part->index == index)
            return part;
        if (part->index > index)
            place = i - 1;
    }
    Part *part = g_new0(Part, 1);
    part->index = index;
    part->is_thinking = is_thinking;
    // one that comes too late for its place comes after the open one
    g_ptr_array_insert(self->parts, (int)MAX(place, self->current + self->is_open), part);
    return part;
}

static Part *current_part(const Answer *self)
{
    bool has_one = self->parts && self->current < self->parts->len;
    return has_one ? self->parts->pdata[self->current] : NULL;
}

// ---- the open part ----

static BlockKind kind_of(const Part *part)
{
    return part && part->is_thinking ? KIND_THINKING : KIND_TEXT;
}

BlockKind answer_kind(const Transcript *self)
{
    return kind_of(current_part(&self->answer));
}

static void commit_settled(Transcript *self, const Part *part)
{
    Answer *answer = &self->answer;
    g_autoptr(GPtrArray) rows = rows_new();
    md_stream_take_settled(answer->stream, rows);
    if (rows->len == 0)
        return;
    transcript_commit(self, kind_of(part), !answer->has_begun, rows);
    answer->has_begun = true;
}

static void open_part(Transcript *self, const Part *part)
{
    Answer *answer = &self->answer;
    answer->is_open = true;
    answer->has_begun = false;
    if (part->is_thinking && !self->block.shows_thinking)
        return;
    const MdSpec md = block_md_spec(part->is_thinking, &self->block);
    answer->stream = md_stream_new(&md);
    answer->cleaner = cleaner_new_flowing(self->block.tab_width);
    answer->mask = mask_filter_new();
}

static void close_stream(Answer *self)
{
    g_clear_pointer(&self->stream, md_stream_free);
    g_clear_pointer(&self->cleaner, cleaner_free);
    g_clear_pointer(&self->mask, mask_filter_free);
    self->is_open = false;
}

static void transcript_feed(Transcript *self, const Part *part, const char *text, size_t size)
{
    Answer *answer = &self->answer;
    if (!answer->is_open)
        open_part(self, part);
    if (!answer->stream || size == 0)
        return;
    g_autoptr(GString) clean = g_string_new(NULL);
    g_autoptr(GString) masked = g_string_new(NULL);
    cleaner_push(answer->cleaner, text, size, clean);
    mask_filter_push(answer->mask, clean->str, clean->len, masked);
    md_stream_push(answer->stream, masked->str, masked->len);
    commit_settled(self, part);
}

static void close_part(Transcript *self, const Part *part)
{
    Answer *answer = &self->answer;
    if (answer->stream) {
        g_autoptr(GString) clean = g_string_new(NULL);
        g_autoptr(GString) masked = g_string_new(NULL);
        cleaner_finish(answer->cleaner, clean);
        mask_filter_push(answer->mask, clean->str, clean->len, masked);
        mask_filter_finish(answer->mask, masked);
        md_stream_push(answer->stream, masked->str, masked->len);
        md_stream_finish(answer->stream);
        commit_settled(self, part);
    }
    close_stream(answer);
}

/* Lays out what can be: the open part, and those after it once it has ended. */
static void transcript_advance(Transcript *self)
{
    Answer *answer = &self->answer;
    Part *part;
    while ((part = current_part(answer))) {
        if (part->later) {
            g_autoptr(GString) later = g_steal_pointer(&part->later);
            transcript_feed(self, part, later->str, later->len);
        }
        if (!part->is_ended)
            return;
        close_part(self, part);
        answer->current++;
    }
}

static void add_text(Transcript *self, Part *part, const char *text, size_t size)
{
    part->bytes += size;
    if (part == current_part(&self->answer) && !part->later) {
        transcript_feed(self, part, text, size);
        return;
    }
    if (!part->later)
        part->later = g_string_new(NULL);
    g_string_append_len(part->later, text, (gssize)size);
}

// ---- events ----

void answer_begin(Transcript *self)
{
    answer_end(self, NULL);
    self->answer.is_arriving = true;
}

static bool take_delta(Transcript *self, Part *part, const json_t *piece)
{
    const json_t *delta = json_object_get(piece, "delta");
    size_t size = json_string_length(delta);
    gint64 length = json_get_int(piece, "length", (gint64)(part->bytes + size));
    part->has_gap = part->has_gap || part->is_ended || length != (gint64)(part->bytes + size);
    if (part->has_gap || size == 0)
        return false;
    add_text(self, part, json_string_value(delta), size);
    return true;
}

bool answer_update(Transcript *self, const json_t *event)
{
    const json_t *piece = json_get_object(event, "assistantMessageEvent");
    const char *type = json_get_text(piece, "type");
    gint64 index = json_get_int(piece, "contentIndex", -1);
    bool is_thinking = type && str_has_prefix(type, "thinking_");
    bool is_text = type && str_has_prefix(type, "text_");
    if (index < 0 || (!is_thinking && !is_text) || !self->answer.is_arriving)
        return false;
    Part *part = part_at(&self->answer, (size_t)index, is_thinking);
    if (g_str_has_suffix(type, "_delta"))
        return take_delta(self, part, piece);
    if (!g_str_has_suffix(type, "_end"))
        return false;
    gint64 length = json_get_int(piece, "length", (gint64)part->bytes);
    part->has_gap = part->has_gap || length != (gint64)part->bytes;
    part->is_ended = !part->has_gap;
    transcript_advance(self);
    return part->is_ended;
}

/* The part that has been told of this block, from `*place` on; NULL: none. Parts that the message
   does not have any more (thinking that was never signed) are passed over. */
static Part *part_of(const Answer *self, unsigned *place, bool is_thinking, size_t size)
{
    for (unsigned i = *place; self->parts && i < self->parts->len; i++) {
        Part *part = self->parts->pdata[i];
        if (part->is_thinking == is_thinking && part->bytes <= size) {
            *place = i + 1;
            return part;
        }
    }
    return NULL;
}

/* What of a block of the whole message was not told in pieces. */
static void transcript_complete(Transcript *self, const json_t *block, size_t index,
                                unsigned *place)
{
    Answer *answer = &self->answer;
    const char *type = json_get_text(block, "type");
    bool is_thinking = g_strcmp0(type, "thinking") == 0;
    const json_t *text = json_object_get(block, is_thinking ? "thinking" : "text");
    if (!json_is_string(text) || (!is_thinking && g_strcmp0(type, "text") != 0))
        return;
    size_t size = json_string_length(text);
    Part *part = part_of(answer, place, is_thinking, size);
    if (!part) {
        size_t last = answer->parts && answer->parts->len > 0
                          ? ((Part *)answer->parts->pdata[answer->parts->len - 1])->index + 1
                          : 0;
        part = part_at(answer, MAX(last, index), is_thinking);
        *place = answer->parts->len;
    }
    const char *rest = json_string_value(text) + part->bytes;
    if (!part->is_ended && size > part->bytes && g_utf8_validate(rest, -1, NULL))
        add_text(self, part, rest, size - part->bytes);
    part->is_ended = true;
    transcript_advance(self);
}

/* The same failure of a request that was made again: how often is reported, too. */
static bool is_told_again(Transcript *self, const json_t *message, bool has_content)
{
    bool is_error = g_str_equal(message_stop_reason(message), "error");
    g_autofree char *before = g_steal_pointer(&self->error);
    self->error = is_error ? g_strdup(message_error(message)) : NULL;
    return self->is_retrying && self->error && !has_content && g_strcmp0(before, self->error) == 0;
}

void answer_end(Transcript *self, const json_t *message)
{
    Answer *answer = &self->answer;
    g_autoptr(json_t) blocks = message ? message_blocks(message) : json_array();
    unsigned place = 0;
    json_each (blocks, i, block)
        transcript_complete(self, block, i, &place);
    for (unsigned j = 0; answer->parts && j < answer->parts->len; j++)
        ((Part *)answer->parts->pdata[j])->is_ended = true;
    transcript_advance(self);
    answer_clear(answer);
    if (!message || is_told_again(self, message, json_array_size(blocks) > 0))
        return;
    g_autoptr(GPtrArray) rows = rows_new();
    block_answer_end(message, &self->block, rows);
    transcript_commit(self, KIND_NOTICE, true, rows);
}

void answer_set_width(Transcript *self)
{
    if (self->answer.stream)
        md_stream_set_width(self->answer.stream, self->block.width);
}

void answer_set_theme(Transcript *self)
{
    if (self->answer.stream)
        md_stream_set_theme(self->answer.stream, self->block.theme);
}

void answer_open_rows(Transcript *self, GPtrArray *out)
{
    if (self->answer.stream)
        md_stream_open_rows(self->answer.stream, out);
}

void answer_clear(Answer *self)
{
    close_stream(self);
    if (self->parts)
        g_ptr_array_unref(self->parts);
    *self = (Answer) { 0 };
}
