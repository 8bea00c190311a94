/*
 * A question on the terminal whose answer is not shown while it is typed: a key.
 */
#pragma once

#include "base/error.h"

typedef struct HiddenQuestion {
    const char *text;
    int64_t timeout_ms; // 0: waits for ever
    // What may answer instead of the person: looked at while `fd` is readable; -1: nothing.
    int fd;
    bool (*is_answered)(void *data);
    void *data;
} HiddenQuestion;

/* One line, without its end, at most LIMIT_API_KEY_BYTES. Blocks; `name` is for messages. */
bool ask_read_line(int fd, const char *name, GString *line, GError **error);

/* Puts it on the controlling terminal. `line` stays empty when something else answered. A signal
   that ends or stops kedge finds the terminal as it was before. */
bool ask_hidden(const HiddenQuestion *question, GString *line, GError **error);
