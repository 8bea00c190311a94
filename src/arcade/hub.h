/*
 * The one thread that looks for changes while somebody listens: every 250 ms whether another
 * connection changed the database, and at once when an artifact's file changes (watch.h). It wakes
 * the streams, which then read the feed. With no one listening it sleeps.
 */
#pragma once

#include "arcade/store.h"

#define HUB_POLL_MS 250

typedef struct Hub Hub;

bool hub_start(Store *store, Hub **ret_hub, GError **error);
void hub_stop(Hub *self); // the thread has ended after this; listeners may still leave
void hub_free(Hub *self); // no one listens
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Hub, hub_free)

/* A descriptor (an eventfd, readable at first) that becomes readable when there may be something
   new: read it before looking. -1 when `max` listen already, or there are no descriptors left. */
int hub_join(Hub *self, unsigned max);
void hub_leave(Hub *self, int fd);

/* A document that somebody looks at: its file is watched however old it is. */
void hub_look_at(Hub *self, const char *doc_id);
