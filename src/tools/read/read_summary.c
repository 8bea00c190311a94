/*
 * Source files without their bodies (read_summary.h): what runs through a body becomes one line
 * `...`, and a body in brackets one line with both of them.
 */
#include "tools/read/read_summary.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/file/hashline.h"
#include "tools/read/source_tags.h"

#include <string.h>
#include <unistd.h>

enum { MAX_ROWS = 3000, MIN_BUDGET_BYTES = 51200, BYTES_PER_ROW = 512 }; // as in read_text.c

typedef struct Page {
    const GArray *lines;  // TextLine
    const GArray *bodies; // SourceBody
    ReadSnapshot *seen;
    bool has_numbers;
    size_t max_rows, budget_bytes;

    GString *out;
    size_t rows, used_bytes; // of the budget: numbers and anchors cost none of it
    size_t last;             // line that is shown or stood for
    bool is_full_by_bytes;
    unsigned bodies_left_out;
    size_t lines_left_out;
    const SourceBody *first_left_out;
} Page;

// ---- the text ----

static void leave_out_cr(GString *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->len; i++)
        if (text->str[i] != '\r')
            text->str[kept++] = text->str[i];
    g_string_truncate(text, kept);
}

static bool has_conflict(const char *text)
{
    return str_has_prefix(text, "<<<<<<<") || strstr(text, "\n<<<<<<<");
}

/* The text as read shows it: without CR, and without a BOM. NULL: it is none that can be
   summarised. Caller frees. */
static char *read_all(const ReadSummary *file)
{
    g_autoptr(GString) text = g_string_sized_new(file->size + 1);
    if (lseek(file->fd, 0, SEEK_SET) < 0 ||
        !fd_read_all(file->fd, LIMIT_SUMMARY_BYTES + 1, file->path, text, NULL) ||
        text->len > LIMIT_SUMMARY_BYTES || memchr(text->str, '\0', text->len))
        return NULL;
    leave_out_cr(text);
    g_string_erase(text, 0, (gssize)utf8_bom_size(text->str, text->len));
    return has_conflict(text->str) ? NULL : g_string_free(g_steal_pointer(&text), FALSE);
}

// ---- its rows ----

static char *valid_line(const Page *self, size_t number)
{
    const TextLine *line = text_line_at(self->lines, number - 1);
    return utf8_from_bytes(line->text, line->size);
}

/* Of line `first`, or of the lines from there to `last`. */
static void append_prefix(const Page *self, size_t first, size_t last)
{
    const size_t numbers[] = { first, last };
    if (!self->seen && !self->has_numbers)
        return;
    for (size_t i = 0; i < (first == last ? 1 : 2); i++) {
        const TextLine *line = text_line_at(self->lines, numbers[i] - 1);
        char letters[HASHLINE_LETTERS + 1] = "";
        if (self->seen)
            hashline_letters(numbers[i], line->text, line->size, letters);
        g_string_append_printf(self->out, "%s%zu%s", i > 0 ? "-" : "", numbers[i], letters);
    }
    g_string_append_c(self->out, '|');
}

static void note_seen(const Page *self, size_t number)
{
    const TextLine *line = text_line_at(self->lines, number - 1);
    g_autofree char *valid = self->seen ? utf8_from_bytes(line->text, line->size) : NULL;
    if (valid)
        read_snapshot_add(self->seen, number, valid, strlen(valid));
}

/* Begins a row of `size` bytes; false: the page is full. */
static bool begin_row(Page *self, size_t size)
{
    size_t cost = size + (self->rows > 0);
    self->is_full_by_bytes = self->used_bytes + cost > self->budget_bytes;
    if (self->is_full_by_bytes || self->rows >= self->max_rows)
        return false;
    if (self->rows > 0)
        g_string_append_c(self->out, '\n');
    self->rows++;
    self->used_bytes += cost;
    return true;
}

static bool append_line(Page *self, size_t number)
{
    g_autofree char *text = valid_line(self, number);
    if (!begin_row(self, strlen(text)))
        return false;
    append_prefix(self, number, number);
    g_string_append(self->out, text);
    note_seen(self, number);
    self->last = number;
    return true;
}

static void leave_out(Page *self, const SourceBody *body, size_t last)
{
    if (self->bodies_left_out++ == 0)
        self->first_left_out = body;
    self->lines_left_out += body->last - body->first + 1;
    self->last = last;
}

static bool append_gap(Page *self, const SourceBody *body)
{
    if (!begin_row(self, strlen("...")))
        return false;
    g_string_append(self->out, "...");
    leave_out(self, body, body->last);
    return true;
}

/* Does `head` end in a bracket that `tail` closes, with nothing else in it? */
static bool are_partners(const char *head, const char *tail)
{
    static const char opening[] = "{([", closing[] = "})]";
    size_t size = strlen(head);
    const char *bracket = size > 0 ? strchr(opening, head[size - 1]) : NULL;
    return bracket && *tail == closing[bracket - opening] && tail[strspn(tail, ";,)]}")] == '\0';
}

/* The lines around a body as one row. *ret_is_joined false: they are no partners. */
static bool append_joined(Page *self, const SourceBody *body, bool *ret_is_joined)
{
    *ret_is_joined = false;
    if (body->first < 2 || body->last >= self->lines->len)
        return true;
    g_autofree char *head = g_strchomp(valid_line(self, body->first - 1));
    g_autofree char *tail = g_strstrip(valid_line(self, body->last + 1));
    if (!are_partners(head, tail))
        return true;
    if (!begin_row(self, strlen(head) + strlen(" .. ") + strlen(tail)))
        return false;
    append_prefix(self, body->first - 1, body->last + 1);
    g_string_append_printf(self->out, "%s .. %s", head, tail);
    note_seen(self, body->first - 1);
    note_seen(self, body->last + 1);
    leave_out(self, body, body->last + 1);
    *ret_is_joined = true;
    return true;
}

/* As many rows as there is room for. */
static void append_rows(Page *self)
{
    for (unsigned next = 0; self->last < self->lines->len;) {
        const SourceBody *body =
            next < self->bodies->len ? &g_array_index(self->bodies, SourceBody, next) : NULL;
        size_t number = self->last + 1;
        bool is_joined = false;
        if (body && number + 1 == body->first && !append_joined(self, body, &is_joined))
            return;
        if (!is_joined &&
            !(body && number == body->first ? append_gap(self, body) : append_line(self, number)))
            return;
        if (body && self->last >= body->last)
            next++;
    }
}

// ---- what is said of it ----

static void note_rest(const Page *self, const ReadSummary *file, ToolResult *result)
{
    json_set_take(tool_result_details(result), "summary",
                  json_make("lines:%jd elidedSpans:%u", (gint64)self->rows, self->bodies_left_out));
    const Truncated cut = {
        .is_truncated = self->last < self->lines->len,
        .by_lines = !self->is_full_by_bytes,
        .total_lines = self->lines->len,
        .total_bytes = file->size,
        .output_lines = self->last,
        .output_bytes = self->out->len,
        .max_bytes = self->budget_bytes,
    };
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, self->lines->len, NULL);
    g_autofree char *note = g_strdup_printf(
        "%zu lines in %u %s are left out here. Use a range, such as :%zu-%zu, to see them, or :1 "
        "for the file as it is",
        self->lines_left_out, self->bodies_left_out, self->bodies_left_out == 1 ? "body" : "bodies",
        self->first_left_out->first, self->first_left_out->last);
    tool_result_add_note(result, note);
}

/* The bodies that can be left out; NULL: no one knows. Caller unrefs. */
static GArray *find_bodies(ToolCall *call, const SourceLanguage *language, const char *text,
                           const GArray *lines)
{
    g_autoptr(GArray) tags = source_tags_read(language, text, tool_call_cancel(call));
    int64_t least = settings_get_int(tool_call_settings(call), "read.summarize.minBodyLines");
    return tags ? source_bodies_find(lines, tags, language->form, (size_t)MAX(least, 1)) : NULL;
}

bool read_summary_show(ToolCall *call, const ReadSummary *file, ToolResult *result)
{
    const Settings *settings = tool_call_settings(call);
    const SourceLanguage *language = source_language(file->path);
    int64_t least = settings_get_int(settings, "read.summarize.minTotalLines");
    if (!language || !settings_get_bool(settings, "read.summarize.enabled") ||
        file->size > LIMIT_SUMMARY_BYTES || (int64_t)file->size + 1 < least)
        return false;
    g_autofree char *text = read_all(file);
    lseek(file->fd, 0, SEEK_SET);
    g_autoptr(GArray) lines = text ? text_lines_split(text) : NULL;
    if (!lines || lines->len > LIMIT_SUMMARY_LINES || lines->len < least)
        return false;
    g_autoptr(GArray) bodies = find_bodies(call, language, text, lines);
    if (!bodies || bodies->len == 0)
        return false;

    int64_t rows = CLAMP(settings_get_int(settings, "read.defaultLimit"), 1, MAX_ROWS);
    g_autoptr(GString) out = g_string_new(NULL);
    Page page = {
        .lines = lines,
        .bodies = bodies,
        .seen = file->seen,
        .has_numbers = settings_get_bool(settings, "readLineNumbers"),
        .max_rows = (size_t)rows,
        .budget_bytes = MAX(MIN_BUDGET_BYTES, (size_t)rows * BYTES_PER_ROW),
        .out = out,
    };
    append_rows(&page);
    if (page.bodies_left_out == 0) {
        if (file->seen)
            read_snapshot_clear(file->seen);
        return false;
    }
    if (file->seen)
        file->seen->total = lines->len;
    tool_result_add_text(result, out->str);
    note_rest(&page, file, result);
    return true;
}
