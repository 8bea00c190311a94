/* See answer_schema.h. */
#include "cmd/cli/answer_schema.h"

#include "base/json_schema.h"
#include "base/utf8.h"
#include "model/message.h"

bool answer_schema_load(const char *path, json_t **ret_schema, GError **error)
{
    g_autoptr(json_t) schema = NULL;
    if (!json_read_file(path, &schema, error))
        return false;
    if (!json_schema_is_of_object(schema, error)) {
        g_prefix_error(error, "--json-schema %s: ", path);
        return false;
    }
    *ret_schema = g_steal_pointer(&schema);
    return true;
}

void answer_schema_add(const json_t *schema, InitialInput *input)
{
    g_autofree char *shown = json_to_text(schema);
    g_autofree char *text = g_strdup_printf(
        "Your last answer must be one JSON object and nothing else: no words around it, no code "
        "fence. It must be valid against this JSON Schema:\n%s",
        shown);
    if (input->prompts->len > 0) {
        char **last = (char **)&input->prompts->pdata[input->prompts->len - 1];
        g_autofree char *prompt = *last;
        *last = g_strdup_printf("%s\n\n%s", prompt, text);
        return;
    }
    json_t *blocks = message_blocks(input->message);
    json_append_take(blocks, message_text_block(text));
    json_decref(input->message);
    input->message = message_user_blocks(blocks);
}

bool answer_schema_check(const json_t *schema, const char *text, json_t **ret_answer,
                         char **ret_problem)
{
    g_autofree char *inside = utf8_without_fence(text);
    g_autoptr(json_t) answer = NULL;
    g_autoptr(json_t) checked = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(inside, &answer, &error)) {
        *ret_problem = g_strdup_printf("it is no JSON: %s", error->message);
        return false;
    }
    if (!json_is_object(answer)) {
        *ret_problem = g_strdup("it is no JSON object");
        return false;
    }
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!json_schema_check(schema, answer, FIELD_EXACT, &checked, problems)) {
        g_autofree char *listed = field_problems_text(problems);
        *ret_problem = g_strdup(g_strstrip(listed));
        return false;
    }
    *ret_answer = g_steal_pointer(&answer);
    return true;
}

json_t *answer_schema_ask_again(const char *problem)
{
    g_autofree char *text = g_strdup_printf(
        "That answer is not valid: %s\nAnswer again, with one JSON object that fits the schema and "
        "nothing else.",
        problem);
    return message_user(text);
}
