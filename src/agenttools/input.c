/*
 * Reading the JSON input of an operation (input.h). jansson parses; here its errors are put into
 * words with the place of what was not expected.
 */
#include "agenttools/input.h"

#include "agenttools/answer.h"
#include "base/utf8.h"

#define MAX_DEPTH       64
#define MAX_TOKEN_CHARS 40 // of what an error quotes

typedef struct Place {
    size_t line, column; // 1-based; columns count characters
} Place;

static Place place_of(const char *data, const char *at)
{
    Place place = { 1, 1 };
    for (const char *p = data; p < at; p++) {
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool fail_at(const char *data, const char *at, const char *what, GError **error)
{
    Place place = place_of(data, at);
    return answer_error(
        error, ANSWER_INVALID_JSON, json_make("line:%zu column:%zu", place.line, place.column),
        "Invalid JSON input: %s at line %zu, column %zu", what, place.line, place.column);
}

/* Brackets outside strings, before the parser recurses into them. */
static bool check_depth(const char *data, size_t size, GError **error)
{
    int depth = 0;
    bool is_in_string = false;
    for (size_t i = 0; i < size; i++) {
        char c = data[i];
        if (is_in_string && c == '\\')
            i++;
        else if (c == '"')
            is_in_string = !is_in_string;
        else if (!is_in_string && (c == '{' || c == '[')) {
            if (++depth > MAX_DEPTH) {
                Place place = place_of(data, data + i);
                return answer_error(error, ANSWER_INVALID_JSON, NULL,
                                    "Invalid JSON input: nesting is deeper than %d levels at "
                                    "line %zu",
                                    MAX_DEPTH, place.line);
            }
        } else if (!is_in_string && (c == '}' || c == ']')) {
            depth--;
        }
    }
    return true;
}

/* What jansson stopped at: "… near 'TOKEN'". Caller frees; NULL when it names nothing. */
static char *token_of(const json_error_t *where)
{
    static const char near[] = " near '";
    const char *start = strstr(where->text, near);
    if (!start)
        return NULL;
    start += strlen(near);
    const char *end = strrchr(start, '\'');
    return end ? g_strndup(start, (size_t)(end - start)) : NULL;
}

static bool fail_with_parser(const char *data, size_t size, const json_error_t *where,
                             GError **error)
{
    const char *end = data + size;
    while (end > data && is_white(end[-1]))
        end--;
    enum json_error_code code = json_error_code(where);
    g_autofree char *token = token_of(where);
    const char *at = data + MIN((size_t)MAX(where->position, 0), size);
    if (code == json_error_premature_end_of_input || !token || at >= data + size + 1)
        return fail_at(data, end, "unexpected end of input", error);
    if ((size_t)(at - data) >= strlen(token))
        at -= strlen(token);
    g_autofree char *valid = utf8_from_bytes(token, strlen(token));
    g_autofree char *shown = utf8_ellipsize(valid, MAX_TOKEN_CHARS);
    g_autofree char *what = NULL;
    if (code == json_error_duplicate_key)
        what = g_strdup_printf("duplicate key %s", shown);
    else if (code == json_error_numeric_overflow)
        what = g_strdup_printf("number out of range '%s'", shown);
    else
        what = g_strdup_printf("unexpected '%s'", shown);
    return fail_at(data, at, what, error);
}

static bool fail_not_object(const json_t *value, GError **error)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "a boolean",
        [JSON_FALSE] = "a boolean",  [JSON_NULL] = "null",
    };
    return answer_error(error, ANSWER_INVALID_JSON, NULL,
                        "Invalid JSON input: expected an object, got %s",
                        names[json_typeof(value)]);
}

bool agent_input_parse(const char *data, size_t size, json_t **ret_object, GError **error)
{
    if (size > LIMIT_AGENT_INPUT_BYTES)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Input too large: the limit is %zu bytes", LIMIT_AGENT_INPUT_BYTES);
    size_t mark = utf8_bom_size(data, size);
    data += mark;
    size -= mark;
    const char *bad = NULL;
    if (!g_utf8_validate_len(data, size, &bad))
        return answer_error(error, ANSWER_INVALID_JSON, NULL,
                            "Invalid JSON input: not valid UTF-8 at byte %zu",
                            (size_t)(bad - data) + 1);
    size_t blanks = 0;
    while (blanks < size && is_white(data[blanks]))
        blanks++;
    if (blanks == size)
        return answer_error(error, ANSWER_NO_INPUT, NULL, "No input provided");
    if (!check_depth(data, size, error))
        return false;
    json_error_t where;
    g_autoptr(json_t) value =
        json_loadb(data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (!value)
        return fail_with_parser(data, size, &where, error);
    if (!json_is_object(value))
        return fail_not_object(value, error);
    *ret_object = g_steal_pointer(&value);
    return true;
}
