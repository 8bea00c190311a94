/*
 * Agent messages into what a model is sent (agent-core §2.2): other roles become user text, history
 * is repaired so that every tool call has its result, foreign thinking is turned into text.
 *
 * A history is converted in groups: an assistant message with all that follows it up to the next
 * one (the first group may begin without). What a group becomes depends on the groups before it,
 * and only through the tool call ids that they use; never on later ones.
 */
#pragma once

#include "model/model.h"
#include "model/repair_notes.h"

/* New array of messages with roles user, developer, assistant, toolResult only, ids normalised for
   the model's api. The input is not changed. */
json_t *convert_history(const json_t *messages, const Model *model);

/* For a request without tools whose conversation has calls: the names stand for tools that no one
   may call. New array. */
json_t *convert_stub_tools(const json_t *messages);

/* Where the group ends that begins at `begin`. */
size_t convert_group_end(const json_t *messages, size_t begin);

/* Remembers the tool call ids of the groups that were converted with it. One thread. */
typedef struct Converter Converter;

Converter *converter_new(void);
void converter_free(Converter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Converter, converter_free)

/* From the next group on no image is sent, whatever the model takes (images.blockImages). */
void converter_block_images(Converter *self, bool is_blocked);

/* The next group, messages[begin…end). New array, as of convert_history(). What had to be repaired
   is noted; `notes` may be NULL. */
json_t *converter_convert(Converter *self, const Model *model, const json_t *messages, size_t begin,
                          size_t end, RepairNotes *notes);

/* Groups behind a position are forgotten by going back to it. */
size_t converter_position(const Converter *self);
void converter_rewind(Converter *self, size_t position);
