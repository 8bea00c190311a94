/*
 * Sessions of which most is in the file only: every operation gives what it gives where all entries
 * are values. Those are of the same file in version 2, which is loaded as values.
 */
#include "unit.h"

#include "base/file.h"
#include "base/worker.h"
#include "model/message.h"
#include "session/session_private.h"
#include "session/session_read.h"
#include "session/session_tree.h"

#include <signal.h>
#include <sys/resource.h>

#define TURNS 90
#define SIDE  "side1" // an entry that no context has

typedef struct Fixture {
    char *root;
    Session *hot, *cold;
} Fixture;

static void add(GString *file, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add(GString *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(file, format, args);
    va_end(args);
    g_string_append_c(file, '\n');
}

/* Turns of 12 KB: "u0" ← "a0" ← "u1" …; a side branch, notes, a compaction that keeps two turns. */
static char *session_text(int version)
{
    GString *file = g_string_new(NULL);
    g_autofree char *long_text = g_strnfill(12000, 'x');
    add(file,
        "{\"type\":\"session\",\"version\":%d,\"id\":\"s\",\"timestamp\":"
        "\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/w\"}",
        version);
    add(file,
        "{\"type\":\"model_change\",\"id\":\"root\",\"parentId\":null,\"model\":\"lab/one\"}");
    for (int i = 0; i < TURNS; i++) {
        g_autofree char *parent = i > 0 ? g_strdup_printf("a%d", i - 1) : g_strdup("root");
        add(file,
            "{\"type\":\"message\",\"id\":\"u%d\",\"parentId\":\"%s\",\"message\":{"
            "\"role\":\"user\",\"content\":\"question %d\"}}",
            i, parent, i);
        add(file,
            "{\"type\":\"message\",\"id\":\"a%d\",\"parentId\":\"u%d\",\"message\":{\"role\":"
            "\"assistant\",\"provider\":\"lab\",\"model\":\"two\",\"content\":[{\"type\":"
            "\"text\",\"text\":\"%d %s\"}]}}",
            i, i, i, long_text);
    }
    add(file, "{\"type\":\"message\",\"id\":\"" SIDE "\",\"parentId\":\"a3\",\"message\":{\"role\":"
              "\"user\",\"content\":\"aside\"}}");
    add(file,
        "{\"type\":\"custom_message\",\"id\":\"side2\",\"parentId\":\"" SIDE "\",\"customType\":"
        "\"note\",\"content\":\"remember\",\"display\":true}");
    add(file,
        "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"a%d\",\"targetId\":\"u2\",\"label\":"
        "\"here\"}",
        TURNS - 1);
    add(file,
        "{\"type\":\"compaction\",\"id\":\"c\",\"parentId\":\"l\",\"summary\":\"so far\","
        "\"firstKeptEntryId\":\"u%d\",\"tokensBefore\":9}",
        TURNS - 2);
    add(file, "{\"type\":\"theirs\",\"id\":\"t\",\"parentId\":\"c\",\"message\":{\"role\":"
              "\"assistant\",\"content\":\"no message\"}}");
    add(file, "{\"type\":\"branch_summary\",\"id\":\"b\",\"parentId\":\"t\",\"summary\":\"\"}");
    add(file, "{\"type\":\"message\",\"id\":\"last\",\"parentId\":\"b\",\"message\":{\"role\":"
              "\"user\",\"content\":\"now\"}}");
    return g_string_free(file, FALSE);
}

static Session *open_session(const char *root, const char *name, int version)
{
    g_autofree char *path = g_build_filename(root, name, NULL);
    g_autofree char *text = session_text(version);
    Session *session = NULL;
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    return session;
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-cold-XXXXXX", NULL);
    g_setenv("KEDGE_AGENT_DIR", self->root, TRUE);
    self->hot = open_session(self->root, "hot.jsonl", 2);
    self->cold = open_session(self->root, "cold.jsonl", 3);
    session_settle(self->cold);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    session_free(self->hot);
    session_free(self->cold);
    file_remove_tree(self->root, NULL);
    g_free(self->root);
    g_free(self);
    return 0;
}

// ---- operations: what they give, as a value to compare ----

static json_t *context_of(Session *session)
{
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    return json_pack("{s:O, s:O, s:O, s:s}", "messages", context.messages, "ids", context.entry_ids,
                     "models", context.models, "level", context.thinking_level);
}

static json_t *op_context(Session *session)
{
    return context_of(session);
}

static json_t *op_tree(Session *session)
{
    return session_tree(session);
}

static json_t *op_points(Session *session)
{
    return session_branch_points(session);
}

static json_t *entries_in_file(const Session *session)
{
    g_auto(SessionCopy) copy = { 0 };
    assert_true(session_read(session_path(session), &copy, NULL));
    return json_incref(copy.entries);
}

static json_t *op_entries(Session *session)
{
    json_t *out = json_array();
    static const char *const ids[] = { "u0", "a40", SIDE, "side2", "l", "c", "last" };
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++)
        json_append_take(out, session_entry(session, ids[i]));
    assert_null(session_entry(session, "nope"));
    return out;
}

static json_t *op_move(Session *session)
{
    json_t *out = json_array();
    static const char *const ids[] = { "side2", "a50", NULL, "last" };
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        assert_true(session_move(session, ids[i], NULL));
        session_settle(session);
        json_append_take(out, context_of(session));
        json_append_take(out, context_of(session)); // again, of values
    }
    return out;
}

static json_t *op_targets(Session *session)
{
    json_t *out = json_array();
    static const char *const ids[] = { "u0", "a1", SIDE, "side2", "last" };
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_auto(SessionTarget) target = { 0 };
        assert_true(session_find_target(session, ids[i], &target, NULL));
        g_autoptr(GPtrArray) left = session_read_entries(session, target.left);
        json_t *item = json_pack("{s:s?, s:s?}", "leaf", target.leaf, "text", target.text);
        for (guint j = 0; j < left->len; j++)
            json_object_set(item, json_get_text(left->pdata[j], "id"), left->pdata[j]);
        json_append_take(out, item);
    }
    return out;
}

static json_t *op_paths(Session *session)
{
    json_t *out = json_array();
    g_autoptr(GPtrArray) context = session_context_path(session);
    g_autoptr(GPtrArray) changes = session_path_of_type(session, "model_change");
    for (guint i = 0; i < context->len; i++)
        json_array_append(out, context->pdata[i]);
    json_append_take(out, json_text("---"));
    for (guint i = 0; i < changes->len; i++)
        json_array_append(out, changes->pdata[i]);
    return out;
}

/* The heads of the context are those of its messages, and the setup is the context's own. */
static json_t *op_heads(Session *session)
{
    g_autoptr(GPtrArray) heads = session_context_heads(session);
    g_auto(SessionContext) context = { 0 };
    g_auto(SessionContext) setup = { 0 };
    session_build_context(session, &context);
    session_build_setup(session, &setup);
    assert_int_equal(heads->len, json_array_size(context.entry_ids));
    for (guint i = 0; i < heads->len; i++)
        assert_string_equal(((const EntryHead *)heads->pdata[i])->id,
                            json_string_value(json_array_get(context.entry_ids, i)));
    assert_true(json_equal(setup.models, context.models));
    assert_string_equal(setup.thinking_level, context.thinking_level);
    assert_true(setup.has_messages);
    assert_int_equal(json_array_size(setup.messages), 0);
    return json_incref(context.entry_ids);
}

static json_t *op_branch(Session *session)
{
    g_autoptr(Session) branch = NULL;
    g_autofree char *text = NULL;
    assert_true(session_branch(session, "u60", &branch, &text, NULL));
    session_settle(branch);
    json_t *out = json_array();
    json_append_take(out, json_text(text));
    json_append_take(out, context_of(branch));
    session_keep(branch);
    assert_true(session_flush(branch, NULL));
    json_t *entries = entries_in_file(branch);
    size_t count = json_array_size(entries), labels = 0;
    while (count > 0 && json_get_text(json_array_get(entries, count - 1), "label")) {
        json_array_remove(entries, --count); // it has a time of its own
        labels++;
    }
    json_append_take(out, entries);
    json_append_take(out, json_integer((json_int_t)labels));
    return out;
}

static json_t *op_label(Session *session)
{
    assert_true(session_set_label(session, "a10", "good", NULL));
    assert_true(session_set_label(session, "u2", NULL, NULL));
    g_autoptr(json_t) tree = session_tree(session);
    assert_int_equal(json_array_size(json_get_array(tree, "entries")), 2 * TURNS + 10);
    return json_incref(json_get_object(tree, "labels"));
}

static json_t *op_replace(Session *session)
{
    json_t *out = json_array();
    g_autoptr(json_t) entry = session_entry(session, "a20");
    g_autoptr(json_t) message = json_copy(json_get_object(entry, "message"));
    json_set_text(message, "content", "short now");
    session_replace_message(session, "a20", message);
    session_replace_message(session, "nope", message);
    json_append_take(out, session_tree(session));
    assert_true(session_flush(session, NULL));
    json_append_take(out, entries_in_file(session));
    session_settle(session);
    json_append_take(out, session_tree(session));
    return out;
}

static json_t *op_title(Session *session)
{
    session_set_title(session, "parser fix", false);
    assert_true(session_flush(session, NULL));
    return entries_in_file(session);
}

static json_t *op_fork(Session *session)
{
    g_autoptr(Session) fork = NULL;
    g_autofree char *dir = g_path_get_dirname(session_path(session));
    assert_true(session_fork(session_path(session), dir, "/w", &fork, NULL));
    session_settle(fork);
    json_t *out = json_array();
    json_append_take(out, session_tree(fork));
    json_append_take(out, entries_in_file(fork));
    return out;
}

static json_t *op_copy_of_open(Session *session)
{
    g_autoptr(Session) copy = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(session_path(session), "/w", &copy, &notice, NULL));
    assert_non_null(strstr(notice, "open in another process"));
    return session_tree(copy); // without what is not answered
}

static void test_operations(void **state)
{
    static const struct {
        const char *name;
        json_t *(*run)(Session *session);
    } operations[] = {
        { "heads", op_heads },       { "context", op_context }, { "tree", op_tree },
        { "points", op_points },     { "entries", op_entries }, { "move", op_move },
        { "targets", op_targets },   { "paths", op_paths },     { "branch", op_branch },
        { "copy", op_copy_of_open }, { "fork", op_fork },       { "title", op_title },
        { "replace", op_replace },   { "label", op_label },
    };
    Fixture *self = *state;
    assert_int_equal(entry_list_size(self->hot->entries).text_bytes, 0);
    EntryListSize size = entry_list_size(self->cold->entries);
    assert_true(size.values <= 10); // notes, and what the context has
    assert_true(size.text_bytes > (TURNS - 5) * 12000);
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
        g_autoptr(json_t) want = operations[i].run(self->hot);
        g_autoptr(json_t) got = operations[i].run(self->cold);
        if (!json_equal(got, want))
            fail_msg("%s differs", operations[i].name);
    }
    assert_int_equal(entry_list_size(self->hot->entries).text_bytes > 0, true); // settled by now
}

// ---- writing ----

static rlim_t limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    return before;
}

static void append(Session *session, const char *role, const char *text)
{
    g_autoptr(json_t) message = json_pack("{s:s, s:s}", "role", role, "content", text);
    session_append_message(session, message);
}

/* The file is written anew, of entries that are in it only, when there is space again. */
static void test_full_disk(void **state)
{
    Fixture *self = *state;
    g_autoptr(json_t) before = entries_in_file(self->cold);
    signal(SIGXFSZ, SIG_IGN);
    rlim_t unlimited = limit_files(100 * 1000);
    session_set_title(self->cold, "another", false);
    append(self->cold, "assistant", "answer");
    session_settle(self->cold);
    bool is_flushed = session_flush(self->cold, NULL);
    g_autoptr(json_t) during = entries_in_file(self->cold);
    limit_files(unlimited);
    assert_false(is_flushed);
    assert_true(json_equal(during, before));

    assert_true(session_flush(self->cold, NULL));
    g_autoptr(json_t) after = entries_in_file(self->cold);
    size_t count = json_array_size(after);
    assert_int_equal(count, json_array_size(before) + 1);
    json_array_remove(after, count - 1);
    assert_true(json_equal(after, before));
}

/* What another program does to the file of a session that is open. */
static void remove_file(const char *path)
{
    assert_int_equal(remove(path), 0);
}

static void put_empty(const char *path)
{
    assert_true(file_write_atomic(path, "", 0, 0600, NULL));
}

static void put_other(const char *path)
{
    assert_true(file_write_atomic(path, "another's\n", 10, 0600, NULL));
}

static void move_folder(const char *path)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *away = g_strconcat(dir, ".away", NULL);
    assert_int_equal(rename(dir, away), 0);
    file_remove_tree(away, NULL);
}

static void tear_end(const char *path)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("{\"type\":\"mess", file);
    assert_int_equal(fclose(file), 0);
}

static void append(Session *session, const char *role, const char *text);

/* What was read is still open: all is written again, and what is there now is kept. */
static void test_lost_file(void **state)
{
    static const struct {
        void (*damage)(const char *path);
        const char *notice; // NULL: none is needed
        bool is_kept;
    } rows[] = {
        { put_empty, "removed the file", false },   { remove_file, "removed the file", false },
        { put_other, ".replaced-1", true },         { tear_end, NULL, false },
        { move_folder, "removed the file", false },
    };
    Fixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *path = session_path(self->cold);
        g_autoptr(json_t) before = entries_in_file(self->cold);
        rows[i].damage(path);
        g_autoptr(json_t) tree = session_tree(self->cold);
        assert_true(json_equal(json_get_array(tree, "entries"), before));
        append(self->cold, "user", "still here");
        assert_true(session_flush(self->cold, NULL));
        assert_null(session_take_error(self->cold));
        g_autofree char *notice = session_take_notice(self->cold);
        assert_true(rows[i].notice ? notice && strstr(notice, rows[i].notice) : !notice);
        g_autofree char *aside = g_strconcat(path, ".replaced-1", NULL);
        g_autofree char *kept = NULL;
        assert_int_equal(g_file_get_contents(aside, &kept, NULL, NULL), rows[i].is_kept);
        if (rows[i].is_kept)
            assert_string_equal(kept, "another's\n");
        unlink(aside);
        g_autoptr(json_t) after = entries_in_file(self->cold);
        size_t count = json_array_size(after);
        assert_int_equal(count, json_array_size(before) + 1);
        json_array_remove(after, count - 1);
        assert_true(json_equal(after, before));
    }
}

/* One with nothing in it any more begins with a header again. */
static void test_emptied_file(void **state)
{
    Fixture *self = *state;
    assert_int_equal(truncate(session_path(self->cold), 0), 0);
    append(self->cold, "user", "after all");
    assert_true(session_flush(self->cold, NULL));
    g_autoptr(GError) error = session_take_error(self->cold);
    assert_non_null(error);
    append(self->cold, "assistant", "yes");
    assert_true(session_flush(self->cold, NULL));
    g_autoptr(json_t) after = entries_in_file(self->cold);
    size_t count = json_array_size(after);
    assert_int_equal(count, 2);
    const json_t *prompt = json_get_object(json_array_get(after, 0), "message");
    assert_string_equal(json_get_text(prompt, "content"), "after all");
}

static size_t count_lost(json_t *entries)
{
    size_t lost = 0, i = 0;
    json_t *entry = NULL;
    json_array_foreach (entries, i, entry)
        lost += json_object_size(entry) <= 3;
    return lost;
}

/* The file itself was cut: what is gone is said once, and what is new is written nevertheless. */
static void test_cut_file(void **state)
{
    Fixture *self = *state;
    const char *path = session_path(self->cold);
    g_autoptr(json_t) tree_before = session_tree(self->cold);
    assert_int_equal(count_lost(json_get_array(tree_before, "entries")), 0);
    assert_null(session_take_error(self->cold));
    assert_int_equal(truncate(path, 100 * 1000), 0);

    g_autoptr(json_t) tree = session_tree(self->cold);
    size_t count = json_array_size(json_get_array(tree, "entries"));
    assert_int_equal(count, entry_list_count(self->cold->entries));
    size_t lost = count_lost(json_get_array(tree, "entries"));
    assert_true(lost > TURNS && lost < count - 10);
    g_autoptr(GError) error = session_take_error(self->cold);
    assert_non_null(error);
    assert_non_null(strstr(error->message, path));
    assert_null(session_take_error(self->cold));

    session_set_title(self->cold, "not over what is left", false);
    append(self->cold, "assistant", "still here");
    assert_true(session_flush(self->cold, NULL));
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    assert_true(strlen(text) > 100 * 1000);
    assert_non_null(strstr(text + 100 * 1000, "still here"));
}

/* That its entries are read elsewhere does not keep a session locked. */
static void test_lock(void **state)
{
    Fixture *self = *state;
    g_autofree char *path = g_strdup(session_path(self->cold));
    g_autoptr(Session) branch = NULL;
    g_autofree char *text = NULL, *notice = NULL;
    assert_true(session_branch(self->cold, "u60", &branch, &text, NULL));
    session_free(self->cold);
    assert_true(session_open(path, "/w", &self->cold, &notice, NULL));
    assert_null(notice);
    assert_int_equal(remove(path), 0);
    g_autoptr(json_t) tree = session_tree(branch);
    assert_int_equal(count_lost(json_get_array(tree, "entries")), 0);
}

// ---- images ----

static json_t *image_message(void)
{
    g_autofree char *bytes = g_strnfill(300 * 1000, 'i');
    g_autofree char *data = g_base64_encode((const guchar *)bytes, 300 * 1000);
    return json_pack("{s:s, s:[{s:s, s:s, s:s}]}", "role", "user", "content", "type", "image",
                     "data", data, "mimeType", "image/png");
}

static void test_images(void **state)
{
    Fixture *self = *state;
    g_autoptr(json_t) message = image_message();
    size_t before = entry_list_size(self->cold->entries).text_bytes;
    g_autofree char *id = g_strdup(session_append_message(self->cold, message));
    assert_true(session_move(self->cold, "last", NULL));
    session_settle(self->cold);
    assert_true(entry_list_size(self->cold->entries).text_bytes < before + 1000); // a reference
    g_autoptr(json_t) entry = session_entry(self->cold, id);
    assert_true(json_equal(json_get_object(entry, "message"), message));

    g_autoptr(json_t) during = entries_in_file(self->cold);
    session_set_title(self->cold, "pictures", false);
    assert_true(session_flush(self->cold, NULL));
    g_autoptr(json_t) after = entries_in_file(self->cold);
    assert_true(json_equal(after, during));
}

/* What has no file leaves nothing on the disk. */
static void test_in_memory(void **state)
{
    Fixture *self = *state;
    g_autoptr(Session) session = session_new(NULL, "/w");
    g_autoptr(json_t) message = image_message();
    for (int i = 0; i < 3; i++)
        session_append_message(session, message);
    assert_true(session_move(session, NULL, NULL));
    session_settle(session);
    assert_int_equal(entry_list_size(session->entries).values, 3);
    g_autofree char *blobs = g_build_filename(self->root, "blobs", NULL);
    assert_false(file_exists(blobs));
}

// ---- threads ----

typedef struct Asker {
    Session *session;
    size_t fewest, points;
} Asker;

static void ask(void *self_)
{
    Asker *self = self_;
    for (int i = 0; i < 10; i++) {
        g_autoptr(json_t) tree = session_tree(self->session);
        g_autoptr(json_t) points = session_branch_points(self->session);
        self->fewest = MIN(self->fewest, json_array_size(json_get_array(tree, "entries")));
        self->points = MAX(self->points, json_array_size(points));
    }
}

static void test_threads(void **state)
{
    Fixture *self = *state;
    size_t count = entry_list_count(self->cold->entries);
    Asker asker = { self->cold, SIZE_MAX, 0 };
    Worker *worker = worker_start("asker", ask, &asker);
    assert_non_null(worker);
    g_autofree char *text = g_strnfill(40000, 't');
    for (int i = 0; i < 40; i++) {
        append(self->cold, i % 2 ? "assistant" : "user", text);
        assert_true(session_move(self->cold, i % 3 ? "last" : "side2", NULL));
        session_settle(self->cold);
    }
    worker_join(worker);
    assert_true(asker.fewest >= count);
    assert_true(asker.points >= 5); // on the shorter way
    assert_int_equal(entry_list_count(self->cold->entries), count + 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_emptied_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_images, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
