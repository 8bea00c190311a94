/* See question_edit.h. */
#include "tool/question_edit.h"

#include "base/mask.h"
#include "base/str.h"

#include <string.h>

typedef struct Place {
    const char *key;
    size_t index;  // in an array of words, such as gh's
    size_t prefix; // of the word, before the text: "body="
} Place;

/* Where the word, which comes after `before`, holds such a text; *ret_prefix. */
static bool is_text_word(const char *before, const char *word, size_t *ret_prefix)
{
    static const char *const flags[] = { "--body",    "-b",        "--notes", "-n",
                                         "--comment", "--message", "-m",      NULL };
    static const char *const heads[] = { "body=", "--body=", "--notes=", "--comment=",
                                         "--message=" };
    *ret_prefix = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        if (str_has_prefix(word, heads[i]))
            *ret_prefix = strlen(heads[i]);
    }
    return *ret_prefix > 0 || (before && g_strv_contains(flags, before));
}

static const char *find_in_words(const json_t *arguments, Place *ret_place)
{
    const char *before = NULL;
    json_each (json_get_array(arguments, "args"), i, value) {
        const char *word = json_string_value(value);
        size_t prefix = 0;
        if (word && is_text_word(before, word, &prefix)) {
            *ret_place = (Place) { "args", i, prefix };
            return word + prefix;
        }
        before = word;
    }
    return NULL;
}

/* NULL: there is none, or a secret was masked in it, which a change would lose. */
static const char *find_text(const json_t *arguments, Place *ret_place)
{
    static const char *const keys[] = { "body", "content", "command", "code", "message", "text" };
    const char *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(keys) && !found; i++) {
        *ret_place = (Place) { .key = keys[i] };
        found = json_get_text(arguments, keys[i]);
    }
    if (!found)
        found = find_in_words(arguments, ret_place);
    return found && !strstr(found, MASK_TEXT) ? found : NULL;
}

const char *question_editable(const json_t *arguments)
{
    Place place;
    return find_text(arguments, &place);
}

json_t *question_edited(const json_t *arguments, const char *text)
{
    Place place;
    if (!find_text(arguments, &place))
        return NULL;
    json_t *edited = json_deep_copy(arguments), *words = json_get_array(edited, place.key);
    if (!words) {
        json_set_text(edited, place.key, text);
        return edited;
    }
    const char *word = json_string_value(json_array_get(words, place.index));
    g_autofree char *head = g_strndup(word, place.prefix);
    g_autofree char *whole = g_strconcat(head, text, NULL);
    json_array_set_new(words, place.index, json_text(whole));
    return edited;
}
