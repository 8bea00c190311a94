/*
 * The list of a session's entries: heads, values and lines, what settles and what comes back.
 */
#include "unit.h"

#include "session/entry_list.h"

static LineFile *file; // of all tests; its last line has no LF
static off_t file_end;

static LinePlace write_line(const char *text)
{
    LinePlace place = { file, file_end, strlen(text) };
    assert_int_equal(pwrite(line_file_fd(file), text, place.size, file_end), place.size);
    file_end += (off_t)place.size;
    return place;
}

static int open_file(void **state G_GNUC_UNUSED)
{
    g_autofree char *name = NULL;
    file = line_file_new(g_file_open_tmp("kedge-lines-XXXXXX", &name, NULL));
    return remove(name);
}

static int close_file(void **state G_GNUC_UNUSED)
{
    line_file_unref(file);
    return 0;
}

static json_t *json_of(const char *text)
{
    json_t *value = NULL;
    if (!json_parse_text(text, &value, NULL))
        fail_msg("no JSON: %s", text);
    return value;
}

static const EntryHead *add_line(EntryList *list, const char *line)
{
    LinePlace place = write_line(line);
    return entry_list_add_line(list, json_of(line), &place);
}

static void assert_text(const char *got, const char *want, const char *where)
{
    if (g_strcmp0(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", where, got ? got : "NULL", want ? want : "NULL");
}

static void test_heads(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *line, *id, *parent, *type, *role, *tool;
    } cases[] = {
        { "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\"}}",
          "a", NULL, "message", "user", "" },
        { "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{\"role\":"
          "\"toolResult\",\"toolName\":\"read\"}}",
          "b", "a", "message", "toolResult", "read" },
        { "{\"type\":\"label\",\"id\":\"c\",\"parentId\":\"gone\"}", "c", "gone", "label", "", "" },
        { "{\"type\":\"message\",\"id\":\"d\",\"parentId\":7,\"message\":[1]}", "d", NULL,
          "message", "", "" },
        { "{\"type\":4,\"message\":{\"role\":{}}}", "", NULL, "", "", "" },
    };
    g_autoptr(EntryList) list = entry_list_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const EntryHead *head = add_line(list, cases[i].line);
        assert_text(head->id, cases[i].id, cases[i].line);
        assert_text(head->parent_id, cases[i].parent, cases[i].line);
        assert_text(head->type, cases[i].type, cases[i].line);
        assert_text(head->role, cases[i].role, cases[i].line);
        assert_text(head->tool, cases[i].tool, cases[i].line);
        assert_ptr_equal(entry_list_at(list, i), head);
        if (*cases[i].id)
            assert_ptr_equal(entry_list_find(list, cases[i].id), head);
    }
    assert_null(entry_list_at(list, G_N_ELEMENTS(cases)));
    assert_null(entry_list_find(list, "nope"));
    assert_null(entry_list_find(list, NULL));
}

/* A value comes back from its line just as it was, also where the fast reader gives up. */
static void test_lines(void **state G_GNUC_UNUSED)
{
    static const char *const contents[] = {
        "\"plain\"",
        "\"é \\u00e9 \\ud83d\\ude00 \\\" \\\\ \\n\"",
        "\"\\ud800 alone, \\u0000\"",
        "[12345678901234567890123, -0.5e3, true, null]",
        "{\"twice\":1,\"twice\":2}",
        "\"blob:sha256:0000000000000000000000000000000000000000000000000000000000000000\"",
    };
    g_autoptr(EntryList) list = entry_list_new();
    for (size_t i = 0; i < G_N_ELEMENTS(contents); i++) {
        g_autofree char *line = g_strdup_printf(
            "{\"type\":\"message\",\"id\":\"%zu\",\"message\":{\"role\":\"user\",\"content\":%s}} ",
            i, contents[i]);
        g_autoptr(json_t) want = json_of(line);
        const EntryHead *head = add_line(list, line);
        g_autoptr(json_t) got = entry_list_read(list, head);
        if (!json_equal(got, want))
            fail_msg("%s does not come back", contents[i]);
    }
    assert_int_equal(entry_list_size(list).values, 0);
}

static void test_path(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *leaf, *want;
    } cases[] = {
        { "d", "a b d" }, { "c", "a b c" }, { "a", "a" }, { "o", "o" }, // no such parent
        { "s", "s" },                                                   // its own
        { "x", "y x" },                                                 // in a circle
    };
    g_autoptr(EntryList) list = entry_list_new();
    static const char *const entries[][2] = {
        { "a", NULL },   { "b", "a" }, { "c", "b" }, { "d", "b" },
        { "o", "gone" }, { "s", "s" }, { "x", "y" }, { "y", "x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++)
        entry_list_add(list, json_pack("{s:s, s:s, s:s?}", "type", "message", "id", entries[i][0],
                                       "parentId", entries[i][1]));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) path = entry_list_path(list, entry_list_find(list, cases[i].leaf));
        g_autoptr(GString) got = g_string_new(NULL);
        for (guint j = 0; j < path->len; j++)
            g_string_append_printf(got, "%s%s", j ? " " : "",
                                   ((const EntryHead *)path->pdata[j])->id);
        assert_text(got->str, cases[i].want, cases[i].leaf);
    }
    g_autoptr(GPtrArray) none = entry_list_path(list, NULL);
    assert_int_equal(none->len, 0);
}

/* The last of two with one id is found by it. */
static void test_same_id(void **state G_GNUC_UNUSED)
{
    g_autoptr(EntryList) list = entry_list_new();
    const EntryHead *first = add_line(list, "{\"type\":\"message\",\"id\":\"a\",\"n\":1}");
    const EntryHead *second = add_line(list, "{\"type\":\"message\",\"id\":\"a\",\"n\":2}");
    assert_ptr_equal(entry_list_find(list, "a"), second);
    entry_list_cut(list, 1);
    assert_ptr_equal(entry_list_find(list, "a"), first);
    assert_int_equal(entry_list_count(list), 1);
    g_autoptr(json_t) entry = entry_list_read(list, first);
    assert_int_equal(json_get_int(entry, "n", 0), 1);
}

static json_t *message_entry(const char *id, const char *parent, const char *text)
{
    return json_pack("{s:s, s:s, s:s?, s:{s:s, s:s}}", "type", "message", "id", id, "parentId",
                     parent, "message", "role", "user", "content", text);
}

static void assert_content(EntryList *list, const char *id, const char *want)
{
    g_autoptr(json_t) entry = entry_list_read(list, entry_list_find(list, id));
    assert_string_equal(json_get_text(json_get_object(entry, "message"), "content"), want);
}

static void settle(EntryList *list, const char *leaf, guint from)
{
    g_autoptr(GPtrArray) path = entry_list_path(list, entry_list_find(list, leaf));
    entry_list_settle(list, path, from);
}

/* As `text`, NULL: as the entry is. */
static void write_entry(EntryList *list, const char *id, const char *text)
{
    const EntryHead *head = entry_list_find(list, id);
    g_autoptr(json_t) entry = entry_list_read(list, head);
    g_autofree char *line = json_to_text(entry);
    LinePlace place = write_line(text ? text : line);
    entry_list_set_place(list, head, &place);
}

static void test_settle(void **state G_GNUC_UNUSED)
{
    g_autoptr(EntryList) list = entry_list_new();
    entry_list_add(list, message_entry("a", NULL, "one"));
    json_t *kept = message_entry("b", "a", "two");
    entry_list_add(list, kept);
    entry_list_add(list, message_entry("c", "b", "three"));
    entry_list_add(list, json_pack("{s:s, s:s, s:s}", "type", "custom", "id", "n", "k", "short"));
    entry_list_add(list, message_entry("e", "c", "not in the file"));
    assert_int_equal(entry_list_size(list).values, 5);
    static const char *const written[] = { "a", "b", "c", "n" };
    for (size_t i = 0; i < G_N_ELEMENTS(written); i++)
        write_entry(list, written[i], NULL);

    settle(list, "c", 1); // `a` goes; the note and what is not written stay
    assert_int_equal(entry_list_size(list).values, 4);
    g_autoptr(json_t) same = entry_list_read(list, entry_list_find(list, "b"));
    assert_ptr_equal(same, kept);
    assert_content(list, "a", "one");

    write_entry(list, "e", NULL);
    settle(list, "a", 0); // now the others
    assert_int_equal(entry_list_size(list).values, 2);
    assert_content(list, "b", "two");
    assert_content(list, "e", "not in the file");
    size_t bytes = entry_list_size(list).text_bytes;
    settle(list, "e", 0);
    settle(list, "a", 0);
    assert_int_equal(entry_list_size(list).text_bytes, bytes); // once is enough

    entry_list_replace(list, entry_list_find(list, "b"), message_entry("b", "a", "anew"));
    assert_content(list, "b", "anew");
    settle(list, "a", 0);
    assert_content(list, "b", "anew");
    assert_content(list, "c", "three");
    assert_false(entry_list_has_lost(list));
}

/* What the file does not say in the same way stays a value. */
static void test_other_text(void **state G_GNUC_UNUSED)
{
    static const char *const texts[] = {
        "{\"type\":\"message\",\"id\":\"a\",\"message\":{\"role\":\"user\",\"content\":\"***\"}}",
        "{\"type\":\"message\",\"id\":\"b\"}",
        "{\"type\":\"mess",
        "",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(EntryList) list = entry_list_new();
        entry_list_add(list, message_entry("a", NULL, "secret"));
        write_entry(list, "a", texts[i]);
        settle(list, NULL, 0);
        assert_content(list, "a", "secret");
        assert_int_equal(entry_list_size(list).values, 1);
    }
}

/* The file was cut, or written over, by another program. */
static void test_lost(void **state G_GNUC_UNUSED)
{
    g_autoptr(EntryList) list = entry_list_new();
    entry_list_add(list, message_entry("a", NULL, "one"));
    entry_list_add(list, message_entry("b", "a", "two"));
    entry_list_add(list, message_entry("c", "b", "three"));
    off_t begin = file_end;
    for (const char *id = "abc"; *id; id++)
        write_entry(list, (char[]) { *id, '\0' }, NULL);
    settle(list, NULL, 0);
    assert_int_equal(entry_list_size(list).values, 0);
    assert_int_equal(pwrite(line_file_fd(file), "XXXX", 4, begin + 2), 4);
    assert_int_equal(ftruncate(line_file_fd(file), file_end - 3), 0);

    assert_content(list, "b", "two");
    assert_false(entry_list_has_lost(list));
    for (const char *id = "ac"; *id; id++) {
        const EntryHead *head = entry_list_find(list, (char[]) { *id, '\0' });
        g_autoptr(json_t) entry = entry_list_read(list, head);
        assert_string_equal(json_get_text(entry, "id"), head->id);
        assert_text(json_get_text(entry, "parentId"), head->parent_id, head->id);
        assert_null(json_get_object(entry, "message"));
        assert_true(entry_list_has_lost(list));
    }
}

static void test_copy(void **state G_GNUC_UNUSED)
{
    g_autoptr(EntryList) list = entry_list_new();
    entry_list_add(list, message_entry("a", NULL, "one"));
    entry_list_add(list, message_entry("b", "a", "two"));
    entry_list_add(list, message_entry("c", "b", "three"));
    write_entry(list, "b", NULL);
    settle(list, "a", 0);
    assert_int_equal(entry_list_size(list).values, 2);
    g_autoptr(GPtrArray) path = entry_list_path(list, entry_list_find(list, "b"));
    g_autoptr(EntryList) copy = entry_list_copy(list, path);
    entry_list_free(g_steal_pointer(&list)); // it stands on its own
    assert_int_equal(entry_list_count(copy), 2);
    assert_content(copy, "a", "one");
    assert_content(copy, "b", "two");
    assert_null(entry_list_find(copy, "c"));
    assert_string_equal(entry_list_find(copy, "b")->parent_id, "a");
}

static void test_new_entries(void **state G_GNUC_UNUSED)
{
    g_autoptr(EntryList) list = entry_list_new();
    g_autoptr(json_t) entry = entry_list_start(list, "label", "a");
    g_autofree char *id = entry_list_new_id(list);
    assert_int_equal(strlen(id), 8);
    assert_string_not_equal(json_get_text(entry, "id"), id);
    assert_string_equal(json_get_text(entry, "parentId"), "a");
    assert_int_equal(entry_list_count(list), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),       cmocka_unit_test(test_lines),
        cmocka_unit_test(test_path),        cmocka_unit_test(test_same_id),
        cmocka_unit_test(test_settle),      cmocka_unit_test(test_copy),
        cmocka_unit_test(test_new_entries), cmocka_unit_test(test_other_text),
        cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests(tests, open_file, close_file);
}
