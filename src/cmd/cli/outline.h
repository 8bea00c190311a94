/*
 * The command line as a tree, made of the tables of commands, options, tools and operations: what
 * completion scripts and manual pages are printed from. Texts are borrowed from the tables unless
 * said otherwise.
 */
#pragma once

#include "cmd/cli/cmd.h"

struct Outline {
    char *path; // "gh exec", owned; "" for the program
    char *name; // its last word, owned
    const char *summary, *usage, *help;
    GPtrArray *fields;   // of const FieldDef *: the flags that a person may give
    GPtrArray *words;    // of const char *: what its first argument may be, apart from children
    GPtrArray *children; // of Outline *, owned
};

/* The program: the options of `launch`, and the commands that are not hidden, sorted by name. */
Outline *outline_new(const CommandEnv *env);
void outline_free(Outline *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Outline, outline_free)

/* Borrowed; a new child below `self`, which has --help alone. */
Outline *outline_add(Outline *self, const char *name, const char *summary);
Outline *outline_find(const Outline *self, const char *name); // a child, or NULL
/* Those of `fields` that are not hidden, not there yet and not named in `except` (NULL: none). */
void outline_add_fields(Outline *self, const FieldDef *fields, const char *const *except);
/* `self` and all below it, in order. Caller frees the array. */
GPtrArray *outline_flatten(const Outline *self);
