/*
 * What the owner of a conversation sees of it: the messages told so far and the session's name,
 * kept apart from what the run works on, so that a snapshot never waits for the run.
 *
 * Belongs to the owner's thread.
 */
#pragma once

#include "conversation/engine.h"

typedef struct SessionView {
    json_t *messages;
    json_t *last_answer; // NULL: none
    json_t *header;
    char *path; // NULL: in memory only
    bool is_compacting;
    int64_t context_tokens; // -1: no one knows until the next answer
} SessionView;

/* Reads everything again; the engine is the caller's at that moment. */
void session_view_take(SessionView *self, const Engine *engine);
/* While a run is on: an event of it. */
void session_view_note(SessionView *self, const json_t *event);
/* {"tokens","contextWindow","percent"}; null where no one knows. New reference. */
json_t *session_view_context_usage(const SessionView *self, int64_t window);
void session_view_clear(SessionView *self);
