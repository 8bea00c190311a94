/*
 * The languages that kedge knows (agent-tools-cli §7.4), and how the language of a file is told:
 * by its name, then for files without extension by the first line `#!`, and where two languages
 * share an extension by the text. Constant tables; thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct Language Language;

const char *language_name(const Language *self); // "python"

/* By name; several rows may share one name (fixed-form Fortran): the first. NULL when unknown. */
const Language *language_find(const char *name);
/* NULL-terminated names, each once, in table order. Caller frees the array only (g_free). */
const char **language_names(void);

typedef enum {
    LANGUAGE_KNOWN,       // *ret_language is set, but the text may tell it better
    LANGUAGE_UNSUPPORTED, // no text can make it known
    LANGUAGE_IN_TEXT,     // no extension: the first line tells
} LanguageByName;

/* `path` in any encoding; only its last part counts. */
LanguageByName language_by_name(const char *path, const Language **ret_language);
/* With the text at hand. NULL: unsupported. */
const Language *language_detect(const char *path, const char *text, size_t size);
