/* See json_whole.h. */
#include "github/json_whole.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define ITEM_DEPTH 2 // [item, …] and {"items": [item, …]}

typedef struct Scan {
    size_t depth;
    char closers[ITEM_DEPTH + 1]; // of the outermost ones
    bool is_in_string, is_escaped;
    size_t end; // after the last whole item; 0: none yet
    char end_closers[ITEM_DEPTH + 1];
} Scan;

static void note_item(Scan *self, size_t end)
{
    self->end = end;
    memset(self->end_closers, 0, sizeof self->end_closers);
    for (size_t i = 0; i < self->depth; i++)
        self->end_closers[i] = self->closers[self->depth - 1 - i];
}

static void scan_structure(Scan *self, char c, size_t at)
{
    if (c == '[' || c == '{') {
        if (self->depth < ITEM_DEPTH)
            self->closers[self->depth] = c == '[' ? ']' : '}';
        self->depth++;
    } else if ((c == ']' || c == '}') && self->depth > 0) {
        self->depth--;
        if (self->depth == 0)
            note_item(self, at + 1);
    } else if (c == ',' && self->depth > 0 && self->depth <= ITEM_DEPTH) {
        note_item(self, at);
    }
}

char *json_whole(const char *text)
{
    Scan scan = { 0 };
    const char *start = text + strspn(text, " \t\r\n");
    if (*start != '[' && *start != '{')
        return NULL;
    for (const char *p = start; *p; p++) {
        if (scan.is_in_string) {
            scan.is_in_string = scan.is_escaped || *p != '"';
            scan.is_escaped = !scan.is_escaped && *p == '\\';
        } else if (*p == '"') {
            scan.is_in_string = true;
        } else {
            scan_structure(&scan, *p, (size_t)(p - text));
        }
    }
    return scan.end > 0 ? g_strdup_printf("%.*s%s", (int)scan.end, text, scan.end_closers) : NULL;
}
