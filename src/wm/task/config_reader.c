/* See config_reader.h. */
#include "wm/task/config_reader.h"

void config_fail(ConfigReader *self, const char *name, const char *text)
{
    wm_note(self->problems, WM_KEY(name), "%s: %s", name, text);
}

// A map on the way that is none is the error, with its own name.
const json_t *config_value(ConfigReader *self, const char *name)
{
    g_auto(GStrv) keys = g_strsplit(name, ".", -1);
    g_autoptr(GString) walked = g_string_new(NULL);
    const json_t *value = self->root;
    for (char **key = keys; *key; key++) {
        if (!json_is_object(value)) {
            config_fail(self, walked->str, "expected a map");
            return NULL;
        }
        value = json_object_get(value, *key);
        if (!value || json_is_null(value))
            return NULL;
        g_string_append_printf(walked, "%s%s", walked->len > 0 ? "." : "", *key);
    }
    return value;
}

bool config_is_given(ConfigReader *self, const char *name)
{
    return config_value(self, name) != NULL;
}

char *config_text(ConfigReader *self, const char *name, const char *fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_string(value))
        config_fail(self, name, "expected a string");
    return g_strstrip(g_strdup(json_is_string(value) ? json_string_value(value) : fallback));
}

int64_t config_int(ConfigReader *self, const char *name, int64_t fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_integer(value))
        config_fail(self, name, "expected an integer");
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double config_number(ConfigReader *self, const char *name, double fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_number(value))
        config_fail(self, name, "expected a number");
    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool config_bool(ConfigReader *self, const char *name, bool fallback)
{
    const json_t *value = config_value(self, name);
    if (value && !json_is_boolean(value))
        config_fail(self, name, "expected true or false");
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

json_t *config_texts(ConfigReader *self, const char *name, bool allows_text)
{
    const json_t *value = config_value(self, name);
    json_t *texts = json_array();
    g_autoptr(json_t) one = allows_text && json_is_string(value) ? json_pack("[O]", value) : NULL;
    const json_t *list = one ? one : value;
    const char *wanted =
        allows_text ? "expected a list of strings, or one string" : "expected a list of strings";
    if (list && !json_is_array(list))
        config_fail(self, name, wanted);
    json_each (list, index, item) {
        if (!json_is_string(item))
            config_fail(self, name, wanted);
        const char *written = json_string_value(item);
        g_autofree char *text = g_strstrip(g_strdup(written ? written : ""));
        if (*text)
            json_append_take(texts, json_text(text));
    }
    return texts;
}

json_t *config_maps(ConfigReader *self, const char *name)
{
    const json_t *value = config_value(self, name);
    bool is_good = !value || json_is_array(value);
    json_each (value, index, item)
        is_good = is_good && json_is_object(item);
    if (!is_good)
        config_fail(self, name, "expected a list of maps");
    return value && is_good ? json_deep_copy(value) : json_array();
}
