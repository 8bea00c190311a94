/*
 * Re-indenting a replacement (edit_indent.h; agent-tools §3.3.10): the model wrote its lines with
 * one indentation, the file has another.
 */
#include "tools/edit/edit_indent.h"

#include <glib.h>
#include <stdbool.h>

typedef enum { INDENT_NONE, INDENT_TABS, INDENT_SPACES, INDENT_MIXED } IndentKind;

typedef struct Pair { // indents of one line, as written and as it is in the file
    size_t pattern, file;
} Pair;

static size_t indent_size(const char *line)
{
    return strspn(line, " \t");
}

static bool is_blank_line(const char *line)
{
    return line[indent_size(line)] == '\0';
}

static IndentKind kind_of(char *const *lines)
{
    IndentKind kind = INDENT_NONE;
    for (; *lines; lines++) {
        size_t size = is_blank_line(*lines) ? 0 : indent_size(*lines);
        if (size == 0)
            continue;
        size_t tabs = strspn(*lines, "\t"), spaces = strspn(*lines, " ");
        IndentKind here = tabs == size     ? INDENT_TABS
                          : spaces == size ? INDENT_SPACES
                                           : INDENT_MIXED;
        if (kind == INDENT_NONE)
            kind = here;
        else if (kind != here)
            return INDENT_MIXED;
    }
    return kind;
}

static GArray *collect_pairs(char *const *pattern, char *const *file)
{
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(Pair));
    for (; *pattern && *file; pattern++, file++) {
        if (is_blank_line(*pattern) || is_blank_line(*file))
            continue;
        const Pair pair = { indent_size(*pattern), indent_size(*file) };
        g_array_append_val(pairs, pair);
    }
    return pairs;
}

/* How a written indent becomes the file's: file = (pattern - offset) × numerator / denominator +
 * shift. */
typedef struct Rule {
    bool is_valid;
    size_t numerator, denominator;
    gssize offset, shift;
    char fill;
} Rule;

/* Tabs as written, spaces in the file: so many spaces for each tab. */
static Rule rule_tabs_to_spaces(const GArray *pairs)
{
    size_t width = 0;
    for (unsigned i = 0; i < pairs->len; i++) {
        const Pair *pair = &g_array_index(pairs, Pair, i);
        if (pair->pattern == 0)
            continue;
        size_t here = pair->file / pair->pattern;
        if (here == 0 || pair->file % pair->pattern != 0 || (width != 0 && width != here))
            return (Rule) { 0 };
        width = here;
    }
    return (Rule) { .is_valid = width > 0, .numerator = width, .denominator = 1, .fill = ' ' };
}

/* Spaces as written, tabs in the file: width from two lines of different depth, else from one. */
static Rule rule_spaces_to_tabs(const GArray *pairs)
{
    size_t width = 0;
    gssize offset = 0;
    const Pair *first = pairs->len > 0 ? &g_array_index(pairs, Pair, 0) : NULL;
    for (unsigned i = 1; i < pairs->len && width == 0; i++) {
        const Pair *pair = &g_array_index(pairs, Pair, i);
        gssize tabs = (gssize)pair->file - (gssize)first->file;
        gssize spaces = (gssize)pair->pattern - (gssize)first->pattern;
        if (tabs != 0 && spaces / tabs > 0 && spaces % tabs == 0) {
            width = (size_t)(spaces / tabs);
            offset = (gssize)first->pattern - (gssize)(first->file * width);
        }
    }
    if (width == 0 && first && first->file > 0 && first->pattern % first->file == 0)
        width = first->pattern / first->file;
    for (unsigned i = 0; width > 0 && i < pairs->len; i++) {
        const Pair *pair = &g_array_index(pairs, Pair, i);
        if ((gssize)pair->pattern != (gssize)(pair->file * width) + offset)
            return (Rule) { 0 };
    }
    return (Rule) {
        .is_valid = width > 0, .numerator = 1, .denominator = width, .offset = offset, .fill = '\t'
    };
}

/* The same kind on both sides: a uniform difference. */
static Rule rule_shift(const GArray *pairs, char fill)
{
    Rule rule = { .numerator = 1, .denominator = 1, .fill = fill };
    for (unsigned i = 0; i < pairs->len; i++) {
        const Pair *pair = &g_array_index(pairs, Pair, i);
        gssize shift = (gssize)pair->file - (gssize)pair->pattern;
        if (i > 0 && shift != rule.shift)
            return (Rule) { 0 };
        rule.shift = shift;
    }
    rule.is_valid = rule.shift != 0;
    return rule;
}

static Rule choose_rule(char *const *pattern, char *const *file)
{
    g_autoptr(GArray) pairs = collect_pairs(pattern, file);
    IndentKind written = kind_of(pattern), there = kind_of(file);
    if (written == INDENT_MIXED || there == INDENT_MIXED)
        return (Rule) { 0 };
    if (written == INDENT_TABS && there == INDENT_SPACES)
        return rule_tabs_to_spaces(pairs);
    if (written == INDENT_SPACES && there == INDENT_TABS)
        return rule_spaces_to_tabs(pairs);
    return rule_shift(pairs, there == INDENT_TABS || written == INDENT_TABS ? '\t' : ' ');
}

static void append_line(GString *out, const char *line, const Rule *rule)
{
    size_t indent = indent_size(line);
    if (is_blank_line(line)) {
        g_string_append(out, line);
        return;
    }
    gssize from = MAX((gssize)indent - rule->offset, 0);
    gssize scaled = from * (gssize)rule->numerator / (gssize)rule->denominator + rule->shift;
    gssize rest = rule->denominator > 1 ? from % (gssize)rule->denominator : 0;
    for (gssize i = 0; i < MAX(scaled, 0); i++)
        g_string_append_c(out, rule->fill);
    for (gssize i = 0; i < rest; i++)
        g_string_append_c(out, ' ');
    g_string_append(out, line + indent);
}

/* Do the two texts differ in nothing but indentation? */
static bool is_indent_change(const char *old_text, const char *new_text)
{
    g_auto(GStrv) old_lines = g_strsplit(old_text, "\n", -1);
    g_auto(GStrv) new_lines = g_strsplit(new_text, "\n", -1);
    size_t i = 0;
    for (; old_lines[i] && new_lines[i]; i++)
        if (strcmp(g_strchug(old_lines[i]), g_strchug(new_lines[i])) != 0)
            return false;
    return !old_lines[i] && !new_lines[i];
}

char *edit_reindent(const char *old_text, const char *matched, const char *new_text)
{
    if (strcmp(old_text, matched) == 0 || is_indent_change(old_text, new_text))
        return g_strdup(new_text);
    g_auto(GStrv) pattern = g_strsplit(old_text, "\n", -1);
    g_auto(GStrv) file = g_strsplit(matched, "\n", -1);
    Rule rule = choose_rule(pattern, file);
    if (!rule.is_valid)
        return g_strdup(new_text);
    g_auto(GStrv) lines = g_strsplit(new_text, "\n", -1);
    GString *out = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        if (line != lines)
            g_string_append_c(out, '\n');
        append_line(out, *line, &rule);
    }
    return g_string_free(out, FALSE);
}
