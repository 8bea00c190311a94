/*
 * Fuzz target: a task's body with its blocks and expressions, and the text of an event. The first
 * line is the payload, the rest the body. What checks without a problem expands strictly, but for
 * what only the payload can say; a body without either stays as it is; cleaned text is bounded and
 * holds no control characters.
 */
#include "wm/task/template.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check_clean(const char *text)
{
    g_assert(g_utf8_validate(text, -1, NULL) && strlen(text) <= 524288 + strlen("\n[truncated]"));
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        g_assert(c == '\n' || c == '\t' || (c >= 0x20 && (c < 0x7f || c > 0x9f)));
    }
}

static void check_body(const char *body, const WmEvent *event)
{
    g_auto(WmSanitized) sanitized = { 0 };
    wm_event_sanitize(event, &sanitized);
    check_clean(sanitized.title);
    check_clean(sanitized.body);
    check_clean(sanitized.text);

    const WmScope scope = { .task_name = "t", .event = event, .sanitized = &sanitized };
    g_autoptr(GPtrArray) problems = wm_notes_new();
    g_autoptr(GPtrArray) hints = wm_notes_new();
    const WmTask task = { .body = (char *)body };
    wm_template_check(&task, problems, hints);
    g_autofree char *strict = NULL, *lenient = NULL;
    g_autoptr(GError) error = NULL;
    bool ok = wm_template_expand(&task, &scope, false, &strict, &error);
    g_assert(ok || problems->len > 0 || strstr(error->message, "not an object at segment") ||
             strstr(error->message, "would be larger"));
    if (wm_template_expand(&task, &scope, true, &lenient, NULL))
        g_assert(!ok || g_str_equal(strict, lenient));
    if (!strstr(body, "{{"))
        g_assert(g_str_equal(strict, body));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    char *body = strchr(text, '\n');
    if (!body || !g_utf8_validate(body, -1, NULL))
        return 0;
    *body++ = '\0';
    WmEvent event = { .name = (char *)"issues" };
    if (!json_parse_text(text, &event.payload, NULL))
        return 0;
    check_body(body, &event);
    json_decref(event.payload);
    return 0;
}
