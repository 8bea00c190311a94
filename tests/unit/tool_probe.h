/*
 * A tool that does as its arguments say, and remembers what it saw: for tests of tool_call().
 */
#pragma once

#include "tool_fixture.h"

typedef struct ProbeArgs {
    const char *path, *mode;
    int64_t count;
    bool fails;
    const json_t *list;
} ProbeArgs;

static const char *const modes[] = { "read", "write", "destructive", "blocked", "unknown", NULL };

static const FieldDef probe_fields[] = {
    { "path", FIELD_STRING, offsetof(ProbeArgs, path), .is_required = true },
    { "mode", FIELD_ENUM, offsetof(ProbeArgs, mode), .values = modes, .default_text = "\"read\"" },
    { "count", FIELD_INTEGER, offsetof(ProbeArgs, count), .default_text = "1" },
    { "fails", FIELD_BOOLEAN, offsetof(ProbeArgs, fails) },
    { "list", FIELD_STRING_LIST, offsetof(ProbeArgs, list) },
    { 0 },
};

/* What the probe saw of its last call. */
static struct {
    int runs;
    bool had_permit_while_judging, had_permit, had_cancel;
    int64_t now_ms;
} seen;

static inline bool probe_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                               GError **error)
{
    const ProbeArgs *args = args_;
    seen.had_permit_while_judging = tool_call_permit(call) != NULL;
    for (Effect effect = EFFECT_READ; effect <= EFFECT_UNKNOWN; effect++)
        if (strcmp(effect_name(effect), args->mode) == 0)
            ret_judgement->effect = effect;
    ret_judgement->summary = g_strdup_printf("touches %s", args->path);
    return strcmp(args->path, "unjudgeable") != 0 ||
           fail_with(error, KEDGE_ERROR_NOT_FOUND, "cannot tell");
}

static inline bool probe_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const ProbeArgs *args = args_;
    seen.runs++;
    seen.had_permit = tool_call_permit(call) != NULL;
    seen.had_cancel = tool_call_cancel(call) != NULL;
    seen.now_ms = tool_call_now_ms(call);
    if (args->fails) {
        tool_result_add_text(result, "half of it");
        return fail_with(error, KEDGE_ERROR_TIMEOUT, "too \x1b[31mslow\x1b[0m");
    }
    for (int64_t i = 0; i < args->count; i++)
        tool_result_add_text(result, args->path);
    return true;
}

#define PROBE                                                                                      \
    .name = "probe", .label = "Probe", .summary = "Probes", .fields = probe_fields,                \
    .args_size = sizeof(ProbeArgs), .judge = probe_judge, .run = probe_run

static const ToolDef probe = { PROBE };
static const ToolDef probe_exact = { PROBE, .flags = TOOL_EXACT };
static const ToolDef probe_stubborn = { PROBE, .flags = TOOL_NON_ABORTABLE };
static const ToolDef probe_keeps = { PROBE, .flags = TOOL_KEEPS_TEXT };

typedef struct Setup {
    const ToolDef *tool;
    const char *arguments; // json_of()
    ToolDoor door;
} Setup;

static inline void call(const ToolFixture *fixture, const Setup *setup, ToolResult *ret_result)
{
    g_autoptr(json_t) arguments = json_of(setup->arguments);
    const ToolCallSpec spec = {
        .tool = setup->tool,
        .arguments = arguments,
        .context = fixture->context,
        .door = &setup->door,
    };
    tool_call(&spec, ret_result);
}
