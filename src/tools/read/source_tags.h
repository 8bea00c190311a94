/*
 * Where the functions of a source text are: Universal Ctags, when it is installed (its package is
 * universal-ctags). The text goes to its standard input, in the mode in which it can open no file
 * and start nothing, and without any options that are not ours. Blocks; thread safe.
 */
#pragma once

#include "base/cancel.h"
#include "tools/read/source_bodies.h"

typedef struct SourceLanguage {
    const char *extensions;   // with a blank before and behind each
    const char *name, *kinds; // ctags' own, of what has a body
    SourceForm form;
} SourceLanguage;

/* By the extension of `path`; NULL: none whose functions have bodies that can be told. */
const SourceLanguage *source_language(const char *path);

/* Of SourceTag. NULL: there is no such ctags, or it failed, or took too long, or said too much.
   Caller unrefs. */
GArray *source_tags_read(const SourceLanguage *language, const char *text, Cancel *cancel);

/* What ctags has printed; pure. NULL: not all of it, or nothing that it would say. */
GArray *source_tags_parse(const char *output);
