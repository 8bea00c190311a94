/*
 * Field tables: one description of a set of named values, used to decode and check JSON, to print
 * the JSON Schema, to read command-line flags and to print --help. Tool arguments, command options
 * and RPC parameters are tables of this one type.
 *
 * A table ends with an entry without a name. Decoded strings and json_t are borrowed from the
 * arguments that field_decode() returns. Pure; thread safe.
 */
#pragma once

#include "base/json.h"

typedef enum {
    FIELD_STRING,         // const char *; NULL when absent
    FIELD_INTEGER,        // int64_t
    FIELD_NUMBER,         // double
    FIELD_BOOLEAN,        // bool
    FIELD_ENUM,           // const char *, one of .values
    FIELD_STRING_LIST,    // const json_t *, an array of strings; NULL when absent
    FIELD_STRING_OR_LIST, // the same; a single string becomes a list of one
    FIELD_OBJECT_LIST,    // const json_t *, an array of objects checked against .item_fields
    FIELD_INTEGER_LIST,   // const json_t *, an array of integers; a flag takes "1,2"
    FIELD_OBJECT,         // const json_t *, an object checked against .item_fields
    FIELD_STRING_MAP,     // const json_t *, an object of strings
    FIELD_JSON,           // const json_t *, anything
} FieldType;

typedef struct FieldDef {
    const char *name; // JSON name, camelCase or snake_case; the flag is its kebab-case form
    FieldType type;
    size_t offset; // in the arguments struct
    bool is_required;
    const char *help;                   // description in the schema and in --help
    const char *const *values;          // FIELD_ENUM: NULL-terminated
    const struct FieldDef *item_fields; // FIELD_OBJECT_LIST, FIELD_OBJECT: its fields; NULL: any
    size_t min_items;                   // lists: 0, or the least number of items
    size_t max_items;                   // lists: 0, or the most
    int64_t min, max;   // integers and their lists; both 0: any; min above max: no upper bound
    size_t max_chars;   // strings: 0, or the most code points
    bool refuses_blank; // strings: not empty, not only white space
    const char *default_text; // JSON text shown as "default" and decoded when absent; NULL: zero
    size_t has_offset;        // 0, or the offset of a bool set when the field was given
    // FIELD_SENTENCES: whole sentences in place of the made ones; NULL: made
    const char *problem; // of a given value; "{value}" stands for it
    const char *missing; // of a required field that is absent; NULL: problem
    // command line only
    char short_flag;        // 0, or the letter of -x
    const char *flag;       // "lease": --lease beside --lease-seconds; NULL: the name's alone
    bool is_json_or_text;   // FIELD_JSON: a flag that is no JSON object or array is text
    const char *value_name; // "FILE" in --help; NULL: made from the type
    bool is_value_optional; // --resume and --resume=ID; strings only, "" without a value
    bool is_hidden;         // not in the schema, not in --help
} FieldDef;

typedef enum {
    FIELD_LENIENT, // coerce silently what parses as the wanted type (common §5)
    FIELD_EXACT,   // coerce nothing
} FieldMode;

typedef enum {     // what is wrong with a value
    FIELD_MISSING, // it is required
    FIELD_WRONG_TYPE,
    FIELD_WRONG_VALUE, // of the right type
    FIELD_WRONG_ITEM,  // of a list or a map; path and value are the item's
    FIELD_TOO_LONG,    // a text, or an item that is one
    FIELD_TOO_FEW,     // items
    FIELD_TOO_MANY,
    FIELD_NO_OBJECT, // the whole input; without field and path
    FIELD_UNKNOWN,   // the table has no such field
    FIELD_MORE,      // what is wrong beyond what is named
} FieldFault;

typedef struct FieldProblem {
    FieldFault fault;
    char *path;   // "comments[2].line"
    char *text;   // the whole of it: a sentence, or "<path>: <claim>" of field_decode()
    char *claim;  // what it says of the value, without its path: "must be a string"; NULL: the
                  // sentence is the field's own, or about the whole input
    bool is_made; // from the table's facts, not the field's own words
} FieldProblem;

void field_problem_free(FieldProblem *self);
GPtrArray *field_problems_new(void); // of FieldProblem
/* Their texts: "  - <text>\n" for each, for a model; and "<text>; <text>". Callers free. */
char *field_problems_text(const GPtrArray *problems);
char *field_problems_joined(const GPtrArray *problems);

/*
 * Decodes `arguments` (an object; NULL and null count as {}) into the struct at `args`, which the
 * caller zeroed. Null for an optional field is absent; unknown fields that are not null are errors.
 * On success *ret_arguments holds what the struct borrows from, and belongs to the caller. On
 * failure `problems` has them.
 */
bool field_decode(const FieldDef *fields, const json_t *arguments, FieldMode mode, void *args,
                  json_t **ret_arguments, GPtrArray *problems);

/*
 * As field_decode() in FIELD_EXACT mode, for programs that act on single problems: `problems` gets
 * a sentence for each, in table order, and `unknown` one for each field that the table does not
 * have, which is no failure.
 */
bool field_check(const FieldDef *fields, const json_t *arguments, void *args,
                 json_t **ret_arguments, GPtrArray *problems, GPtrArray *unknown);

/* {"type":"object","properties":…,"required":…,"additionalProperties":false}. New reference. */
json_t *field_schema(const FieldDef *fields);

/* The same for what a program answers: fields that are not required may be null, others may be
 * added. */
json_t *field_output_schema(const FieldDef *fields);

/*
 * Reads `--flag value`, `--flag=value`, `-f value`, `--flag` (boolean), `--no-flag` (boolean false)
 * into a JSON object for field_decode(…, FIELD_EXACT, …); a flag of a list type may be repeated.
 * Words that are no flags, and everything after `--`, go to `words` (or are an error when NULL).
 * An unknown flag goes to `unknown` when that is given, else is an error. Both get pointers
 * borrowed from `argv`. USAGE errors name the flag.
 */
bool field_from_argv(const FieldDef *fields, int argc, char *const *argv, json_t **ret_arguments,
                     GPtrArray *words, GPtrArray *unknown, GError **error);

/* The same for field_check(): a value that does not fit its field's type is handed on as it is
   typed, for the check to word; only what is to be JSON and is none is an error here. */
bool field_from_argv_raw(const FieldDef *fields, int argc, char *const *argv,
                         json_t **ret_arguments, GPtrArray *words, GPtrArray *unknown,
                         GError **error);
/* The value of a positional argument for a field, by the same rules. New reference. */
json_t *field_value_of_word(const FieldDef *field, const char *word);
/* NULL when there is none of that name. */
const FieldDef *field_find(const FieldDef *fields, const char *name);

/* What describes a flag: "--max-turns"; "N", NULL when it takes no value; whether it may be given
   several times; its help with the values and the default. Caller frees. */
char *field_flag(const FieldDef *field);
char *field_value_name(const FieldDef *field);
bool field_is_repeated(const FieldDef *field);
char *field_help(const FieldDef *field);

/* Aligned `  -x, --flag VALUE   help` lines, wrapped at 80 columns. */
void field_append_help(const FieldDef *fields, GString *out);
