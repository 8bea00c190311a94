/*
 * The editor against a plain model: a GString, whose lines are cut into clusters anew for each
 * question. Random keys; then undo brings everything back. With pastes, what must always hold.
 */
#include "editor_fixture.h"

#include "tui/text/width.h"

enum { ROUNDS = 60, KEYS = 150 };

typedef struct State {
    char *text;
    size_t cursor;
} State;

typedef enum { GROUP_NONE, GROUP_TYPED, GROUP_ERASED } Group;

typedef struct Plain {
    GString *text;
    size_t cursor;
    GString *killed; // the newest
    bool has_killed; // the last key cut
    GArray *undo;    // of State
    Group group;     // that the next change may join
    size_t group_at; // where it must go on
    gint64 group_ms;
} Plain;

static void state_clear(void *state)
{
    g_free(((State *)state)->text);
}

static Plain *plain_new(void)
{
    Plain *self = g_new0(Plain, 1);
    self->text = g_string_new(NULL);
    self->killed = g_string_new(NULL);
    self->undo = g_array_new(FALSE, FALSE, sizeof(State));
    g_array_set_clear_func(self->undo, state_clear);
    return self;
}

static void plain_free(Plain *self)
{
    g_string_free(self->text, TRUE);
    g_string_free(self->killed, TRUE);
    g_array_unref(self->undo);
    g_free(self);
}

/* Where the cluster behind `at`, a boundary, ends. */
static size_t plain_next(const Plain *self, size_t at)
{
    const char *text = self->text->str;
    if (at == self->text->len)
        return at;
    size_t size = strcspn(text + at, "\n");
    return at + (size == 0 ? 1 : cluster_size(text + at, size, NULL));
}

/* The last boundary before `at`, or the first from `at` on. */
static size_t plain_boundary(const Plain *self, size_t at, bool is_before)
{
    size_t place = 0, last = 0;
    while (place < at) {
        last = place;
        place = plain_next(self, place);
    }
    return is_before ? last : place;
}

static char plain_kind(const Plain *self, size_t at)
{
    gunichar c = g_utf8_get_char(self->text->str + at);
    if (at == self->text->len)
        return '$';
    if (!g_unichar_isalnum(c))
        return ' ';
    GUnicodeScript script = g_unichar_get_script(c);
    return script == G_UNICODE_SCRIPT_HAN || script == G_UNICODE_SCRIPT_KATAKANA ? '1' : 'a';
}

static size_t plain_word_next(const Plain *self, size_t at)
{
    while (plain_kind(self, at) == ' ')
        at = plain_next(self, at);
    if (plain_kind(self, at) == '1')
        return plain_next(self, at);
    while (plain_kind(self, at) == 'a')
        at = plain_next(self, at);
    return at;
}

static size_t plain_word_previous(const Plain *self, size_t at)
{
    size_t place = at;
    while (place > 0) {
        place = plain_boundary(self, place, true);
        char kind = plain_kind(self, place);
        size_t before = place > 0 ? plain_boundary(self, place, true) : 0;
        if (kind == '1' || (kind == 'a' && (place == 0 || plain_kind(self, before) != 'a')))
            return place;
    }
    return place;
}

static size_t plain_line_start(const Plain *self, size_t at)
{
    while (at > 0 && self->text->str[at - 1] != '\n')
        at--;
    return at;
}

static size_t plain_line_end(const Plain *self, size_t at)
{
    return at + strcspn(self->text->str + at, "\n");
}

static void plain_change(Plain *self, Group group, size_t start, size_t end, const char *text,
                         gint64 now_ms)
{
    size_t size = strlen(text);
    bool goes_on = group == GROUP_TYPED ? start == self->group_at
                                        : start == self->group_at || end == self->group_at;
    if (start == end && size == 0)
        return;
    if (group == GROUP_NONE || group != self->group || !goes_on ||
        now_ms - self->group_ms >= 1000) {
        const State state = { g_strdup(self->text->str), self->cursor };
        g_array_append_val(self->undo, state);
    }
    g_string_erase(self->text, (gssize)start, (gssize)(end - start));
    g_string_insert(self->text, (gssize)start, text);
    self->cursor = plain_boundary(self, start + size, false);
    self->group = group;
    self->group_at = start + size;
    self->group_ms = now_ms;
}

static void plain_cut(Plain *self, size_t to)
{
    size_t start = MIN(to, self->cursor), end = MAX(to, self->cursor);
    g_autofree char *text = g_strndup(self->text->str + start, end - start);
    if (start < end && !self->has_killed)
        g_string_truncate(self->killed, 0);
    g_string_insert(self->killed, end == self->cursor ? 0 : -1, text);
    plain_change(self, GROUP_NONE, start, end, "", 0);
    self->has_killed = true;
}

static void plain_undo(Plain *self)
{
    self->group = GROUP_NONE;
    if (self->undo->len == 0)
        return;
    const State *state = &g_array_index(self->undo, State, self->undo->len - 1);
    g_string_assign(self->text, state->text);
    self->cursor = state->cursor;
    g_array_set_size(self->undo, self->undo->len - 1);
}

static size_t plain_target(const Plain *self, Action action)
{
    size_t at = self->cursor, start = plain_line_start(self, at), end = plain_line_end(self, at);
    size_t next = plain_next(self, at), previous = at > 0 ? plain_boundary(self, at, true) : 0;
    switch (action) {
    case ACTION_CURSOR_LEFT:
    case ACTION_DELETE_BACKWARD:
        return previous;
    case ACTION_CURSOR_RIGHT:
    case ACTION_DELETE_FORWARD:
        return next;
    case ACTION_WORD_LEFT:
        return plain_word_previous(self, at);
    case ACTION_WORD_RIGHT:
        return plain_word_next(self, at);
    case ACTION_LINE_START:
        return start;
    case ACTION_LINE_END:
        return end;
    case ACTION_DELETE_WORD_BACKWARD:
        return start == at ? previous : MAX(start, plain_word_previous(self, at));
    case ACTION_DELETE_WORD_FORWARD:
        return end == at ? next : MIN(end, plain_word_next(self, at));
    case ACTION_DELETE_TO_LINE_START:
        return start == at ? previous : start;
    default:
        return end == at ? next : end;
    }
}

static void plain_act(Plain *self, Action action, gint64 now_ms)
{
    size_t to = plain_target(self, action);
    switch (action) {
    case ACTION_CURSOR_LEFT:
    case ACTION_CURSOR_RIGHT:
    case ACTION_WORD_LEFT:
    case ACTION_WORD_RIGHT:
    case ACTION_LINE_START:
    case ACTION_LINE_END:
        self->cursor = to;
        self->group = GROUP_NONE;
        break;
    case ACTION_DELETE_BACKWARD:
    case ACTION_DELETE_FORWARD:
        plain_change(self, GROUP_ERASED, MIN(to, self->cursor), MAX(to, self->cursor), "", now_ms);
        break;
    case ACTION_NEW_LINE:
        plain_change(self, GROUP_TYPED, self->cursor, self->cursor, "\n", now_ms);
        break;
    case ACTION_YANK:
        plain_change(self, GROUP_NONE, self->cursor, self->cursor, self->killed->str, 0);
        break;
    case ACTION_UNDO:
        plain_undo(self);
        break;
    default:
        plain_cut(self, to);
        return;
    }
    self->has_killed = false;
}

static const uint32_t letters[] = {
    'a',  'b',     'C',    '1',    ' ',     ' ',    '-',     '_',     '"',    '(',
    0xe9, 0x0301,  0x65e5, 0x30ab, 0x1f600, 0x200d, 0x1f468, 0x1f3fd, 0xfe0f, 0x1f1e9,
    '\\', 0x1f1ea, 0xd55c, 0x1100, 0x1161,  0x0928, 0x093f,  0x0e01,
};

static const Action played[] = {
    ACTION_NEW_LINE,
    ACTION_CURSOR_LEFT,
    ACTION_CURSOR_LEFT,
    ACTION_CURSOR_RIGHT,
    ACTION_WORD_LEFT,
    ACTION_WORD_RIGHT,
    ACTION_LINE_START,
    ACTION_LINE_END,
    ACTION_DELETE_BACKWARD,
    ACTION_DELETE_BACKWARD,
    ACTION_DELETE_FORWARD,
    ACTION_DELETE_WORD_BACKWARD,
    ACTION_DELETE_WORD_FORWARD,
    ACTION_DELETE_TO_LINE_START,
    ACTION_DELETE_TO_LINE_END,
    ACTION_YANK,
    ACTION_UNDO,
};

static void compare(Editor *editor, const Plain *plain, const char *name, int round, int key)
{
    size_t cursor;
    const char *shown = editor_shown(editor, &cursor);
    if (strcmp(shown, plain->text->str) != 0 || cursor != plain->cursor)
        fail_msg("round %d, key %d, %s: got '%s' at %zu, want '%s' at %zu", round, key, name, shown,
                 cursor, plain->text->str, plain->cursor);
}

/* Rows that were kept are those of a new layout, and hold all of the text. */
static void check_rows(Editor *editor, GRand *rand)
{
    int width = g_rand_int_range(rand, 1, 30), row, column, again_row, again_column;
    g_autoptr(GPtrArray) rows = rows_new(), again = rows_new(), other = rows_new();
    size_t cursor;
    editor_rows(editor, 12, 1000, rows, &row, &column);
    editor_rows(editor, width, 4, other, &again_row, &again_column);
    assert_true(other->len >= 1 && other->len <= 4 && again_row < (int)other->len);
    assert_true(again_column >= 0 && again_column < width);
    for (guint i = 0; i < other->len; i++)
        assert_true(((const Row *)other->pdata[i])->cells <= width);
    editor_rows(editor, 12, 1000, again, &again_row, &again_column);
    assert_int_equal(rows->len, again->len);
    assert_true(row == again_row && column == again_column);
    g_autoptr(GString) joined = g_string_new(NULL);
    for (guint i = 0; i < rows->len; i++) {
        assert_true(row_equal(rows->pdata[i], again->pdata[i]));
        g_string_append(joined, ((const Row *)rows->pdata[i])->text + 2);
    }
    g_auto(GStrv) lines = g_strsplit(editor_shown(editor, &cursor), "\n", -1);
    g_autofree char *want = g_strjoinv("", lines);
    assert_string_equal(joined->str, want);
}

static void play_round(int round, GRand *rand)
{
    g_autoptr(Editor) editor = editor_new(3);
    Plain *plain = plain_new();
    gint64 now_ms = 1;
    for (int key = 0; key < KEYS; key++) {
        now_ms += g_rand_int_range(rand, 0, 8) == 0 ? 1500 : 10;
        if (g_rand_boolean(rand)) {
            char typed[7] = { 0 };
            uint32_t letter = letters[g_rand_int_range(rand, 0, G_N_ELEMENTS(letters))];
            g_unichar_to_utf8(letter, typed);
            if (editor_type(editor, letter, now_ms) != EDITOR_UNUSED) {
                plain_change(plain, GROUP_TYPED, plain->cursor, plain->cursor, typed, now_ms);
                plain->has_killed = false;
            }
            compare(editor, plain, typed, round, key);
        } else {
            Action action = played[g_rand_int_range(rand, 0, G_N_ELEMENTS(played))];
            editor_act(editor, action, now_ms);
            plain_act(plain, action, now_ms);
            compare(editor, plain, action_id(action), round, key);
        }
        if (key % 10 == 0)
            check_rows(editor, rand);
    }
    while (plain->undo->len > 0) {
        editor_act(editor, ACTION_UNDO, now_ms);
        plain_undo(plain);
        compare(editor, plain, "undo of all", round, KEYS);
    }
    assert_true(editor_is_empty(editor));
    plain_free(plain);
}

static void test_against_plain_text(void **state G_GNUC_UNUSED)
{
    for (int round = 0; round < ROUNDS; round++) {
        GRand *rand = g_rand_new_with_seed((guint32)round);
        play_round(round, rand);
        g_rand_free(rand);
    }
}

// ---- with markers ----

static const char *const marks[] = { "[paste #", "[Image #1]" };

/* The cursor is never inside of a marker; what is expanded has whole pastes alone. */
static void check_markers(Editor *editor, const char *paste)
{
    size_t cursor;
    const char *shown = editor_shown(editor, &cursor);
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        for (const char *p = shown; (p = strstr(p, marks[i])); p++) {
            size_t start = (size_t)(p - shown), size = strcspn(p, "]") + 1;
            assert_int_equal(p[size - 1], ']');
            assert_true(cursor <= start || cursor >= start + size);
        }
    g_autofree char *text = editor_text(editor);
    assert_null(strstr(text, "[paste"));
    assert_null(strstr(text, "[Image"));
    size_t pastes = 0, begun = 0;
    for (const char *p = text; (p = strstr(p, paste)); p++)
        pastes++;
    for (const char *p = text; (p = strchr(p, '{')); p++)
        begun++;
    assert_int_equal(pastes, begun);
    assert_true(g_utf8_validate(text, -1, NULL));
}

static void test_markers_at_random(void **state G_GNUC_UNUSED)
{
    static const Action all[] = {
        ACTION_CURSOR_UP,    ACTION_CURSOR_DOWN,   ACTION_PAGE_UP,  ACTION_PAGE_DOWN,
        ACTION_JUMP_FORWARD, ACTION_JUMP_BACKWARD, ACTION_YANK_POP,
    };
    static const char paste[] = "{0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11}";
    for (guint32 round = 0; round < ROUNDS; round++) {
        g_autoptr(Editor) editor = editor_new(3);
        GRand *rand = g_rand_new_with_seed(round + 1000);
        for (int key = 0; key < KEYS; key++) {
            switch (g_rand_int_range(rand, 0, 8)) {
            case 0:
                editor_paste(editor, paste, strlen(paste), true);
                break;
            case 1:
                editor_insert_marker(editor, "[Image #1]", "");
                break;
            case 2:
            case 3:
                editor_type(editor, letters[g_rand_int_range(rand, 0, G_N_ELEMENTS(letters))], 0);
                break;
            case 4:
                editor_act(editor, all[g_rand_int_range(rand, 0, G_N_ELEMENTS(all))], 0);
                break;
            default:
                editor_act(editor, played[g_rand_int_range(rand, 0, G_N_ELEMENTS(played))], 0);
            }
            check_markers(editor, paste);
            if (key % 5 == 0)
                check_rows(editor, rand);
        }
        for (int key = 0; key < KEYS; key++)
            editor_act(editor, ACTION_UNDO, 0);
        assert_true(editor_is_empty(editor));
        g_rand_free(rand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_plain_text),
        cmocka_unit_test(test_markers_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
