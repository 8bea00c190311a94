/*
 * What a request needed to become fit for its server: which rule of safety §8.1 did something, and
 * to which message. Of one thread. What is noted of one message in a row is one note for each rule.
 */
#pragma once

#include "base/json.h"

typedef enum { // the numbers are those of the rules
    REPAIR_NO_MESSAGE = 1,
    REPAIR_CHARACTERS,
    REPAIR_BLOCK,
    REPAIR_EMPTY,
    REPAIR_ARGUMENTS,
    REPAIR_TOOL_NAME,
    REPAIR_CALL_ID,
    REPAIR_DOUBLE_ID,
    REPAIR_LOST_RESULT,
    REPAIR_MOVED_RESULT,
    REPAIR_MISSING_RESULT,
    REPAIR_BROKEN_ANSWER,
    REPAIR_THINKING,
    REPAIR_THINKING_OFF,
    REPAIR_REASONING,
    REPAIR_IMAGE,
    REPAIR_ERROR_IMAGE,
    REPAIR_ROLES,
    REPAIR_STUB_TOOLS,
    REPAIR_SIZE,
    REPAIR_RESULT_NAME,
    REPAIR_TREE,
    REPAIR_FENCE,
    REPAIR_SECRET,
} RepairRule;

/* In place of a message: the request as a whole. */
#define REPAIR_OF_REQUEST G_MAXSIZE

typedef struct RepairNotes RepairNotes;

RepairNotes *repair_notes_new(void);
void repair_notes_free(RepairNotes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RepairNotes, repair_notes_free)

/* `message` is its place in the conversation. `self` NULL: no one asks. */
void repair_notes_add(RepairNotes *self, RepairRule rule, size_t message);
/* All of `other`, too. */
void repair_notes_join(RepairNotes *self, const RepairNotes *other);

/* Notes behind a position are forgotten by going back to it. */
size_t repair_notes_position(const RepairNotes *self);
void repair_notes_rewind(RepairNotes *self, size_t position);

/* How often each rule was needed: {"R11":1,"R16":2}. New reference. */
json_t *repair_notes_rules(const RepairNotes *self);
/* For which messages, in their order: [{"id":"a1b2c3d4","rules":{"R11":1}}]. `ids` has a text for
   each place; a message beyond its end is not listed, nor any after REPAIR_LISTED_MAX. New
   reference. */
json_t *repair_notes_entries(const RepairNotes *self, const json_t *ids);
#define REPAIR_LISTED_MAX 200

/* What a rule of that name ("R11") stands for, for people; NULL: there is none. */
const char *repair_rule_text(const char *name);
