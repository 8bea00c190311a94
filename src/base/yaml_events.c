/*
 * The events of a YAML text (yaml_events.h): libyaml's parser, and its problems in words.
 */
#include "base/yaml_events.h"

#include "base/str.h"
#include "base/utf8.h"

#include <string.h>

#define MAX_TAG_DIRECTIVES 100

/* memmem() for what is in nearly no text: memchr() is much faster. NULL: nowhere. */
static const char *find_rare(const char *text, const char *end, const char *wanted)
{
    size_t size = strlen(wanted);
    for (const char *at = text; (at = memchr(at, *wanted, (size_t)(end - at))); at++)
        if ((size_t)(end - at) >= size && memcmp(at, wanted, size) == 0)
            return at;
    return NULL;
}

static bool check_breaks(const char *text, size_t size, GError **error)
{
    static const struct {
        const char *bytes, *name, *escape;
    } breaks[] = {
        { "\xc2\x85", "U+0085", "\\N" },
        { "\xe2\x80\xa8", "U+2028", "\\L" },
        { "\xe2\x80\xa9", "U+2029", "\\P" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(breaks); i++) {
        const char *found = find_rare(text, text + size, breaks[i].bytes);
        if (found)
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             "yaml: line %zu: the line separator %s cannot be used here (as %s in "
                             "double quotes it can)",
                             str_count_lines(text, (size_t)(found - text)), breaks[i].name,
                             breaks[i].escape);
    }
    return true;
}

/* libyaml compares each of these lines with all before it. */
static bool check_directives(const char *text, size_t size, GError **error)
{
    const char *at = text, *end = text + size;
    for (int count = 0; (at = find_rare(at, end, "%TAG")); at++)
        if ((at == text || at[-1] == '\n' || at[-1] == '\r') && ++count > MAX_TAG_DIRECTIVES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "yaml: document too complex");
    return true;
}

static bool fail_with_problem(const yaml_parser_t *parser, const char *text, size_t size,
                              GError **error)
{
    const char *problem = parser->problem ? parser->problem : "cannot be read";
    if (parser->error == YAML_READER_ERROR)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %zu: %s (U+%04X)",
                         str_count_lines(text, MIN(parser->problem_offset, size)), problem,
                         (unsigned)parser->problem_value);
    int line = (int)parser->problem_mark.line + 1, from = (int)parser->context_mark.line + 1;
    if (!parser->context)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: %s", line, problem);
    if (from == line)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: %s, %s", line, problem,
                         parser->context);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: %s, %s from line %d on", line,
                     problem, parser->context, from);
}

bool yaml_events_read(const char *text, size_t size, YamlOnEvent on_event, void *user_data,
                      GError **error)
{
    yaml_parser_t parser;
    size_t start = utf8_bom_size(text, size);
    text += start;
    size -= start;
    if (!check_breaks(text, size, error) || !check_directives(text, size, error))
        return false;
    if (!yaml_parser_initialize(&parser))
        g_error("yaml: out of memory");
    yaml_parser_set_input_string(&parser, (const yaml_char_t *)text, size);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    bool is_good = true, is_end = false;
    while (is_good && !is_end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            is_good = fail_with_problem(&parser, text, size, error);
            break;
        }
        is_end = event.type == YAML_STREAM_END_EVENT;
        is_good = on_event(&event, user_data, error);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return is_good;
}
