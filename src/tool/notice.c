/* See notice.h. */
#include "tool/notice.h"

#include "model/message.h"

static void append_part(GString *out, const char *part)
{
    if (out->len > 0)
        g_string_append(out, ". ");
    g_string_append(out, part);
}

static void append_limit(GString *out, const json_t *limits, const char *name, const char *noun)
{
    const json_t *limit = json_get_object(limits, name);
    if (!limit)
        return;
    g_autofree char *part = g_strdup_printf(
        "%" G_GINT64_FORMAT " %s limit reached. Use limit=%" G_GINT64_FORMAT " for more",
        json_get_int(limit, "reached", 0), noun, json_get_int(limit, "suggestion", 0));
    append_part(out, part);
}

char *notice_text(const json_t *meta)
{
    g_autoptr(GString) out = g_string_new(NULL);
    const json_t *truncation = json_get_object(meta, "truncation");
    if (truncation)
        message_append_truncation(out, truncation);

    const json_t *limits = json_get_object(meta, "limits");
    append_limit(out, limits, "matchLimit", "matches");
    append_limit(out, limits, "resultLimit", "results");
    append_limit(out, limits, "headLimit", "results");
    const json_t *column = json_get_object(limits, "columnTruncated");
    if (column) {
        g_autofree char *part =
            g_strdup_printf("Some lines truncated to %" G_GINT64_FORMAT " chars",
                            json_get_int(column, "maxColumn", 0));
        append_part(out, part);
    }
    if (out->len > 0) {
        g_string_prepend_c(out, '[');
        g_string_append_c(out, ']');
    }
    json_each (json_get_array(meta, "notes"), i, note)
        g_string_append_printf(out, "%s[%s]", out->len > 0 ? "\n" : "", json_string_value(note));
    return out->len > 0 ? g_strdup(out->str) : NULL;
}

void result_add_notice(ToolResult *result)
{
    if (!result->meta || json_object_get(result->details, "meta"))
        return;
    json_set_take(tool_result_details(result), "meta", json_incref(result->meta));

    g_autofree char *notice = notice_text(result->meta);
    if (!notice)
        return;
    json_t *last = NULL;
    json_each (result->content, i, block) {
        if (json_get_text(block, "text"))
            last = block;
    }
    if (!last) {
        tool_result_add_text(result, notice);
        return;
    }
    g_autofree char *text = g_strdup_printf("%s\n\n%s", json_get_text(last, "text"), notice);
    json_set_text(last, "text", text);
}

/* Images stay and come first; the text blocks become one. */
static void replace_text(ToolResult *result, const char *text)
{
    json_t *content = json_array();
    json_each (result->content, i, block) {
        if (!json_get_text(block, "text"))
            json_array_append(content, block);
    }
    json_append_take(content, message_text_block(text));
    json_decref(result->content);
    result->content = content;
}

void result_spill(ToolResult *result, const char *tool, const Settings *settings,
                  Artifacts *artifacts)
{
    if (json_get_text(json_get_path(result->meta, "truncation"), "artifactId"))
        return;
    g_autofree char *text = tool_result_text(result);
    size_t size = strlen(text);
    int64_t threshold_kib = settings_get_int(settings, "tools.artifactSpillThreshold");
    if (size <= (size_t)MAX(threshold_kib, 1) * 1024)
        return;

    g_autofree char *id = NULL;
    if (artifacts)
        artifacts_save(artifacts, tool, text, size, &id,
                       NULL); // without it the text is cut all the same

    int64_t tail_kib = settings_get_int(settings, "tools.artifactTailBytes");
    int64_t tail_lines = settings_get_int(settings, "tools.artifactTailLines");
    g_auto(Truncated) cut =
        truncate_tail(text, (size_t)MAX(tail_lines, 1), (size_t)MAX(tail_kib, 1) * 1024);
    replace_text(result, cut.content);
    tool_result_set_truncation(result, &cut, RESULT_TAIL, 1, 0, id);
}
