/*
 * search_tool_bm25: finds tools that are not offered from the start, by words, and has them offered
 * from then on (agent-tools §3.31).
 */
#include "base/bm25.h"
#include "base/utf8.h"
#include "tool/context.h"
#include "tool/tool_discovery.h"
#include "tool/tool_set.h"
#include "tools/tools.h"

#define WEIGHT_NAME    6
#define WEIGHT_LABEL   4
#define WEIGHT_SUMMARY 2
#define WEIGHT_KEY     1 // an argument's name

#define MAX_LIMIT         50
#define SHOWN_QUERY_CHARS 200
#define NAMED_TOOLS       30 // in the description

typedef struct SearchArgs {
    const char *query;
    int64_t limit;
} SearchArgs;

static const FieldDef search_fields[] = {
    { "query", FIELD_STRING, offsetof(SearchArgs, query), .is_required = true,
      .help = "Words for what the tool does, such as its name" },
    { "limit", FIELD_INTEGER, offsetof(SearchArgs, limit), .min = 1, .max = MAX_LIMIT,
      .default_text = "8", .help = "Most hits, 1 to 50" },
    { 0 },
};

static const char description[] =
    "Finds tools that are there but not among yours yet, and gives you the best matches: from then "
    "on you can call them.";

/* A model that is told the names knows what to search for. They change only when a door brings
   other tools: the text is part of what servers keep of a request. */
static char *search_describe(const ToolSet *all)
{
    g_autoptr(ToolSet) waiting = tool_set_waiting(all);
    size_t count = tool_set_count(waiting);
    GString *text = g_string_new(description);
    for (size_t i = 0; i < MIN(count, NAMED_TOOLS); i++)
        g_string_append_printf(text, "%s%s",
                               i > 0 ? ", " : " There are: ", tool_set_at(waiting, i)->name);
    if (count > NAMED_TOOLS)
        g_string_append_printf(text, " and %zu more", count - NAMED_TOOLS);
    if (count > 0)
        g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}

static void add_tool(Bm25 *index, const ToolDef *tool)
{
    g_autoptr(json_t) schema = tool_schema(tool);
    bm25_add_document(index);
    bm25_add_text(index, tool->name, WEIGHT_NAME);
    bm25_add_text(index, tool->label, WEIGHT_LABEL);
    bm25_add_text(index, tool->summary, WEIGHT_SUMMARY);
    json_each_member (json_get_object(schema, "properties"), key, property)
        bm25_add_text(index, key, WEIGHT_KEY);
}

static GArray *search(const ToolSet *tools, const char *query)
{
    g_autoptr(Bm25) index = bm25_new();
    for (size_t i = 0; i < tool_set_count(tools); i++)
        add_tool(index, tool_set_at(tools, i));
    return bm25_search(index, query);
}

static bool has_words(const char *query)
{
    g_autoptr(GPtrArray) terms = bm25_terms(query);
    return terms->len > 0;
}

/* The names of the best hits, which from now on are found. New array. */
static json_t *activate(FoundTools *found, const ToolSet *tools, const GArray *hits, int64_t limit)
{
    json_t *names = json_array();
    for (guint i = 0; i < hits->len && i < limit; i++) {
        const char *name = tool_set_at(tools, g_array_index(hits, Bm25Hit, i).document)->name;
        if (found_tools_add(found, name))
            json_append_take(names, json_text(name));
    }
    return names;
}

static bool search_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const SearchArgs *args = args_;
    const ToolSet *all = tool_call_tools(call);
    FoundTools *found = tool_context_found(tool_call_context(call));
    g_autofree char *shown = utf8_ellipsize(args->query, SHOWN_QUERY_CHARS);
    if (!all || !found)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "tools are found in a conversation only; `kedge tool list` shows all");
    if (!has_words(args->query))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "the query \"%s\" has no words: say what the tool is to do", shown);

    g_autoptr(ToolSet) waiting = tool_set_waiting(all);
    g_autoptr(GArray) hits = search(waiting, args->query);
    g_autoptr(json_t) answer = json_make(
        "query:%s activated_tools:%p match_count:%u total_tools:%jd", shown,
        activate(found, waiting, hits, args->limit), hits->len, (gint64)tool_set_count(waiting));
    g_autofree char *text = json_to_text(answer);
    tool_result_add_text(result, text);
    return true;
}

static bool search_is_available(const Settings *settings)
{
    return tool_discovery_mode(settings) != DISCOVERY_OFF;
}

const ToolDef tool_search_tool_bm25 = {
    .name = TOOL_SEARCH,
    .label = "Find tools",
    .summary = "Find tools that are not offered from the start",
    .describe = search_describe,
    .effect = EFFECT_READ,
    .flags = TOOL_OF_CONVERSATION,
    .fields = search_fields,
    .args_size = sizeof(SearchArgs),
    .is_available = search_is_available,
    .run = search_run,
};
