/*
 * What the owner of a conversation sees of it: the messages told so far and the session's name,
 * kept apart from what the run works on, so that a snapshot never waits for the run.
 *
 * Belongs to the owner's thread.
 */
#pragma once

#include "conversation/engine.h"

typedef struct SessionView {
    Engine *engine;      // borrowed
    json_t *messages;    // NULL: no one has asked for them
    json_t *last_answer; // NULL: none
    json_t *header;
    char *path; // NULL: in memory only
    bool is_compacting;
    int64_t context_tokens; // -1: no one knows until the next answer
} SessionView;

/* Reads everything again; the engine is the caller's at that moment. */
void session_view_take(SessionView *self, Engine *engine);
/* The messages so far, borrowed. The first call since the last take needs the engine, too: it comes
   before a job at the latest. */
json_t *session_view_messages(SessionView *self);
/* What is to be said without reading all of them: their heads in the session (NULL: they are read),
   how many there are, and the last ones with the number of those before. */
GPtrArray *session_view_heads(const SessionView *self);
size_t session_view_count(SessionView *self);
json_t *session_view_newest(SessionView *self, size_t count, size_t *ret_before);
/* While a run is on: an event of it. */
void session_view_note(SessionView *self, const json_t *event);
/* {"tokens","contextWindow","percent"}; null where no one knows. New reference. */
json_t *session_view_context_usage(const SessionView *self, int64_t window);
void session_view_clear(SessionView *self);
