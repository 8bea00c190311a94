/*
 * Cancellation: one token per piece of work that a user can stop.
 *
 * Every function that can block takes a Cancel * and returns KEDGE_ERROR_CANCELLED soon after
 * the token fires. Tokens form a tree: firing a parent fires its children. A NULL token never
 * fires. Thread safe. A fired token stays fired; make a new one for the next piece of work.
 */
#pragma once

#include "base/error.h"

typedef struct Cancel Cancel;

/* `parent` may be NULL; the child keeps a reference to it. */
Cancel *cancel_new(Cancel *parent);
/* Fires by itself when the time is over. Only this token does: children made of it fire with the
   parent, not with its clock. */
Cancel *cancel_new_timed(Cancel *parent, gint64 timeout_ms);
/* Its time is over. */
bool cancel_is_late(Cancel *self);
Cancel *cancel_ref(Cancel *self);
void cancel_unref(Cancel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cancel, cancel_unref)

void cancel_fire(Cancel *self);
bool cancel_has_fired(Cancel *self);

/* For poll(): becomes readable when the token fires and stays so. Never read it. -1 for NULL. */
int cancel_fd(Cancel *self);

/* False with KEDGE_ERROR_CANCELLED ("operation aborted") when the token has fired. */
bool cancel_check(Cancel *self, GError **error);

/* Sleeps; false with KEDGE_ERROR_CANCELLED as soon as the token fires. */
bool cancel_sleep(Cancel *self, gint64 duration_ms, GError **error);
