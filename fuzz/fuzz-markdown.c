/*
 * Fuzz target: markdown_to_html() on any text. What comes out has only tags and attributes of ours,
 * nested as they should be, links that lead where links may, and lines that the document has.
 */
#include "arcade/markdown.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdint.h>

#define MAX_INPUT_BYTES 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const void_tags[] = { "br", "hr", "img", "input", NULL };
static const char *const tags[] = { "a",      "blockquote", "code", "details", "del",     "em",
                                    "h1",     "h2",         "h3",   "h4",      "h5",      "h6",
                                    "li",     "ol",         "p",    "pre",     "section", "span",
                                    "strong", "summary",    "sup",  "table",   "tbody",   "td",
                                    "th",     "thead",      "tr",   "ul",      NULL };
static const char *const attributes[] = { "alt",
                                          "aria-label",
                                          "checked",
                                          "class",
                                          "data-asset",
                                          "data-heading",
                                          "data-line",
                                          "data-link",
                                          "data-mermaid",
                                          "data-mermaid-line",
                                          "data-mermaid-message",
                                          "data-number",
                                          "disabled",
                                          "href",
                                          "id",
                                          "open",
                                          "rel",
                                          "start",
                                          "target",
                                          "title",
                                          "type",
                                          NULL };

static void check_lines(const char *value, size_t line_count)
{
    g_auto(GStrv) parts = g_strsplit(value, "-", -1);
    int64_t first = 0, last = 0;
    g_assert_cmpuint(g_strv_length(parts), ==, 2);
    g_assert_true(str_parse_int(parts[0], &first) && str_parse_int(parts[1], &last));
    g_assert_true(first >= 1 && first <= last && last <= (int64_t)line_count);
}

static void check_value(const char *name, const char *value, size_t line_count)
{
    g_assert_null(strpbrk(value, "<>"));
    if (strcmp(name, "href") == 0)
        g_assert_true(g_ascii_strncasecmp(value, "http://", 7) == 0 ||
                      g_ascii_strncasecmp(value, "https://", 8) == 0 ||
                      g_ascii_strncasecmp(value, "mailto:", 7) == 0 ||
                      str_has_prefix(value, "#md-"));
    if (strcmp(name, "id") == 0)
        g_assert_true(str_has_prefix(value, "md-"));
    if (strcmp(name, "data-asset") == 0 || strcmp(name, "data-link") == 0)
        g_assert_true(value[0] != '/' && value[0] != '\0');
    if (strcmp(name, "data-line") == 0)
        check_lines(value, line_count);
}

/* ` name="value" name…>`; returns what follows. */
static const char *check_attributes(const char *at, size_t line_count)
{
    while (*at == ' ') {
        size_t size = strspn(++at, "abcdefghijklmnopqrstuvwxyz-");
        g_autofree char *name = g_strndup(at, size);
        g_assert_true(g_strv_contains(attributes, name));
        at += size;
        if (*at != '=')
            continue;
        g_assert_true(at[1] == '"');
        const char *end = strchr(at + 2, '"');
        g_assert_nonnull(end);
        g_autofree char *value = g_strndup(at + 2, (size_t)(end - at - 2));
        check_value(name, value, line_count);
        at = end + 1;
    }
    g_assert_true(*at == '>');
    return at + 1;
}

static void check_html(const char *html, size_t line_count)
{
    g_autoptr(GPtrArray) open = g_ptr_array_new_with_free_func(g_free);
    while ((html = strchr(html, '<'))) {
        bool is_end = html[1] == '/';
        html += is_end ? 2 : 1;
        size_t size = strspn(html, "abcdefghijklmnopqrstuvwxyz123456");
        g_autofree char *name = g_strndup(html, size);
        html = check_attributes(html + size, line_count);
        if (!is_end && g_strv_contains(void_tags, name))
            continue;
        g_assert_true(g_strv_contains(tags, name));
        if (!is_end) {
            g_ptr_array_add(open, g_steal_pointer(&name));
            continue;
        }
        g_assert_cmpuint(open->len, >, 0);
        g_assert_cmpstr(open->pdata[open->len - 1], ==, name);
        g_ptr_array_set_size(open, (int)open->len - 1);
    }
    g_assert_cmpuint(open->len, ==, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT_BYTES)
        return 0;
    g_autofree char *text = utf8_from_bytes((const char *)data, size);
    g_autofree char *html = NULL;
    g_autoptr(GError) error = NULL;
    if (!markdown_to_html(text, strlen(text), &html, &error)) {
        g_assert_null(html);
        g_assert_true(error_is(error, KEDGE_ERROR_LIMIT));
        return 0;
    }
    g_assert_true(g_utf8_validate(html, -1, NULL));
    check_html(html, str_count_lines(text, strlen(text)));
    return 0;
}
