/*
 * `kedge wm emit`: an agent asks for one write on GitHub. The request is checked against the
 * policy of the task and becomes a line of output.jsonl; nothing goes over the network (task-engine
 * §6.4).
 */
#include "cmd/wm/wm_emit_kinds.h"

#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/cli/input.h"
#include "cmd/cli/outline.h"
#include "cmd/wm/wm.h"
#include "wm/apply/emit.h"

#define ITEM_WORD "item"

typedef struct ItemFlags {
    const char *json;
} ItemFlags;

static const FieldDef item_fields[] = {
    { "json", FIELD_STRING, offsetof(ItemFlags, json), .value_name = "JSON",
      .help = "The object, with its \"type\" (default: standard input)" },
    { 0 },
};

static const char item_summary[] = "Any of these, as a JSON object";

typedef struct Emit {
    const char *name;       // of the command, "wm emit add-comment"
    const WmEmitKind *kind; // NULL: item
    json_t *raw;
} Emit;

static char *wm_emit_dashed(const char *word)
{
    return g_strdelimit(g_strdup(word), "_", '-');
}

/* NULL: there is none of that name. */
static const WmEmitKind *find_kind(const char *word)
{
    g_autofree char *name = wm_emit_dashed(word);
    for (const WmEmitKind *each = wm_emit_kinds; each->summary; each++)
        if (strcmp(wm_kind_table[each->kind].handler, name) == 0)
            return each;
    return NULL;
}

static bool read_body_file(json_t *raw, GError **error)
{
    const char *path = json_get_text(raw, "body_file");
    g_autofree char *text = NULL;
    if (!path)
        return true;
    if (json_object_get(raw, "body"))
        return fail_with(error, KEDGE_ERROR_USAGE, "give --body or --body-file, not both");
    bool is_read = strcmp(path, "-") == 0
                       ? input_read_stdin(WM_MAX_OUTPUT_BYTES, &text, error)
                       : file_read(path, WM_MAX_OUTPUT_BYTES, &text, NULL, error);
    if (!is_read)
        return false;
    json_set_text(raw, "body", text);
    json_object_del(raw, "body_file");
    return true;
}

/* `--target`: a number, or a temporary id. */
static bool check_target(const json_t *raw, GError **error)
{
    const char *target = json_get_text(raw, "target");
    int64_t number = 0;
    g_autofree char *id = target ? wm_temporary_id(target) : NULL;
    if (!target || id || str_parse_int(target, &number))
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "invalid argument \"%s\" for \"--target\" flag: not an integer", target);
}

static bool check_required(const Emit *self, GError **error)
{
    g_autoptr(GString) missing = g_string_new(NULL);
    const char *const *name = self->kind->required;
    for (; name && *name; name++) {
        bool is_body_elsewhere =
            strcmp(*name, "body") == 0 && json_object_get(self->raw, "body_file");
        g_autofree char *flag = wm_emit_dashed(*name);
        if (!json_object_get(self->raw, *name) && !is_body_elsewhere)
            g_string_append_printf(missing, "%s\"%s\"", missing->len > 0 ? ", " : "", flag);
    }
    return missing->len == 0 ||
           fail_with(error, KEDGE_ERROR_USAGE, "required flag(s) %s not set", missing->str);
}

/* The item that the flags ask for. */
static bool read_flags(Emit *self, int argc, char *const *argv, GError **error)
{
    const Command command = { .name = self->name, .options = self->kind->fields };
    WmEmitFlags flags = { 0 };
    g_autoptr(json_t) kept = NULL;
    if (!wm_decode(&command, argc, argv, &flags, &kept, NULL, 0, 0, error))
        return false;
    self->raw = json_copy(kept);
    if (!check_required(self, error) || !check_target(self->raw, error) ||
        !read_body_file(self->raw, error))
        return false;
    json_set_text(self->raw, "type", wm_kind_table[self->kind->kind].type);
    return true;
}

/* The item as it is given. */
static bool read_json(Emit *self, int argc, char *const *argv, GError **error)
{
    const Command command = { .name = self->name, .options = item_fields };
    ItemFlags flags = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autofree char *input = NULL;
    if (!wm_decode(&command, argc, argv, &flags, &kept, NULL, 0, 0, error) ||
        (!flags.json && !input_read_stdin(WM_MAX_OUTPUT_BYTES, &input, error)))
        return false;
    g_autoptr(GError) reason = NULL;
    if (!json_parse_text(flags.json ? flags.json : input, &self->raw, &reason))
        return fail_with(error, KEDGE_ERROR_USAGE, "item: expected a JSON object: %s",
                         reason->message);
    if (!json_is_object(self->raw))
        return fail_with(error, KEDGE_ERROR_USAGE, "item: expected a JSON object");
    return true;
}

/* A policy with a side has it for all comments. */
static bool check_side(const Emit *self, const WmPolicy *policy, GError **error)
{
    bool is_needed = self->kind && self->kind->kind == WM_CREATE_REVIEW_COMMENT &&
                     policy->handlers[WM_CREATE_REVIEW_COMMENT].is_enabled &&
                     !wm_handler_text(&policy->handlers[WM_CREATE_REVIEW_COMMENT], "side");
    if (is_needed && !json_object_get(self->raw, "side"))
        return fail_with(error, KEDGE_ERROR_USAGE, "required flag(s) \"side\" not set");
    return true;
}

static bool emit_append(const Emit *self, GError **error)
{
    g_auto(WmEmit) emit = { 0 };
    return wm_emit_open(&emit, error) && check_side(self, emit.policy, error) &&
           wm_emit_append(&emit, self->raw, error);
}

static char *kinds_help(void)
{
    GString *out = g_string_new(command_wm_emit.summary);
    g_string_append(out, "\n\nUsage: kedge wm emit KIND [flags]\n\nKinds:\n");
    for (const WmEmitKind *each = wm_emit_kinds; each->summary; each++)
        g_string_append_printf(out, "  %-37s %s\n", wm_kind_table[each->kind].handler,
                               each->summary);
    g_string_append_printf(out, "  %-37s %s\n", ITEM_WORD, item_summary);
    g_string_append(
        out,
        "\nFor the agent of a task that `kedge wm run` started. What `safe-outputs:` of the task\n"
        "allows becomes a line of the file WM_SAFE_OUTPUT_FILE, and is done after the agent has\n"
        "ended; what it does not allow is an error here, so that it can be put right. On success\n"
        "nothing is printed.\n"
        "\n"
        "  kedge wm emit add-comment --body \"Done.\"\n"
        "  kedge wm emit create-issue --title \"Flaky test\" --temporary-id tmp_1\n"
        "  kedge wm emit add-comment --body \"See #tmp_1.\" --target 12\n"
        "  kedge wm emit noop --message \"There is nothing to do.\"\n"
        "\n"
        "`kedge wm emit KIND --help` explains one.\n"
        "\n"
        "Environment, set by `kedge wm run`:\n"
        "  WM_REPO_ROOT, WM_TASK, WM_SAFE_OUTPUT_FILE   whose policy counts, and the file\n"
        "  GITHUB_REPOSITORY, WM_ISSUE_NUMBER, WM_PR_NUMBER   what triggered the task\n");
    return g_string_free(out, FALSE);
}

static char *kind_help(const char *name, const char *summary, const FieldDef *fields,
                       const char *example)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s\n\nUsage: kedge wm emit %s [flags]\n\nFlags:\n", summary, name);
    field_append_help(fields, out);
    g_string_append_printf(out, "\n  kedge wm emit %s\n", example);
    return g_string_free(out, FALSE);
}

static char *emit_help(const CommandEnv *env, int argc, char *const *argv)
{
    const WmEmitKind *kind = argc > 0 ? find_kind(argv[0]) : NULL;
    if (kind)
        return kind_help(wm_kind_table[kind->kind].handler, kind->summary, kind->fields,
                         kind->example);
    if (argc > 0 && strcmp(argv[0], ITEM_WORD) == 0)
        return kind_help(ITEM_WORD, item_summary, item_fields,
                         "item --json '{\"type\":\"add_comment\",\"body\":\"Done.\"}'");
    return kinds_help();
}

static void emit_outline(const CommandEnv *env, Outline *self)
{
    for (const WmEmitKind *each = wm_emit_kinds; each->summary; each++) {
        Outline *own = outline_add(self, wm_kind_table[each->kind].handler, each->summary);
        outline_add_fields(own, each->fields, NULL);
    }
    outline_add_fields(outline_add(self, ITEM_WORD, item_summary), item_fields, NULL);
}

/* Caller frees. */
static char *kind_hint(const char *word)
{
    const char *names[WM_KINDS + 2] = { ITEM_WORD };
    for (WmKind kind = 0; kind < WM_KINDS; kind++)
        names[kind + 1] = wm_kind_table[kind].handler;
    return str_did_you_mean(word, names);
}

static int emit_run(const CommandEnv *env, int argc, char *const *argv)
{
    if (argc == 0) {
        g_autofree char *help = kinds_help();
        return cmd_print(help) ? EXIT_OK : EXIT_FAILED;
    }
    bool is_item = strcmp(argv[0], ITEM_WORD) == 0;
    Emit emit = { .kind = is_item ? NULL : find_kind(argv[0]) };
    g_autoptr(GError) error = NULL;
    if (!is_item && !emit.kind) {
        bool is_flag = argv[0][0] == '-';
        g_autofree char *hint = is_flag ? g_strdup("") : kind_hint(argv[0]);
        fail_with(&error, KEDGE_ERROR_USAGE,
                  is_flag ? "unknown flag: %s%s" : "unknown emit subcommand \"%s\"%s", argv[0],
                  hint);
        return wm_fail("wm emit", error);
    }
    g_autofree char *name =
        g_strconcat("wm emit ", is_item ? ITEM_WORD : wm_kind_table[emit.kind->kind].handler, NULL);
    emit.name = name;
    bool is_read = is_item ? read_json(&emit, argc - 1, argv + 1, &error)
                           : read_flags(&emit, argc - 1, argv + 1, &error);
    bool is_done = is_read && emit_append(&emit, &error);
    json_decref(emit.raw);
    return is_done ? EXIT_OK : wm_fail(name, error);
}

const Command command_wm_emit = {
    .name = "wm emit",
    .summary = "Ask for one write on GitHub, from inside a task",
    .usage = "KIND [flags]",
    .make_help = emit_help,
    .outline = emit_outline,
    .run = emit_run,
};
