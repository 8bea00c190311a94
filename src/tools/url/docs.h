/*
 * The documents of this program, which are part of it (tools/embed makes a source file of docs/).
 * Constant; thread safe.
 */
#pragma once

#include <stddef.h>

typedef struct Document {
    const char *name; // "models.md", "agent-tools/task.md"
    const unsigned char *data;
    size_t size;
} Document;

extern const Document document_files[]; // by name; ends with one without a name
