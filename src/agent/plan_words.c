/* See plan_words.h. */
#include "agent/plan_words.h"

#include "base/mask.h"
#include "base/utf8.h"
#include "model/message.h"

static const char context_text[] =
    "Plan mode is on. Nothing is changed until the user has approved a plan: only read and search. "
    "The one file that you may write and edit is %s; every other write is refused.\n"
    "1. Look at all that the task touches.\n"
    "2. Keep the plan in %s: what is to change, where (files, functions), in which order, how it "
    "is tested. Whoever carries it out may have nothing else.\n"
    "3. Questions that only the user can decide you put with the tool ask, not in the plan.\n"
    "4. When the plan is whole, call resolve with {\"action\": \"apply\", \"reason\": \"…\", "
    "\"extra\": {\"title\": \"SHORT-TITLE\"}}; the title has letters, numbers, _ and - only. The "
    "user then approves it or says what is to be different. Do not ask for approval in other "
    "ways.";

static const char child_text[] =
    "Plan mode is on: only read and search. Nothing may be written or changed; the plan (%s) is "
    "kept by who asks you.";

static const char reminder_text[] =
    "Plan mode is still on, and your turn has ended without a question or a plan. Go on planning; "
    "ask the user with the tool ask, or hand in the plan in %s: resolve with \"action\": "
    "\"apply\" and \"extra\": {\"title\": \"SHORT-TITLE\"}. If neither fits, say what you wait "
    "for.";

static const char off_text[] = "Plan mode is off: what was said of it no longer holds.";

#define TYPE_CONTEXT "plan-mode-context"
#define TYPE_OFF     "plan-mode-off"

static json_t *hidden_message(const char *type, const char *text)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s}", "role", "custom", "customType", type, "content",
                     text, "display", 0, "attribution", "agent");
}

/* What the model was told of plan mode last: is it that it is on? */
static bool believes_it_is_on(const json_t *messages)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        const char *type = json_get_text(json_array_get(messages, i - 1), "customType");
        if (g_strcmp0(type, TYPE_CONTEXT) == 0 || g_strcmp0(type, TYPE_OFF) == 0)
            return g_str_equal(type, TYPE_CONTEXT);
    }
    return false;
}

json_t *plan_words_context(PlanMode *mode, const json_t *messages)
{
    g_autofree char *file = plan_mode_file(mode);
    if (!file)
        return believes_it_is_on(messages) ? hidden_message(TYPE_OFF, off_text) : NULL;
    g_autofree char *text = plan_mode_may_write(mode) ? g_strdup_printf(context_text, file, file)
                                                      : g_strdup_printf(child_text, file);
    return hidden_message(TYPE_CONTEXT, text);
}

json_t *plan_words_reminder(PlanMode *mode)
{
    g_autofree char *file = plan_mode_file(mode);
    if (!file)
        return NULL;
    g_autofree char *text = g_strdup_printf(reminder_text, file);
    return hidden_message("plan-mode-reminder", text);
}

bool plan_words_is_question(const json_t *answer)
{
    g_autofree char *text = answer ? message_text(answer) : NULL;
    g_autofree char *trimmed = text ? utf8_trim(text) : NULL;
    return trimmed && (g_str_has_suffix(trimmed, "?") || g_str_has_suffix(trimmed, "？"));
}

json_t *plan_words_execution(const char *file, const char *plan)
{
    g_autofree char *masked = mask_text(plan); // as read would show it
    g_autofree char *text = g_strdup_printf(
        "The user has approved the plan below, which is kept in %s. Plan mode is off: all tools "
        "are there again. Carry the plan out from beginning to end, and test what it changes.\n\n"
        "<plan>\n%s\n</plan>",
        file, masked);
    return message_developer(text);
}
