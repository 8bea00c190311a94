/*
 * The classifier (gh-policy §3.1): prepare, find, parse, then one step after another until the
 * class is settled.
 */
#include "base/str.h"
#include "github/classify/classify_private.h"
#include "github/classify/jq_scan.h"

void classified_clear(Classified *self)
{
    g_free(self->reason);
    g_free(self->command);
    command_args_free(self->args);
    g_free(self->api_method);
    g_free(self->api_path);
    g_free(self->api_host);
    *self = (Classified) { 0 };
}

/* gh-policy §2.1. A NUL cannot be here: the elements are C strings. */
static bool check_argv(const char *const *argv, size_t *ret_count, GError **error)
{
    size_t count = 0, total = 0;
    for (; argv[count]; count++) {
        if (count == COMMAND_MAX_ARGS)
            return fail_with(error, KEDGE_ERROR_USAGE, "args has more than %d elements",
                             COMMAND_MAX_ARGS);
        size_t size = strlen(argv[count]);
        total += size;
        if (size > CLASSIFY_MAX_ELEMENT_BYTES || total > CLASSIFY_MAX_TOTAL_BYTES)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "args is too long: at most %d bytes in an element, %d in all",
                             CLASSIFY_MAX_ELEMENT_BYTES, CLASSIFY_MAX_TOTAL_BYTES);
        if (!g_utf8_validate(argv[count], (gssize)size, NULL))
            return fail_with(error, KEDGE_ERROR_USAGE, "args[%zu] is not valid UTF-8", count);
    }
    if (count == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "args must not be empty");
    *ret_count = count;
    return true;
}

/* "2.92.0" → COMMAND_VERSION(2, 92). */
static int parse_version(const char *text)
{
    char *end = NULL;
    guint64 major = text != NULL ? g_ascii_strtoull(text, &end, 10) : 0;
    if (!end || end == text || *end != '.' || !g_ascii_isdigit(end[1]))
        return command_newest_version();
    guint64 minor = g_ascii_strtoull(end + 1, NULL, 10);
    return COMMAND_VERSION((int)MIN(major, 1000), (int)MIN(minor, 999));
}

bool classify_is_newer(const ClassifyOptions *options, const CommandNode *node)
{
    return node->since != COMMAND_OLDEST_VERSION &&
           node->since > parse_version(options->gh_version);
}

static bool has_test_flag(const char *const *argv)
{
    for (; *argv; argv++) {
        if (str_has_prefix(*argv, "-test."))
            return true;
    }
    return false;
}

/* What can fake a prompt, a log line or the direction of text. */
static bool is_bad_character(gunichar c, bool is_text)
{
    if (is_text)
        return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x2064) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static bool has_bad_character(const CommandArgs *args)
{
    for (size_t i = 0; i < args->count; i++) {
        const CommandArg *item = &args->items[i];
        for (const char *p = item->value; p && *p != '\0'; p = g_utf8_next_char(p)) {
            if (is_bad_character(g_utf8_get_char(p), item->is_text))
                return true;
        }
    }
    return false;
}

static bool has_file_value(const CommandArgs *args, const char *name)
{
    g_autofree const char **values = command_args_values(args, name);
    for (size_t i = 0; values[i]; i++) {
        const char *equals = strchr(values[i], '=');
        if (equals && equals[1] == '@')
            return true;
    }
    return false;
}

static bool has_prefixed_positional(const CommandArgs *args, const char *prefix)
{
    const char *value;
    for (size_t i = 0; (value = command_args_positional(args, i)); i++) {
        if (str_has_prefix(value, prefix))
            return true;
    }
    return false;
}

static bool rule_applies(const CommandArgs *args, const CommandRule *rule)
{
    const CommandFlag *flag =
        rule->flag != COMMAND_NONE ? &command_flags_of(args->node)[rule->flag] : NULL;
    const char *name = flag != NULL ? command_flag_name(flag) : NULL;
    const char *value;
    switch ((CommandWhen)rule->when) {
    case COMMAND_WHEN_FLAG:
        return flag->kind == COMMAND_FLAG_BOOLEAN ? command_args_is_true(args, name)
                                                  : command_args_has(args, name);
    case COMMAND_WHEN_ABSENT:
        value = command_args_last(args, name);
        return value == NULL || *value == '\0';
    case COMMAND_WHEN_FILE_VALUE:
        return has_file_value(args, name);
    case COMMAND_WHEN_PREFIX:
        return has_prefixed_positional(args, command_rule_prefix(rule));
    case COMMAND_WHEN_AT_LEAST:
        return command_args_positional_count(args) >= rule->count;
    case COMMAND_WHEN_EXACTLY:
        return command_args_positional_count(args) == rule->count;
    }
    return true;
}

/* First what replaces the base class, then what raises it (gh-policy §2.5). */
static void apply_rules(const CommandArgs *args, Verdict *verdict)
{
    const CommandRule *rules = command_rules_of(args->node);
    for (size_t i = 0; i < args->node->rule_count; i++) {
        if (rules[i].replaces && rule_applies(args, &rules[i]))
            verdict_set(verdict, rules[i].effect, command_rule_reason(&rules[i]));
    }
    for (size_t i = 0; i < args->node->rule_count; i++) {
        if (!rules[i].replaces && rule_applies(args, &rules[i]))
            verdict_raise(verdict, rules[i].effect, command_rule_reason(&rules[i]));
    }
}

/* `help X` of an extension becomes `X --help`, which runs it; so X has to be a command of the
 * installed gh itself. */
static bool is_core_word(const ClassifyOptions *options, const char *word)
{
    const unsigned stub = COMMAND_UNPARSED | COMMAND_HIDDEN;
    const CommandNode *node = command_child(command_root(), word);
    return node != NULL && !classify_is_newer(options, node) && (node->notes & stub) != stub;
}

static void judge_help(const ClassifyOptions *options, const CommandArgs *args, Verdict *verdict)
{
    const char *word = command_args_positional(args, 0);
    verdict_set(verdict, EFFECT_READ, "prints help");
    if (word && !is_core_word(options, word))
        verdict_set(verdict, EFFECT_UNKNOWN, "help of a word that may be an extension");
}

static void judge_group(const Classified *self, Verdict *verdict)
{
    verdict_set(verdict, EFFECT_READ, command_reason(self->args->node));
    if (self->has_unknown_word)
        verdict_set(verdict, EFFECT_UNKNOWN, "unknown command, alias or extension");
    else if (command_args_positional_count(self->args) > 0)
        verdict_set(verdict, EFFECT_UNKNOWN, "words after -- are not subcommands");
}

static void judge_jq(const CommandArgs *args, Verdict *verdict)
{
    g_autofree const char **values = command_args_values(args, "jq");
    for (size_t i = 0; values[i]; i++) {
        if (jq_reads_environment(values[i]))
            verdict_raise(verdict, EFFECT_BLOCKED, "jq expression reads the environment");
    }
}

/* Steps 7 to 10; `api` is the verdict of gh-policy §4, for `api` only. */
static void judge_command(const ClassifyOptions *options, const CommandArgs *args,
                          const Verdict *api, Verdict *verdict)
{
    if (has_bad_character(args)) {
        verdict_set(verdict, EFFECT_BLOCKED, "control character in argument");
        return;
    }
    if (args->node->notes & COMMAND_API) {
        verdict_set(verdict, api->effect, api->reason);
    } else {
        verdict_set(verdict, args->node->effect, command_reason(args->node));
        apply_rules(args, verdict);
    }
    classify_refs(options, args, verdict);
    judge_jq(args, verdict);
}

/* gh-policy §3.1 from step 2 on. */
static void classify_options_judge(const ClassifyOptions *options, const Classified *self,
                                   const Verdict *api, Verdict *verdict)
{
    const CommandArgs *args = self->args;
    const CommandNode *node = args->node;
    bool is_group =
        node->kind == COMMAND_GROUP || (node->kind == COMMAND_BOTH && node->effect == EFFECT_READ);
    if (classify_is_newer(options, node)) {
        verdict_set(verdict, EFFECT_UNKNOWN,
                    "newer than the installed gh; an alias or extension may own this name");
        return;
    }
    if (node->notes & COMMAND_UNPARSED) {
        verdict_set(verdict, node->effect, command_reason(node));
        return;
    }
    // an extension or a shell alias gets --help as an argument, and runs
    if (args->is_help && !self->has_unknown_word) {
        verdict_set(verdict, EFFECT_READ, "prints help");
        return;
    }
    if (command_is(node, "help"))
        judge_help(options, args, verdict);
    else if (is_group)
        judge_group(self, verdict);
    else
        judge_command(options, args, api, verdict);
    if (args->error)
        verdict_raise(verdict, EFFECT_UNKNOWN, args->error);
}

/* A word that is shown as part of a command's name, though no one knows it. */
static bool is_showable(const char *word)
{
    size_t length = strlen(word);
    return length > 0 && length <= 40 &&
           strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
               length;
}

static char *classified_describe(const Classified *self)
{
    const char *path = command_path(self->args->node);
    const char *word = self->has_unknown_word ? self->args->argv[self->unknown_word] : "";
    if (!is_showable(word))
        return g_strdup(*path != '\0' ? path : "-");
    return *path != '\0' ? g_strconcat(path, " ", word, NULL) : g_strdup(word);
}

bool classify_argv(const char *const *argv, const ClassifyOptions *options,
                   Classified *ret_classified, GError **error)
{
    static const ClassifyOptions defaults = { 0 };
    options = options != NULL ? options : &defaults;
    size_t count = 0;
    if (!check_argv(argv, &count, error))
        return false;

    bool has_gh = strcmp(argv[0], "gh") == 0;
    CommandFound found;
    command_find(argv, has_gh ? 1 : 0, count, &found);
    bool is_nobody = found.has_unknown_word && found.node == command_root();
    Classified self = {
        .node = is_nobody ? NULL : found.node,
        .args = command_args_new(argv, &found),
        .stripped_gh = has_gh,
        .words_end = found.words_end,
        .has_unknown_word = found.has_unknown_word,
        .unknown_word = found.unknown_word,
    };
    self.command = classified_describe(&self);

    Verdict api = { 0 };
    Verdict verdict = { 0 };
    if (found.node->notes & COMMAND_API)
        classify_api(options, &self, &api);
    if (has_test_flag(argv))
        verdict_set(&verdict, EFFECT_BLOCKED,
                    "-test. is parsed differently by different gh versions");
    else
        classify_options_judge(options, &self, &api, &verdict);
    g_free(api.reason);
    self.effect = verdict.effect;
    self.reason = verdict.reason;
    *ret_classified = self;
    return true;
}
