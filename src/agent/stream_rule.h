/*
 * One rule that watches what a model writes (agent-tools §6.8): a file whose front matter has a
 * condition, where it looks, and whether it interrupts. Its text is what the model is told.
 *
 * Conditions are PCRE patterns of whoever wrote the file, so each match has a limit of steps, and
 * one that reaches it is an error. Of one thread.
 */
#pragma once

#include "base/json.h"

#include <glib.h>

typedef enum { STREAM_TEXT, STREAM_THINKING, STREAM_TOOL } StreamKind;

typedef enum {
    INTERRUPT_AS_SET, // ttsr.interruptMode
    INTERRUPT_ALWAYS,
    INTERRUPT_NEVER,
    INTERRUPT_PROSE_ONLY,
    INTERRUPT_TOOL_ONLY,
} InterruptMode;

typedef struct StreamRule {
    char *name, *path, *body;
    GPtrArray *conditions; // of GRegex
    GPtrArray *scopes;     // of RuleScope, private
    GPtrArray *globs;      // of GRegex; empty: any path, or none
    InterruptMode mode;
} StreamRule;

/* NULL: the file is no rule of this kind. `warnings` gets a char * for what is wrong in one. */
StreamRule *stream_rule_parse(const char *path, const char *text, GPtrArray *warnings);
void stream_rule_free(StreamRule *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StreamRule, stream_rule_free)

/* The mode of this name, else INTERRUPT_AS_SET. */
InterruptMode interrupt_mode_parse(const char *name);

/* May it look there at all? `tool` of a call only. */
bool stream_rule_looks_at(const StreamRule *self, StreamKind kind, const char *tool);
/* Does it hold for one of these paths (of char *; empty: there are none)? */
bool stream_rule_covers(const StreamRule *self, StreamKind kind, const char *tool,
                        const GPtrArray *paths);
/* One of its conditions is between these two bytes of the text, which begin a character each; what
   is before them is for looking back only. Takes the processor time that it needs from `budget_ns`.
   LIMIT: that would cost too much, or nothing is left. */
bool stream_rule_matches(const StreamRule *self, const GString *text, size_t from, size_t end,
                         int64_t *budget_ns, bool *ret_matches, GError **error);
