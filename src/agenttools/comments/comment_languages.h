/*
 * The languages of comment-extract (agent-tools-cli §7.4), and how the language of a file is told:
 * by its name, then for files without extension by the first line `#!`, and where two languages
 * share an extension by the text. Constant tables; thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct CommentLanguage CommentLanguage;

const char *comment_language_name(const CommentLanguage *self); // "python"

/* By name; several rows may share one name (fixed-form Fortran): the first. NULL when unknown. */
const CommentLanguage *comment_language_find(const char *name);
/* NULL-terminated names, each once, in table order. Caller frees the array only (g_free). */
const char **comment_language_names(void);

typedef enum {
    LANGUAGE_KNOWN,       // *ret_language is set, but the text may tell it better
    LANGUAGE_UNSUPPORTED, // no text can make it known
    LANGUAGE_IN_TEXT,     // no extension: the first line tells
} LanguageByName;

/* `path` in any encoding; only its last part counts. */
LanguageByName comment_language_by_name(const char *path, const CommentLanguage **ret_language);
/* With the text at hand. NULL: unsupported. */
const CommentLanguage *comment_language_detect(const char *path, const char *text, size_t size);
