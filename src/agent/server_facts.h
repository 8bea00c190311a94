/*
 * What a server has taught of itself by refusing requests: the most bytes that it takes, and that
 * user and assistant have to take turns. A model is asked with what its server wants; the session
 * keeps it in custom entries "kedge.server", so that it is not refused again.
 *
 * Belongs to the prompting thread; server_facts_model() may be asked for by its helpers meanwhile.
 */
#pragma once

#include "model/model.h"
#include "session/session.h"

typedef struct ServerFacts ServerFacts;

ServerFacts *server_facts_new(void);
void server_facts_free(ServerFacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ServerFacts, server_facts_free)

/* The model with what is known of its server (compat.maxRequestBytes, compat.strictAlternation);
   `model` itself when nothing is. Borrowed until more is known of it. */
const Model *server_facts_model(ServerFacts *self, const Model *model);
/* The most bytes of a request to it; 0: not known. */
size_t server_facts_max_bytes(const ServerFacts *self, const Model *model);

/* A request of so many bytes was too large, as `problem` says; one of `taken` (0: none) was not.
   The limit from now on, which is a guess where none is named; 0: there is none that one could live
   with. */
size_t server_facts_refused(ServerFacts *self, const Model *model, size_t bytes, size_t taken,
                            const char *problem);
/* The server wants them to take turns. False: that was known. */
bool server_facts_set_alternating(ServerFacts *self, const Model *model);
/* That was not it. */
void server_facts_clear_alternating(ServerFacts *self, const Model *model);

/* A request of so many bytes was answered. True: with something that the session has not known, and
   has now. */
bool server_facts_answered(ServerFacts *self, const Model *model, size_t bytes, Session *session);
/* All that is known, once more: a compaction comes, which hides what was noted. */
void server_facts_note(const ServerFacts *self, Session *session);
/* From the entries (json_t *) of a session. What is known already stays. */
void server_facts_load(ServerFacts *self, const GPtrArray *path);
