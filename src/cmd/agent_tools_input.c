/*
 * From the command line to the arguments of an operation (agent_tools_input.h).
 */
#include "cmd/agent_tools_input.h"

#include "agenttools/input.h"
#include "agenttools/manual.h"
#include "base/fd.h"
#include "base/file.h"

#include <errno.h>
#include <unistd.h>

void agent_tools_input_clear(AgentToolsInput *self)
{
    g_clear_pointer(&self->arguments, json_decref);
}

static size_t field_count(const FieldDef *fields)
{
    size_t count = 0;
    while (fields[count].name)
        count++;
    return count;
}

/* The operation's fields, then the common options it does not have itself. Only used to read flags:
 * the offsets mean nothing. Caller frees. */
static FieldDef *all_flags(const OperationDef *operation)
{
    const FieldDef *own = operation->tool.fields, *common = manual_common_options;
    FieldDef *flags = g_new0(FieldDef, field_count(own) + field_count(common) + 1);
    size_t used = 0;
    for (const FieldDef *field = own; field->name; field++)
        flags[used++] = *field;
    for (const FieldDef *field = common; field->name; field++)
        if (!field_find(own, field->name))
            flags[used++] = *field;
    return flags;
}

static bool is_list(const FieldDef *field)
{
    return field->type == FIELD_STRING_LIST || field->type == FIELD_STRING_OR_LIST;
}

/* Puts positional arguments into the fields that take them. */
static bool place_words(const OperationDef *operation, const GPtrArray *words, json_t *arguments,
                        GError **error)
{
    const char *const *name = operation->words;
    for (unsigned i = 0; i < words->len; i++) {
        const FieldDef *field = name && *name ? field_find(operation->tool.fields, *name) : NULL;
        if (!field)
            return answer_error(error, ANSWER_USAGE, NULL, "Unexpected argument \"%s\"",
                                (char *)words->pdata[i]);
        if (is_list(field)) {
            json_t *list = json_get_array(arguments, field->name);
            if (!list)
                json_set_take(arguments, field->name, list = json_array());
            json_append_take(list, field_value_of_word(field, words->pdata[i]));
            continue;
        }
        json_t *value = field_value_of_word(field, words->pdata[i]);
        json_t *flag = json_object_get(arguments, field->name);
        bool is_same = !flag || json_equal(flag, value);
        json_set_take(arguments, field->name, value);
        if (!is_same)
            return answer_error(error, ANSWER_USAGE, NULL,
                                "Conflicting values for \"%s\": the flag and the argument differ",
                                field->name);
        name++;
    }
    return true;
}

/* Takes a common option out of the arguments; NULL when it is the operation's own, or not given. */
static json_t *agent_tools_input_take(const OperationDef *operation, json_t *arguments,
                                      const char *name)
{
    if (field_find(operation->tool.fields, name))
        return NULL;
    json_t *value = json_incref(json_object_get(arguments, name));
    json_object_del(arguments, name);
    return value;
}

static bool take_flag(const OperationDef *operation, json_t *arguments, const char *name)
{
    g_autoptr(json_t) value = agent_tools_input_take(operation, arguments, name);
    return json_is_true(value);
}

static bool take_timeout(const OperationDef *operation, json_t *arguments, int64_t *ret_ms,
                         GError **error)
{
    g_autoptr(json_t) value = agent_tools_input_take(operation, arguments, "timeout");
    if (!value)
        return true;
    if (json_is_integer(value) && json_integer_value(value) > 0) {
        *ret_ms = json_integer_value(value);
        return true;
    }
    g_autofree char *text =
        json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
    return answer_error(error, ANSWER_VALIDATION, NULL,
                        "Invalid timeout value: %s. Must be a positive integer.", text);
}

/* Standard input, whole; a terminal has nothing to say. */
static bool read_stdin(GString *data, GError **error)
{
    if (isatty(STDIN_FILENO))
        return answer_error(error, ANSWER_NO_INPUT, NULL, "No input provided");
    return fd_read_all(STDIN_FILENO, LIMIT_AGENT_INPUT_BYTES + 1, "standard input", data, error);
}

static bool read_input_file(const char *path, GString *data, GError **error)
{
    if (strcmp(path, "-") == 0)
        return read_stdin(data, error);
    g_autofree char *text = NULL;
    size_t size = 0;
    g_autoptr(GError) failure = NULL;
    if (!file_read(path, LIMIT_AGENT_INPUT_BYTES, &text, &size, &failure)) {
        if (error_is(failure, KEDGE_ERROR_LIMIT))
            return answer_error(error, ANSWER_VALIDATION, NULL,
                                "Input too large: the limit is %zu bytes", LIMIT_AGENT_INPUT_BYTES);
        return answer_error(error, ANSWER_IO, NULL, "Cannot read the input: %s", failure->message);
    }
    g_string_append_len(data, text, (gssize)size);
    return true;
}

/* The JSON's fields beside those of the flags. */
static bool agent_tools_input_merge(json_t *arguments, const json_t *given, GError **error)
{
    json_each_member (given, key, value) {
        const json_t *flag = json_object_get(arguments, key);
        if (flag && !json_is_null(value) && !json_equal(flag, value))
            return answer_error(error, ANSWER_VALIDATION, NULL,
                                "Conflicting values for \"%s\": the flag and the JSON input differ",
                                key);
        if (!flag)
            json_object_set(arguments, key, value);
    }
    return true;
}

static bool read_json(const char *path, json_t *arguments, GError **error)
{
    g_autoptr(GString) data = g_string_new(NULL);
    g_autoptr(json_t) given = NULL;
    return read_input_file(path, data, error) &&
           agent_input_parse(data->str, data->len, &given, error) &&
           agent_tools_input_merge(arguments, given, error);
}

static bool read_raw(const char *field, json_t *arguments, GError **error)
{
    g_autoptr(GString) data = g_string_new(NULL);
    if (!read_stdin(data, error))
        return false;
    if (data->len > LIMIT_AGENT_INPUT_BYTES)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Input too large: the limit is %zu bytes", LIMIT_AGENT_INPUT_BYTES);
    json_set_take(arguments, field, json_text_n(data->str, data->len));
    return true;
}

static bool has_required_field(const FieldDef *fields)
{
    for (; fields->name; fields++)
        if (fields->is_required)
            return true;
    return false;
}

/* Raw text fills its field unless that, or a list of files to take it from, was given. */
static bool wants_raw(const OperationDef *operation, const json_t *arguments)
{
    if (!operation->stdin_field || json_object_get(arguments, operation->stdin_field))
        return false;
    for (const char *const *word = operation->words; word && *word; word++)
        if (is_list(field_find(operation->tool.fields, *word)) && json_object_get(arguments, *word))
            return false;
    return true;
}

static bool read_standard_input(const OperationDef *operation, bool is_json, const char *file,
                                json_t *arguments, GError **error)
{
    if (is_json || file)
        return read_json(file ? file : "-", arguments, error);
    if (wants_raw(operation, arguments))
        return read_raw(operation->stdin_field, arguments, error);
    if (json_object_size(arguments) == 0 && has_required_field(operation->tool.fields))
        return read_json("-", arguments, error);
    return true; // a pipe that no one closes must not hold us up
}

static bool read_flags(const OperationDef *operation, int argc, char *const *argv,
                       json_t **ret_arguments, GError **error)
{
    g_autofree FieldDef *flags = all_flags(operation);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GPtrArray) unknown = g_ptr_array_new();
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GError) failure = NULL;
    if (!field_from_argv_raw(flags, argc, argv, &arguments, words, unknown, &failure))
        return answer_error(error, ANSWER_VALIDATION, NULL, "%s", failure->message);
    if (unknown->len > 0) {
        g_auto(GStrv) parts = g_strsplit(unknown->pdata[0], "=", 2);
        return answer_error(error, ANSWER_USAGE, NULL, "Unknown option %s", parts[0]);
    }
    if (!place_words(operation, words, arguments, error))
        return false;
    *ret_arguments = g_steal_pointer(&arguments);
    return true;
}

bool agent_tools_input_read(const OperationDef *operation, int argc, char *const *argv,
                            AgentToolsInput *ret_input, GError **error)
{
    if (!read_flags(operation, argc, argv, &ret_input->arguments, error))
        return false;
    json_t *arguments = ret_input->arguments;
    ret_input->is_compact = take_flag(operation, arguments, "compact");
    ret_input->has_meta = take_flag(operation, arguments, "meta");
    ret_input->is_strict = take_flag(operation, arguments, "strict");
    ret_input->is_verbose = take_flag(operation, arguments, "verbose");
    ret_input->wants_schema = take_flag(operation, arguments, "schema");
    bool is_json = take_flag(operation, arguments, "json");
    g_autoptr(json_t) file = agent_tools_input_take(operation, arguments, "input");
    g_autoptr(json_t) cwd = agent_tools_input_take(operation, arguments, "cwd");
    if (ret_input->wants_schema)
        return true;
    if (!take_timeout(operation, arguments, &ret_input->timeout_ms, error))
        return false;
    const char *dir = json_string_value(cwd);
    if (dir && chdir(dir) < 0)
        return answer_error(error, ANSWER_IO, NULL, "--cwd %s: %s", dir, g_strerror(errno));
    return read_standard_input(operation, is_json, json_string_value(file), arguments, error);
}
