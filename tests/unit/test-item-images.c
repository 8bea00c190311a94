/*
 * github/urls/item_images.c: which images of a text are GitHub's own, how they are fetched, and
 * what is said of those that are not.
 */
#include "rest_fixture.h"

#include "item_fixture.h"

#include "github/urls/item_images.h"
#include "tool/context.h"

static void test_kinds(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *host;
        AttachmentKind want;
    } cases[] = {
        { "https://github.com/user-attachments/assets/0a-1", "github.com", ATTACHMENT_PRIVATE },
        { "https://GitHub.com/o/r/assets/12/0a-1", "github.com", ATTACHMENT_PRIVATE },
        { "https://ghe.example.com/storage/user/1/files/0a-1", "ghe.example.com",
          ATTACHMENT_PRIVATE },
        { "https://user-images.githubusercontent.com/1/2-3.png", "github.com", ATTACHMENT_PUBLIC },
        { "https://private-user-images.githubusercontent.com/1/2.png?jwt=a.b", "github.com",
          ATTACHMENT_PUBLIC },
        { "https://media.ghe.example.com/user/1/files/x", "ghe.example.com", ATTACHMENT_PUBLIC },
        { "https://user-images.githubusercontent.com/1/2.png", "ghe.example.com", ATTACHMENT_NONE },
        { "https://github.com/user-attachments/assets/1", "ghe.example.com", ATTACHMENT_NONE },
        { "http://github.com/user-attachments/assets/1", "github.com", ATTACHMENT_NONE },
        { "https://github.com:8443/user-attachments/assets/1", "github.com", ATTACHMENT_NONE },
        { "https://u:p@github.com/user-attachments/assets/1", "github.com", ATTACHMENT_NONE },
        { "https://github.com@evil.example/user-attachments/assets/1", "github.com",
          ATTACHMENT_NONE },
        { "https://github.com.evil.example/user-attachments/assets/1", "github.com",
          ATTACHMENT_NONE },
        { "https://evil.example/a.png", "github.com", ATTACHMENT_NONE },
        { "https://github.com/user-attachments/assets/../../logout", "github.com",
          ATTACHMENT_NONE },
        { "https://github.com/user-attachments/assets/%2e%2e/x", "github.com", ATTACHMENT_NONE },
        { "https://github.com/user-attachments/assets/", "github.com", ATTACHMENT_NONE },
        { "https://github.com/user-attachments/assets/1?x=1", "github.com", ATTACHMENT_NONE },
        { "https://github.com/o/r/issues/5", "github.com", ATTACHMENT_NONE },
        { "https://github.com/settings/tokens", "github.com", ATTACHMENT_NONE },
        { "http://127.0.0.1:80/user-attachments/assets/1", "github.com", ATTACHMENT_NONE },
        { "file:///etc/passwd", "github.com", ATTACHMENT_NONE },
        { "data:image/png;base64,AAAA", "github.com", ATTACHMENT_NONE },
        { "assets/x.png", "github.com", ATTACHMENT_NONE },
        { "", "github.com", ATTACHMENT_NONE },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        AttachmentKind got = item_image_kind(cases[i].url, cases[i].host, NULL);
        if (got != cases[i].want)
            fail_msg("%s on %s: %d", cases[i].url, cases[i].host, (int)got);
    }
    const char *origin = "http://127.0.0.1:8080";
    assert_int_equal(
        item_image_kind("http://127.0.0.1:8080/user-attachments/assets/1", "github.com", origin),
        ATTACHMENT_PRIVATE);
    assert_int_equal(
        item_image_kind("http://127.0.0.1:80801/user-attachments/assets/1", "github.com", origin),
        ATTACHMENT_NONE);
}

static void test_find(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want; // joined with blanks
    } cases[] = {
        { "a ![x](https://a/1) b ![](https://a/2 \"t\") ![y](<https://a/3>)",
          "https://a/1 https://a/2 https://a/3" },
        { "<img src=\"https://a/1\"> <IMG width=3 SRC='https://a/2?x=1&amp;y=2' />",
          "https://a/1 https://a/2?x=1&y=2" },
        { "![x](https://a/1) ![again](https://a/1)", "https://a/1" },
        { "[link](https://a/1) ![x] (https://a/2) ![x\n](https://a/3)", "" },
        { "![a [b] c](https://a/1)", "https://a/1" },
        { "<imgsrc=https://a/1> <img data-src=\"https://a/2\"> <img alt=\"> src=\"", "" },
        { "![", "" },
        { "![]", "" },
        { "![](", "" },
        { "<img", "" },
        { "<img src=", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) found = item_images_find(cases[i].text);
        g_ptr_array_add(found, NULL);
        g_autofree char *got = g_strjoinv(" ", (char **)found->pdata);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: '%s'", cases[i].text, got);
    }
    GString *many = g_string_new(NULL);
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(many, "![](https://a/%d)", i);
    g_autoptr(GPtrArray) found = item_images_find(many->str);
    assert_int_equal(found->len, ITEM_IMAGES_MAX);
    g_string_free(many, true);
}

// ---- through a read ----

/* One pixel. */
static const guchar gif[] = { 'G', 'I', 'F', '8', '9', 'a', 1,   0,    1, 0, 0x80, 0,
                              0,   0,   0,   0,   255, 255, 255, ',',  0, 0, 0,    0,
                              1,   0,   1,   0,   0,   2,   2,   0x44, 1, 0, ';' };

typedef struct Shop { // a server of images
    TestServer *server;
    char *url;
    const char *location; // of a redirect for every request; NULL: none
    bool is_page;         // it answers with text
} Shop;

static bool serve(TestServer *server, int fd, const char *request G_GNUC_UNUSED,
                  unsigned number G_GNUC_UNUSED)
{
    const Shop *shop = server->data;
    g_autoptr(GString) answer = g_string_new(NULL);
    if (shop->location)
        g_string_append_printf(answer,
                               "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
                               shop->location);
    else if (shop->is_page)
        g_string_append(answer, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: "
                                "5\r\n\r\nhello");
    else
        g_string_append_printf(answer, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
                               sizeof(gif));
    if (!shop->location && !shop->is_page)
        g_string_append_len(answer, (const char *)gif, sizeof(gif));
    test_send(fd, answer->str, answer->len);
    return true;
}

static void shop_open(Shop *self)
{
    self->server = test_server_start(serve, self);
    self->url = test_server_url(self->server, "");
    g_setenv("no_proxy", "127.0.0.1,localhost", true);
    g_setenv("GITHUB_API_URL", self->url, true);
    g_setenv("GH_TOKEN", REST_TOKEN, true);
}

static void shop_clear(Shop *self)
{
    test_server_stop(self->server);
    g_free(self->url);
    g_unsetenv("GITHUB_API_URL");
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Shop, shop_clear)

/* Reads an issue with that body, as a model that sees images or does not. */
static ToolResult read_issue(GhFixture *fixture, const char *body, bool sees_images)
{
    g_autoptr(json_t) issue = json_pack("{s:i, s:s, s:s}", "number", 5, "title", "T", "body", body);
    g_autofree char *reply = json_to_text(issue);
    gh_fixture_reply_out(fixture, reply);
    gh_fixture_converse(fixture);
    tool_context_set_sees_images(fixture->context, sees_images);
    return item_fixture_read(fixture, "issue://o/r/5?comments=0");
}

static size_t count_images(const ToolResult *result)
{
    size_t i, count = 0;
    json_t *block;
    json_array_foreach (result->content, i, block)
        count += g_strcmp0(json_get_text(block, "type"), "image") == 0;
    return count;
}

typedef struct ShowCase {
    const char *name;
    const char *body; // {url} is the server's
    bool sees_images, is_page;
    const char *location;
    size_t images;
    unsigned requests;
    const char *want; // in the text or the notes
} ShowCase;

static const ShowCase cases[] = {
    { "an image", "![x]({url}/user-attachments/assets/1)", true, .images = 1, .requests = 1,
      .want = "Image 1 of 1: {url}/user-attachments/assets/1" },
    { "a model without eyes", "![x]({url}/user-attachments/assets/1)", false,
      .want = "1 attached image is not shown: the reader of this takes no images" },
    { "elsewhere", "![x]({url}/x.png) ![y](http://localhost:1/user-attachments/assets/1)", true,
      .want = "## Body" },
    { "six of them",
      "![]({url}/user-attachments/assets/1)![]({url}/user-attachments/assets/2)![]({url}/"
      "user-attachments/assets/3)![]({url}/user-attachments/assets/4)![]({url}/user-attachments/"
      "assets/5)![]({url}/user-attachments/assets/6)",
      true, .images = 4, .requests = 4, .want = "2 more images are not shown" },
    { "no image", "![x]({url}/user-attachments/assets/1)", true, true, .requests = 1,
      .want = "is not shown: what came is no image, or not all of it" },
    { "led away over http", "![x]({url}/user-attachments/assets/1)", true,
      .location = "http://evil.example/x", .requests = 1,
      .want = "is not shown: GitHub API error (302) during fetching an image: refusing" },
};

static void check_show(const ShowCase *one)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    g_auto(Shop) shop = { .location = one->location, .is_page = one->is_page };
    shop_open(&shop);
    GString *body = g_string_new(one->body), *want = g_string_new(one->want);
    g_string_replace(body, "{url}", shop.url, 0);
    g_string_replace(want, "{url}", shop.url, 0);
    g_auto(ToolResult) result = read_issue(fixture, body->str, one->sees_images);
    g_autofree char *text = tool_result_text(&result);
    g_autofree char *meta = result.meta ? json_to_text(result.meta) : g_strdup("");
    if (result.is_error || count_images(&result) != one->images)
        fail_msg("%s: %zu images\n%s", one->name, count_images(&result), text);
    if (!strstr(text, want->str) && !strstr(meta, want->str))
        fail_msg("%s: no '%s' in\n%s\n%s", one->name, want->str, text, meta);
    unsigned requests = test_server_count(shop.server, &shop.server->requests->len);
    if (requests != one->requests)
        fail_msg("%s: %u requests", one->name, requests);
    g_string_free(body, true);
    g_string_free(want, true);
}

static void test_show(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_show(&cases[i]);
}

/* GitHub's own host sees the token; where it leads does not. */
static void test_token(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    g_auto(Shop) storage = { 0 };
    shop_open(&storage);
    g_autofree char *kept = g_strdup_printf("http://localhost:%u/kept", storage.server->port);
    g_auto(Shop) shop = { .location = kept };
    shop_open(&shop);
    g_autofree char *body = g_strdup_printf("![x](%s/user-attachments/assets/1)", shop.url);
    g_auto(ToolResult) result = read_issue(fixture, body, true);
    assert_int_equal(count_images(&result), 1);
    g_autofree char *first = test_server_request(shop.server, 1);
    g_autofree char *second = test_server_request(storage.server, 1);
    assert_non_null(strstr(first, "Authorization: Bearer " REST_TOKEN));
    assert_non_null(second);
    assert_null(strstr(second, "Authorization"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
