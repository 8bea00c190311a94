/*
 * Asking a model about a diff until its answer can be used: one that cannot goes back with what is
 * wrong with it. Blocks; for a worker.
 */
#pragma once

#include "agent/summary.h"

#define DIFF_ATTEMPTS 3

typedef struct DiffQuestion { // all borrowed
    const SummaryContext *model;
    const char *system;  // what the model is to be
    const char *diff;    // as diff_digest() gives it
    const char *recent;  // subjects of earlier commits, a line each; NULL
    const char *context; // the person's own word; NULL
    const char *task;
    int64_t answer_tokens, reserve_tokens;
    /* USAGE says what is wrong with the answer, for the model; other errors end it. */
    bool (*take)(void *data, const char *answer, GError **error);
    void *data;
} DiffQuestion;

/* True: an answer was taken, or *ret_problem (caller frees; else NULL) says what is wrong with the
   last one. */
bool diff_question_ask(const DiffQuestion *self, Cancel *cancel, char **ret_problem,
                       GError **error);
