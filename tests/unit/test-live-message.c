/*
 * Live messages: what readers of different pace and detail are told of an arriving answer.
 */
#include "unit.h"

#include "agent/live_message.h"
#include "base/secrets.h"
#include "base/worker.h"
#include "model/message.h"
#include "model/stream.h"

#include <stdatomic.h>

typedef struct Fixture {
    Model model;
    LiveMessage *live;
    ModelStream *stream;
    LiveCursor cursor;
} Fixture;

static void on_event(const json_t *event, ModelStream *stream, void *user_data)
{
    Fixture *self = user_data;
    live_message_feed(self->live, event, stream);
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->model = (Model) { .provider = (char *)"lab", .id = (char *)"coder" };
    self->stream = model_stream_new(&self->model, on_event, self);
    g_autoptr(json_t) start = json_copy((json_t *)model_stream_message(self->stream));
    json_set_take(start, "content", json_array());
    self->live = live_message_new(start);
    live_cursor_init(&self->cursor);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    live_cursor_clear(&self->cursor);
    live_message_unref(self->live);
    model_stream_free(self->stream);
    g_free(self);
    return 0;
}

static void append(Fixture *self, size_t block, const char *text)
{
    assert_true(model_stream_append(self->stream, block, text, strlen(text), NULL));
}

/* "text_start/0/0 text_delta[ab]/2/2": type, delta, both lengths. */
static void assert_read(Fixture *self, LiveCursor *cursor, const char *want)
{
    g_autoptr(json_t) updates = live_message_read(self->live, cursor, false);
    g_autoptr(GString) got = g_string_new(NULL);
    size_t i;
    json_t *update;
    json_array_foreach (updates, i, update) {
        const json_t *event = json_get_object(update, "assistantMessageEvent");
        const char *delta = json_get_text(event, "delta");
        assert_null(json_object_get(update, "message"));
        assert_null(json_object_get(event, "content"));
        g_string_append_printf(got, "%s%s%s%s%s/%d/%d", i ? " " : "", json_get_text(event, "type"),
                               delta ? "[" : "", delta ? delta : "", delta ? "]" : "",
                               (int)json_get_int(event, "length", -1),
                               (int)json_get_int(update, "length", -1));
    }
    assert_string_equal(got->str, want);
}

static void test_deltas(void **state)
{
    Fixture *self = *state;
    size_t thinking, text;
    assert_true(model_stream_open_thinking(self->stream, &thinking, NULL));
    append(self, thinking, "hm");
    assert_read(self, &self->cursor, "thinking_start/0/0 thinking_delta[hm]/2/2");
    assert_read(self, &self->cursor, "");
    append(self, thinking, "!");
    model_stream_close(self->stream, thinking);
    assert_true(model_stream_open_text(self->stream, &text, NULL));
    append(self, text, "a");
    append(self, text, "\xc3\xa9");
    assert_read(self, &self->cursor,
                "thinking_delta[!]/3/3 thinking_end/3/3 text_start/0/3 text_delta[a\xc3\xa9]/3/6");
    model_stream_close(self->stream, text);
    assert_read(self, &self->cursor, "text_end/3/6");

    // one that comes late is told all of it in one piece
    LiveCursor late;
    live_cursor_init(&late);
    assert_read(self, &late,
                "thinking_start/0/0 thinking_delta[hm!]/3/3 thinking_end/3/3 text_start/0/3 "
                "text_delta[a\xc3\xa9]/3/6 text_end/3/6");
    live_cursor_clear(&late);
}

/* What a reader is told of an answer in pieces, the reader coming after each of them. */
static char *told_of(json_t *updates)
{
    GString *told = g_string_new(NULL);
    size_t i;
    json_t *update;
    json_array_foreach (updates, i, update) {
        const char *delta =
            json_get_text(json_get_object(update, "assistantMessageEvent"), "delta");
        assert_true(g_utf8_validate(delta ? delta : "", -1, NULL));
        g_string_append(told, delta ? delta : "");
        g_autofree char *whole = json_to_text(update);
        assert_null(strstr(whole, "tide-key-4f9a1c27"));
        assert_null(strstr(whole, "\xef\xbf\xbd"));
    }
    return g_string_free(told, FALSE);
}

static void read_into(Fixture *self, LiveCursor *cursor, bool is_whole, GString *told)
{
    g_autoptr(json_t) updates = live_message_read(self->live, cursor, is_whole);
    g_autofree char *more = told_of(updates);
    g_string_append(told, more);
}

/* One piece up to `split`, one from there. `kind`: text, thinking or toolcall. */
static void assert_masked(const char *kind, const char *text, size_t split, const char *want)
{
    Fixture *self = NULL;
    setup((void **)&self);
    LiveCursor whole;
    live_cursor_init(&whole);
    size_t block = 0;
    if (kind[0] == 't' && kind[1] == 'e')
        model_stream_open_text(self->stream, &block, NULL);
    else if (kind[1] == 'h')
        model_stream_open_thinking(self->stream, &block, NULL);
    else
        model_stream_open_tool_call(self->stream, "t1", "bash", &block, NULL);

    g_autoptr(GString) told = g_string_new(NULL);
    g_autoptr(GString) told_whole = g_string_new(NULL);
    g_autofree char *head = g_strndup(text, split);
    const char *pieces[] = { head, text + split };
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        if (*pieces[i])
            append(self, block, pieces[i]);
        read_into(self, &self->cursor, false, told);
        read_into(self, &whole, true, told_whole);
    }
    model_stream_close(self->stream, block);
    read_into(self, &self->cursor, false, told);
    read_into(self, &whole, true, told_whole);
    if (strcmp(told->str, want) != 0)
        fail_msg("%s, split at %zu: got '%s'", kind, split, told->str);
    assert_string_equal(told_whole->str, want);
    live_cursor_clear(&whole);
    teardown((void **)&self);
}

static void test_masks_split_values(void **state G_GNUC_UNUSED)
{
    secrets_register("tide-key-4f9a1c27");
    static const char text[] = "caf\xc3\xa9 tide-key-4f9a1c27 \xe2\x82\xac tide-k";
    for (size_t split = 0; split < sizeof(text); split++) {
        if ((text[split] & 0xc0) == 0x80)
            continue;
        assert_masked("text", text, split, "caf\xc3\xa9 [REDACTED] \xe2\x82\xac tide-k");
        assert_masked("thinking", text, split, "caf\xc3\xa9 [REDACTED] \xe2\x82\xac tide-k");
    }
    static const char arguments[] = "{\"a\":\"\xc3\xa9tide-key-4f9a1c27\",\"b\":1}";
    for (size_t split = 0; split < sizeof(arguments); split++)
        if ((arguments[split] & 0xc0) != 0x80)
            assert_masked("toolcall", arguments, split, "{\"a\":\"\xc3\xa9[REDACTED]\",\"b\":1}");
}

static void test_calls(void **state)
{
    Fixture *self = *state;
    size_t first, second;
    assert_true(model_stream_add_redacted(self->stream, "secret", NULL));
    assert_true(model_stream_open_tool_call(self->stream, "t1", "bash", &first, NULL));
    assert_true(model_stream_open_tool_call(self->stream, "t2", "read", &second, NULL));
    append(self, first, "{\"a\":");
    append(self, second, "{}");
    append(self, first, "1}");
    model_stream_close(self->stream, first);
    g_autoptr(json_t) updates = live_message_read(self->live, &self->cursor, false);
    assert_int_equal(json_array_size(updates), 5); // start, delta, end; start, delta
    const json_t *end = json_get_object(json_array_get(updates, 2), "assistantMessageEvent");
    assert_string_equal(json_get_text(end, "type"), "toolcall_end");
    assert_int_equal(json_get_int(end, "contentIndex", 0), 1);
    assert_int_equal(json_get_int(end, "length", 0), 7);
    const json_t *call = json_get_object(end, "toolCall");
    assert_string_equal(json_get_text(call, "id"), "t1");
    assert_int_equal(json_get_int(json_get_object(call, "arguments"), "a", 0), 1);
}

static void test_whole(void **state)
{
    Fixture *self = *state;
    size_t text, call;
    assert_true(model_stream_open_text(self->stream, &text, NULL));
    append(self, text, "I look");
    g_autoptr(json_t) early = live_message_read(self->live, &self->cursor, true);
    g_autofree char *so_far = message_text(json_get_object(json_array_get(early, 1), "message"));
    assert_string_equal(so_far, "I look");

    model_stream_close(self->stream, text);
    assert_true(model_stream_open_tool_call(self->stream, "t1", "bash", &call, NULL));
    append(self, call, "{\"command\":\"ls\", \"x");
    g_autoptr(json_t) later = live_message_read(self->live, &self->cursor, true);
    const json_t *end = json_array_get(later, 0);
    assert_string_equal(json_get_text(json_get_object(end, "assistantMessageEvent"), "content"),
                        "I look");
    const json_t *content = json_get_path(json_array_get(later, 2), "message.content");
    const json_t *block = json_array_get(content, 1);
    assert_string_equal(json_get_text(block, "name"), "bash");
    assert_string_equal(json_get_text(json_get_object(block, "arguments"), "command"), "ls");
    // what was told before stays as it was
    g_autofree char *still = message_text(json_get_object(json_array_get(early, 1), "message"));
    assert_string_equal(still, "I look");
    const json_t *message = json_get_object(json_array_get(later, 0), "message");
    assert_string_equal(json_get_text(message, "role"), "assistant");
    assert_string_equal(json_get_text(message, "model"), "coder");
}

/* A long answer in small pieces, every piece told, costs a few times its size. */
static void test_linear(void **state)
{
    Fixture *self = *state;
    size_t block, total = 0;
    assert_true(model_stream_open_text(self->stream, &block, NULL));
    for (int i = 0; i < 10000; i++) {
        append(self, block, "twenty characters...");
        if (i % 8 != 7)
            continue;
        g_autoptr(json_t) updates = live_message_read(self->live, &self->cursor, false);
        g_autofree char *text = json_to_text(updates);
        total += strlen(text);
    }
    assert_in_range(total, 200000, 3 * 200000);
}

typedef struct Pair {
    Fixture *fixture;
    atomic_bool is_over;
} Pair;

static void write_all(void *data)
{
    Pair *pair = data;
    for (int k = 0; k < 20; k++) {
        size_t block;
        model_stream_open_text(pair->fixture->stream, &block, NULL);
        for (int i = 0; i < 200; i++)
            append(pair->fixture, block, "abc");
        model_stream_close(pair->fixture->stream, block);
    }
    atomic_store(&pair->is_over, true);
}

static void test_threads(void **state)
{
    Fixture *self = *state;
    Pair pair = { .fixture = self };
    Worker *writer = worker_start("writer", write_all, &pair);
    g_autoptr(GString) got = g_string_new(NULL);
    for (bool is_over = false; !is_over;) {
        is_over = atomic_load(&pair.is_over);
        g_autoptr(json_t) updates = live_message_read(self->live, &self->cursor, got->len % 2);
        size_t i;
        json_t *update;
        json_array_foreach (updates, i, update) {
            const char *delta =
                json_get_text(json_get_object(update, "assistantMessageEvent"), "delta");
            g_string_append(got, delta ? delta : "");
            assert_int_equal(json_get_int(update, "length", 0), got->len);
        }
    }
    worker_join(writer);
    assert_int_equal(got->len, 20 * 200 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_deltas, setup, teardown),
        cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_linear, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
        cmocka_unit_test(test_masks_split_values), // last: the value stays known
    };
    return cmocka_run_group_tests_name("live-message", tests, NULL, NULL);
}
