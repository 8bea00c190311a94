/*
 * ask: questions of the model to the person, with options to choose from
 * (agent-tools §3.20).
 *
 * A question goes to the door as dialogs of one answer each (ToolChoice): an
 * option, or a text of the person's own. An answer that is none of the options
 * counts as such a text.
 */
#include "base/mask.h"
#include "tool/call.h"
#include "tools/tools.h"

#define MAX_QUESTIONS      20
#define MAX_OPTIONS        50
#define MAX_LABEL_CHARS    500
#define MAX_QUESTION_CHARS 4000

#define OTHER       "Other (type your own)"
#define DONE        "✔ Done selecting"
#define RECOMMENDED " (Recommended)"

typedef struct AskArgs {
    const json_t *questions;
} AskArgs;

static const FieldDef option_fields[] = {
    { "label", FIELD_STRING, .is_required = true },
    { 0 },
};

static const FieldDef question_fields[] = {
    { "id", FIELD_STRING, .is_required = true },
    { "question", FIELD_STRING, .is_required = true },
    { "options", FIELD_OBJECT_LIST, .is_required = true, .item_fields = option_fields },
    { "multi", FIELD_BOOLEAN },
    { "recommended", FIELD_INTEGER, .max = -1, .help = "Index of an option" },
    { 0 },
};

static const FieldDef ask_fields[] = {
    { "questions", FIELD_OBJECT_LIST, offsetof(AskArgs, questions), .is_required = true,
      .item_fields = question_fields, .min_items = 1, .max_items = MAX_QUESTIONS },
    { 0 },
};

static const char description[] =
    "Asks the user to choose; they can always type an answer of their own. "
    "Only for decisions that "
    "are theirs and that a wrong guess would make costly.";

typedef struct Question { // all but what is answered is borrowed
    ToolCall *call;
    const char *text;
    const json_t *options; // as given
    size_t count;          // of them
    int64_t recommended;   // -1: none is
    bool is_multi;
    size_t number, total; // among the questions of the call
    GPtrArray *selected;  // of const char *, in the order in which they were
    size_t at;            // the option that was turned over last
    bool is_again;        // one was
    char *custom;         // NULL: none
    bool is_late;         // no one answered in time, and the first choice was taken
} Question;

static void question_clear(Question *self)
{
    g_clear_pointer(&self->selected, g_ptr_array_unref);
    g_clear_pointer(&self->custom, g_free);
}

static const char *label_at(const Question *self, size_t index)
{
    return json_get_text(json_array_get(self->options, index), "label");
}

static bool is_selected(const Question *self, const char *label)
{
    return g_ptr_array_find_with_equal_func(self->selected, label, g_str_equal, NULL);
}

/* Borrows from the arguments. */
static Question question_of(ToolCall *call, const json_t *given, size_t number, size_t total)
{
    const json_t *options = json_get_array(given, "options");
    size_t count = json_array_size(options);
    int64_t recommended = json_get_int(given, "recommended", -1);
    return (Question) {
        .call = call,
        .text = json_get_text(given, "question"),
        .options = options,
        .count = count,
        .recommended = recommended < (int64_t)count ? recommended : -1,
        .is_multi = json_get_bool(given, "multi", false),
        .number = number,
        .total = total,
        .selected = g_ptr_array_new(),
    };
}

// ---- one dialog ----

/* The option as it is shown. Caller frees. */
static char *shown_option(const Question *self, size_t index)
{
    const char *label = label_at(self, index);
    const char *mark = !self->is_multi ? "" : is_selected(self, label) ? "☑ " : "☐ ";
    g_autofree char *shown =
        g_strconcat(mark, label, (int64_t)index == self->recommended ? RECOMMENDED : "", NULL);
    return mask_text(shown);
}

static GPtrArray *shown_options(const Question *self)
{
    GPtrArray *shown = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < self->count; i++)
        g_ptr_array_add(shown, shown_option(self, i));
    if (self->selected->len > 0)
        g_ptr_array_add(shown, g_strdup(DONE));
    g_ptr_array_add(shown, g_strdup(OTHER));
    g_ptr_array_add(shown, NULL);
    return shown;
}

static char *shown_title(const Question *self)
{
    g_autoptr(GString) title = g_string_new(NULL);
    if (self->selected->len > 0)
        g_string_append_printf(title, "(%u selected) ", self->selected->len);
    g_string_append(title, self->text);
    if (self->total > 1)
        g_string_append_printf(title, " (%zu/%zu)", self->number, self->total);
    return mask_text(title->str);
}

static bool is_planning(const Question *self)
{
    return plan_mode_is_on(tool_context_plan_mode(tool_call_context(self->call)));
}

static int64_t timeout_of(const Settings *settings)
{
    return (int64_t)(CLAMP(settings_get_number(settings, "ask.timeout"), 0, 1e6) * 1000);
}

/* `shown` NULL: a text of the person's own. */
static bool show_dialog(Question *self, const GPtrArray *shown, ChoiceEnd *ret_end, char **ret_text,
                        GError **error)
{
    g_autofree char *title = shown_title(self);
    const ToolChoice choice = {
        .tool = tool_call_tool(self->call),
        .title = title,
        .options = shown ? (const char *const *)shown->pdata : NULL,
        .timeout_ms = is_planning(self) ? 0 : timeout_of(tool_call_settings(self->call)),
        .is_patient = is_planning(self),
        .marked = self->is_again          ? self->at
                  : self->recommended > 0 ? (size_t)self->recommended
                                          : 0,
        .checks = shown && self->is_multi ? self->count : 0,
        .is_again = shown && self->is_again,
    };
    return tool_call_choose(self->call, &choice, ret_end, ret_text, error);
}

/* No one has answered: what was selected so far holds, else the recommended
   option, else the first one. */
static void take_default(Question *self)
{
    self->is_late = true;
    if (self->selected->len == 0 && self->count > 0)
        g_ptr_array_add(
            self->selected,
            (void *)label_at(self, self->recommended > 0 ? (size_t)self->recommended : 0));
}

static bool fail_cancelled(const char *what, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED, "%s", what);
}

/* The person's own words. */
static bool ask_text(Question *self, GError **error)
{
    g_autofree char *text = NULL;
    ChoiceEnd end = CHOICE_CANCELLED;
    if (!show_dialog(self, NULL, &end, &text, error))
        return false;
    if (end == CHOICE_TIMED_OUT) {
        take_default(self);
        return true;
    }
    if (end != CHOICE_MADE || *g_strchomp(text) == '\0')
        return fail_cancelled("Ask input was cancelled", error);
    self->custom = g_steal_pointer(&text);
    return true;
}

/* The option that an answer names, as it was shown or as it is called. */
static bool find_option(const Question *self, const GPtrArray *shown, const char *answer,
                        size_t *ret_index)
{
    for (size_t i = 0; i < self->count; i++) {
        *ret_index = i;
        if (g_str_equal(answer, shown->pdata[i]) || g_str_equal(answer, label_at(self, i)))
            return true;
    }
    return false;
}

static void turn_over(Question *self, size_t index)
{
    const char *label = label_at(self, index);
    bool was_selected = is_selected(self, label);
    for (unsigned i = self->selected->len; was_selected && i > 0; i--)
        if (g_str_equal(self->selected->pdata[i - 1], label))
            g_ptr_array_remove_index(self->selected, i - 1);
    if (!was_selected)
        g_ptr_array_add(self->selected, (void *)label);
    self->at = index;
    self->is_again = true;
}

/* What an answer comes to; *ret_is_done: the question is answered. */
static bool take_answer(Question *self, const GPtrArray *shown, const char *answer,
                        bool *ret_is_done, GError **error)
{
    size_t index = 0;
    bool is_option = find_option(self, shown, answer, &index);
    *ret_is_done = !is_option || !self->is_multi;
    if (is_option && self->is_multi)
        turn_over(self, index);
    else if (is_option)
        g_ptr_array_add(self->selected, (void *)label_at(self, index));
    if (is_option)
        return true;
    if (g_str_equal(answer, OTHER))
        return ask_text(self, error);
    bool is_end = self->selected->len > 0 && g_str_equal(answer, DONE);
    if (!is_end)
        self->custom = g_strdup(answer);
    return true;
}

static bool ask_question(Question *self, GError **error)
{
    bool is_done = false;
    while (!is_done) {
        g_autoptr(GPtrArray) shown = shown_options(self);
        g_autofree char *answer = NULL;
        ChoiceEnd end = CHOICE_CANCELLED;
        if (!show_dialog(self, shown, &end, &answer, error))
            return false;
        if (end == CHOICE_TIMED_OUT) {
            take_default(self);
            return true;
        }
        if (end != CHOICE_MADE || *answer == '\0')
            return fail_cancelled("Ask tool was cancelled by the user", error);
        if (!take_answer(self, shown, answer, &is_done, error))
            return false;
    }
    return true;
}

// ---- what the model is told ----

static char *question_joined(const Question *self)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < self->selected->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               (const char *)self->selected->pdata[i]);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void append_custom(GString *text, const char *custom)
{
    g_string_append(text, "User provided custom input:");
    if (!strchr(custom, '\n')) {
        g_string_append_printf(text, " %s", custom);
        return;
    }
    g_auto(GStrv) lines = g_strsplit(custom, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(text, "\n  %s", *line);
}

static void append_only(GString *text, const Question *question)
{
    g_autofree char *selected = question_joined(question);
    if (question->selected->len > 0)
        g_string_append_printf(text, "User selected: %s", selected);
    if (question->custom) {
        g_string_append(text, text->len > 0 ? "\n" : "");
        append_custom(text, question->custom);
    }
    if (text->len == 0)
        g_string_append(text, "User cancelled the selection");
}

static void append_one_of(GString *text, const char *id, const Question *question)
{
    g_autofree char *selected = question_joined(question);
    g_string_append_printf(text, "\n%s: ", id);
    if (question->selected->len > 0)
        g_string_append_printf(text, question->is_multi ? "[%s]" : "%s", selected);
    if (question->custom)
        g_string_append_printf(text, "%s\"%s\"", question->selected->len > 0 ? ", " : "",
                               question->custom);
    if (question->selected->len == 0 && !question->custom)
        g_string_append(text, "(cancelled)");
}

static void ask_describe(json_t *object, const Question *question)
{
    json_t *options = json_array(), *selected = json_array();
    for (size_t i = 0; i < question->count; i++)
        json_append_take(options, json_text(label_at(question, i)));
    for (unsigned i = 0; i < question->selected->len; i++)
        json_append_take(selected, json_text(question->selected->pdata[i]));
    json_add(object, "question:%s options:%p multi:%i selectedOptions:%p customInput:%s",
             question->text, options, question->is_multi, selected, question->custom);
    if (question->is_late)
        json_set_bool(object, "timedOut", true);
}

static bool check_question(const json_t *given, GError **error)
{
    const char *text = json_get_text(given, "question");
    const json_t *options = json_get_array(given, "options");
    if (g_utf8_strlen(text, -1) > MAX_QUESTION_CHARS)
        return fail_with(error, KEDGE_ERROR_USAGE, "question \"%s\" is longer than %d characters",
                         json_get_text(given, "id"), MAX_QUESTION_CHARS);
    if (json_array_size(options) > MAX_OPTIONS)
        return fail_with(error, KEDGE_ERROR_USAGE, "question \"%s\" has more than %d options",
                         json_get_text(given, "id"), MAX_OPTIONS);
    json_each (options, i, option) {
        const char *label = json_get_text(option, "label");
        if (!*label || g_utf8_strlen(label, -1) > MAX_LABEL_CHARS)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "option %zu of question \"%s\" must have 1 to %d characters", i,
                             json_get_text(given, "id"), MAX_LABEL_CHARS);
    }
    return true;
}

static bool check_questions(const json_t *questions, GError **error)
{
    json_each (questions, i, given) {
        if (!check_question(given, error))
            return false;
    }
    return true;
}

static bool ask_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const AskArgs *args = args_;
    size_t total = json_array_size(args->questions);
    if (!check_questions(args->questions, error))
        return false;
    plan_mode_note_word(tool_context_plan_mode(tool_call_context(call)));
    g_autoptr(GString) text = g_string_new(total > 1 ? "User answers:" : NULL);
    json_t *details = tool_result_details(result);
    g_autoptr(json_t) results = json_array();
    bool is_late = false;
    json_each (args->questions, i, given) {
        Question question = question_of(call, given, i + 1, total);
        bool is_answered = ask_question(&question, error);
        json_t *object = total > 1 ? json_object() : json_incref(details);
        if (is_answered && total > 1) {
            json_set_text(object, "id", json_get_text(given, "id"));
            append_one_of(text, json_get_text(given, "id"), &question);
        } else if (is_answered) {
            append_only(text, &question);
        }
        ask_describe(object, &question);
        json_append_take(results, object);
        is_late = is_late || question.is_late;
        question_clear(&question);
        if (!is_answered)
            return false;
    }
    if (total > 1)
        json_set_take(details, "results", g_steal_pointer(&results));
    tool_result_add_text(result, text->str);
    if (is_late)
        tool_result_add_note(result, "Nobody answered in time: the recommended or first option "
                                     "was taken");
    return true;
}

const ToolDef tool_ask = {
    .name = "ask",
    .label = "Ask",
    .summary = "Ask the user to choose",
    .description = description,
    .effect = EFFECT_READ,
    .flags = TOOL_EXCLUSIVE | TOOL_OF_CONVERSATION | TOOL_NEEDS_CHOICES,
    .fields = ask_fields,
    .args_size = sizeof(AskArgs),
    .run = ask_run,
};
