/*
 * The table of gh-policy §8.2: which flag's value is what, and what becomes of it in either mode.
 */
#include "github/safe/redact_argv.h"

#include "base/redact.h"
#include "base/str.h"

#define MASK        "[REDACTED]"
#define QUERY_CHARS 80

typedef enum {
    VALUE_PLAIN,
    VALUE_SECRET,  // masked in both modes
    VALUE_PRIVATE, // text or a file's name: masked in records
    VALUE_HEADER,  // Name: value
    VALUE_FIELD,   // key=value
    VALUE_UPLOAD,  // key=value, where @path is a file
} ValueKind;

static const struct {
    const char *flag;
    ValueKind kind;
} flags[] = {
    { "token", VALUE_SECRET },         { "secret", VALUE_SECRET },
    { "password", VALUE_SECRET },      { "passphrase", VALUE_SECRET },
    { "otp", VALUE_SECRET },           { "api-key", VALUE_SECRET },
    { "figma-api-key", VALUE_SECRET }, { "auth", VALUE_SECRET },
    { "with-token", VALUE_SECRET },    { "body", VALUE_PRIVATE },
    { "notes", VALUE_PRIVATE },        { "comment", VALUE_PRIVATE },
    { "description", VALUE_PRIVATE },  { "desc", VALUE_PRIVATE },
    { "text", VALUE_PRIVATE },         { "readme", VALUE_PRIVATE },
    { "subject", VALUE_PRIVATE },      { "body-file", VALUE_PRIVATE },
    { "notes-file", VALUE_PRIVATE },   { "env-file", VALUE_PRIVATE },
    { "from-file", VALUE_PRIVATE },    { "recover", VALUE_PRIVATE },
    { "input", VALUE_PRIVATE },        { "header", VALUE_HEADER },
    { "raw-field", VALUE_FIELD },      { "field", VALUE_UPLOAD },
};

static const char *const private_keys[] = { "body",    "text",    "description", "message",
                                            "content", "comment", "notes",       "readme" };
static const char *const secret_key_parts[] = { "token",           "secret",      "password",
                                                "passphrase",      "private_key", "api_key",
                                                "encrypted_value", "otp" };
static const char *const secret_headers[] = { "authorization", "proxy-authorization", "cookie",
                                              "set-cookie" };
static const char *const secret_header_parts[] = { "token", "secret", "key", "otp", "password" };

typedef struct Value { // the part of an element that has a meaning
    ValueKind kind;
    size_t offset;
} Value;

typedef struct Element { // what is known of one
    bool is_parsed;      // else its long name counts
    Value value;
} Element;

typedef struct Work {
    const char *const *argv;
    const Element *elements;
    RedactMode mode;
    const char *const *secrets; // known already; NULL: none yet
    GPtrArray *found;           // gets the secrets; NULL: not wanted
} Work;

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(text, list[i]))
            return true;
    }
    return false;
}

static bool holds_one_of(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_contains_nocase(text, list[i]))
            return true;
    }
    return false;
}

static ValueKind kind_of_flag(const CommandNode *node, const char *name)
{
    if (strcmp(name, "body") == 0 && command_is(node, "secret set"))
        return VALUE_SECRET;
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (strcmp(flags[i].flag, name) == 0)
            return flags[i].kind;
    }
    return VALUE_PLAIN;
}

static ValueKind kind_of_positional(const CommandNode *node)
{
    return command_is(node, "agent-task create") ? VALUE_PRIVATE : VALUE_PLAIN;
}

/* Of an element that the parse did not reach: the value of a short flag in it or before it. */
static Value value_by_letter(const CommandArgs *args, size_t index)
{
    const char *element = args->argv[index];
    const char *before = index > 0 ? args->argv[index - 1] : "";
    bool is_glued = element[0] == '-' && element[1] != '\0' && element[1] != '-' && element[2];
    bool is_next = before[0] == '-' && before[1] != '\0' && before[1] != '-' && before[2] == '\0';
    if (!is_glued && !is_next)
        return (Value) { 0 };
    const CommandFlag *flag = command_flag_by_letter(args->node, is_glued ? element[1] : before[1]);
    if (!flag || flag->kind == COMMAND_FLAG_BOOLEAN)
        return (Value) { 0 };
    return (Value) { kind_of_flag(args->node, command_flag_name(flag)), is_glued ? 2 : 0 };
}

static void add_item(const CommandArgs *args, const CommandArg *item, Element *elements)
{
    Element *element = &elements[item->index];
    switch (item->kind) {
    case ARG_FLAG:
        element->is_parsed = true;
        if (!item->value)
            return;
        elements[item->value_index] = (Element) {
            .is_parsed = true,
            .value = { kind_of_flag(args->node, item->name), item->value_offset },
        };
        return;
    case ARG_POSITIONAL:
        element->value.kind = kind_of_positional(args->node);
        // what follows an unknown flag may be its value
        element->is_parsed = item->index == 0 || elements[item->index - 1].is_parsed;
        return;
    case ARG_UNPARSED:
        element->value = value_by_letter(args, item->index);
        if (element->value.kind == VALUE_PLAIN)
            element->value.kind = kind_of_positional(args->node);
        return;
    case ARG_UNKNOWN_FLAG:
        element->is_parsed = false;
        return;
    case ARG_SEPARATOR:
        element->is_parsed = true;
        return;
    }
}

static Element *elements_new(const char *const *argv, const CommandArgs *args)
{
    size_t count = g_strv_length((char **)argv);
    Element *elements = g_new0(Element, count + 1);
    if (!args || g_strv_length(args->argv) != count)
        return elements;
    for (size_t i = 0; i < count; i++)
        elements[i].is_parsed = true; // the words of the command are no items
    for (size_t i = 0; i < args->count; i++) {
        if (args->items[i].kind == ARG_UNPARSED)
            elements[args->items[i].index].is_parsed = false;
    }
    for (size_t i = 0; i < args->count; i++)
        add_item(args, &args->items[i], elements);
    return elements;
}

/* By long names alone: `--name=value`, or the element after `--name`. */
static Value value_by_name(const Work *work, size_t index)
{
    const char *element = work->argv[index];
    const char *equals = strchr(element, '=');
    if (str_has_prefix(element, "--") && equals) {
        g_autofree char *name = g_strndup(element + 2, (size_t)(equals - element - 2));
        return (Value) { kind_of_flag(NULL, name), (size_t)(equals + 1 - element) };
    }
    const char *before = index > 0 ? work->argv[index - 1] : "";
    if (!str_has_prefix(before, "--") || strchr(before, '='))
        return (Value) { 0 };
    Value value = { kind_of_flag(NULL, before + 2), 0 };
    // a word that only looks like a flag names a secret all the same, but nothing else
    if (work->elements[index - 1].is_parsed && value.kind != VALUE_SECRET)
        return (Value) { 0 };
    return value;
}

static Value find_value(const Work *work, size_t index)
{
    const Element *element = &work->elements[index];
    Value named = value_by_name(work, index);
    bool is_by_name =
        named.kind == VALUE_SECRET || (!element->is_parsed && element->value.kind == VALUE_PLAIN);
    return is_by_name ? named : element->value;
}

static void take_secret(const Work *work, const char *secret)
{
    if (work->found)
        g_ptr_array_add(work->found, g_strdup(secret));
}

static char *mask_header(const Work *work, const char *header)
{
    const char *colon = strchr(header, ':');
    if (!colon)
        return g_strdup(header);
    g_autofree char *name = g_strstrip(g_strndup(header, (size_t)(colon - header)));
    if (!is_one_of(name, secret_headers, G_N_ELEMENTS(secret_headers)) &&
        !holds_one_of(name, secret_header_parts, G_N_ELEMENTS(secret_header_parts)))
        return g_strdup(header);

    take_secret(work, colon + 1);
    // gh may repeat a part: what follows "Bearer", one of several cookies
    g_auto(GStrv) words = g_strsplit_set(colon + 1, " ;=,", -1);
    for (char **word = words; *word; word++)
        take_secret(work, *word);
    return g_strdup_printf("%.*s: " MASK, (int)(colon - header), header);
}

/* files[a.txt][content] → content. Caller frees. */
static char *last_component(const char *key)
{
    g_auto(GStrv) parts = g_strsplit_set(key, "[]", -1);
    const char *last = "";
    for (char **part = parts; *part; part++) {
        if (**part != '\0')
            last = *part;
    }
    return g_strdup(last);
}

/* A document whose beginning tells what it does. Masked before it is cut, so that no half of a
   token is left at the end. */
static char *cut_query(const Work *work, const char *query)
{
    g_autofree char *masked = redact_text_with(query, work->secrets);
    g_autofree char *valid = g_utf8_make_valid(masked, -1);
    if (g_utf8_strlen(valid, -1) <= QUERY_CHARS)
        return g_steal_pointer(&valid);
    g_autofree char *start = g_utf8_substring(valid, 0, QUERY_CHARS);
    return g_strconcat(start, "…" MASK, NULL);
}

static char *mask_field(const Work *work, const char *field, bool can_upload)
{
    const char *equals = strchr(field, '=');
    if (!equals)
        return g_strdup(field);
    const char *value = equals + 1;
    g_autofree char *key = g_strndup(field, (size_t)(equals - field));
    g_autofree char *last = last_component(key);
    if (str_equal_nocase(last, "key") ||
        holds_one_of(key, secret_key_parts, G_N_ELEMENTS(secret_key_parts))) {
        take_secret(work, can_upload && *value == '@' ? value + 1 : value);
        return g_strconcat(key, "=" MASK, NULL);
    }
    if (work->mode == REDACT_DISPLAY)
        return g_strdup(field);
    if (can_upload && *value == '@')
        return g_strconcat(key, "=@" MASK, NULL);
    if (is_one_of(last, private_keys, G_N_ELEMENTS(private_keys)))
        return g_strconcat(key, "=" MASK, NULL);
    if (strcmp(key, "query") != 0)
        return g_strdup(field);
    g_autofree char *query = cut_query(work, value);
    return g_strconcat(key, "=", query, NULL);
}

static char *mask_value(const Work *work, ValueKind kind, const char *value)
{
    switch (kind) {
    case VALUE_PLAIN:
        break;
    case VALUE_SECRET:
        take_secret(work, value);
        return g_strdup(MASK);
    case VALUE_PRIVATE:
        return g_strdup(work->mode == REDACT_RECORD ? MASK : value);
    case VALUE_HEADER:
        return mask_header(work, value);
    case VALUE_FIELD:
    case VALUE_UPLOAD:
        return mask_field(work, value, kind == VALUE_UPLOAD);
    }
    return g_strdup(value);
}

static char *mask_element(const Work *work, size_t index)
{
    const char *element = work->argv[index];
    Value value = find_value(work, index);
    if (value.offset > strlen(element)) // the parse is of another vector
        return g_strdup(MASK);
    g_autofree char *masked = mask_value(work, value.kind, element + value.offset);
    g_autofree char *whole = g_strdup_printf("%.*s%s", (int)value.offset, element, masked);
    return redact_text_with(whole, work->secrets);
}

static char **mask_all(const Work *work)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    for (size_t i = 0; work->argv[i]; i++) {
        g_autofree char *element = mask_element(work, i);
        g_strv_builder_add(list, element);
    }
    return g_strv_builder_end(list);
}

static char **find_secrets(const char *const *argv, const Element *elements)
{
    GPtrArray *found = g_ptr_array_new();
    const Work work = {
        .argv = argv,
        .elements = elements,
        .mode = REDACT_DISPLAY,
        .found = found,
    };
    g_strfreev(mask_all(&work));
    g_ptr_array_add(found, NULL);
    return (char **)g_ptr_array_free(found, false);
}

char **redact_argv_secrets(const char *const *argv, const CommandArgs *args)
{
    g_autofree Element *elements = elements_new(argv, args);
    return find_secrets(argv, elements);
}

char **redact_argv(const char *const *argv, const CommandArgs *args, RedactMode mode)
{
    g_autofree Element *elements = elements_new(argv, args);
    g_auto(GStrv) secrets = find_secrets(argv, elements);
    const Work work = {
        .argv = argv,
        .elements = elements,
        .mode = mode,
        .secrets = (const char *const *)secrets,
    };
    return mask_all(&work);
}
