/*
 * Tool calls as rows (block.h): a title that says what was done, and the lines of the result that a
 * person needs to follow a run.
 */
#include "base/str.h"
#include "tool/call_title.h"
#include "tool/tool_name.h"
#include "tui/view/block_private.h"

enum {
    NAME_CELLS = 40,
    TITLE_CELLS = 200, // call_title.h cuts earlier
    INTENT_CELLS = 60,
    SHOWN_FROM_MS = 1000, // what took less says nothing of it
};

typedef enum {
    LOOK_UNKNOWN, // of others: its arguments are shown as a tree
    LOOK_PLAIN,   // the title says what it is about
    LOOK_COMMAND, // the end of its output matters
    LOOK_READ,    // what it gave is for the model
    LOOK_TODO,    // likewise: the panel of the list has it
    LOOK_EDIT,    // what it changed
} Look;

static const struct {
    const char *tool;
    Look look;
} looks[] = {
    { "bash", LOOK_COMMAND },
    { "recipe", LOOK_COMMAND },
    { "ssh", LOOK_COMMAND },
    { "eval", LOOK_COMMAND },
    { "job", LOOK_COMMAND },
    { "read", LOOK_READ },
    { "edit", LOOK_EDIT },
    { "write", LOOK_EDIT },
    { "ast_edit", LOOK_EDIT },
    { "resolve", LOOK_EDIT },
    { "ask", LOOK_PLAIN },
    { "ast_grep", LOOK_PLAIN },
    { "calc", LOOK_PLAIN },
    { "checkpoint", LOOK_PLAIN },
    { "find", LOOK_PLAIN },
    { "gh", LOOK_PLAIN },
    { "github", LOOK_PLAIN },
    { "grep", LOOK_PLAIN },
    { "inspect_image", LOOK_PLAIN },
    { "ls", LOOK_PLAIN },
    { "report_finding", LOOK_PLAIN },
    { "rewind", LOOK_PLAIN },
    { "search_tool_bm25", LOOK_PLAIN },
    { "todo_write", LOOK_TODO },
    { "yield", LOOK_PLAIN },
};

static Look look_of(const char *name)
{
    const char *tool = name ? tool_name_canonical(name) : NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(looks); i++) {
        if (g_strcmp0(tool, looks[i].tool) == 0)
            return looks[i].look;
    }
    return tool && str_has_prefix(tool, "gh_") ? LOOK_PLAIN : LOOK_UNKNOWN;
}

// ---- titles ----

/* The part of a path that a person needs. Borrowed. */
static const char *block_tool_below(const char *path, const char *cwd)
{
    size_t size = cwd ? strlen(cwd) : 0;
    bool is_below = size > 1 && strncmp(path, cwd, size) == 0 && path[size] == '/';
    return is_below && path[size + 1] ? path + size + 1 : path;
}

/* Arguments as they are shown: paths relative. New reference. */
static json_t *shown_arguments(const json_t *arguments, const char *cwd)
{
    json_t *shown = json_object();
    json_each_member (arguments, key, value) {
        const char *text = json_string_value(value);
        const char *rest = text ? block_tool_below(text, cwd) : NULL;
        json_object_set_new(shown, key,
                            rest && rest != text ? json_text(rest) : json_incref(value));
    }
    return shown;
}

char *block_arguments_line(const json_t *arguments, const BlockSpec *spec)
{
    g_autoptr(json_t) shown = shown_arguments(arguments, spec->cwd);
    g_autofree char *title = call_title_arguments(shown);
    return block_clean_line(title, TITLE_CELLS);
}

/* `line` is taken. */
static char *with_place(char *line, const json_t *result)
{
    g_autofree char *whole = call_title_with_place(line, json_get_object(result, "details"));
    return block_clean_line(whole, TITLE_CELLS);
}

char *block_read_name(const json_t *arguments, const json_t *result, const BlockSpec *spec)
{
    char *line = block_arguments_line(arguments, spec);
    if (*line)
        return with_place(line, result);
    g_free(line);
    return g_strdup("?");
}

static Style title_style(uint8_t background, uint8_t attributes)
{
    return (Style) { .fg = TOKEN_TOOL_TITLE, .bg = background, .attributes = attributes };
}

/* "✓ read", and what follows it. */
static void add_title(RowBuilder *out, const char *name, const char *line, Symbol mark, Style style,
                      const BlockSpec *spec)
{
    row_builder_add(out, theme_symbol(spec->theme, mark), -1, style, NULL);
    row_builder_add(out, " ", 1, title_style(style.bg, 0), NULL);
    row_builder_add(out, name, -1, title_style(style.bg, STYLE_BOLD), NULL);
    if (!*line)
        return;
    row_builder_add(out, " ", 1, title_style(style.bg, 0), NULL);
    row_builder_add(out, line, -1, title_style(style.bg, 0), NULL);
}

static void add_dim(RowBuilder *out, const char *text)
{
    const Style dim = { .fg = TOKEN_DIM };
    row_builder_add(out, "  ", 2, dim, NULL);
    row_builder_add(out, text, -1, dim, NULL);
}

char *block_intent(const json_t *arguments)
{
    return block_clean_line(json_get_text(arguments, "_i"), INTENT_CELLS);
}

/* "2.3 s", "42 s", "1 min 05 s". Caller frees. */
static char *time_text(gint64 ms)
{
    if (ms < 10 * 1000)
        return g_strdup_printf("%.1f s", (double)ms / 1000);
    gint64 seconds = (ms + 500) / 1000;
    if (seconds < 60)
        return g_strdup_printf("%" G_GINT64_FORMAT " s", seconds);
    return g_strdup_printf("%" G_GINT64_FORMAT " min %02d s", seconds / 60, (int)(seconds % 60));
}

Row *block_title_row(const char *tool, const char *line, const char *intent, Symbol mark,
                     Style style, const BlockSpec *spec)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    g_autofree char *name = block_clean_line(tool && *tool ? tool : "?", NAME_CELLS);
    add_title(builder, name, line, mark, style, spec);
    if (*intent)
        add_dim(builder, intent);
    return row_builder_take(builder);
}

Row *block_reads_title(const GPtrArray *names, const BlockSpec *spec)
{
    const Style style = { .fg = TOKEN_SUCCESS, .bg = TOKEN_TOOL_SUCCESS_BG };
    g_autoptr(GString) line = g_string_new(NULL);
    for (unsigned i = 0; i < names->len; i++)
        g_string_append_printf(line, "%s%s", i > 0 ? ", " : "", (const char *)names->pdata[i]);
    g_autoptr(RowBuilder) builder = row_builder_new();
    add_title(builder, "read", line->str, SYMBOL_SUCCESS, style, spec);
    return row_builder_take(builder);
}

// ---- results ----

bool block_is_plain_read(const char *tool, const json_t *result, bool is_error)
{
    return !is_error && look_of(tool) == LOOK_READ &&
           !block_has_images(json_get_array(result, "content"));
}

/* The first text, of an expanded call all of them: nothing is joined, for they may be long. */
static void result_text(const json_t *content, Look look, bool is_error, const BlockSpec *spec,
                        GPtrArray *out)
{
    bool is_command = look == LOOK_COMMAND; // its output is read, also when it failed
    const LinesSpec lines = {
        .block = spec,
        .style = { .fg = is_error && !is_command ? TOKEN_ERROR : TOKEN_TOOL_OUTPUT },
        .max_lines = is_command ? BLOCK_COMMAND_LINES : BLOCK_TEXT_LINES,
        .keeps_end = is_command,
    };
    json_each (content, i, block) {
        const json_t *text = json_object_get(block, "text");
        if (!json_is_string(text))
            continue;
        block_lines(json_string_value(text), json_string_length(text), &lines, out);
        if (!spec->is_expanded)
            return;
    }
}

static void result_rows(Look look, const json_t *arguments, const json_t *result, bool is_error,
                        const BlockSpec *spec, GPtrArray *out)
{
    const json_t *content = json_get_array(result, "content");
    bool is_for_model = look == LOOK_READ || look == LOOK_TODO;
    bool is_silent = is_for_model && !is_error && !spec->is_expanded;
    bool has_diff = look == LOOK_EDIT && !is_error && block_edit_rows(arguments, result, spec, out);
    if (!is_silent && !has_diff)
        result_text(content, look, is_error, spec, out);
    block_images(content, spec, out);
}

static void title_rows(const char *tool, const char *line, const json_t *arguments, bool is_error,
                       gint64 duration_ms, const BlockSpec *spec, GPtrArray *out)
{
    const Style style = {
        .fg = is_error ? TOKEN_ERROR : TOKEN_SUCCESS,
        .bg = is_error ? TOKEN_TOOL_ERROR_BG : TOKEN_TOOL_SUCCESS_BG,
    };
    g_autofree char *intent = block_intent(arguments);
    g_autoptr(Row) title =
        block_title_row(tool, line, intent, is_error ? SYMBOL_ERROR : SYMBOL_SUCCESS, style, spec);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add_row(builder, title);
    if (duration_ms >= SHOWN_FROM_MS) {
        g_autofree char *time = time_text(duration_ms);
        add_dim(builder, time);
    }
    g_autoptr(Row) whole = row_builder_take(builder);
    block_wrap_title(whole, spec, out);
}

void block_tool_rows(const char *tool, const json_t *arguments, const json_t *result, bool is_error,
                     gint64 duration_ms, const BlockSpec *spec, GPtrArray *out)
{
    Look look = look_of(tool);
    g_autofree char *line =
        look == LOOK_UNKNOWN ? g_strdup("") : block_arguments_line(arguments, spec);
    line = with_place(g_steal_pointer(&line), result);
    title_rows(tool, line, arguments, is_error, duration_ms, spec, out);
    bool has_diff = look == LOOK_EDIT && !is_error; // which says more than its arguments
    if (look == LOOK_UNKNOWN || (spec->is_expanded && !has_diff))
        block_tree(arguments, spec, out);
    result_rows(look, arguments, result, is_error, spec, out);
}
