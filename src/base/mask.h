/*
 * Known secrets out of text (common §10 rule 4): every value of base/secrets.h becomes
 * [REDACTED], plain and in its base64 (three alignments), URL-encoded, JSON-escaped and hexadecimal
 * forms, also where a line was broken inside.
 *
 * One pass over the text for all values at once; without known values nothing is looked at. Texts
 * may be JSON: what is cut out never leaves half an escape behind. Thread safe; a filter belongs to
 * one thread at a time.
 */
#pragma once

#include "base/json.h"

#include <glib.h>

#define MASK_TEXT "[REDACTED]"

/* One whole text. Caller frees. */
char *mask_text(const char *text);
/* Is a known value in it? */
bool mask_finds(const char *text, size_t size);
/* In any of its strings, keys left aside? */
bool mask_finds_in_json(const json_t *value);
/* A new reference: `value` itself when it holds no known value, else a copy with the strings masked
   (keys of objects stay). */
json_t *mask_json(json_t *value);

/* Text that comes in pieces: what may be the beginning of a known value waits for the rest of it.
   Pieces of whole characters come out as whole characters. */
typedef struct MaskFilter MaskFilter;

MaskFilter *mask_filter_new(void);
void mask_filter_free(MaskFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MaskFilter, mask_filter_free)

/* Appends to `out`. */
void mask_filter_push(MaskFilter *self, const char *text, size_t size, GString *out);
void mask_filter_finish(MaskFilter *self, GString *out);
