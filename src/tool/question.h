/*
 * What a person is asked before a call runs (gh-policy §5.4): the whole of it, since a yes to what
 * could not be seen is none, and a digest, by which the answer belongs to these arguments alone.
 */
#pragma once

#include "tool/call_private.h"

/* Of a question's text, which then ends with the file that has all of it. A door that draws a
   question has room for so much. */
#define QUESTION_MAX_BYTES ((size_t)200 * 1024)
#define QUESTION_MAX_LINES 5000

typedef struct Question {
    char *text;
    char *file;       // that has the whole text; NULL: `text` does
    bool is_own_file; // it goes with the question
} Question;

void question_clear(Question *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

/* `earlier`: what was refused and may be the same; `leaving`: private text that may leave its
   repository, in words; NULL: nothing. Fails when the whole text can be shown nowhere. */
bool question_make(const ToolCall *call, const Judgement *judgement, const char *earlier,
                   const char *leaving, Question *ret_question, GError **error);

/* Of the tool's name and the arguments that it gets, in hexadecimal digits. Caller frees. */
char *question_digest(const ToolCall *call);
