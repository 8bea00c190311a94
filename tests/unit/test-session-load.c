/*
 * Loading: damaged lines, migrations of versions 1 and 2, newer versions.
 */
#include "unit.h"

#include "base/file.h"
#include "session/session.h"

static char *root;

static int setup(void **state G_GNUC_UNUSED)
{
    root = g_dir_make_tmp("kedge-load-XXXXXX", NULL);
    return 0;
}

static int teardown(void **state G_GNUC_UNUSED)
{
    file_remove_tree(root, NULL);
    g_free(root);
    return 0;
}

static char *put_file(const char *name, const char *text)
{
    char *path = g_build_filename(root, name, NULL);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    return path;
}

static char *texts_of(const Session *session)
{
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    GString *got = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (context.messages, i, message) {
        const char *text = json_get_text(message, "content");
        text = text ? text : json_get_text(message, "summary");
        g_string_append_printf(got, "%s%s", i ? " " : "", text ? text : "?");
    }
    return g_string_free(got, FALSE);
}

#define HEADER "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/w\"}\n"
#define LINE(id, p, t)                                                                             \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" p                                      \
    ",\"message\":{\"role\":\"user\",\"content\":\"" t "\"}}"

static void test_damage(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "core-64: garbage in the middle",
          HEADER LINE("1", "null", "a") "\nxx{\"]\n\n\x01\xff\n[1]\n7\n" LINE("2", "\"1\"",
                                                                              "b") "\n",
          "a b" },
        { "no LF at the end", HEADER LINE("1", "null", "a") "\n" LINE("2", "\"1\"", "b"), "a b" },
        { "garbage before the header", "oops\n" HEADER LINE("1", "null", "a") "\n", "a" },
        { "CRLF", HEADER LINE("1", "null", "a") "\r\n" LINE("2", "\"1\"", "b") "\r\n", "a b" },
        { "a second header is no entry", HEADER LINE("1", "null", "a") "\n" HEADER, "a" },
        { "an entry without an id follows the one before",
          HEADER LINE("1", "null", "a") "\n{\"type\":\"message\",\"message\":{\"role\":\"user\","
                                        "\"content\":\"b\"}}\n",
          "a b" },
        { "an object that is no entry", HEADER LINE("1", "null", "a") "\n{\"id\":\"2\"}\n", "a" },
        { "only a header", HEADER, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = put_file("damaged.jsonl", cases[i].text);
        g_autoptr(Session) session = NULL;
        g_autofree char *notice = NULL;
        assert_true(session_open(path, "/w", &session, &notice, NULL));
        g_autofree char *got = texts_of(session);
        if (!g_str_equal(got, cases[i].want) || notice)
            fail_msg("%s: got '%s', want '%s' (%s)", cases[i].name, got, cases[i].want, notice);
    }
}

static json_t *line_of(const char *path, size_t number)
{
    g_autofree char *text = NULL;
    assert_true(file_read(path, 1000000, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    assert_true(number < g_strv_length(lines));
    json_t *value = NULL;
    assert_true(json_parse_text(lines[number], &value, NULL));
    return value;
}

/* core-61 */
static void test_version_1(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = put_file(
        "v1.jsonl",
        "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"t\",\"cwd\":\"/w\"}\n"
        "{\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\",\"content\":"
        "\"a\"}}\n"
        "{\"type\":\"compaction\",\"timestamp\":\"t\",\"summary\":\"S\",\"firstKeptEntryIndex\":1,"
        "\"tokensBefore\":9}\n");
    g_autoptr(Session) session = NULL;
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    g_autofree char *texts = texts_of(session);
    assert_string_equal(texts, "S a");

    g_autoptr(json_t) header = line_of(path, 0);
    g_autoptr(json_t) message = line_of(path, 1);
    g_autoptr(json_t) compaction = line_of(path, 2);
    assert_int_equal(json_get_int(header, "version", 0), 3);
    assert_string_equal(json_get_text(header, "id"), "s");
    const char *message_id = json_get_text(message, "id");
    assert_int_equal(strlen(message_id), 8);
    assert_true(json_is_null(json_object_get(message, "parentId")));
    assert_string_not_equal(json_get_text(compaction, "id"), message_id);
    assert_string_equal(json_get_text(compaction, "parentId"), message_id);
    assert_string_equal(json_get_text(compaction, "firstKeptEntryId"), message_id);
    assert_null(json_object_get(compaction, "firstKeptEntryIndex"));
}

/* core-62 */
static void test_version_2(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = put_file(
        "v2.jsonl",
        "{\"type\":\"session\",\"version\":2,\"id\":\"s\",\"cwd\":\"/w\"}\n"
        "{\"type\":\"message\",\"id\":\"0000000a\",\"parentId\":null,\"message\":"
        "{\"role\":\"hookMessage\",\"customType\":\"n\",\"content\":\"a\",\"display\":true}}\n"
        "{\"type\":\"from_the_future\",\"id\":\"0000000b\",\"parentId\":\"0000000a\",\"x\":1}\n");
    g_autoptr(Session) session = NULL;
    assert_true(session_open(path, "/w", &session, NULL, NULL));

    g_autoptr(json_t) header = line_of(path, 0);
    g_autoptr(json_t) entry = line_of(path, 1);
    g_autoptr(json_t) unknown = line_of(path, 2);
    assert_int_equal(json_get_int(header, "version", 0), 3);
    assert_string_equal(json_get_text(entry, "id"), "0000000a");
    assert_string_equal(json_get_text(json_get_object(entry, "message"), "role"), "custom");
    assert_int_equal(json_get_int(unknown, "x", 0), 1); // kept
}

static void test_newer_version(void **state G_GNUC_UNUSED)
{
    static const char text[] =
        "{\"type\":\"session\",\"version\":4,\"id\":\"s\",\"cwd\":\"/w\"}\n" LINE("1", "null",
                                                                                  "a") "\n";
    g_autofree char *path = put_file("v4.jsonl", text);
    g_autoptr(Session) session = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(path, "/w", &session, &notice, NULL));
    assert_non_null(strstr(notice, "version 4"));
    assert_string_not_equal(session_path(session), path);
    g_autofree char *texts = texts_of(session);
    assert_string_equal(texts, "a");
    g_autofree char *after = NULL;
    assert_true(file_read(path, 1000000, &after, NULL, NULL));
    assert_string_equal(after, text);
}

/* Lines longer and shorter than a read, and many of them. */
static void test_pieces(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(HEADER);
    g_autofree char *filler = g_strnfill(700000, 'x');
    for (int i = 0; i < 300; i++)
        g_string_append_printf(text,
                               "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":%s,\"message\":"
                               "{\"role\":\"user\",\"content\":\"%d\",\"filler\":\"%s\"}}\n",
                               i, "null", i, i % 100 == 7 ? filler : filler + 699000);
    g_autofree char *path = put_file("pieces.jsonl", text->str);
    g_autoptr(Session) session = NULL;
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    g_autofree char *texts = texts_of(session);
    assert_string_equal(texts, "299");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_version_1, setup, teardown),
        cmocka_unit_test_setup_teardown(test_version_2, setup, teardown),
        cmocka_unit_test_setup_teardown(test_newer_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pieces, setup, teardown),
    };
    return cmocka_run_group_tests_name("session-load", tests, NULL, NULL);
}
