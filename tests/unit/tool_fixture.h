/*
 * Scaffolding for the tests of the tools: a workspace in a temporary directory, and calls through
 * tool_call() with a door that allows everything.
 */
#pragma once

#include "unit.h"

#include "base/file.h"
#include "tool/call.h"

typedef struct ToolFixture {
    char *root; // temporary; holds `work` and, with artifacts, `session`
    char *cwd;
    ToolContext *context;
} ToolFixture;

/* `overrides` (JSON text, may be NULL) are settings; `has_artifacts`: as with a session file. */
ToolFixture tool_fixture_new(const char *overrides, bool has_artifacts);
void tool_fixture_clear(ToolFixture *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ToolFixture, tool_fixture_clear)

/* Writes a file below the working directory. */
void tool_fixture_write(const ToolFixture *self, const char *name, const char *text);
char *tool_fixture_read(const ToolFixture *self, const char *name); // NULL when absent

/* Calls with arguments in JSON. Frees with tool_result_clear(). */
ToolResult tool_fixture_call(const ToolFixture *self, const ToolDef *tool, const char *arguments,
                             Cancel *cancel);

/* The text of a result that must (not) be an error. Caller frees. */
char *tool_fixture_text(const ToolFixture *self, const ToolDef *tool, const char *arguments,
                        bool is_error);
