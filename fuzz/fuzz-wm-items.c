/*
 * Fuzz target: the items of an agent. The first line is the policy, the rest is the output file.
 * What an emit takes, applying takes as well, and makes the same of it; a line of the file is one
 * line; texts that go to GitHub are bounded and keep their marker.
 */
#include "base/log.h"
#include "wm/apply/item.h"
#include "wm/task/body.h"
#include "wm/task/notes.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void say_nothing(const char *line G_GNUC_UNUSED)
{
}

static void check_text(const char *text)
{
    g_autofree char *defused = wm_body_defuse(text, false);
    g_assert(!strstr(defused, "<!-- wm-checkpoint:"));
    g_autofree char *comment = wm_body_comment(defused, "by x", "x");
    g_assert(g_str_has_suffix(comment, "by x\n\n<!-- wm-agent:x -->"));
    g_assert(strlen(comment) <= WM_MAX_COMMENT_BYTES + strlen("\n\n<!-- wm-agent:x -->"));
    g_assert(g_utf8_validate(comment, -1, NULL));
}

static void check_item(const WmItemScope *scope, const json_t *raw)
{
    g_auto(WmItem) item = { 0 }, again = { 0 };
    g_autoptr(GError) error = NULL;
    if (wm_kind_of(json_get_text(raw, "type")) == WM_KINDS ||
        !wm_item_check(scope, raw, &item, &error))
        return;
    g_autofree char *line = wm_item_line(item.fields);
    g_assert(!strpbrk(line, "<>&\n"));
    g_assert(item.number >= 0);
    g_autoptr(json_t) read_again = NULL;
    g_assert(json_parse_text(line, &read_again, NULL));
    g_assert(wm_item_check(scope, read_again, &again, NULL));
    g_autofree char *second = wm_item_line(again.fields);
    g_assert(g_str_equal(line, second) && item.number == again.number);
    if (json_get_text(item.fields, "body"))
        check_text(json_get_text(item.fields, "body"));
}

static json_t *read_items(const char *data, size_t size)
{
    g_autofree char *path = g_strdup_printf("/tmp/fuzz-wm-items-%d", (int)getpid());
    g_assert(g_file_set_contents(path, data, (gssize)size, NULL));
    json_t *items = NULL;
    g_assert(wm_items_read(path, &items, NULL));
    unlink(path);
    g_assert(json_array_size(items) <= WM_MAX_ITEMS);
    return items;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    log_set_writer(say_nothing);
    const char *text = (const char *)data, *end = memchr(data, '\n', size);
    g_autoptr(json_t) safe_outputs = NULL;
    if (!end || !json_parse(text, (size_t)(end - text), &safe_outputs, NULL))
        return 0;
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmPolicy) policy = wm_policy_new(safe_outputs, warnings);
    g_autoptr(json_t) items = read_items(end + 1, size - (size_t)(end + 1 - text));
    g_autoptr(json_t) made = json_pack("{s:i,s:i}", "tmp_1", 31, "tmp_2", 0);
    WmItemScope scope = {
        .policy = policy,
        .task_name = "x",
        .repo = "o/r",
        .root = "/r",
        .issue = 7,
        .made = made,
    };
    for (size_t i = 0; i < json_array_size(items); i++) {
        scope.is_emit = i % 2 == 0;
        check_item(&scope, json_array_get(items, i));
    }
    return 0;
}
