/*
 * The text of a call that a person may change before it runs: the body of a comment, the content of
 * a file, a command. What they make of it is another call, which is judged and asked about anew, so
 * that a yes is for what was shown (docs/security.md). Pure.
 */
#pragma once

#include "base/json.h"

/* The text in a call's arguments; NULL: there is none to be changed. Borrowed. */
const char *question_editable(const json_t *arguments);
/* Those arguments with `text` in its place. New reference; NULL: there is no place for it. */
json_t *question_edited(const json_t *arguments, const char *text);
