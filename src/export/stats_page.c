/* See stats_page.h. */
#include "export/stats_page.h"

#include "base/utf8.h"
#include "base/visible.h"

#include <glib.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
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
    "</style>\n</head>\n<body>\n";

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
    visible_append(shown, text ? text : ""); // a repository or a server has chosen it
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
    GString *out = g_string_new(head);
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
