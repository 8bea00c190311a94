/*
 * What a person does not see of a text: characters without a shape and those that turn the
 * direction of writing, and, in what GitHub shows as Markdown, comments and other texts that are
 * not on the page. A model that reads such a text must not get more than a person who looks at it
 * (safety §2.3). Pure; thread safe; linear.
 */
#pragma once

#include "base/json.h"

/* It has no shape of its own, or turns the direction of writing: Unicode's default-ignorable
   characters, annotations, what is no character, the private planes. */
bool hidden_is(gunichar c);
/* A joiner or a variation selector that changes how its neighbours look: in an emoji of several, in
   scripts whose letters join. 0: no neighbour. */
bool hidden_is_read(gunichar before, gunichar c, gunichar after);

typedef enum {
    HIDDEN_IN_LINE,      // a title, a name, plain text: GitHub shows a comment in it
    HIDDEN_IN_MARKDOWN,  // a body: comments go, but those in code, which are seen
    HIDDEN_IN_CODE,      // a diff, a file, a log: nothing goes, characters become \u202e
    HIDDEN_AMONG_OTHERS, // texts of several people in one, or one that was cut: what looks like
                         // code in it may be another's doing, so comments go everywhere
} HiddenPlace;

typedef struct HiddenCount { // what was removed; adds up over several texts
    size_t characters, comments;
    size_t texts;      // that stand for an image, titles, attributes, elements that are `hidden`
    size_t long_bytes; // of comments of several lines in texts of several people
} HiddenCount;

/* The text without what is hidden in it. A comment that nothing ends reaches the end of the text.
   Caller frees. */
char *hidden_remove(const char *text, HiddenPlace place, HiddenCount *count);
/* The same of each string in an answer of GitHub, by the key that it is under: titles, names and
   paths are lines, diffs and contents code, all else Markdown. New reference; `value` itself where
   nothing was hidden. */
json_t *hidden_remove_json(json_t *value, HiddenCount *count);

/* "3 invisible characters and 1 HTML comment and 2 hidden texts (…) removed"; says what may be lost
 * with it. NULL when nothing was. Caller frees. */
char *hidden_notice(const HiddenCount *count);
