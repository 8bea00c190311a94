/*
 * gh's parse phase: long flags, clusters of short flags, "--", help, and the last value of what is
 * repeated.
 */
#include "github/classify/command_parse.h"

#include "base/str.h"

typedef struct Parser {
    CommandArgs *args;
    const CommandFound *found;
    size_t next; // position in found->rest
    GArray *items;
    bool is_after_separator;
    bool has_ended;         // -h: the rest is not looked at
    bool is_secret_pending; // a flag without value is named like a secret: the next element may be
                            // it
} Parser;

static bool is_one_of(const char *name, const char *const *names)
{
    return name != NULL && g_strv_contains(names, name);
}

static bool is_text_flag(const char *name)
{
    static const char *const names[] = { "body",        "notes",    "title",   "subject",
                                         "description", "desc",     "comment", "readme",
                                         "text",        "field",    "query",   "raw-field",
                                         "jq",          "template", "search",  NULL };
    return is_one_of(name, names);
}

static bool is_secret_flag(const CommandNode *node, const char *name)
{
    static const char *const names[] = { "token", "secret",  "password",      "passphrase", "otp",
                                         "auth",  "api-key", "figma-api-key", "with-token", NULL };
    return is_one_of(name, names) ||
           (command_is(node, "secret set") && g_strcmp0(name, "body") == 0);
}

static bool has_text_positionals(const CommandNode *node)
{
    return command_is_below(node, "search") || command_is(node, "agent-task create");
}

static void note_error(Parser *self, const char *what, const char *dashes, const char *name,
                       size_t length)
{
    if (self->args->error)
        return;
    // what the caller wrote is quoted only where it can be nothing but the name of a flag
    bool is_plain = length > 0 && length <= 40;
    for (size_t i = 0; i < length && is_plain; i++)
        is_plain = g_ascii_isalnum(name[i]) || name[i] == '-';
    self->args->error =
        is_plain ? g_strdup_printf("%s %s%.*s", what, dashes, (int)length, name) : g_strdup(what);
}

static CommandArg *add_item(Parser *self, CommandArg item)
{
    item.is_secret = item.is_secret || self->is_secret_pending;
    self->is_secret_pending = false;
    g_array_append_val(self->items, item);
    return &g_array_index(self->items, CommandArg, self->items->len - 1);
}

static void add_whole(Parser *self, ArgKind kind, size_t index)
{
    add_item(self, (CommandArg) {
                       .kind = kind,
                       .index = index,
                       .value = self->args->argv[index],
                       .value_index = index,
                       .is_text = kind == ARG_POSITIONAL && has_text_positionals(self->args->node),
                   });
}

/* As Go's strconv.ParseBool; anything else is an error and counts as true. */
static bool parse_boolean(Parser *self, const CommandFlag *flag, const char *value)
{
    static const char *const yes[] = { "1", "t", "T", "TRUE", "true", "True", NULL };
    static const char *const no[] = { "0", "f", "F", "FALSE", "false", "False", NULL };
    if (g_strv_contains(no, value))
        return false;
    if (!g_strv_contains(yes, value)) {
        const char *name = command_flag_name(flag);
        note_error(self, "invalid value of", "--", name, strlen(name));
    }
    return true;
}

/* `value` is inside the element `value_index`, or NULL. */
static void add_flag(Parser *self, const CommandFlag *flag, size_t index, const char *value,
                     size_t value_index)
{
    const char *name = command_flag_name(flag);
    CommandArg item = {
        .kind = ARG_FLAG,
        .index = index,
        .flag = flag,
        .name = name,
        .value = value,
        .value_index = value_index,
        .value_offset = value != NULL ? (size_t)(value - self->args->argv[value_index]) : 0,
    };
    item.is_secret = is_secret_flag(self->args->node, name);
    if (flag->kind == COMMAND_FLAG_BOOLEAN)
        item.is_true = value == NULL || parse_boolean(self, flag, value);
    else
        item.is_text = is_text_flag(name);
    add_item(self, item);
    self->is_secret_pending = item.is_secret && value == NULL;
}

static void add_unknown(Parser *self, size_t index, const char *dashes, const char *name,
                        size_t length, const char *value)
{
    CommandArg item = {
        .kind = ARG_UNKNOWN_FLAG,
        .index = index,
        .name = g_string_chunk_insert_len(self->args->names, name, (gssize)length),
        .value = value,
        .value_index = index,
        .value_offset = value != NULL ? (size_t)(value - self->args->argv[index]) : 0,
        .is_true = true,
    };
    item.is_secret = is_secret_flag(self->args->node, item.name);
    note_error(self, "unknown flag", dashes, name, length);
    add_item(self, item);
    self->is_secret_pending = item.is_secret && value == NULL;
}

/* A value flag at the end of its element: the next element is the value, whatever it looks like. */
static void add_flag_with_next(Parser *self, const CommandFlag *flag, size_t index)
{
    if (self->next == self->found->rest_count) {
        const char *name = command_flag_name(flag);
        note_error(self, "missing value of", "--", name, strlen(name));
        add_flag(self, flag, index, NULL, index);
        return;
    }
    size_t value_index = self->found->rest[self->next++];
    add_flag(self, flag, index, self->args->argv[value_index], value_index);
}

static void parse_long(Parser *self, size_t index)
{
    const char *name = self->args->argv[index] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const CommandFlag *flag = command_flag_by_name(self->args->node, name, length);
    if (!flag)
        add_unknown(self, index, "--", name, length,
                    value); // "---x" and "--=x" too: no flag has such a name
    else if (value || flag->kind != COMMAND_FLAG_VALUE)
        add_flag(self, flag, index, value, index);
    else
        add_flag_with_next(self, flag, index);
}

/* One letter of a cluster. Returns where the next letter is; at the end of the element nothing is
 * left. */
static const char *parse_letter(Parser *self, size_t index, const char *at)
{
    const CommandFlag *flag = command_flag_by_letter(self->args->node, *at);
    const char *rest = at + 1;
    if (!flag && *at == 'h') {
        flag = command_help_flag();
        if (!self->args->error) {
            self->args->is_help = self->has_ended = true;
            add_flag(self, flag, index, NULL, index);
            return rest + strlen(rest);
        }
    }
    const char *value = rest[0] == '=' && rest[1] != '\0' ? rest + 1 : NULL;
    if (!value && flag && flag->kind != COMMAND_FLAG_BOOLEAN && *rest != '\0')
        value = rest;

    if (!flag)
        add_unknown(self, index, "-", at, 1, value);
    else if (value || flag->kind != COMMAND_FLAG_VALUE)
        add_flag(self, flag, index, value, index);
    else
        add_flag_with_next(self, flag, index);
    return value != NULL ? rest + strlen(rest) : rest;
}

static void parse_element(Parser *self, size_t index)
{
    const char *element = self->args->argv[index];
    if (self->has_ended) {
        add_whole(self, ARG_UNPARSED, index);
    } else if (self->is_after_separator || element[0] != '-' || element[1] == '\0') {
        add_whole(self, ARG_POSITIONAL, index);
    } else if (strcmp(element, "--") == 0) {
        self->is_after_separator = true;
        add_whole(self, ARG_SEPARATOR, index);
    } else if (element[1] == '-') {
        parse_long(self, index);
    } else {
        for (const char *at = element + 1; *at != '\0';)
            at = parse_letter(self, index, at);
    }
}

CommandArgs *command_args_new(const char *const *argv, const CommandFound *found)
{
    CommandArgs *args = g_new0(CommandArgs, 1);
    args->argv = g_strdupv((char **)argv);
    args->node = found->node;
    args->names = g_string_chunk_new(64);
    Parser parser = {
        .args = args,
        .found = found,
        .items = g_array_new(FALSE, FALSE, sizeof(CommandArg)),
        .has_ended = (found->node->notes & COMMAND_UNPARSED) != 0,
    };
    while (parser.next < found->rest_count)
        parse_element(&parser, found->rest[parser.next++]);

    args->count = parser.items->len;
    args->items = (CommandArg *)(void *)g_array_free(parser.items, FALSE);
    if (!args->error && command_args_is_true(args, "help"))
        args->is_help = true;
    return args;
}

void command_args_free(CommandArgs *self)
{
    if (!self)
        return;
    g_strfreev(self->argv);
    g_free(self->items);
    g_free(self->error);
    g_string_chunk_free(self->names);
    g_free(self);
}

static bool is_flag(const CommandArg *item, const char *flag)
{
    if (!item->name)
        return false;
    if (str_has_prefix(flag, "--"))
        return strcmp(item->name, flag + 2) == 0;
    if (flag[0] == '-')
        return item->flag != NULL && item->flag->letter == flag[1];
    return strcmp(item->name, flag) == 0;
}

static const CommandArg *last_item(const CommandArgs *self, const char *flag)
{
    for (size_t i = self->count; i > 0; i--) {
        if (is_flag(&self->items[i - 1], flag))
            return &self->items[i - 1];
    }
    return NULL;
}

const char *command_args_last(const CommandArgs *self, const char *flag)
{
    const CommandArg *item = last_item(self, flag);
    return item != NULL ? item->value : NULL;
}

bool command_args_has(const CommandArgs *self, const char *flag)
{
    return last_item(self, flag) != NULL;
}

bool command_args_is_true(const CommandArgs *self, const char *flag)
{
    const CommandArg *item = last_item(self, flag);
    return item != NULL && item->is_true;
}

const char **command_args_values(const CommandArgs *self, const char *flag)
{
    GPtrArray *values = g_ptr_array_new();
    for (size_t i = 0; i < self->count; i++) {
        const CommandArg *item = &self->items[i];
        if (item->value && is_flag(item, flag))
            g_ptr_array_add(values, (char *)item->value);
    }
    g_ptr_array_add(values, NULL);
    return (const char **)g_ptr_array_free(values, FALSE);
}

size_t command_args_positional_count(const CommandArgs *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        count += self->items[i].kind == ARG_POSITIONAL ? 1 : 0;
    return count;
}

const char *command_args_positional(const CommandArgs *self, size_t position)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->items[i].kind == ARG_POSITIONAL && position-- == 0)
            return self->items[i].value;
    }
    return NULL;
}
