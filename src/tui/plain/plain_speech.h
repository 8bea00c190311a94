/*
 * A conversation said line by line (tui §12): every line is written once and ends; nothing moves
 * the cursor, nothing has a colour. What a screen reader, a log or a terminal that can do nothing
 * else is told of the events of agent-core §3.9.
 *
 * Lines are clean: no control characters but TAB, known secrets masked. One thread at a time.
 */
#pragma once

#include "base/json.h"

typedef struct PlainSpeech PlainSpeech;

/* `line` has no end, and is borrowed. */
typedef void (*SpeechFunc)(const char *line, void *user_data);

PlainSpeech *plain_speech_new(SpeechFunc func, void *user_data);
void plain_speech_free(PlainSpeech *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlainSpeech, plain_speech_free)

/* How many last lines of what a call gave are said when it has ended; 0 at first. */
void plain_speech_set_output_lines(PlainSpeech *self, int lines);

/* An event; those that say nothing to a person are passed over. */
void plain_speech_event(PlainSpeech *self, const json_t *event);

/* Text of ours or of others, in as many lines as it has. */
void plain_speech_say(PlainSpeech *self, const char *text);

/* The last messages of a conversation that goes on; an array of messages. */
void plain_speech_replay(PlainSpeech *self, const json_t *messages);

/* What the last call gave, or the last command of the person; NULL: nothing. Borrowed. */
const char *plain_speech_last_output(const PlainSpeech *self);
void plain_speech_set_last_output(PlainSpeech *self, const char *text);
