/*
 * One live stream of Arcade (agent-tools-cli §5.7): the feed as text/event-stream.
 *
 * It begins with a block of an id alone, the place in the feed where it stands, so that a client
 * that saw no event yet can resume too; the comment of every 15 s carries such an id as well. An
 * event is `id: N`, `event: TYPE`, `data: {…}`; data holds runId and docId where there are such.
 * After `reset` (data {}) the client reads its lists again. A stream that resumes says first what
 * it missed.
 */
#pragma once

#include "arcade/reply.h"
#include "arcade/request.h"

#define STREAM_MAX        32
#define STREAM_COMMENT_MS (15 * 1000)

/* The source of `reply`, from the query's runId and the header Last-Event-ID. 429 when there are
   too many. */
bool stream_begin(const ArcadeRequest *request, ArcadeReply *reply, GError **error);
