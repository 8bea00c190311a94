/* See rehearsal_page.h. */
#include "export/rehearsal_page.h"

#include "arcade/markdown.h"
#include "base/visible.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<title>Rehearsal</title>\n<style>\n"
    ":root { color-scheme: light dark; --ground: #fdfdfc; --text: #1d1f21; --dim: #6b7075; --line: "
    "#dddcd6; --add: #e3f4e3; --del: #f9e3e3; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ground: #17181a; --text: #e2e2de; --dim: "
    "#9aa0a6; --line: #35383b; --add: #1d3320; --del: #3a2022; } }\n"
    "body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; background: var(--ground); color: "
    "var(--text); font: 15px/1.5 system-ui, sans-serif; }\n"
    "h1 { font-size: 1.35rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }\n"
    "p.facts { color: var(--dim); font-size: 13px; }\n"
    "section.write { border: 1px solid var(--line); border-radius: 4px; padding: .2rem 1rem; "
    "margin: 0 0 1rem; }\n"
    "pre { overflow-x: auto; font-size: 13px; } pre.diff span { display: block; }\n"
    "pre.diff .add { background: var(--add); } pre.diff .del { background: var(--del); }\n"
    "pre.diff .place { color: var(--dim); }\n"
    "</style>\n</head>\n<body>\n";

static void append_text(GString *out, const char *text)
{
    g_autoptr(GString) shown = g_string_new(NULL);
    visible_append(shown, text ? text : ""); // of an agent
    g_autofree char *escaped = g_markup_escape_text(shown->str, -1);
    g_string_append(out, escaped);
}

static void append_markdown(GString *out, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *html = NULL;
    if (markdown_to_html(text, strlen(text), &html, &error)) {
        g_string_append(out, html);
        return;
    }
    g_string_append(out, "<pre>");
    append_text(out, text);
    g_string_append(out, "</pre>\n");
}

static void append_diff(GString *out, const char *diff)
{
    g_auto(GStrv) lines = g_strsplit(diff, "\n", -1);
    g_string_append(out, "<pre class=\"diff\">");
    for (char **line = lines; *line; line++) {
        bool is_head = g_str_has_prefix(*line, "+++") || g_str_has_prefix(*line, "---");
        const char *class = is_head || **line == '@' ? "place"
                            : **line == '+'          ? "add"
                            : **line == '-'          ? "del"
                                                     : "same";
        g_string_append_printf(out, "<span class=\"%s\">", class);
        append_text(out, **line ? *line : " ");
        g_string_append(out, "</span>");
    }
    g_string_append(out, "</pre>\n");
}

/* Whatever is no text of its own: labels, branches, numbers. */
static void append_fields(GString *out, const json_t *body)
{
    json_each_member (body, key, value) {
        if (strcmp(key, "body") == 0 || strcmp(key, "title") == 0)
            continue;
        g_autofree char *text =
            json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
        g_string_append(out, "<p class=\"facts\">");
        append_text(out, key);
        g_string_append(out, ": ");
        append_text(out, text);
        g_string_append(out, "</p>\n");
    }
}

static void append_write(GString *out, const json_t *write)
{
    const json_t *body = json_get_object(write, "body");
    const char *title = json_get_text(body, "title"), *text = json_get_text(body, "body");
    int64_t number = json_get_int(write, "number", 0);
    g_string_append(out, "<section class=\"write\">\n<h3>");
    append_text(out, json_get_text(write, "kind"));
    if (number > 0)
        g_string_append_printf(out, " → #%" G_GINT64_FORMAT, number);
    if (title) {
        g_string_append(out, ": ");
        append_text(out, title);
    }
    g_string_append(out, "</h3>\n");
    append_fields(out, body);
    if (text)
        append_markdown(out, text);
    g_string_append(out, "</section>\n");
}

static void append_facts(GString *out, const json_t *report)
{
    const json_t *usage = json_get_object(report, "usage");
    double cost = json_get_number(usage, "cost_usd", -1);
    g_string_append(out, "<p class=\"facts\">");
    append_text(out, json_get_bool(report, "success", false) ? "success" : "failed in ");
    if (!json_get_bool(report, "success", false))
        append_text(out, json_get_text(report, "phase"));
    g_string_append_printf(out, " · %.1f s", (double)json_get_int(report, "duration_ms", 0) / 1000);
    if (cost >= 0)
        g_string_append_printf(out, " · $%.4f", cost);
    g_string_append(out, "</p>\n");
    const json_t *errors = json_get_array(report, "errors");
    for (size_t i = 0; i < json_array_size(errors); i++) {
        g_string_append(out, "<p>");
        append_text(out, json_string_value(json_array_get(errors, i)));
        g_string_append(out, "</p>\n");
    }
}

static void append_report(GString *out, const json_t *report)
{
    const json_t *writes = json_get_array(report, "writes");
    const char *diff = json_get_text(report, "diff");
    const char *response = json_get_text(report, "response");
    int64_t number = json_get_int(report, "number", 0);
    g_string_append(out, "<h1>");
    append_text(out, json_get_text(report, "task"));
    g_string_append(out, " · ");
    append_text(out, json_get_text(report, "event"));
    if (number > 0)
        g_string_append_printf(out, " #%" G_GINT64_FORMAT, number);
    g_string_append(out, "</h1>\n");
    append_facts(out, report);
    g_string_append_printf(out, "<h2>What it would write (%zu)</h2>\n", json_array_size(writes));
    for (size_t i = 0; i < json_array_size(writes); i++)
        append_write(out, json_array_get(writes, i));
    if (diff && *diff) {
        g_string_append(out, "<h2>What it changed</h2>\n");
        append_diff(out, diff);
        if (json_get_bool(report, "diff_is_cut", false))
            g_string_append(out, "<p class=\"facts\">The rest is left out.</p>\n");
    }
    if (response && *response) {
        g_string_append(out, "<h2>What it said</h2>\n");
        append_markdown(out, response);
    }
}

char *rehearsal_page(const json_t *reports)
{
    GString *out = g_string_new(head);
    for (size_t i = 0; i < json_array_size(reports); i++)
        append_report(out, json_array_get(reports, i));
    g_string_append(out, "</body>\n</html>\n");
    return g_string_free(out, FALSE);
}
