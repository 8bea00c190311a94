/*
 * inspect_image, and what read shows where it is offered (agent-tools §3.23, §3.1.10): the files,
 * and what is asked and answered; which model is asked is test-image-question.c's.
 */
#include "url_fixture.h"

#include "base/limits.h"
#include "tool/images.h"
#include "tool/vision.h"

#include <sys/stat.h>
#include <unistd.h>

#define ENABLED "{'inspect_image':{'enabled':true}}"
#define PNG64                                                                                      \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg" \
    "gg=="

/* Stands for the conversation's models. */
typedef struct Oracle {
    VisionQuestion asked; // the newest; copies
    unsigned count;
    const char *problem; // fails with it; NULL: answers
    Cancel *fired;       // is fired when it is asked; NULL: nothing
} Oracle;

static void oracle_clear(Oracle *self)
{
    g_free((char *)self->asked.text);
    g_free((char *)self->asked.base64);
    g_free((char *)self->asked.mime_type);
}

static bool oracle_answer(const VisionQuestion *question, Cancel *cancel, VisionAnswer *ret_answer,
                          void *oracle, GError **error)
{
    Oracle *self = oracle;
    oracle_clear(self);
    self->asked = (VisionQuestion) { g_strdup(question->text), g_strdup(question->base64),
                                     g_strdup(question->mime_type) };
    self->count++;
    if (self->fired)
        cancel_fire(self->fired);
    if (!cancel_check(cancel, error))
        return false;
    if (self->problem)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s", self->problem);
    *ret_answer = (VisionAnswer) { g_strdup("A red square."), g_strdup("lab/eye") };
    return true;
}

static void put_png(const ToolFixture *fixture, const char *name)
{
    gsize size = 0;
    g_autofree char *png = (char *)g_base64_decode(PNG64, &size);
    tool_fixture_put_bytes(fixture, name, png, size);
}

static char *question_of(const char *path)
{
    return g_strdup_printf("{'path':'%s','question':'What is it?'}", path);
}

static void assert_fails(const ToolFixture *fixture, const char *arguments, const char *want)
{
    g_autofree char *got = tool_fixture_error(fixture, &tool_inspect_image, json_of(arguments));
    assert_text(arguments, got, want);
}

static void test_answer(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(ENABLED, true);
    Oracle oracle = { 0 };
    vision_offer(fixture->context, oracle_answer, &oracle);
    put_png(fixture, "p.png");
    put_png(fixture, "not what it is.txt");
    put_png(fixture, "../session/local/shot.png");
    static const char *const paths[] = { "p.png", "@p.png", "not what it is.txt",
                                         "local://shot.png" };
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *arguments = question_of(paths[i]);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_inspect_image, json_of(arguments), &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(paths[i], text, "A red square.");
        assert_false(result.is_error);
        assert_int_equal(oracle.count, i + 1);
        assert_string_equal(oracle.asked.text, "What is it?");
        assert_string_equal(oracle.asked.base64, PNG64);
        assert_string_equal(oracle.asked.mime_type, "image/png");
        assert_string_equal(json_get_text(result.details, "model"), "lab/eye");
        assert_string_equal(json_get_text(result.details, "mimeType"), "image/png");
        const char *path = json_get_text(result.details, "imagePath");
        assert_true(g_path_is_absolute(path) && file_exists(path));
    }
    oracle.problem = "lab/eye: HTTP 400: no";
    assert_fails(fixture, "{'path':'p.png','question':'x'}", "lab/eye: HTTP 400: no");
    oracle_clear(&oracle);
}

/* Nobody is asked about what is no image, and no more is read than need be. */
static void test_refused(void **state G_GNUC_UNUSED)
{
    static const char no_image[] =
        "inspect_image only supports PNG, JPEG, GIF, and WEBP files detected by file content.";
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'path':'fake.png','question':'x'}", no_image },
        { "{'path':'empty.png','question':'x'}", no_image },
        { "{'path':'v.svg','question':'x'}", no_image },
        { "{'path':'none.png','question':'x'}", "Path 'none.png' not found" },
        { "{'path':'dir','question':'x'}", "Not a regular file: dir (directory)" },
        { "{'path':'pipe','question':'x'}", "Not a regular file: pipe (fifo)" },
        { "{'path':'cut.png','question':'x'}",
          "cut.png is damaged, or not all of the image is there" },
        { "{'path':'flat.gif','question':'x'}",
          "flat.gif cannot be sent: [image left out: no readable image/gif]" },
        { "{'path':'large.png','question':'x'}",
          "Image file too large: 3.0GB exceeds 20.0MB limit." },
        { "{'path':'p.png','question':' \\n'}",
          "question is empty: say what to look for in the image" },
        { "{'path':'issue://7','question':'x'}",
          "inspect_image looks at files, and issue://7 is none: read it" },
        { "{'path':'https://example.com/p.png','question':'x'}",
          "Unknown protocol: https://\nSupported: " URL_FIXTURE_SUPPORTED },
        { "{'path':'local://none.png','question':'x'}", "Path 'local://none.png' not found" },
    };
    g_autoptr(ToolFixture) fixture = url_fixture_new(ENABLED, true);
    Oracle oracle = { 0 };
    vision_offer(fixture->context, oracle_answer, &oracle);
    put_png(fixture, "p.png");
    put_png(fixture, "large.png");
    tool_fixture_put(fixture, "fake.png", "PNG it is not");
    tool_fixture_put(fixture, "empty.png", "");
    tool_fixture_put(fixture, "v.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    tool_fixture_put(fixture, "dir/x", "");
    tool_fixture_put_bytes(fixture, "cut.png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
                           24);
    tool_fixture_put_bytes(fixture, "flat.gif", "GIF89a\0\0\0\0\0\0\0;", 14);
    g_autofree char *pipe = g_build_filename(fixture->cwd, "pipe", NULL);
    g_autofree char *large = g_build_filename(fixture->cwd, "large.png", NULL);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(truncate(large, (off_t)3 * 1024 * 1024 * 1024), 0); // a hole
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_fails(fixture, cases[i].arguments, cases[i].want);
    assert_int_equal(oracle.count, 0);
}

static void test_not_offered(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(ENABLED, false);
    put_png(fixture, "p.png");
    assert_fails(fixture, "{'path':'p.png','question':'x'}",
                 "No models available for inspect_image.");
    g_autoptr(Settings) off = settings_new(NULL);
    assert_false(tool_is_available(&tool_inspect_image, off));
    assert_true(tool_is_available(&tool_inspect_image, tool_context_settings(fixture->context)));
}

static void test_blocked(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture =
        tool_fixture_new("{'inspect_image':{'enabled':true},'images':{'blockImages':true}}", false);
    Oracle oracle = { 0 };
    vision_offer(fixture->context, oracle_answer, &oracle);
    put_png(fixture, "p.png");
    assert_fails(fixture, "{'path':'p.png','question':'x'}",
                 "Image submission is disabled by settings (images.blockImages=true). Disable it "
                 "to use inspect_image.");
    assert_int_equal(oracle.count, 0);
}

/* A repository may be stricter than its user, and not less strict. */
static void test_blocked_by_project(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *user, *project;
        bool want;
    } cases[] = {
        { "{}", "{}", false },
        { "images: { blockImages: true }", "{}", true },
        { "images: { blockImages: true }", "images: { blockImages: false }", true },
        { "images: { blockImages: false }", "images: { blockImages: true }", true },
        { "images: { blockImages: false }", "images: { blockImages: false }", false },
        { "images: { blockImages: yes please }", "{}", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "../agent/config.yml", cases[i].user);
        tool_fixture_put(fixture, ".kedge/config.yml", cases[i].project);
        g_autofree char *agent_dir = g_build_filename(fixture->root, "agent", NULL);
        g_autoptr(Settings) settings = settings_load(agent_dir, fixture->cwd, NULL);
        if (images_are_blocked(settings) != cases[i].want)
            fail_msg("%s, %s: not %d", cases[i].user, cases[i].project, cases[i].want);
    }
}

static void test_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(ENABLED, false);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Oracle oracle = { .fired = cancel };
    vision_offer(fixture->context, oracle_answer, &oracle);
    put_png(fixture, "p.png");
    g_autoptr(json_t) arguments = json_of("{'path':'p.png','question':'x'}");
    const ToolCallSpec spec = { .tool = &tool_inspect_image,
                                .arguments = arguments,
                                .context = fixture->context,
                                .door = &agent_door,
                                .cancel = cancel };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_int_equal(oracle.count, 1);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    oracle_clear(&oracle);
}

/* A GIF that claims `width` and is padded to `size` bytes. */
static void put_wide_gif(const ToolFixture *fixture, const char *name, unsigned width)
{
    g_autofree char *gif = g_malloc0(1000);
    memcpy(gif, "GIF89a", 6);
    gif[6] = (char)(width & 0xff);
    gif[7] = (char)(width >> 8);
    gif[8] = 1;
    gif[999] = ';';
    tool_fixture_put_bytes(fixture, name, gif, 1000);
}

/* images.autoResize off: what servers take goes as it is. */
static void test_not_resized(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture =
        tool_fixture_new("{'inspect_image':{'enabled':true},'images':{'autoResize':false}}", false);
    Oracle oracle = { 0 };
    vision_offer(fixture->context, oracle_answer, &oracle);
    put_wide_gif(fixture, "wide.gif", 4000);  // nobody looks inside
    put_wide_gif(fixture, "wider.gif", 9000); // no server takes that
    g_autofree char *text = tool_fixture_text(fixture, &tool_inspect_image,
                                              json_of("{'path':'wide.gif','question':'x'}"));
    assert_string_equal(text, "A red square.");
    assert_string_equal(oracle.asked.mime_type, "image/gif");
    g_autofree char *shown = tool_fixture_text(fixture, &tool_read, json_of("{'path':'wide.gif'}"));
    assert_string_equal(shown, "Read image file [image/gif]");
    g_autofree char *refused = tool_fixture_error(fixture, &tool_inspect_image,
                                                  json_of("{'path':'wider.gif','question':'x'}"));
    assert_contains("too wide", refused, "wider.gif cannot be sent: [image left out: ");
    assert_int_equal(oracle.count, 1);
    oracle_clear(&oracle);
}

/* tools-T32 with inspect_image: what is known of the image, in its place. */
static void test_read_facts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *data;
        size_t size;
        const char *type, *dimensions, *channels, *alpha;
    } cases[] = {
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0", 26, "image/png", "1x1", "1",
          "no" },
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02", 26, "image/png", "1x1", "3",
          "no" },
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x03", 26, "image/png", "1x1", "3",
          "unknown" },
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x04", 26, "image/png", "1x1", "2",
          "yes" },
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06", 26, "image/png", "2x3", "4",
          "yes" },
        { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03", 24, "image/png", "2x3", "unknown",
          "unknown" },
        { "\x89PNG\r\n\x1a\n", 8, "image/png", "unknown", "unknown", "unknown" },
        { "\xff\xd8\xff\xc0\0\x11\x08\0\x01\0\x02\x03", 12, "image/jpeg", "2x1", "3", "no" },
        { "\xff\xd8\xff\xc0\0\x11\x08\0\x01\0\x02\x01", 12, "image/jpeg", "2x1", "1", "no" },
        { "\xff\xd8\xff\xc0\0\x11\x08\0\x01\0\x02\xc8", 12, "image/jpeg", "2x1", "unknown",
          "unknown" },
        { "GIF89a\x01\0\x01\0", 10, "image/gif", "1x1", "3", "unknown" },
        { "RIFF1234WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\0", 30, "image/webp", "320x240",
          "3", "no" },
        { "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\x10\0\0\0\0\0", 30, "image/webp", "320x240",
          "4", "yes" },
        { "RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x3f\x01\0\xef\0\0", 30, "image/webp", "320x240",
          "4", "yes" },
    };
    static const ToolDef *const table[] = { &tool_read, &tool_inspect_image, NULL };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(ENABLED, false);
    Oracle oracle = { 0 };
    vision_offer(fixture->context, oracle_answer, &oracle);
    fixture->tools = tool_set_new(table);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        tool_fixture_put_bytes(fixture, "sub/pic.txt", cases[i].data, cases[i].size);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_read, json_of("{'path':'sub/pic.txt'}"), &result);
        g_autofree char *text = tool_result_text(&result);
        g_autofree char *want = g_strdup_printf(
            "Image metadata:\n- MIME: %s\n- Bytes: %zu (%zuB)\n- Dimensions: %s\n- Channels: %s\n"
            "- Alpha: %s\n\nIf you want to analyze the image, call inspect_image with "
            "path=\"sub/pic.txt\" and a question describing what to inspect and the desired "
            "output format.",
            cases[i].type, cases[i].size, cases[i].size, cases[i].dimensions, cases[i].channels,
            cases[i].alpha);
        g_autofree char *name = g_strdup_printf("case %zu", i);
        assert_text(name, text, want);
        assert_int_equal(json_array_size(result.content), 1);
    }
}

/* Without somebody to ask, or without the tool, the image itself. */
static void test_read_without(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const with[] = { &tool_read, &tool_inspect_image, NULL };
    static const ToolDef *const without[] = { &tool_read, NULL };
    Oracle oracle = { 0 };
    for (int i = 0; i < 3; i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(ENABLED, false);
        put_png(fixture, "p.png");
        if (i > 0) // somebody answers
            vision_offer(fixture->context, oracle_answer, &oracle);
        fixture->tools = i == 2 ? NULL : tool_set_new(i == 0 ? with : without);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_read, json_of("{'path':'p.png'}"), &result);
        assert_int_equal(json_array_size(result.content), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_not_offered),  cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_cancelled),    cmocka_unit_test(test_blocked_by_project),
        cmocka_unit_test(test_not_resized),  cmocka_unit_test(test_read_facts),
        cmocka_unit_test(test_read_without),
    };
    return cmocka_run_group_tests_name("inspect-image", tests, NULL, NULL);
}
