/*
 * Standard error, for people: nothing else in the program writes to it. Secrets leave the text
 * (base/redact.h), and what could command a terminal or disguise itself is made visible
 * (base/visible.h), whoever wrote it.
 *
 * Diagnostics are off unless KEDGE_LOG=debug|info. The level and the writer are writable globals of
 * the program.
 * Thread safe: a text is one write(). A program that is not ours (libkedge) takes the lines
 * instead.
 */
#pragma once

#include <glib.h>

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARNING } LogLevel;

void log_set_level(LogLevel level);
/* Where lines go in place of standard error; `line` has no line end and is borrowed. */
typedef void (*LogWriter)(const char *line);
void log_set_writer(LogWriter writer);
void log_debug(const char *format, ...) G_GNUC_PRINTF(1, 2);
void log_info(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Prints `Warning: …`: the work goes on. */
void log_warning(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Prints `Error: …`: the program ends. */
void log_error(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Without a prefix: progress, usage, a whole text of others. LF is added. */
void log_text(const char *format, ...) G_GNUC_PRINTF(1, 2);
