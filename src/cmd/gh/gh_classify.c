/*
 * `kedge gh classify`: the class of gh commands, without running any.
 */
#include "base/limits.h"
#include "base/log.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/input.h"
#include "cmd/gh/gh_command.h"
#include "github/classify/classify.h"
#include "github/repo_ref.h"
#include "github/safe/gh_closer_look.h"

typedef struct ClassifyFlags {
    bool is_json, is_stdin, has_no_config;
    const json_t *known_hosts;
    const char *gh_version;
} ClassifyFlags;

static const FieldDef classify_options[] = {
    { "stdin", FIELD_BOOLEAN, offsetof(ClassifyFlags, is_stdin),
      .help = "Read one JSON array of arguments a line, print one line for each" },
    { "json", FIELD_BOOLEAN, offsetof(ClassifyFlags, is_json),
      .help = "Print {class, reason, command} as JSON, one line for each command" },
    { "knownHost", FIELD_STRING_LIST, offsetof(ClassifyFlags, known_hosts), .value_name = "H",
      .help = "Further host that commands may name" },
    { "ghVersion", FIELD_STRING, offsetof(ClassifyFlags, gh_version), .value_name = "V",
      .help = "Judge for this version of gh (default: the newest that is known)" },
    { "noConfig", FIELD_BOOLEAN, offsetof(ClassifyFlags, has_no_config),
      .help = "Do not look at settings, gh's logins, aliases and extensions" },
    { 0 },
};

typedef struct Classifier {
    const ClassifyFlags *flags;
    ClassifyOptions options;
    char **known_hosts;
    GString *out;
    bool has_failed; // some line was no command
} Classifier;

/* Those of the flags after those of the settings. Caller frees. */
static char **known_hosts(const ClassifyFlags *flags)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    if (!flags->has_no_config) {
        g_autofree char *cwd = g_get_current_dir();
        g_autoptr(Settings) settings = cmd_load_settings(cwd);
        g_auto(GStrv) configured = repo_known_hosts(settings);
        g_strv_builder_addv(list, (const char **)configured);
    }
    json_each (flags->known_hosts, i, host) {
        g_autofree char *name = g_ascii_strdown(json_string_value(host), -1);
        g_strv_builder_add(list, name);
    }
    return g_strv_builder_end(list);
}

static void append_answer(Classifier *self, const char *class_name, const char *reason,
                          const char *command)
{
    if (!self->flags->is_json) {
        g_string_append_printf(self->out, "%s\t%s\n", class_name, reason);
        return;
    }
    g_autoptr(json_t) answer =
        json_make("class:%s reason:%s command:%s", class_name, reason, command);
    g_autofree char *text = json_to_text(answer);
    g_string_append_printf(self->out, "%s\n", text);
}

/* As the tool answers, so that each line has one. */
static void append_invalid(Classifier *self, const char *reason)
{
    self->has_failed = true;
    append_answer(self, "invalid-args", reason, NULL);
}

static bool classifier_look(const Classifier *self, const char *const *argv,
                            Classified *ret_classified, GError **error)
{
    if (!classify_argv(argv, &self->options, ret_classified, error))
        return false;
    if (self->flags->has_no_config || ret_classified->effect != EFFECT_UNKNOWN)
        return true;
    g_auto(GStrv) copy = g_strdupv((char **)argv);
    return gh_closer_look(&self->options, &copy, ret_classified, error);
}

static void classify_one(Classifier *self, const char *const *argv)
{
    g_auto(Classified) classified = { 0 };
    g_autoptr(GError) error = NULL;
    if (classifier_look(self, argv, &classified, &error))
        append_answer(self, effect_name(classified.effect), classified.reason, classified.command);
    else
        append_invalid(self, error->message);
}

static void classify_line(Classifier *self, const char *line)
{
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(line, &value, &error)) {
        append_invalid(self, error->message);
        return;
    }
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    bool is_list = json_is_array(value);
    json_each (value, i, word) {
        is_list = is_list && json_is_string(word);
        g_ptr_array_add(argv, (void *)json_string_value(word));
    }
    g_ptr_array_add(argv, NULL);
    if (is_list)
        classify_one(self, (const char *const *)argv->pdata);
    else
        append_invalid(self, "args must be an array of strings, not a command line");
}

static bool classify_stdin(Classifier *self, GError **error)
{
    g_autofree char *text = NULL;
    if (!input_read_stdin(LIMIT_STDIN_BYTES, &text, error))
        return false;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_strchomp(*line);
        if (**line ||
            line[1]) // an empty line in between is no command; the end of the last line is no line
            classify_line(self, *line);
    }
    return true;
}

static int classify_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ClassifyFlags flags = { 0 };
    if (!cmd_decode_options(classify_options, argc, argv, &flags, &kept, words, &error))
        return cmd_fail(error);
    if (flags.is_stdin == (words->len > 0)) {
        log_text("usage: kedge gh classify [options] -- ARG…, or --stdin");
        return EXIT_USAGE;
    }
    g_ptr_array_add(words, NULL);
    g_auto(GStrv) hosts = known_hosts(&flags);
    g_autoptr(GString) out = g_string_new(NULL);
    Classifier self = {
        .flags = &flags,
        .options = { .known_hosts = (const char *const *)hosts, .gh_version = flags.gh_version },
        .out = out,
    };
    if (!flags.is_stdin)
        classify_one(&self, (const char *const *)words->pdata);
    else if (!classify_stdin(&self, &error))
        return cmd_fail(error);
    return cmd_print(out->str) && !self.has_failed ? EXIT_OK : EXIT_FAILED;
}

const Command command_gh_classify = {
    .name = "gh classify",
    .summary = "Say what a gh command would do, without running it",
    .usage = "[options] -- ARG… | --stdin",
    .options = classify_options,
    .help =
        "Prints `CLASS<TAB>REASON`; the class is read, write, destructive, blocked or unknown.\n"
        "  kedge gh classify -- pr merge 5 --squash\n"
        "  printf '%s\\n' '[\"repo\",\"delete\",\"o/r\"]' | kedge gh classify --stdin\n"
        "Starts no gh. An unknown word is looked up among gh's aliases and extensions, unless\n"
        "--no-config is given. What is no command line at all is answered with `invalid-args`.\n"
        "Exit codes: 0 classified, 1 something was no command line, 2 usage.",
    .run = classify_run,
};
