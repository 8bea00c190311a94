/*
 * What the eval tool is to run (agent-tools §3.5): the cells of its text form, and the language
 * that code is written in. Pure; thread safe.
 *
 *   *** Cell py:"load" t:20s
 *   rows = load()
 *   *** Cell js rst
 *   1 + 1
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

#define EVAL_MAX_CELLS 100

typedef enum {
    EVAL_UNKNOWN,
    EVAL_PYTHON,
    EVAL_JS,
} EvalLanguage;

#define EVAL_LANGUAGES (EVAL_JS + 1)

const char *eval_language_name(EvalLanguage self);  // "python", "js"
const char *eval_language_title(EvalLanguage self); // "Python", "JavaScript"
EvalLanguage eval_language_parse(const char *name); // as in headers, any case

typedef struct EvalCell {
    char *code;
    char *title;           // NULL: none
    EvalLanguage language; // EVAL_UNKNOWN: not said
    int64_t timeout_ms;    // 0: not said
    bool resets;
} EvalCell;

EvalCell *eval_cell_new(const char *code, const char *title);
void eval_cell_free(EvalCell *self);

/* `ret_is_cut`: the text ends with `*** Abort`, and the cell before that is dropped. USAGE: a
   header that cannot be understood, or more than EVAL_MAX_CELLS. */
bool eval_input_parse(const char *text, GPtrArray **ret_cells, bool *ret_is_cut, GError **error);

/* By the marks of the code; EVAL_UNKNOWN: none, or those of both. */
EvalLanguage eval_sniff(const char *code);
