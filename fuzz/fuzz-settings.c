/*
 * Settings files as an outsider could write them: read, migrated, and changed in place. What was
 * set is there afterwards, what was removed is not, and nothing else has changed.
 */
#include "base/yaml.h"
#include "base/yaml_edit.h"
#include "tool/settings_migrate.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a text says, without the key; an empty one says {}. New reference. */
static json_t *rest_of(const char *text, size_t size, const char *key)
{
    json_t *value = NULL;
    if (!yaml_parse(text, size, NULL, &value, NULL))
        g_error("the result does not parse");
    if (!json_is_object(value)) {
        json_decref(value);
        value = json_object();
    }
    json_object_del(value, key);
    return value;
}

static void change(const char *text, size_t size, const char *const *path, const json_t *value)
{
    g_autofree char *result = NULL;
    if (!yaml_edit(text, size, "f", path, value, &result, NULL))
        return;
    g_autoptr(json_t) before = rest_of(text, size, path[0]);
    g_autoptr(json_t) after = rest_of(result, strlen(result), path[0]);
    if (!json_equal(before, after))
        g_error("another key has changed");
    g_autoptr(json_t) whole = NULL;
    yaml_parse(result, strlen(result), NULL, &whole, NULL);
    const json_t *there = whole;
    for (size_t i = 0; path[i]; i++)
        there = json_object_get(there, path[i]);
    if (value ? !json_equal(there, value) : there != NULL)
        g_error("what was asked for is not there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[][4] = {
        { "a", NULL },
        { "a", "b", NULL },
        { "a", "b", "c", NULL },
        { "d e", NULL },
    };
    static const char *const values[] = { "1", "\"x: #\"", "[1,\"a\"]", "{\"k\":{\"l\":true}}" };
    if (size < 2)
        return 0;
    const char *text = (const char *)data + 1;
    const char *const *path = paths[data[0] & 3];
    g_autoptr(json_t) value = NULL;
    json_parse_text(values[(data[0] >> 2) & 3], &value, NULL);
    change(text, size - 1, path, data[0] & 16 ? NULL : value);

    g_autoptr(json_t) layer = NULL;
    if (yaml_parse(text, size - 1, NULL, &layer, NULL) && json_is_object(layer))
        settings_migrate_fields(layer);
    return 0;
}
