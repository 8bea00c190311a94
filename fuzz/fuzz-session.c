/*
 * Fuzz target: the session loader. The input is a session file: it is opened, migrated, its context
 * built, a message appended, and opened again, which must then find that message. The input is also
 * given to the two JSON readers.
 */
#include "base/file.h"
#include "base/json_reader.h"
#include "session/session.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *dir;

static void remove_dir(void)
{
    file_remove_tree(dir, NULL);
}

/* In memory, so that the target is not bound by the disk. */
static void make_dir(void)
{
    if (dir)
        return;
    dir = g_strdup("/dev/shm/kedge-fuzz-session-XXXXXX");
    if (!g_mkdtemp(dir))
        g_error("cannot make %s", dir);
    g_setenv("KEDGE_AGENT_DIR", dir, TRUE);
    atexit(remove_dir);
}

static void put_input(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    g_assert(file);
    g_assert(fwrite(data, 1, size, file) == size);
    fclose(file);
}

static void check_last_message(const Session *session, const char *want)
{
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    g_assert(json_is_array(context.messages) && json_is_object(context.models));
    g_assert(context.thinking_level);
    if (!want)
        return;
    size_t count = json_array_size(context.messages);
    g_assert(count > 0);
    const json_t *last = json_array_get(context.messages, count - 1);
    g_assert(g_strcmp0(json_get_text(last, "content"), want) == 0);
}

/* The path that the session has in the end: it may be a copy. Caller frees. */
static char *open_and_append(const char *path)
{
    Session *session = NULL;
    g_autofree char *notice = NULL;
    g_autoptr(GError) error = NULL;
    if (!session_open(path, "/w", &session, &notice, &error)) {
        g_assert(error);
        return NULL;
    }
    check_last_message(session, NULL);
    g_autoptr(json_t) message = json_object();
    json_set_text(message, "role", "assistant");
    json_set_text(message, "content", "fuzzed");
    session_append_message(session, message);
    check_last_message(session, "fuzzed");
    g_assert(session_flush(session, NULL));
    char *end_path = g_strdup(session_path(session));
    session_free(session);
    return end_path;
}

static void empty_dir(void)
{
    g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(listing))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);
        file_remove_tree(path, NULL);
    }
}

/* What the fast reader takes, the other takes too, and makes the same of it. */
static void check_fast_reader(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_malloc0(size + 1);
    memcpy(text, data, size);
    g_autoptr(json_t) fast = json_parse_plain(text, size);
    g_autoptr(json_t) slow = NULL;
    if (fast)
        g_assert(json_parse(text, size, &slow, NULL) && json_equal(fast, slow));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_fast_reader(data, size);
    make_dir();
    g_autofree char *path = g_build_filename(dir, "s.jsonl", NULL);
    put_input(path, data, size);
    g_autofree char *end_path = open_and_append(path);
    if (end_path) {
        Session *session = NULL;
        g_assert(session_open(end_path, "/w", &session, NULL, NULL));
        check_last_message(session, "fuzzed");
        session_free(session);
    }
    empty_dir();
    return 0;
}
