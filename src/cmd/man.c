/*
 * `kedge man [COMMAND]`: manual pages in the language of man(7), made of the same tables as --help.
 */
#include "base/file.h"
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/outline.h"

typedef struct ManOptions {
    const char *output;
} ManOptions;

static const FieldDef man_options[] = {
    { "output", FIELD_STRING, offsetof(ManOptions, output), .value_name = "DIR",
      .help = "Write all pages into DIR: kedge.1, kedge-gh.1 …" },
    { 0 },
};

/* A backslash, a hyphen that is to stay one, and what would be a request at the start of a line. */
static void append_text(GString *out, const char *text)
{
    bool is_start = out->len == 0 || out->str[out->len - 1] == '\n';
    for (const char *p = text; *p; p++) {
        if (is_start && (*p == '.' || *p == '\''))
            g_string_append(out, "\\&");
        if (*p == '\\')
            g_string_append(out, "\\e");
        else if (*p == '-')
            g_string_append(out, "\\-");
        else
            g_string_append_c(out, *p);
        is_start = *p == '\n';
    }
}

static void append_literal(GString *out, const char *text)
{
    g_string_append(out, ".nf\n");
    append_text(out, text);
    g_string_append(out, g_str_has_suffix(text, "\n") ? ".fi\n" : "\n.fi\n");
}

static void append_option(GString *out, const FieldDef *field)
{
    g_autofree char *flag = field_flag(field);
    g_autofree char *value = field_value_name(field);
    g_autofree char *help = field_help(field);
    g_string_append(out, ".TP\n");
    if (field->short_flag)
        g_string_append_printf(out, "\\fB\\-%c\\fR, ", field->short_flag);
    g_string_append(out, "\\fB");
    append_text(out, flag);
    g_string_append(out, "\\fR");
    if (value) {
        g_string_append(out, field->is_value_optional ? " [\\fI" : " \\fI");
        append_text(out, value);
        g_string_append(out, field->is_value_optional ? "\\fR]" : "\\fR");
    }
    g_string_append(out, field_is_repeated(field) ? "...\n" : "\n");
    append_text(out, *help ? help : "No further description");
    g_string_append_c(out, '\n');
}

static void append_options(GString *out, const Outline *node)
{
    for (unsigned i = 0; i < node->fields->len; i++)
        append_option(out, node->fields->pdata[i]);
}

/* The lines of `usage`, of which those after the first name the command themselves. */
static void append_usage(GString *out, const Outline *node)
{
    const char *gap = *node->path ? " " : "";
    g_string_append_printf(out, ".nf\n\\fBkedge%s%s\\fR ", gap, node->path);
    append_text(out, node->usage               ? node->usage
                     : node->children->len > 0 ? "COMMAND …"
                                               : "[options]");
    g_string_append(out, "\n.fi\n");
}

static void append_commands(GString *out, const Outline *node)
{
    for (unsigned i = 0; i < node->children->len; i++) {
        const Outline *child = node->children->pdata[i];
        g_string_append(out, ".TP\n\\fB");
        append_text(out, child->name);
        g_string_append(out, "\\fR\n");
        append_text(out, child->summary);
        g_string_append_c(out, '\n');
    }
}

/* A command below the page's own, and those below it. */
static void append_inner(GString *out, const Outline *node)
{
    g_string_append(out, ".SS kedge ");
    append_text(out, node->path);
    g_string_append_c(out, '\n');
    append_text(out, node->summary);
    g_string_append(out, ".\n.PP\n");
    append_usage(out, node);
    if (node->children->len == 0)
        append_options(out, node);
    if (node->help) {
        g_string_append(out, ".PP\n");
        append_literal(out, node->help);
    }
    for (unsigned i = 0; i < node->children->len; i++)
        append_inner(out, node->children->pdata[i]);
}

/* "kedge", "kedge-agent-tools". Caller frees. */
static char *page_name(const Outline *node)
{
    return *node->path ? g_strdup_printf("kedge-%s", node->path) : g_strdup("kedge");
}

static void append_head(GString *out, const Outline *node)
{
    g_autofree char *name = page_name(node);
    g_autofree char *title = g_ascii_strup(name, -1);
    g_string_append_printf(out, ".TH %s 1 \"\" \"kedge " KEDGE_VERSION "\" \"kedge\"\n.SH NAME\n",
                           title);
    append_text(out, name);
    g_string_append(out, " \\- ");
    append_text(out, *node->path ? node->summary : "a coding agent with GitHub built in");
    g_string_append(out, "\n.SH SYNOPSIS\n");
    if (*node->path)
        append_usage(out, node);
    else
        append_literal(out, "kedge [options] -p \"what to do\" [@file…]\nkedge COMMAND …");
}

static char *page_text(const Outline *node)
{
    GString *out = g_string_new(NULL);
    append_head(out, node);
    if (node->help) {
        g_string_append(out, ".SH DESCRIPTION\n");
        append_literal(out, node->help);
    }
    g_string_append(out, ".SH OPTIONS\n");
    append_options(out, node);
    if (node->children->len > 0) {
        g_string_append(out, ".SH COMMANDS\n");
        append_commands(out, node);
    }
    if (*node->path) {
        for (unsigned i = 0; i < node->children->len; i++)
            append_inner(out, node->children->pdata[i]);
        g_string_append(out, ".SH SEE ALSO\n.BR kedge (1)\n");
        return g_string_free(out, FALSE);
    }
    g_string_append(out, ".SH ENVIRONMENT\n");
    append_literal(out, cmd_environment_text);
    g_string_append(out, ".SH EXIT STATUS\n");
    append_text(out, cmd_exit_codes_text);
    g_string_append(out, ".SH SEE ALSO\n");
    for (unsigned i = 0; i < node->children->len; i++) {
        g_autofree char *name = page_name(node->children->pdata[i]);
        g_string_append(out, ".BR ");
        append_text(out, name);
        g_string_append(out, i + 1 < node->children->len ? " (1),\n" : " (1)\n");
    }
    return g_string_free(out, FALSE);
}

static bool write_page(const char *folder, const Outline *node, GError **error)
{
    g_autofree char *name = page_name(node), *text = page_text(node);
    g_autofree char *path = g_strdup_printf("%s/%s.1", folder, name);
    return file_write_atomic(path, text, strlen(text), 0644, error);
}

static int write_all(const Outline *root, const char *folder)
{
    g_autoptr(GError) error = NULL;
    if (!write_page(folder, root, &error))
        return cmd_fail(error);
    for (unsigned i = 0; i < root->children->len; i++)
        if (!write_page(folder, root->children->pdata[i], &error))
            return cmd_fail(error);
    return EXIT_OK;
}

static int man_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(json_t) kept = NULL;
    ManOptions options = { 0 };
    if (!cmd_decode_options(man_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    g_autoptr(Outline) root = outline_new(env);
    if (options.output && words->len == 0)
        return write_all(root, options.output);
    const Outline *node = words->len == 1 ? outline_find(root, words->pdata[0]) : root;
    if (options.output || words->len > 1) {
        log_text("usage: kedge man [COMMAND] | --output DIR");
        return EXIT_USAGE;
    }
    if (!node) {
        log_error("no command \"%s\"; `kedge --help` lists them", (char *)words->pdata[0]);
        return EXIT_USAGE;
    }
    g_autofree char *text = page_text(node);
    return cmd_print(text) ? EXIT_OK : EXIT_FAILED;
}

static void man_outline(const CommandEnv *env, Outline *self)
{
    for (const Command *const *command = env->commands; *command; command++)
        if (!(*command)->is_hidden)
            g_ptr_array_add(self->words, (void *)(*command)->name);
}

const Command command_man = {
    .name = "man",
    .summary = "Print a manual page: `kedge man gh | man -l -`",
    .usage = "[COMMAND] | --output DIR",
    .options = man_options,
    .outline = man_outline,
    .run = man_run,
};
