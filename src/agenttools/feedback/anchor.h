/*
 * Anchors (agent-tools-cli §5.1): where an annotation sits in a text, and finding the place again
 * after the text changed. Pure; thread safe.
 *
 * Offsets count Unicode code points in the text with CRLF read as LF and without a byte-order mark
 * at its start; the end is exclusive. Lines count from 1.
 */
#pragma once

#include "base/json.h"

/* Is `anchor` one that agent-tools-cli §5.1 knows? Otherwise VALIDATION (answer.h), naming what is
 * wrong. */
bool anchor_check(const json_t *anchor, GError **error);

typedef struct AnchorPlace {
    json_t *anchor; // with the offsets found; the old one when it is an orphan. A hidden-anchor
                    // that is found becomes a line anchor, for showing
    int64_t line, end_line; // 0: an orphan, or no place in the text
    bool is_orphaned;
} AnchorPlace;

void anchor_place_clear(AnchorPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AnchorPlace, anchor_place_clear)

/* A text prepared for many anchors; one thread at a time. What all its anchors may cost together is
   bounded: past that, those that moved count as orphans, this time. */
typedef struct AnchorText AnchorText;

/* `text` is valid UTF-8 and copied. */
AnchorText *anchor_text_new(const char *text);
void anchor_text_free(AnchorText *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AnchorText, anchor_text_free)

/* For tests: how many bytes searching may look at, in place of some that take a second. */
void anchor_text_limit_search(AnchorText *self, int64_t bytes);

/* Places `anchor`; NULL or JSON null is the whole text. */
void anchor_text_locate(AnchorText *self, const json_t *anchor, AnchorPlace *ret_place);
