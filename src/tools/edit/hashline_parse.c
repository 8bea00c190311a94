/* See hashline_parse.h. */
#include "tools/edit/hashline_parse.h"

#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"

#define BEGIN       "*** Begin Patch"
#define END         "*** End Patch"
#define ABORT       "*** Abort"
#define SHOWN_CHARS 120 // of a first line that is no header
#define MAX_DIGITS  9   // of a line number

static void op_free(void *data)
{
    HashlineOp *self = data;
    g_ptr_array_unref(self->payload);
    g_free(self);
}

static void section_free(void *data)
{
    HashlineSection *self = data;
    g_free(self->path);
    g_ptr_array_unref(self->ops);
    g_free(self);
}

typedef struct Parser {
    char separator;
    GPtrArray *sections;
    HashlineSection *section; // the last of them
    size_t body_line;         // of it
    unsigned blanks;          // empty lines since the last payload line
    bool takes_payload;       // the last operation does
    bool is_done;
} Parser;

static HashlineOp *last_op(const Parser *self)
{
    const GPtrArray *ops = self->section->ops;
    return ops->len > 0 ? ops->pdata[ops->len - 1] : NULL;
}

static char *hashline_parse_quoted(const char *text)
{
    g_autoptr(json_t) value = json_text(text);
    return json_to_text(value);
}

static bool fail_at(const Parser *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static bool fail_at(const Parser *self, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return fail_with(error, KEDGE_ERROR_USAGE, "line %zu: %s", self->body_line, message);
}

static bool fail_unrecognized(const Parser *self, const char *line, GError **error)
{
    g_autofree char *shown = hashline_parse_quoted(line);
    return fail_at(self, error,
                   "unrecognized op. Use < ANCHOR (insert before), + ANCHOR (insert after), "
                   "- A..B (delete), = A..B (replace), or \"~TEXT\" payload lines. Got %s.",
                   shown);
}

static bool parse_anchor(const char *text, HashlineAnchor *ret_anchor)
{
    size_t digits = strspn(text, "0123456789");
    const char *letters = text + digits;
    if (digits == 0 || digits > MAX_DIGITS || !g_ascii_islower(letters[0]) ||
        !g_ascii_islower(letters[1]) || letters[2] != '\0')
        return false;
    ret_anchor->number = (size_t)g_ascii_strtoull(text, NULL, 10);
    memcpy(ret_anchor->letters, letters, HASHLINE_LETTERS + 1);
    return ret_anchor->number > 0;
}

static bool take_anchor(const Parser *self, const char *text, HashlineAnchor *ret_anchor,
                        GError **error)
{
    if (parse_anchor(text, ret_anchor))
        return true;
    g_autofree char *shown = hashline_parse_quoted(text);
    return fail_at(self, error,
                   "expected a full anchor such as \"119sr\", \"119ab\", \"119th\"; got %s.",
                   shown);
}

static bool take_target(const Parser *self, const char *text, HashlineOp *op, GError **error)
{
    if (strcmp(text, "BOF") == 0)
        op->first.number = HASHLINE_BOF;
    else if (strcmp(text, "EOF") == 0)
        op->first.number = HASHLINE_EOF;
    else if (!take_anchor(self, text, &op->first, error))
        return false;
    op->last = op->first;
    return true;
}

static bool take_range(const Parser *self, const char *text, HashlineOp *op, GError **error)
{
    g_autofree char *shown = hashline_parse_quoted(text);
    if (!strstr(text, ".."))
        return fail_at(self, error,
                       "explicit ranges are required for delete/replace. Repeat the same anchor on "
                       "both sides for a one-line edit (for example, 119sr..119sr); got %s.",
                       shown);
    g_auto(GStrv) sides = g_strsplit(text, "..", -1);
    if (g_strv_length(sides) != 2 || *g_strstrip(sides[0]) == '\0' || *g_strstrip(sides[1]) == '\0')
        return fail_at(self, error,
                       "range must include exactly two full anchors separated by \"..\". For a "
                       "one-line edit, repeat the same anchor on both sides.");
    if (!take_anchor(self, sides[0], &op->first, error) ||
        !take_anchor(self, sides[1], &op->last, error))
        return false;
    if (op->last.number < op->first.number)
        return fail_at(self, error, "range %s..%s ends before it starts.", sides[0], sides[1]);
    if (op->last.number == op->first.number && strcmp(op->first.letters, op->last.letters) != 0)
        return fail_at(self, error, "range %s..%s uses two different hashes for the same line.",
                       sides[0], sides[1]);
    return true;
}

/* An operation is complete when the next one begins. */
static bool close_op(Parser *self, GError **error)
{
    const HashlineOp *op = last_op(self);
    self->blanks = 0;
    if (!op || op->kind == HASHLINE_REPLACE || op->payload->len > 0)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "line %zu: + and < operations require at least one ~TEXT payload line.",
                     op->body_line);
}

/* A replacement without payload is one empty line; of a deletion nothing is left. */
static void close_replacement(Parser *self)
{
    HashlineOp *op = last_op(self);
    if (op && op->kind == HASHLINE_REPLACE && self->takes_payload && op->payload->len == 0)
        g_ptr_array_add(op->payload, g_strdup(""));
}

static bool take_op(Parser *self, const char *line, GError **error)
{
    g_autofree char *target = g_strstrip(g_strdup(line + 1));
    bool is_insertion = *line == '+' || *line == '<';
    if (is_insertion && (*target == '\0' || strpbrk(target, " \t")))
        return fail_unrecognized(self, line, error);
    close_replacement(self);
    if (!close_op(self, error))
        return false;
    HashlineOp op = {
        .kind = *line == '+'   ? HASHLINE_INSERT_AFTER
                : *line == '<' ? HASHLINE_INSERT_BEFORE
                               : HASHLINE_REPLACE,
        .body_line = self->body_line,
    };
    bool is_taken =
        is_insertion ? take_target(self, target, &op, error) : take_range(self, target, &op, error);
    if (!is_taken)
        return false;
    op.payload = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(self->section->ops, g_memdup2(&op, sizeof op));
    self->takes_payload = *line != '-';
    return true;
}

static bool take_payload(Parser *self, const char *text, GError **error)
{
    HashlineOp *op = last_op(self);
    if (!op || !self->takes_payload)
        return fail_at(self, error, "payload line has no preceding +, <, or = operation.");
    for (; op->payload->len > 0 && self->blanks > 0; self->blanks--)
        g_ptr_array_add(op->payload, g_strdup(""));
    self->blanks = 0;
    g_ptr_array_add(op->payload, g_strdup(text));
    return true;
}

static bool close_section(Parser *self, GError **error)
{
    close_replacement(self);
    if (!close_op(self, error))
        return false;
    return self->section->ops->len > 0 ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "No operations for %s: below its header, put lines such as = A..B, - A..B, "
                     "+ A or < A.",
                     self->section->path);
}

static bool open_section(Parser *self, const char *path, GError **error)
{
    if (self->section && !close_section(self, error))
        return false;
    self->section = g_new0(HashlineSection, 1);
    self->section->path = g_strdup(path);
    self->section->ops = g_ptr_array_new_with_free_func(op_free);
    g_ptr_array_add(self->sections, self->section);
    self->body_line = 0;
    self->takes_payload = false;
    return true;
}

static bool take_header(Parser *self, const char *line, GError **error)
{
    g_autofree char *path = utf8_trim(line + strspn(line, "@"));
    if (g_str_has_suffix(path, " @@"))
        path[strlen(path) - strlen(" @@")] = '\0';
    g_strchomp(path);
    size_t size = strlen(path);
    bool is_quoted = size >= 2 && strchr("\"'`", path[0]) && path[size - 1] == path[0];
    if (is_quoted)
        path[size - 1] = '\0';
    const char *bare = path + (is_quoted ? 1 : 0);
    if (*bare == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Input header \"@\" is empty; provide a file path.");
    return open_section(self, bare, error);
}

/* What was being written when the stream broke off is no operation yet. */
static void drop_unfinished(Parser *self)
{
    const HashlineOp *op = last_op(self);
    if (op && self->takes_payload && op->payload->len == 0)
        g_ptr_array_set_size(self->section->ops, (int)self->section->ops->len - 1);
    if (self->section->ops->len == 0 && self->sections->len > 1) {
        g_ptr_array_set_size(self->sections, (int)self->sections->len - 1);
        self->section = self->sections->pdata[self->sections->len - 1];
    }
    self->section->was_cut = true;
    self->takes_payload = false;
}

static bool take_body_line(Parser *self, const char *line, GError **error)
{
    self->body_line++;
    if (utf8_is_blank(line)) {
        self->blanks++;
        return true;
    }
    if (*line == self->separator)
        return take_payload(self, line + 1, error);
    if (str_has_prefix(line, ABORT))
        drop_unfinished(self);
    if (str_has_prefix(line, ABORT) || str_has_prefix(line, END)) {
        self->is_done = true;
        return true;
    }
    return strchr("+<-=", *line) ? take_op(self, line, error)
                                 : fail_unrecognized(self, line, error);
}

static bool fail_no_header(const char *line, GError **error)
{
    g_autofree char *start = g_utf8_substring(line, 0, MIN(g_utf8_strlen(line, -1), SHOWN_CHARS));
    g_autofree char *shown = hashline_parse_quoted(start);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "input must begin with \"@@ PATH\" on the first non-blank line; got: %s. "
                     "Example: \"@@ src/foo.ts\" then edit ops.",
                     shown);
}

/* Up to the first header. */
static bool take_start(Parser *self, const char *line, const char *path, GError **error)
{
    if (utf8_is_blank(line) || str_has_prefix(line, BEGIN))
        return true;
    if (path && *path && strchr("+<-=", *line))
        return open_section(self, path, error) && take_body_line(self, line, error);
    return fail_no_header(line, error);
}

static bool take_line(Parser *self, const char *line, const char *path, GError **error)
{
    if (*line == '@')
        return take_header(self, line, error);
    return self->section ? take_body_line(self, line, error) : take_start(self, line, path, error);
}

bool hashline_parse(const char *input, const char *path, char separator, GPtrArray **ret_sections,
                    GError **error)
{
    g_autoptr(GPtrArray) sections = g_ptr_array_new_with_free_func(section_free);
    Parser self = { .separator = separator, .sections = sections };
    g_auto(GStrv) lines = g_strsplit(input + utf8_bom_size(input, strlen(input)), "\n", -1);
    for (char **line = lines; *line && !self.is_done; line++) {
        size_t size = strlen(*line);
        if (size > 0 && (*line)[size - 1] == '\r')
            (*line)[size - 1] = '\0';
        if (!take_line(&self, *line, path, error))
            return false;
    }
    if (!self.section)
        return fail_no_header("", error);
    if (!close_section(&self, error))
        return false;
    *ret_sections = g_steal_pointer(&sections);
    return true;
}
