/* See report_pages.h. */
#include "export/report_pages.h"

#include "arcade/markdown.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"

#include <glib.h>

static const char stats_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<stats_head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<title>kedge stats</title>\n<style>\n"
    ":root { color-scheme: light dark; --ground: #fdfdfc; --text: #1d1f21; --dim: #6b7075; --line: "
    "#dddcd6; --bar: #7aa9d8; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ground: #17181a; --text: #e2e2de; --dim: "
    "#9aa0a6; --line: #35383b; --bar: #35618f; } }\n"
    "body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; background: var(--ground); color: "
    "var(--text); font: 15px/1.5 system-ui, sans-serif; }\n"
    "h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }\n"
    "p { color: var(--dim); margin: .2rem 0 1rem; font-size: 13px; }\n"
    "dl { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1rem 0; } dt { color: "
    "var(--dim); font-size: 13px; } dd { margin: 0; font-size: 1.3rem; }\n"
    "div { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }\n"
    "th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; "
    "white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    "th { color: var(--dim); font-weight: 500; font-size: 13px; }\n"
    "th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: "
    "anywhere; }\n"
    "td.bar { width: 12rem; } td.bar span { display: block; height: .8rem; min-width: 1px; "
    "background: var(--bar); border-radius: 2px; }\n"
    "</style>\n</stats_head>\n<body>\n";

static double number_of(const json_t *sums, const char *key)
{
    return json_number_value(json_object_get(sums, key));
}

/* 1234567 → "1,234,567". */
static void append_count(GString *out, double value)
{
    g_autofree char *digits = g_strdup_printf("%.0f", value);
    size_t size = strlen(digits);
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            g_string_append_c(out, ',');
        g_string_append_c(out, digits[i]);
    }
}

static void append_text(GString *out, const char *text)
{
    g_autoptr(GString) shown = g_string_new(NULL);
    visible_append(shown, text ? text : ""); // of an agent, a repository or a server
    g_autofree char *escaped = g_markup_escape_text(shown->str, -1);
    g_string_append(out, escaped);
}

/* All that was sent: what the cache had is part of it. */
static double input_of(const json_t *sums)
{
    return number_of(sums, "totalInputTokens") + number_of(sums, "totalCacheReadTokens") +
           number_of(sums, "totalCacheWriteTokens");
}

static void append_figure(GString *out, const char *name, double value)
{
    g_string_append_printf(out, "<div><dt>%s</dt><dd>", name);
    append_count(out, value);
    g_string_append(out, "</dd></div>\n");
}

static void append_overall(GString *out, const json_t *sums)
{
    g_string_append(out, "<dl>\n");
    append_figure(out, "Requests", number_of(sums, "totalRequests"));
    append_figure(out, "Failed", number_of(sums, "failedRequests"));
    append_figure(out, "Input tokens", input_of(sums));
    append_figure(out, "Output tokens", number_of(sums, "totalOutputTokens"));
    g_string_append_printf(out,
                           "<div><dt>From the cache</dt><dd>%.0f%%</dd></div>\n"
                           "<div><dt>Cost</dt><dd>$%.2f</dd></div>\n"
                           "<div><dt>Seconds for an answer</dt><dd>%.1f</dd></div>\n"
                           "<div><dt>Tokens in a second</dt><dd>%.1f</dd></div>\n</dl>\n",
                           100 * number_of(sums, "cacheRate"), number_of(sums, "totalCost"),
                           number_of(sums, "avgDuration") / 1000,
                           number_of(sums, "avgTokensPerSecond"));
}

static void append_row(GString *out, const char *name, const json_t *sums, double share)
{
    static const char *const counts[] = { "totalRequests", "failedRequests" };
    g_string_append(out, "<tr><td>");
    append_text(out, name);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_string_append(out, "</td><td>");
        append_count(out, number_of(sums, counts[i]));
    }
    g_string_append(out, "</td><td>");
    append_count(out, input_of(sums));
    g_string_append(out, "</td><td>");
    append_count(out, number_of(sums, "totalOutputTokens"));
    g_string_append_printf(out,
                           "</td><td>%.0f%%</td><td>$%.4f</td><td class=\"bar\"><span "
                           "style=\"width: %.1f%%\"></span></td></tr>\n",
                           100 * number_of(sums, "cacheRate"), number_of(sums, "totalCost"),
                           100 * CLAMP(share, 0, 1));
}

/* The bar is a row's share of the largest: of the cost, or of the tokens where nothing has one. */
static double weight_of(const json_t *sums, bool has_cost)
{
    return has_cost ? number_of(sums, "totalCost")
                    : input_of(sums) + number_of(sums, "totalOutputTokens");
}

typedef struct Section {
    const char *title, *list, *name, *prefix; // `prefix`: a key that comes before the name
} Section;

static void append_section(GString *out, const json_t *report, const Section *section)
{
    const json_t *rows = json_get_array(report, section->list);
    bool has_cost = number_of(json_get_object(report, "overall"), "totalCost") > 0;
    double most = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        most = MAX(most, weight_of(json_array_get(rows, i), has_cost));
    g_string_append_printf(out,
                           "<h2>%s</h2>\n<div><table>\n<tr><th></th><th>Requests</th><th>Failed"
                           "</th><th>Input</th><th>Output</th><th>Cached</th><th>Cost</th>"
                           "<th>%s</th></tr>\n",
                           section->title, has_cost ? "Cost" : "Tokens");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *sums = json_array_get(rows, i);
        const char *name = json_get_text(sums, section->name);
        const char *before = section->prefix ? json_get_text(sums, section->prefix) : NULL;
        g_autofree char *whole = g_strconcat(before ? before : "", before ? "/" : "",
                                             name && !utf8_is_blank(name) ? name : "(none)", NULL);
        append_row(out, whole, sums, most > 0 ? weight_of(sums, has_cost) / most : 0);
    }
    g_string_append(out, "</table></div>\n");
}

char *stats_page(const json_t *report, const char *made_at)
{
    static const Section sections[] = {
        { "By model", "byModel", "model", "provider" },
        { "By day", "byDay", "day", NULL },
        { "By folder", "byFolder", "folder", NULL },
    };
    GString *out = g_string_new(stats_head);
    g_string_append(out, "<h1>What the sessions used</h1>\n<p>As of ");
    append_text(out, made_at);
    g_string_append(out, ". Input is everything that was sent, what the provider had in its cache "
                         "included.</p>\n");
    append_overall(out, json_get_object(report, "overall"));
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        append_section(out, report, &sections[i]);
    g_string_append(out, "</body>\n</html>\n");
    return g_string_free(out, FALSE);
}

// ---- rehearsals ----

static const char rehearsal_head[] =
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
        bool is_head = str_has_prefix(*line, "+++") || str_has_prefix(*line, "---");
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
    GString *out = g_string_new(rehearsal_head);
    for (size_t i = 0; i < json_array_size(reports); i++)
        append_report(out, json_array_get(reports, i));
    g_string_append(out, "</body>\n</html>\n");
    return g_string_free(out, FALSE);
}
