/*
 * Sessions: images and long prompts, which are kept as blobs beside the line that names them.
 */
#include "unit.h"

#include "base/file.h"
#include "base/secrets.h"
#include "model/message.h"
#include "session/session.h"

#include <unistd.h>

typedef struct Fixture {
    char *root, *dir, *agent_dir;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-session-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "sessions", NULL);
    self->agent_dir = g_build_filename(self->root, "agent", NULL);
    g_setenv("KEDGE_AGENT_DIR", self->agent_dir, TRUE);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->agent_dir);
    g_free(self->dir);
    g_free(self->root);
    g_free(self);
    return 0;
}

static void append(Session *session, const char *role, const char *text)
{
    g_autoptr(json_t) message = json_object();
    json_set_text(message, "role", role);
    json_set_text(message, "content", text);
    session_append_message(session, message);
}

static char *read_text(const char *path)
{
    char *text = NULL;
    assert_true(file_read(path, 100 * 1000 * 1000, &text, NULL, NULL));
    return text;
}

static void append_image(Session *session, const char *data)
{
    g_autoptr(json_t) message = NULL;
    g_autofree char *text = g_strdup_printf("{\"role\":\"user\",\"content\":[{\"type\":\"image\","
                                            "\"data\":\"%s\",\"mimeType\":\"image/png\"}]}",
                                            data);
    assert_true(json_parse_text(text, &message, NULL));
    session_append_message(session, message);
}

static const char *image_of(const SessionContext *context, size_t message_index)
{
    json_t *blocks = json_get_array(json_array_get(context->messages, message_index), "content");
    return json_get_text(json_array_get(blocks, 0), "data");
}

/* core-72, core-73 */
static void test_images_go_to_the_blob_store(void **state)
{
    Fixture *self = *state;
    g_autofree guchar *bytes = g_malloc(150000);
    for (size_t i = 0; i < 150000; i++)
        bytes[i] = (guchar)(i * 7);
    g_autofree char *base64 = g_base64_encode(bytes, 150000);
    g_autofree char *hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, 150000);
    g_autofree char *unpadded = g_strconcat(base64, "\\n", NULL); // another text, the same bytes

    Session *session = session_new(self->dir, "/w");
    append_image(session, base64);
    append_image(session, "QUJD");
    append_image(session, unpadded);
    append(session, "assistant", "seen");
    g_autofree char *path = g_strdup(session_path(session));
    session_free(session);

    g_autofree char *reference = g_strconcat("\"blob:sha256:", hash, "\"", NULL);
    g_autofree char *text = read_text(path);
    assert_non_null(strstr(text, reference));
    assert_non_null(strstr(text, "\"QUJD\""));
    g_autofree char *blob = g_build_filename(self->agent_dir, "blobs", hash, NULL);
    gsize size = 0;
    g_autofree char *stored = NULL;
    assert_true(file_read(blob, 1000000, &stored, &size, NULL));
    assert_int_equal(size, 150000);
    assert_memory_equal(stored, bytes, size);

    g_autofree char *notice = NULL;
    assert_true(session_open(path, "/w", &session, &notice, NULL));
    assert_null(notice);
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    assert_string_equal(image_of(&context, 0), base64);
    assert_string_equal(image_of(&context, 1), "QUJD");
    assert_true(g_str_has_suffix(image_of(&context, 2), "\n"));
    session_free(session);

    unlink(blob);
    assert_true(session_open(path, "/w", &session, &notice, NULL));
    assert_non_null(strstr(notice, "1 image(s) or long prompt(s)"));
    session_free(session);
}

static void assert_prompt(const Session *session, size_t index, const char *want)
{
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    g_autofree char *text = message_text(json_array_get(context.messages, index));
    assert_string_equal(text, want);
}

/* core-122: what a person asked is whole on resume, and no secret of it is on disk */
static void test_long_prompts_go_to_the_blob_store(void **state)
{
    Fixture *self = *state;
    g_autofree char *filler = g_strnfill(2000000, 'x');
    g_autofree char *text = g_strconcat("ask ", filler, " the-key-of-blobs \xc3\xa4", NULL);
    g_autofree char *masked = g_strconcat("ask ", filler, " [REDACTED] \xc3\xa4", NULL);
    secrets_register("the-key-of-blobs");
    Session *session = session_new(self->dir, "/w");
    append(session, "user", text);
    g_autoptr(json_t) developer = message_user(filler);
    json_set_text(developer, "role", "developer");
    session_append_message(session, developer);
    append(session, "user", "short");
    append(session, "assistant", "done");
    g_autofree char *path = g_strdup(session_path(session));
    assert_prompt(session, 0, text); // the model of this process gets it as it is
    session_free(session);

    g_autofree char *stored = read_text(path);
    assert_true(strlen(stored) < 5000);
    assert_non_null(strstr(stored, "\"text\":\"\",\"textBlob\":\"blob:sha256:"));
    assert_null(strstr(stored, "the-key-of-blobs"));
    g_autofree char *hash =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)masked, strlen(masked));
    g_autofree char *blob = g_build_filename(self->agent_dir, "blobs", hash, NULL);
    assert_true(file_exists(blob));

    g_autofree char *notice = NULL;
    assert_true(session_open(path, "/w", &session, &notice, NULL));
    assert_null(notice);
    assert_prompt(session, 0, masked);
    assert_prompt(session, 1, filler);
    assert_prompt(session, 2, "short");
    session_free(session);
    unlink(blob);
    assert_true(session_open(path, "/w", &session, &notice, NULL));
    assert_non_null(strstr(notice, "1 image(s) or long prompt(s)"));
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_images_go_to_the_blob_store, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_prompts_go_to_the_blob_store, setup, teardown),
    };
    return cmocka_run_group_tests_name("session-blobs", tests, NULL, NULL);
}
