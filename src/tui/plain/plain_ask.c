/* See plain_ask.h. */
#include "tui/plain/plain_ask.h"

#include "base/mask.h"
#include "base/utf8.h"
#include "base/visible.h"

#define HELP_ALLOW "Answer y to run it this once, n to refuse, or n and the reason."
#define HELP_SESSION                                                                               \
    "Answer y to run it this once, s to allow that for this session, n to refuse, or n and the "   \
    "reason."
#define HELP_CHOOSE "Answer with a number, or in your own words; /pass for no answer."
#define HELP_TEXT   "Answer in a line; /pass for no answer."

static bool is_choice(const json_t *question)
{
    return json_get_text(question, "method") != NULL;
}

const char *plain_ask_help(const json_t *question)
{
    if (!is_choice(question))
        return json_get_text(question, "allowance") ? HELP_SESSION : HELP_ALLOW;
    return json_get_array(question, "options") ? HELP_CHOOSE : HELP_TEXT;
}

static void append_masked(GString *out, const char *text)
{
    g_autofree char *masked = mask_text(text ? text : "");
    visible_append_lines(out, masked);
}

char *plain_ask_text(const json_t *question)
{
    GString *out = g_string_new(is_choice(question) ? "Question: " : "May this run?\n");
    append_masked(out, json_get_text(question, is_choice(question) ? "title" : "text"));
    if (json_get_text(question, "allowance")) {
        g_string_append(out, "\nFor this session it would be: ");
        append_masked(out, json_get_text(question, "allowance"));
    }
    json_each (json_get_array(question, "options"), i, option) {
        g_string_append_printf(out, "\n  %zu. ", i + 1);
        append_masked(out, json_string_value(option));
    }
    g_string_append_printf(out, "\n%s", plain_ask_help(question));
    return g_string_free(out, FALSE);
}

/* The words after the first, when that is `word` in any case; NULL: it is another. */
static const char *behind_word(const char *line, const char *word)
{
    size_t size = strlen(word);
    if (g_ascii_strncasecmp(line, word, size) != 0 || (line[size] && !strchr(" \t,:.", line[size])))
        return NULL;
    return line + size + strspn(line + size, " \t,:.");
}

static PlainAnswer read_approval(const json_t *question, const char *line, const char **ret_text)
{
    const char *const session[] = { "s", "session" };
    const char *const yes[] = { "y", "yes" }, *const no[] = { "n", "no" };
    for (size_t i = 0; i < G_N_ELEMENTS(yes); i++) {
        const char *rest = behind_word(line, yes[i]);
        if (rest && *rest == '\0')
            return PLAIN_ALLOWED;
        rest = behind_word(line, session[i]);
        if (rest && *rest == '\0' && json_get_text(question, "allowance"))
            return PLAIN_ALLOWED_SESSION;
        rest = behind_word(line, no[i]);
        if (rest) {
            *ret_text = *rest ? rest : NULL;
            return PLAIN_REFUSED;
        }
    }
    return PLAIN_NO_ANSWER;
}

PlainAnswer plain_ask_read(const json_t *question, const char *line, const char **ret_text)
{
    *ret_text = NULL;
    line += strspn(line, " \t");
    if (!is_choice(question))
        return read_approval(question, line, ret_text);
    if (g_str_equal(line, "/pass"))
        return PLAIN_PASSED;
    if (utf8_is_blank(line))
        return PLAIN_NO_ANSWER;
    const json_t *options = json_get_array(question, "options");
    char *end = NULL;
    guint64 number = g_ascii_strtoull(line, &end, 10);
    bool is_number = g_ascii_isdigit(*line) && end[strspn(end, " \t.")] == '\0';
    if (options && is_number && (number == 0 || number > json_array_size(options)))
        return PLAIN_UNCLEAR;
    *ret_text =
        options && is_number ? json_string_value(json_array_get(options, number - 1)) : line;
    return PLAIN_CHOSEN;
}
