/*
 * `kedge completion bash|zsh|fish`: a script for the shell, made of the same tables as --help.
 *
 * Each script walks the words before the cursor as long as they name commands, and knows the flags
 * and words of each. It runs nothing but `kedge sessions list`, where a session is the value.
 */
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/outline.h"

typedef struct Script {
    GString *out;
    const Outline *root;
    GPtrArray *nodes; // of const Outline *
} Script;

typedef enum {
    VALUE_NONE,
    VALUE_WORDS,
    VALUE_DIRECTORY,
    VALUE_FILE,
    VALUE_SESSION,
    VALUE_OTHER,
} ValueKind;

#define SESSIONS "sessions list --limit 50 2>/dev/null"

static ValueKind value_kind(const FieldDef *field)
{
    if (field->type == FIELD_BOOLEAN)
        return VALUE_NONE;
    if (field->type == FIELD_ENUM)
        return VALUE_WORDS;
    const char *name = field->value_name ? field->value_name : "";
    if (strcmp(name, "ID|PATH") == 0)
        return VALUE_SESSION;
    if (strstr(name, "DIR"))
        return VALUE_DIRECTORY;
    return strstr(name, "FILE") || strstr(name, "PATH") ? VALUE_FILE : VALUE_OTHER;
}

/* In single quotes of bash and zsh. */
static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '\'');
    for (const char *p = text; *p; p++) {
        if (*p == '\'')
            g_string_append(out, "'\\''");
        else
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '\'');
}

/* `'--mode' '-m'` as patterns of the words after `path`: what selects the flag. */
static void append_flag_pattern(const Script *self, const Outline *node, const FieldDef *field)
{
    g_autofree char *flag = field_flag(field);
    g_autofree char *pattern = g_strdup_printf("%s/%s", node->path, flag);
    append_quoted(self->out, pattern);
    if (field->short_flag)
        g_string_append_printf(self->out, " | '%s/-%c'", node->path, field->short_flag);
}

/* Patterns of all commands, `'gh/exec'`. */
static void append_paths(const Script *self)
{
    for (unsigned i = 1; i < self->nodes->len; i++) {
        const Outline *node = self->nodes->pdata[i];
        const char *space = strrchr(node->path, ' ');
        size_t parent = space ? (size_t)(space - node->path) : 0;
        g_string_append_printf(self->out, "%s'%.*s/%s'", i > 1 ? " | " : "", (int)parent,
                               node->path, node->name);
    }
}

/* What a shell does for each kind of value. */
typedef struct ValueArms {
    const char *open; // before a pattern
    const char *words_before, *words_after, *directories, *files, *sessions, *others;
} ValueArms;

static void append_value(const Script *self, const ValueArms *arms, const FieldDef *field)
{
    switch (value_kind(field)) {
    case VALUE_WORDS: {
        g_autofree char *values = g_strjoinv(" ", (char **)field->values);
        g_string_append_printf(self->out, "%s%s%s", arms->words_before, values, arms->words_after);
        return;
    }
    case VALUE_DIRECTORY:
        g_string_append(self->out, arms->directories);
        return;
    case VALUE_FILE:
        g_string_append(self->out, arms->files);
        return;
    case VALUE_SESSION:
        g_string_append(self->out, arms->sessions);
        return;
    default:
        g_string_append(self->out, arms->others);
    }
}

/* The arms of a `case` over "path/flag before the cursor". */
static void append_value_arms(const Script *self, const ValueArms *arms)
{
    for (unsigned i = 0; i < self->nodes->len; i++) {
        const Outline *node = self->nodes->pdata[i];
        for (unsigned j = 0; j < node->fields->len; j++) {
            const FieldDef *field = node->fields->pdata[j];
            ValueKind kind = value_kind(field);
            if (kind == VALUE_NONE || (field->is_value_optional && kind != VALUE_SESSION))
                continue;
            g_string_append_printf(self->out, "    %s", arms->open);
            append_flag_pattern(self, node, field);
            g_string_append(self->out, ") ");
            append_value(self, arms, field);
            g_string_append(self->out, kind == VALUE_SESSION ? " ;;\n" : "; return ;;\n");
        }
    }
}

static void append_bash_words(const Script *self, const Outline *node, bool is_flags)
{
    append_quoted(self->out, node->path);
    g_string_append(self->out, ") words='");
    const char *gap = "";
    for (unsigned i = 0; is_flags && i < node->fields->len; i++) {
        const FieldDef *field = node->fields->pdata[i];
        g_autofree char *flag = field_flag(field);
        g_string_append_printf(self->out, "%s%s", gap, flag);
        gap = " ";
        if (field->short_flag)
            g_string_append_printf(self->out, " -%c", field->short_flag);
    }
    for (unsigned i = 0; !is_flags && i < node->children->len; i++, gap = " ")
        g_string_append_printf(self->out, "%s%s", gap,
                               ((const Outline *)node->children->pdata[i])->name);
    for (unsigned i = 0; !is_flags && i < node->words->len; i++, gap = " ")
        g_string_append_printf(self->out, "%s%s", gap, (const char *)node->words->pdata[i]);
    g_string_append(self->out, "' ;;\n");
}

static const ValueArms bash_arms = {
    .open = "",
    .words_before = "COMPREPLY=($(compgen -W '",
    .words_after = "' -- \"$cur\"))",
    .directories = "compopt -o dirnames",
    .files = ":",
    .sessions = "[[ $cur == -* ]] || { COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" " SESSIONS
                " | cut -d ' ' -f 1)\" -- \"$cur\")); return; }",
    .others = "compopt +o default",
};

static void append_bash(const Script *self)
{
    GString *out = self->out;
    g_string_append(out, "# bash completion of kedge, made by `kedge completion bash`\n"
                         "_kedge() {\n"
                         "    local at= words= cur=${COMP_WORDS[COMP_CWORD]} i\n"
                         "    local prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                         "    COMPREPLY=()\n"
                         "    # --flag=value comes as three words\n"
                         "    if [[ $cur == '=' ]]; then\n"
                         "        cur=\n"
                         "    elif [[ $prev == '=' ]]; then\n"
                         "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                         "    fi\n"
                         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                         "        case \"$at/${COMP_WORDS[i]}\" in\n        ");
    append_paths(self);
    g_string_append(out, ") at=${at:+$at }${COMP_WORDS[i]} ;;\n"
                         "        *) break ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case \"$at/$prev\" in\n");
    append_value_arms(self, &bash_arms);
    g_string_append(out, "    esac\n"
                         "    case $cur in\n"
                         "    -*) case $at in\n");
    for (unsigned i = 0; i < self->nodes->len; i++) {
        g_string_append(out, "        ");
        append_bash_words(self, self->nodes->pdata[i], true);
    }
    g_string_append(out, "        esac ;;\n"
                         "    *) case $at in\n");
    for (unsigned i = 0; i < self->nodes->len; i++) {
        const Outline *node = self->nodes->pdata[i];
        if (node->children->len == 0 && node->words->len == 0)
            continue;
        g_string_append(out, "        ");
        append_bash_words(self, node, false);
    }
    g_string_append(out, "        esac ;;\n"
                         "    esac\n"
                         "    [[ -z $words ]] || COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                         "}\n"
                         "complete -o default -F _kedge kedge\n");
}

/* 'name:what it is' for _describe. */
static void append_described(GString *out, const char *name, const char *text)
{
    g_autofree char *item = text ? g_strdup_printf("%s:%s", name, text) : g_strdup(name);
    g_string_append_c(out, ' ');
    append_quoted(out, item);
}

static void append_zsh_node(const Script *self, const Outline *node)
{
    GString *out = self->out;
    g_string_append(out, "    (");
    append_quoted(out, node->path);
    g_string_append(out, ") names=(");
    for (unsigned i = 0; i < node->children->len; i++) {
        const Outline *child = node->children->pdata[i];
        append_described(out, child->name, child->summary);
    }
    for (unsigned i = 0; i < node->words->len; i++)
        append_described(out, node->words->pdata[i], NULL);
    g_string_append(out, " )\n        options=(");
    for (unsigned i = 0; i < node->fields->len; i++) {
        const FieldDef *field = node->fields->pdata[i];
        g_autofree char *flag = field_flag(field);
        append_described(out, flag, field->help);
        const char letter[] = { '-', field->short_flag, '\0' };
        if (field->short_flag)
            append_described(out, letter, field->help);
    }
    g_string_append(out, " ) ;;\n");
}

static const ValueArms zsh_arms = {
    .open = "(",
    .words_before = "values=(",
    .words_after = "); _describe value values",
    .directories = "_directories",
    .files = "_files",
    .sessions = "[[ $PREFIX == -* ]] || { values=(${(f)\"$(${words[1]} " SESSIONS
                " | sed 's/  */:/')\"}); _describe session values; return }",
    .others = "_message value",
};

static void append_zsh(const Script *self)
{
    GString *out = self->out;
    g_string_append(out, "#compdef kedge\n"
                         "# zsh completion of kedge, made by `kedge completion zsh`\n"
                         "_kedge() {\n"
                         "    local at= i\n"
                         "    local -a names options values\n"
                         "    for ((i = 2; i < CURRENT; i++)); do\n"
                         "        case \"$at/${words[i]}\" in\n        (");
    append_paths(self);
    g_string_append(out, ") at=\"${at:+$at }${words[i]}\" ;;\n"
                         "        (*) break ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case \"$at/${words[CURRENT - 1]}\" in\n");
    append_value_arms(self, &zsh_arms);
    g_string_append(out, "    esac\n"
                         "    case \"$at\" in\n");
    for (unsigned i = 0; i < self->nodes->len; i++)
        append_zsh_node(self, self->nodes->pdata[i]);
    g_string_append(out, "    esac\n"
                         "    if [[ $PREFIX == -* ]]; then\n"
                         "        _describe -o option options\n"
                         "    elif (($#names)); then\n"
                         "        _describe command names\n"
                         "    else\n"
                         "        _files\n"
                         "    fi\n"
                         "}\n"
                         "if [[ ${funcstack[1]} == _kedge ]]; then\n"
                         "    _kedge \"$@\"\n"
                         "else\n"
                         "    compdef _kedge kedge\n"
                         "fi\n");
}

/* In single quotes of fish, where a backslash counts. */
static void append_fish_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '\'');
    for (const char *p = text; *p; p++) {
        if (*p == '\'' || *p == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '\'');
}

static void append_fish_flag(GString *out, const Outline *node, const FieldDef *field)
{
    g_autofree char *flag = field_flag(field);
    g_string_append_printf(out, "complete -c kedge -n \"__kedge_at '%s'\" -l %s", node->path,
                           flag + strlen("--"));
    if (field->short_flag)
        g_string_append_printf(out, " -s %c", field->short_flag);
    ValueKind kind = value_kind(field);
    if (kind == VALUE_SESSION)
        g_string_append(out, " -x -a '(kedge " SESSIONS " | string replace -r \" +\" \\t)'");
    else if (kind != VALUE_NONE && !field->is_value_optional)
        g_string_append(out, kind == VALUE_FILE ? " -r -F" : " -x");
    if (kind == VALUE_DIRECTORY)
        g_string_append(out, " -a '(__fish_complete_directories)'");
    if (kind == VALUE_WORDS) {
        g_autofree char *values = g_strjoinv(" ", (char **)field->values);
        g_string_append_printf(out, " -a '%s'", values);
    }
    g_string_append(out, " -d ");
    append_fish_quoted(out, field->help ? field->help : "");
    g_string_append_c(out, '\n');
}

static void append_fish_word(GString *out, const Outline *node, const char *word, const char *help)
{
    g_string_append_printf(out, "complete -c kedge -n \"__kedge_at '%s'\" -f -a %s", node->path,
                           word);
    if (help) {
        g_string_append(out, " -d ");
        append_fish_quoted(out, help);
    }
    g_string_append_c(out, '\n');
}

static void append_fish(const Script *self)
{
    GString *out = self->out;
    g_string_append(out, "# fish completion of kedge, made by `kedge completion fish`\n"
                         "function __kedge_at\n"
                         "    set -l at ''\n"
                         "    for word in (commandline -opc)[2..-1]\n"
                         "        contains -- \"$at/$word\"");
    for (unsigned i = 1; i < self->nodes->len; i++) {
        const Outline *node = self->nodes->pdata[i];
        const char *space = strrchr(node->path, ' ');
        size_t parent = space ? (size_t)(space - node->path) : 0;
        g_string_append_printf(out, " '%.*s/%s'", (int)parent, node->path, node->name);
    }
    g_string_append(out, "; or break\n"
                         "        set at (string trim -- \"$at $word\")\n"
                         "    end\n"
                         "    test \"$at\" = \"$argv\"\n"
                         "end\n");
    for (unsigned i = 0; i < self->nodes->len; i++) {
        const Outline *node = self->nodes->pdata[i];
        for (unsigned j = 0; j < node->children->len; j++) {
            const Outline *child = node->children->pdata[j];
            append_fish_word(out, node, child->name, child->summary);
        }
        for (unsigned j = 0; j < node->words->len; j++)
            append_fish_word(out, node, node->words->pdata[j], NULL);
        for (unsigned j = 0; j < node->fields->len; j++)
            append_fish_flag(out, node, node->fields->pdata[j]);
    }
}

static const struct {
    const char *name;
    void (*append)(const Script *self);
} shells[] = {
    { "bash", append_bash },
    { "zsh", append_zsh },
    { "fish", append_fish },
};

static int completion_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(Outline) root = outline_new(env);
    g_autoptr(GPtrArray) nodes = outline_flatten(root);
    const Script script = { .out = out, .root = root, .nodes = nodes };
    for (size_t i = 0; argc == 1 && i < G_N_ELEMENTS(shells); i++)
        if (strcmp(argv[0], shells[i].name) == 0) {
            shells[i].append(&script);
            return cmd_print(out->str) ? EXIT_OK : EXIT_FAILED;
        }
    if (argc == 1)
        log_error("no completion for \"%s\": bash, zsh and fish have one", argv[0]);
    else
        log_text("usage: kedge completion bash|zsh|fish");
    return EXIT_USAGE;
}

static void completion_outline(const CommandEnv *env, Outline *self)
{
    for (size_t i = 0; i < G_N_ELEMENTS(shells); i++)
        g_ptr_array_add(self->words, (void *)shells[i].name);
}

const Command command_completion = {
    .name = "completion",
    .summary = "Print the completion script of a shell",
    .usage = "bash|zsh|fish",
    .help = "  bash   eval \"$(kedge completion bash)\" in ~/.bashrc\n"
            "  zsh    kedge completion zsh > DIR/_kedge, DIR being in $fpath\n"
            "  fish   kedge completion fish > ~/.config/fish/completions/kedge.fish\n"
            "`make install` puts all three where the shells look.",
    .outline = completion_outline,
    .run = completion_run,
};
