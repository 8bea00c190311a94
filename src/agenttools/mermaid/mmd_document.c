/* See mmd_document.h. */
#include "agenttools/mermaid/mmd_document.h"

#include "agenttools/mermaid/mmd_parser.h"

#define FRONT_MATTER_MARK "[ \t]*---[ \t]*$"

typedef struct Line {
    const char *text;
    size_t size; // without the line end
} Line;

typedef struct Fence {
    char mark;     // ` or ~
    size_t count;  // of marks
    size_t quotes; // block-quote marks before it
    size_t indent; // blanks before it, after the quote marks
    bool is_mermaid;
} Fence;

void mmd_lines_init(MmdLines *self, const char *text, size_t size)
{
    *self = (MmdLines) { .start = text, .at = text, .end = text + size };
}

static bool next_line(MmdLines *self, Line *ret_line)
{
    if (self->at >= self->end)
        return false;
    const char *start = self->at, *stop = start;
    while (stop < self->end && *stop != '\n' && *stop != '\r')
        stop++;
    *ret_line = (Line) { start, (size_t)(stop - start) };
    bool is_crlf = stop + 1 < self->end && stop[0] == '\r' && stop[1] == '\n';
    self->at = MIN(stop + (is_crlf ? 2 : 1), self->end);
    self->number++;
    return true;
}

static const char *mmd_document_match(Line line, const char *pattern)
{
    return mmd_match(line.text, line.text + line.size, pattern);
}

static Line mmd_document_skip(Line line, size_t size)
{
    return (Line) { line.text + size, line.size - size };
}

static size_t count_blanks(Line line)
{
    return (size_t)(mmd_document_match(line, "[ \t]*") - line.text);
}

static size_t count_marks(Line line, char mark)
{
    size_t size = 0;
    while (size < line.size && line.text[size] == mark)
        size++;
    return size;
}

/* The block-quote marks at the start, each with the blank after it; at most `max` of them. */
static size_t take_quotes(Line *line, size_t max)
{
    size_t count = 0;
    for (const char *stop; count < max && (stop = mmd_document_match(*line, "[ \t]*>[ \t]?"));
         count++)
        *line = mmd_document_skip(*line, (size_t)(stop - line->text));
    return count;
}

static bool is_opening(Line line, Fence *ret_fence)
{
    Fence fence = { .quotes = take_quotes(&line, line.size) };
    fence.indent = count_blanks(line);
    line = mmd_document_skip(line, fence.indent);
    if (!mmd_document_match(line,
                            "```+[^`]*$|~~~")) // back-quotes in the info string: code within a line
        return false;
    fence.mark = line.text[0];
    fence.count = count_marks(line, fence.mark);
    Line info =
        mmd_document_skip(line, fence.count); // its first word: mermaid, {mermaid} or {.mermaid}
    fence.is_mermaid =
        mmd_document_match(info, "(?i)[ \t]*({\\.?mermaid(}|[ \t]|$)|mermaid({|[ \t]|$))") != NULL;
    *ret_fence = fence;
    return true;
}

/* `line` without its quote marks and the blanks before it. */
static bool is_closing(Line line, const Fence *fence)
{
    line = mmd_document_skip(line, count_blanks(line));
    size_t count = count_marks(line, fence->mark);
    return count >= fence->count && mmd_document_match(mmd_document_skip(line, count), "[ \t]*$");
}

static void block_free(void *block_)
{
    MmdBlock *block = block_;
    g_free(block->text);
    g_free(block);
}

/* Reads up to the end of the fence. A line after the end of a quote is left for the next read. */
static void read_fence(MmdLines *lines, const Fence *fence, GPtrArray *blocks)
{
    size_t fence_line = lines->number;
    g_autoptr(GString) text = g_string_new(NULL);
    bool is_closed = false;
    for (;;) {
        MmdLines before = *lines;
        Line line;
        if (!next_line(lines, &line))
            break;
        if (take_quotes(&line, fence->quotes) < fence->quotes) {
            *lines = before;
            break;
        }
        is_closed = is_closing(line, fence);
        if (is_closed)
            break;
        if (!fence->is_mermaid)
            continue;
        line = mmd_document_skip(line, MIN(count_blanks(line), fence->indent));
        g_string_append_len(text, line.text, (gssize)line.size);
        g_string_append_c(text, '\n');
    }
    if (!fence->is_mermaid)
        return;

    size_t last = is_closed ? lines->number - 1 : lines->number;
    bool is_past_end = lines->at >= lines->end && lines->number == fence_line;
    MmdBlock *block = g_new0(MmdBlock, 1);
    block->start_line = is_past_end ? fence_line : fence_line + 1;
    block->end_line = MAX(last, block->start_line);
    block->fence_line = fence_line;
    block->is_unclosed = !is_closed;
    block->text = g_string_free(g_steal_pointer(&text), FALSE);
    g_ptr_array_add(blocks, block);
}

static void find_fences(const char *text, size_t size, GPtrArray *blocks)
{
    MmdLines lines;
    mmd_lines_init(&lines, text, size);
    Line line;
    while (next_line(&lines, &line)) {
        Fence fence;
        if (is_opening(line, &fence))
            read_fence(&lines, &fence, blocks);
    }
}

/* Does the first line that is not blank, a comment or front matter begin with a header? */
static bool begins_with_header(const char *text, size_t size)
{
    MmdLines lines;
    mmd_lines_init(&lines, text, size);
    Line line;
    bool has_front_matter = false;
    while (next_line(&lines, &line)) {
        bool is_directive = mmd_document_match(line, "[ \t]*%%{");
        while (is_directive && !g_strstr_len(line.text, (gssize)line.size, "}%%")) {
            if (!next_line(&lines, &line))
                return false;
        }
        if (is_directive || mmd_document_match(line, "[ \t]*(%%|$)"))
            continue;
        if (has_front_matter || !mmd_document_match(line, FRONT_MATTER_MARK))
            return mmd_is_header(line.text, line.size);
        has_front_matter = true;
        do {
            if (!next_line(&lines, &line))
                return false;
        } while (!mmd_document_match(line, FRONT_MATTER_MARK));
    }
    return false;
}

static bool has_ending(const char *path, const char *const *endings)
{
    for (; path && *endings; endings++) {
        size_t size = strlen(path), ending = strlen(*endings);
        if (size > ending && g_ascii_strcasecmp(path + size - ending, *endings) == 0)
            return true;
    }
    return false;
}

/* The whole document as one diagram. */
static void add_document(const char *text, size_t size, GPtrArray *blocks)
{
    MmdLines lines;
    mmd_lines_init(&lines, text, size);
    g_autoptr(GString) copy = g_string_sized_new(size);
    Line line;
    while (next_line(&lines, &line)) {
        g_string_append_len(copy, line.text, (gssize)line.size);
        g_string_append_c(copy, '\n');
    }
    MmdBlock *block = g_new0(MmdBlock, 1);
    block->start_line = 1;
    block->end_line = MAX(lines.number, 1);
    block->text = g_string_free(g_steal_pointer(&copy), FALSE);
    g_ptr_array_add(blocks, block);
}

GPtrArray *mmd_document_blocks(const char *text, size_t size, const char *path, MmdFormat format)
{
    static const char *const diagram_endings[] = { ".mmd", ".mermaid", NULL };
    static const char *const markdown_endings[] = { ".md", ".markdown", ".mdx", NULL };
    GPtrArray *blocks = g_ptr_array_new_with_free_func(block_free);

    bool is_diagram = format == MMD_FORMAT_MERMAID;
    bool is_open = format == MMD_FORMAT_AUTO && !has_ending(path, markdown_endings);
    if (is_open && has_ending(path, diagram_endings))
        is_diagram = true;
    if (!is_diagram)
        find_fences(text, size, blocks);
    if (is_diagram || (is_open && blocks->len == 0 && begins_with_header(text, size)))
        add_document(text, size, blocks);
    return blocks;
}

const char *mmd_lines_seek(MmdLines *self, size_t number, size_t *ret_size)
{
    if (number <= self->number)
        mmd_lines_init(self, self->start, (size_t)(self->end - self->start));
    Line line = { self->end, 0 };
    while (self->number < number) {
        if (!next_line(self, &line)) {
            line = (Line) { self->end, 0 };
            break;
        }
    }
    *ret_size = line.size;
    return line.text;
}
