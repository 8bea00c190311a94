/*
 * Scaffolding for tests of the github-pr operations: a scripted server (rest_fixture.h), and calls
 * through tool_call() (operation_fixture.h) that wait by its clock.
 */
#pragma once

#include "rest_fixture.h"

#include "agenttools/agenttools.h"
#include "base/timefmt.h"
#include "operation_fixture.h"

static inline int64_t pr_fixture_now(void *user_data G_GNUC_UNUSED)
{
    return time_now_ms();
}

typedef struct PrFixture {
    RestFixture *rest;
    ToolFixture *tool;
} PrFixture;

static inline void pr_fixture_clear(PrFixture *self)
{
    tool_fixture_free(self->tool);
    rest_fixture_free(self->rest);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PrFixture, pr_fixture_clear)

/* As rest_fixture_new(); the operations wait as it does. */
static inline PrFixture pr_fixture_new(const CannedAnswer *answers, size_t count)
{
    PrFixture self = { .rest = rest_fixture_new(answers, count),
                       .tool = tool_fixture_new(NULL, false) };
    const ToolClock clock = { .now_ms = pr_fixture_now,
                              .sleep = rest_fixture_sleep,
                              .user_data = self.rest };
    tool_context_set_clock(self.tool->context, &clock);
    return self;
}

/* `want` as json_of(). */
static inline void assert_json(const char *name, const json_t *got, const char *want)
{
    g_autofree char *text = json_to_text(got);
    g_autofree char *proper = g_strdelimit(g_strdup(want), "'", '"');
    assert_text(name, text, proper);
}

/* What was requested, as rest_fixture_log() writes it. */
static inline void assert_log(const PrFixture *fixture, const char *want)
{
    g_autofree char *log = rest_fixture_log(fixture->rest);
    assert_text("requests", log, want);
}

/* error_details[0] of a call that must fail. New reference. */
static inline json_t *error_detail(const PrFixture *fixture, const OperationDef *operation,
                                   const char *arguments)
{
    g_autoptr(json_t) envelope = operation_call(fixture->tool, operation, json_of(arguments));
    assert_false(json_get_bool(envelope, "success", true));
    return json_incref(json_array_get(json_get_array(envelope, "error_details"), 0));
}
