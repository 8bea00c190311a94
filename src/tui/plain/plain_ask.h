/*
 * Questions to a person, asked and answered in lines (tui §12, agent/questions.h): whether a call
 * may run, and what to choose. Pure.
 */
#pragma once

#include "base/json.h"

typedef enum {
    PLAIN_NO_ANSWER, // it says something else
    PLAIN_UNCLEAR,   // it is meant as one: a number that no option has
    PLAIN_ALLOWED,
    PLAIN_ALLOWED_SESSION, // and what its allowance says, from now on
    PLAIN_REFUSED,         // *ret_text: why, for the model; NULL: not said
    PLAIN_CHOSEN,          // *ret_text
    PLAIN_PASSED,          // the person does not choose
} PlainAnswer;

/* What is asked, and how it is answered, several lines; whoever wrote a part of it: it cannot
   disguise itself. `question` is the event. Caller frees. */
char *plain_ask_text(const json_t *question);

/* What a line means as the answer. *ret_text is borrowed from the line or the question. */
PlainAnswer plain_ask_read(const json_t *question, const char *line, const char **ret_text);

/* How it is answered, in one line; constant. */
const char *plain_ask_help(const json_t *question);
