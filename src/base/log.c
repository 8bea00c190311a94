/*
 * Lines for people on standard error. The first use reads KEDGE_LOG.
 */
#include "base/log.h"

#include "base/env.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "base/visible.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define LEVEL_UNSET (-1)
#define LINE_BYTES  ((size_t)16 * 1024)

static atomic_int log_level = LEVEL_UNSET;
static _Atomic(LogWriter) log_writer;

static void read_initial_level(void)
{
    const char *name = env_get("LOG");
    int level = LOG_WARNING;
    if (name && g_ascii_strcasecmp(name, "debug") == 0)
        level = LOG_DEBUG;
    else if (name && g_ascii_strcasecmp(name, "info") == 0)
        level = LOG_INFO;
    int unset = LEVEL_UNSET; // a level that was set explicitly stays
    atomic_compare_exchange_strong(&log_level, &unset, level);
}

static bool is_shown(LogLevel level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_initial_level);
    return (int)level >= atomic_load(&log_level);
}

/* A server or a file can have names of any length. Caller frees. */
static char *bounded_lines(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *at = text; *at;) {
        size_t size = strcspn(at, "\n");
        size_t kept = size > LINE_BYTES ? utf8_boundary_before(at, size, LINE_BYTES) : size;
        g_string_append_len(out, at, (gssize)kept);
        g_string_append_printf(out, "%s%s", kept < size ? "…" : "", at[size] ? "\n" : "");
        at += size + (at[size] ? 1 : 0);
    }
    return g_string_free(out, FALSE);
}

/* Everything that a person reads on standard error passes here. */
G_GNUC_PRINTF(2, 0)
static void write_text(const char *prefix, const char *format, va_list args)
{
    g_autofree char *text = g_strdup_vprintf(format, args);
    g_autofree char *redacted = redact_text(text);
    g_autofree char *bounded = bounded_lines(redacted);
    g_autofree char *shown = visible_lines(bounded);
    LogWriter writer = atomic_load(&log_writer);
    g_autofree char *line = g_strconcat(prefix, shown, writer ? "" : "\n", NULL);
    if (writer) {
        writer(line);
        return;
    }
    // no one could be told that this failed
    ssize_t ignored G_GNUC_UNUSED = write(STDERR_FILENO, line, strlen(line));
}

void log_set_level(LogLevel level)
{
    atomic_store(&log_level, (int)level);
}

void log_set_writer(LogWriter writer)
{
    atomic_store(&log_writer, writer);
}

void log_debug(const char *format, ...)
{
    if (!is_shown(LOG_DEBUG))
        return;
    va_list args;
    va_start(args, format);
    write_text("debug: ", format, args);
    va_end(args);
}

void log_info(const char *format, ...)
{
    if (!is_shown(LOG_INFO))
        return;
    va_list args;
    va_start(args, format);
    write_text("info: ", format, args);
    va_end(args);
}

void log_warning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_text("Warning: ", format, args);
    va_end(args);
}

void log_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_text("Error: ", format, args);
    va_end(args);
}

void log_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_text("", format, args);
    va_end(args);
}
