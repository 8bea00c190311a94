/*
 * JSON façade over jansson: bounded, sanitised, with autoptr.
 *
 * Every string that goes in is made valid UTF-8 first, so that building a value never fails.
 * Parsing accepts what jansson does, and besides: lone surrogates and \u0000 become U+FFFD,
 * integers beyond 64 bits become doubles, the last of duplicate keys wins (common §9).
 * Thread safety: a json_t may be read by several threads, changed by one that has it alone.
 */
#pragma once

#include "base/error.h"

#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

void json_free(void *value); // json_decref(), for containers

/* One document, nothing after it. PROTOCOL ("line 1 column 2: …") or LIMIT. */
bool json_parse(const char *text, size_t size, json_t **ret_value, GError **error);
/* *ret_is_mended: what was no text in it (bytes, lone surrogates) became U+FFFD. */
bool json_parse_mended(const char *text, size_t size, json_t **ret_value, bool *ret_is_mended,
                       GError **error);
bool json_parse_text(const char *text, json_t **ret_value, GError **error);
/* Bounded by LIMIT_CONFIG_FILE_BYTES; errors name path and line. */
bool json_read_file(const char *path, json_t **ret_value, GError **error);

/* Also parses a scalar at top level; never fails on valid values. Caller frees the text. */
char *json_to_text(const json_t *value);   // compact, key order kept
char *json_to_pretty(const json_t *value); // two spaces
char *json_to_indented(const json_t *value, unsigned blanks);
char *json_to_canonical(const json_t *value); // compact, keys sorted: equal for equal values

/* Strings made valid first; NULL text gives JSON null. New reference. */
json_t *json_text(const char *text);
json_t *json_text_n(const char *text, size_t size);
/* Sets obj[key] unless `text` is NULL. */
void json_set_text(json_t *object, const char *key, const char *text);
void json_set_int(json_t *object, const char *key, gint64 value);
void json_set_bool(json_t *object, const char *key, bool value);
/* Takes the reference `value`; NULL is ignored. */
void json_set_take(json_t *object, const char *key, json_t *value);
void json_append_take(json_t *array, json_t *value);

/*
 * An object of the members that `format` names, each with the conversion of its value as printf()
 * has it: json_make("path:%s line:%zu is_new:%i", …). Texts are %s, booleans %i, numbers %d %u
 * %zu %jd, and %p is a json_t, whose reference is taken. NULL is left out. With ? after it a text
 * that is NULL becomes null, and a number or boolean is left out when it is 0 or false. New
 * reference.
 */
json_t *json_make(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* The same members, set in an object that there is. */
void json_add(json_t *object, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Readers tolerate a NULL or non-object `object`. Borrowed results. */
const char *json_get_text(const json_t *object, const char *key); // NULL when no string
gint64 json_get_int(const json_t *object, const char *key,
                    gint64 fallback); // also from a whole double
double json_get_number(const json_t *object, const char *key, double fallback);
bool json_get_bool(const json_t *object, const char *key, bool fallback);
json_t *json_get_array(const json_t *object, const char *key);  // NULL when no array
json_t *json_get_object(const json_t *object, const char *key); // NULL when no object
/* Walks dotted keys: json_get_path(v, "a.b.c"). */
json_t *json_get_path(const json_t *object, const char *dotted);

/* Each item of an array, each member of an object; NULL has none. The loop declares what it names:
   `size_t i` and `json_t *item`, `const char *key` and `json_t *value`. `break` and `continue` work
   as in any loop: the inner `for` runs once, and clears what would end the outer one. */
#define json_each(array, i, item)                                                                  \
    for (size_t i = 0, item##_ends = 0; !item##_ends && i < json_array_size(array); i++)           \
        for (json_t *item = (item##_ends = 1, json_array_get(array, i)); item;                     \
             item = NULL, item##_ends = 0)
#define json_each_member(object, key, value)                                                       \
    for (const char *key = json_key_after(object, NULL), *value##_ends = NULL; key;                \
         key = value##_ends ? NULL : json_key_after(object, key))                                  \
        for (json_t *value = json_object_iter_value(json_object_key_to_iter(value##_ends = key));  \
             value; value = NULL, value##_ends = NULL)

/* For json_each_member(): the key after `key` in the object, the first after NULL. */
static inline const char *json_key_after(const json_t *object, const char *key)
{
    json_t *whole = (json_t *)object;
    return json_object_iter_key(key ? json_object_iter_next(whole, json_object_key_to_iter(key))
                                    : json_object_iter(whole));
}
