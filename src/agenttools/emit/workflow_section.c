/*
 * The section STATE-MACHINE of a Markdown file, and its first mermaid fence (agent-tools-cli §4.3).
 */
#include "agenttools/emit/workflow.h"
#include "base/str.h"

#define HEADING "## STATE-MACHINE"
#define INDENT  3 // blanks before a fence, at most

typedef struct Fence {
    char mark;     // ` or ~; 0: none open
    size_t length; // of the marks
} Fence;

/* Is the line a fence? *ret_info is what follows the marks. */
static bool read_fence(const char *line, Fence *ret_fence, const char **ret_info)
{
    size_t indent = strspn(line, " ");
    char mark = line[indent];
    if (indent > INDENT || (mark != '`' && mark != '~'))
        return false;
    size_t length = 0;
    while (line[indent + length] == mark)
        length++;
    *ret_fence = (Fence) { mark, length };
    *ret_info = line + indent + length;
    return length >= 3;
}

static bool is_mermaid(const char *info)
{
    g_autofree char *word = g_strstrip(g_strdup(info));
    word[strcspn(word, " \t{")] = '\0';
    return strcmp(word, "mermaid") == 0;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r")] == '\0';
}

/* Follows the fences line by line; true for a line that is no fence and lies in none. */
static bool step_outside(const char *line, Fence *open, bool *ret_opens, const char **ret_info)
{
    Fence found;
    const char *info = "";
    bool is_fence = read_fence(line, &found, &info);
    *ret_opens = is_fence && open->mark == 0;
    *ret_info = info;
    if (open->mark == 0) {
        if (is_fence)
            *open = found;
        return !is_fence;
    }
    if (is_fence && found.mark == open->mark && found.length >= open->length && is_blank(info))
        *open = (Fence) { 0 };
    return false;
}

static bool is_heading(const char *line, const char *heading)
{
    size_t length = strlen(heading);
    return strncmp(line, heading, length) == 0 && is_blank(line + length);
}

/* The lines from index `first` to the end of the fence. */
static char *fence_text(char *const *lines, size_t first, Fence open)
{
    GString *text = g_string_new(NULL);
    bool opens;
    const char *info;
    for (size_t i = first; lines[i]; i++) {
        step_outside(lines[i], &open, &opens, &info);
        if (open.mark == 0)
            break;
        g_string_append(text, lines[i]);
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

char *workflow_section(const char *markdown, unsigned *ret_first_line)
{
    g_auto(GStrv) lines = g_strsplit(markdown, "\n", -1);
    bool is_inside = false;
    Fence open = { 0 };
    for (size_t i = 0; lines[i]; i++) {
        bool opens;
        const char *info;
        bool is_text = step_outside(lines[i], &open, &opens, &info);
        if (is_text && is_heading(lines[i], HEADING))
            is_inside = true;
        else if (is_text && is_inside && str_has_prefix(lines[i], "## "))
            return NULL;
        if (!is_inside || !opens || !is_mermaid(info))
            continue;
        g_autofree char *text = fence_text(lines, i + 1, open);
        *ret_first_line = (unsigned)i + 2;
        return strstr(text, "stateDiagram-v2") ? g_steal_pointer(&text) : NULL;
    }
    return NULL;
}
