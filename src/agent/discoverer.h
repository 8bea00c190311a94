/*
 * What a conversation has found of its tools (tool/found_tools.h) is remembered by its session, in
 * custom entries "kedge.tools": {"found":["github","eval"]}, which say nothing to a model and which
 * other readers pass over. What the entries on the way to the leaf say together holds there.
 *
 * `found` may be NULL in all of these: nothing is found.
 */
#pragma once

#include "session/session.h"
#include "tool/found_tools.h"
#include "tool/settings.h"
#include "tool/tool_set.h"

/* A text for each name in tools.essentialOverride that is no tool of `tools`, where that counts.
   `warnings` may be NULL. */
void discoverer_check_settings(const Settings *settings, const ToolSet *tools, GPtrArray *warnings);

/* As the way to the leaf has it, in place of what was found elsewhere. */
void discoverer_restore(const Session *session, FoundTools *found);
/* A tool that was called by its name without being searched for counts as found, too: from now on
   requests say how it is called. `calls`: toolCall blocks. */
void discoverer_note_calls(const ToolSet *tools, const json_t *calls, FoundTools *found);
/* Notes after the leaf what the way to it does not have. */
void discoverer_record(Session *session, FoundTools *found);
