/*
 * Diagnostics on standard error, for people. Off but for warnings unless KEDGE_LOG=debug|info.
 *
 * The level is the program's one writable global. Thread safe: a line is one write(). Callers
 * never log secrets; texts from outside pass redact_text() (base/redact.h) first.
 */
#pragma once

#include <glib.h>

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARNING } LogLevel;

void log_set_level(LogLevel level);
void log_debug(const char *format, ...) G_GNUC_PRINTF(1, 2);
void log_info(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Prints `Warning: …`. */
void log_warning(const char *format, ...) G_GNUC_PRINTF(1, 2);
