/* See search_notes.h. */
#include "tools/file/search_notes.h"

#include "base/glob.h"
#include "base/str.h"
#include "base/utf8.h"

#include <string.h>

#define MAX_NAMES 5

typedef struct Reading {
    char *base, *glob; // the glob as a model can ask for it
    GRegex *regex;
    unsigned matches;
    char *first;
} Reading;

static void reading_free(void *data)
{
    Reading *self = data;
    g_free(self->base);
    g_free(self->glob);
    g_regex_unref(self->regex);
    g_free(self->first);
    g_free(self);
}

void search_notes_clear(SearchNotes *self)
{
    g_clear_pointer(&self->readings, g_ptr_array_unref);
    g_clear_pointer(&self->hint, g_free);
    if (self->unread_names)
        g_string_free(self->unread_names, TRUE);
    *self = (SearchNotes) { 0 };
}

void search_notes_add_unread(SearchNotes *self, const char *path)
{
    if (!self->unread_names)
        self->unread_names = g_string_new(NULL);
    g_autofree char *valid = g_strdelimit(utf8_from_bytes(path, strlen(path)), "\n\r\t", '?');
    if (self->unread++ < MAX_NAMES)
        g_string_append_printf(self->unread_names, "%s%s", self->unread > 1 ? ", " : "", valid);
}

static const Reading *search_notes_best(const SearchNotes *self)
{
    for (unsigned i = 0; self->readings && i < self->readings->len; i++)
        if (((const Reading *)self->readings->pdata[i])->matches > 0)
            return self->readings->pdata[i];
    return NULL;
}

bool search_notes_has_hint(const SearchNotes *self)
{
    return self->hint || search_notes_best(self);
}

static void search_notes_add_reading(SearchNotes *self, const char *base, const char *glob)
{
    GRegex *regex = NULL;
    if (!self->readings)
        self->readings = g_ptr_array_new_with_free_func(reading_free);
    if (!glob_compile(glob, &regex, NULL))
        return;
    Reading *reading = g_new0(Reading, 1);
    reading->base = g_strdup(base);
    reading->glob = *base ? g_build_filename(base, glob, NULL) : g_strdup(glob);
    reading->regex = regex;
    g_ptr_array_add(self->readings, reading);
}

/* With a backslash before every bracket that has none. Caller frees. */
static char *escape_brackets(const char *glob)
{
    GString *out = g_string_new(NULL);
    for (const char *p = glob; *p; p++) {
        if (*p == '[' || *p == ']')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *p);
        if (*p == '\\' && p[1])
            g_string_append_c(out, *++p);
    }
    return g_string_free(out, FALSE);
}

void search_notes_add_glob(SearchNotes *self, const char *base, const char *glob)
{
    if (search_notes_has_hint(self))
        return;
    g_clear_pointer(&self->readings, g_ptr_array_unref);
    glob += str_has_prefix(glob, "./") ? 2 : 0;
    g_autofree char *escaped = strchr(glob, '[') ? escape_brackets(glob) : NULL;
    if (escaped)
        search_notes_add_reading(self, base, escaped);
    if (!strchr(glob, '/') || strchr("/~", *glob) || str_has_prefix(glob, "**/"))
        return;
    g_autofree char *deep = g_strconcat("**/", glob, NULL);
    g_autofree char *both = escaped ? g_strconcat("**/", escaped, NULL) : NULL;
    search_notes_add_reading(self, base, deep);
    if (both)
        search_notes_add_reading(self, base, both);
}

void search_notes_try(SearchNotes *self, const char *path)
{
    if (!self->readings)
        return;
    g_autofree char *valid = utf8_from_bytes(path, strlen(path));
    for (unsigned i = 0; i < self->readings->len; i++) {
        Reading *reading = self->readings->pdata[i];
        if (!g_regex_match(reading->regex, valid, 0, NULL))
            continue;
        if (reading->matches++ == 0)
            reading->first =
                *reading->base ? g_build_filename(reading->base, valid, NULL) : g_strdup(valid);
        return;
    }
}

void search_notes_append(const SearchNotes *self, bool is_empty, GString *out)
{
    const Reading *best = is_empty ? search_notes_best(self) : NULL;
    if (best)
        g_string_append_printf(out, "\nThe glob %s would match %u %s, such as %s", best->glob,
                               best->matches, best->matches == 1 ? "file" : "files", best->first);
    else if (is_empty && self->hint)
        g_string_append_printf(out, "\n%s", self->hint);
    if (self->unread == 0)
        return;
    g_string_append_printf(out, "%sSkipped, because it cannot be read: %s",
                           is_empty ? "\n" : "\n\n", self->unread_names->str);
    if (self->unread > MAX_NAMES)
        g_string_append_printf(out, " and %u more", self->unread - MAX_NAMES);
}
