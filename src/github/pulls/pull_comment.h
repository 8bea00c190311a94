/*
 * What GitHub takes of a review: its limits, a comment's form, and what its events are called.
 * Pure.
 */
#pragma once

#include "github/pulls/diff_places.h"

#define PULL_MAX_BODY_CHARS 65536 // for one comment or body

/* Puts into `object` what makes a comment on lines, or on the whole file (line 0), as REST wants
   it, or GraphQL. */
void pull_comment_fill(json_t *object, const DiffSpot *spot, const char *body, bool to_graphql);

/* The text with a suggestion for its lines, NULL: none. Its fence is longer than any in the texts.
   `body` may be NULL with one. Caller frees. */
char *pull_comment_text(const char *body, const char *suggestion);

/* Can it be commented there? As diff_places_find(), for whole files also. */
DiffPlace pull_comment_place(const DiffPlaces *places, const DiffSpot *spot, int64_t *ret_nearest);

/* "APPROVED" for "APPROVE"; NULL: there is no such event. */
const char *pull_event_state(const char *event);
