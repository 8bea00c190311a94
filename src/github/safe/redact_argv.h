/*
 * Secrets and private text out of the arguments of a gh call (gh-policy §8.2). Pure.
 *
 * It goes by what each element means to gh, since `-b` is a body here and a branch there; the
 * parse of the command line tells. Elements that the parse does not know are judged by the long
 * names of flags alone.
 */
#pragma once

#include "github/classify/command_parse.h"

typedef enum {
    REDACT_RECORD,  // for records, messages and logs: secrets and private text masked
    REDACT_DISPLAY, // for the person who is asked: private text shown
} RedactMode;

/* `args` is the parse of this very vector; NULL: not parsed. Caller frees with g_strfreev(). */
char **redact_argv(const char *const *argv, const CommandArgs *args, RedactMode mode);

/* The values that are masked as secrets in either mode, for redact_text_with(): gh repeats its
   arguments in errors. NULL-terminated; caller frees with g_strfreev(). */
char **redact_argv_secrets(const char *const *argv, const CommandArgs *args);
