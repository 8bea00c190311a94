/*
 * A conversation that goes on (transcript.h): its last rows, laid out by the same code as when it
 * happened. How far back to begin is guessed by sizes, and guessed again when that was not enough,
 * so that a long past costs nothing.
 */
#include "model/message.h"
#include "tui/view/transcript_private.h"

enum {
    GUESS_MORE = 4,         // times as many rows, at the next try
    REPLAYED_PICTURES = 20, // messages at the end whose pictures are drawn again
};

static Transcript *transcript_like(const Transcript *self)
{
    Transcript *other = transcript_new(&self->spec);
    other->block = self->block;
    return other;
}

// ---- where to begin ----

static gint64 lines_of(const json_t *text, int width, gint64 max_lines)
{
    size_t size = json_string_length(text);
    const char *start = json_string_value(text), *end = start ? start + size : NULL;
    gint64 lines = size > 0 ? (gint64)(size / (size_t)width) + 1 : 0;
    for (const char *p = start; p && lines < max_lines && (p = memchr(p, '\n', (size_t)(end - p)));
         p++)
        lines++;
    return MIN(lines, max_lines);
}

/* About as many rows as it will have. */
static gint64 guess_rows(const json_t *message, int width)
{
    const char *role = message_role(message);
    const json_t *content = json_object_get(message, "content");
    gint64 max_lines = g_str_equal(role, "assistant")    ? LIMIT_REPLAY_ROWS
                       : g_str_equal(role, "toolResult") ? BLOCK_TEXT_LINES
                                                         : BLOCK_PROMPT_LINES;
    gint64 rows = lines_of(content, width, max_lines);
    json_each (content, i, block)
        rows += lines_of(json_object_get(block, "text"), width, max_lines);
    return rows + 1;
}

static bool is_prompt(const json_t *message)
{
    return g_str_equal(message_role(message), "user");
}

/* Results belong to the answer before them. */
static bool may_begin(const json_t *message)
{
    return !g_str_equal(message_role(message), "toolResult");
}

/* The newest message with about `max_rows` rows from there on, no later than the last prompt. Not
   enough: there is none before the first one that is. */
static size_t find_start(const json_t *messages, int width, gint64 max_rows, bool *ret_is_enough)
{
    gint64 rows = 0;
    bool has_prompt = false;
    size_t i = json_array_size(messages);
    *ret_is_enough = false;
    while (i > 0) {
        const json_t *message = json_array_get(messages, i - 1);
        bool is_enough = has_prompt ? rows >= max_rows : rows >= MAX(max_rows, LIMIT_REPLAY_ROWS);
        *ret_is_enough = is_enough && may_begin(json_array_get(messages, i));
        if (*ret_is_enough)
            break;
        rows += guess_rows(message, width);
        has_prompt = has_prompt || is_prompt(message);
        i--;
    }
    return i;
}

// ---- laying out ----

typedef struct Replay {
    Transcript *past;
    GArray *ends; // of each message from `start` on: rows at its end
    size_t start;
} Replay;

static void replay_clear(Replay *self)
{
    transcript_free(self->past);
    if (self->ends)
        g_array_unref(self->ends);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Replay, replay_clear)

static void lay_out(const Transcript *like_it, const json_t *messages, size_t start,
                    Replay *ret_replay)
{
    *ret_replay = (Replay) {
        .past = transcript_like(like_it),
        .ends = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .start = start,
    };
    Transcript *past = ret_replay->past;
    for (size_t i = start; i < json_array_size(messages); i++) {
        const json_t *message = json_array_get(messages, i);
        bool is_late = i + REPLAYED_PICTURES >= json_array_size(messages);
        past->block.pictures = is_late ? like_it->block.pictures : (PictureSpec) { 0 };
        if (!g_str_equal(message_role(message), "toolResult"))
            calls_give_up(past);
        if (g_str_equal(message_role(message), "assistant"))
            answer_begin(past);
        transcript_message(past, message);
        g_array_append_val(ret_replay->ends, past->rows->len);
    }
    calls_give_up(past);
    reads_flush(past);
}

/* Rows at the start that are too many. */
static unsigned count_surplus(const Transcript *past, int max_rows)
{
    unsigned all = past->rows->len, limit = (unsigned)MAX(max_rows, 1);
    if (all <= limit)
        return 0;
    unsigned surplus = MIN(all - limit, past->user_row);
    return all - surplus > LIMIT_REPLAY_ROWS ? all - LIMIT_REPLAY_ROWS : surplus;
}

static size_t count_left_out(const Replay *self, unsigned surplus)
{
    size_t count = self->start;
    for (unsigned i = 0; i < self->ends->len; i++) {
        if (g_array_index(self->ends, unsigned, i) <= surplus && surplus > 0)
            count++;
    }
    return count;
}

static void say_left_out(Transcript *self, const Replay *replay, size_t before, unsigned surplus)
{
    size_t messages = before + count_left_out(replay, surplus);
    bool is_messages = messages > 0;
    if (!is_messages && surplus == 0)
        return;
    gint64 number = is_messages ? (gint64)messages : (gint64)surplus;
    g_autofree char *count = block_count(number);
    g_autofree char *text = g_strdup_printf(
        "%s %s earlier %s%s (Ctrl+O)", theme_symbol(self->block.theme, SYMBOL_ELLIPSIS), count,
        is_messages ? "message" : "row", number == 1 ? "" : "s");
    g_autoptr(GPtrArray) rows = rows_new();
    g_autoptr(Row) row = row_of(text, (Style) { .fg = TOKEN_DIM });
    g_ptr_array_add(rows, row_cut(row, self->block.width));
    transcript_commit(self, KIND_NOTICE, true, rows);
}

static bool row_is_blank(const Row *row)
{
    return row->size == 0 && !row->picture;
}

static void transcript_give(Transcript *self, const Replay *replay, size_t before, int max_rows)
{
    Transcript *past = replay->past;
    unsigned surplus = count_surplus(past, max_rows);
    say_left_out(self, replay, before, surplus);
    while (surplus < past->rows->len && row_is_blank(past->rows->pdata[surplus]))
        surplus++;
    g_autoptr(GPtrArray) rows = rows_new();
    for (unsigned i = surplus; i < past->rows->len; i++)
        g_ptr_array_add(rows, row_ref(past->rows->pdata[i]));
    if (rows->len == 0)
        return;
    transcript_commit(self, KIND_OTHER, true, rows);
    self->last = past->last;
    g_free(self->last_output);
    self->last_output = g_steal_pointer(&past->last_output);
}

bool transcript_replay(Transcript *self, const json_t *messages, size_t before, int max_rows)
{
    max_rows = CLAMP(max_rows, 1, LIMIT_REPLAY_ROWS);
    for (gint64 wanted = max_rows;; wanted *= GUESS_MORE) {
        bool is_enough = false;
        size_t start = find_start(messages, self->block.width, wanted, &is_enough);
        if (!is_enough && before > 0)
            return false;
        g_auto(Replay) replay = { 0 };
        lay_out(self, messages, start, &replay);
        if (start > 0 && replay.past->rows->len < (unsigned)max_rows && wanted <= G_MAXINT32)
            continue;
        answer_end(self, NULL);
        calls_give_up(self);
        reads_flush(self);
        transcript_give(self, &replay, before, max_rows);
        return true;
    }
}
