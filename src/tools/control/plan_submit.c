/* See plan_submit.h. */
#include "tools/control/plan_submit.h"

#include "base/file.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/call.h"
#include "tool/plan_file.h"

#define MAX_TITLE_CHARS 100
#define SHOWN_BYTES     ((size_t)6000) // of the plan, in the question

#define APPROVE_FRESH "Approve, and carry it out in a fresh context"
#define APPROVE_KEEP  "Approve, and go on in this context"
#define KEEP_PLANNING "Keep planning"

#define READY "Plan ready for approval."

/* "The plan": The-plan, the name of its file. Caller frees. */
static char *name_of_title(const char *title)
{
    g_autofree char *text = utf8_trim(title);
    g_auto(GStrv) words = g_strsplit_set(text, " \t\n", -1);
    g_autoptr(GString) name = g_string_new(NULL);
    for (char **word = words; *word; word++) {
        if (**word)
            g_string_append_printf(name, "%s%s", name->len > 0 ? "-" : "", *word);
    }
    return g_string_free(g_steal_pointer(&name), FALSE);
}

static bool check_title(const char *title, GError **error)
{
    if (utf8_is_blank(title))
        return fail_with(error, KEDGE_ERROR_USAGE, "Title is required and must not be empty.");
    if (strpbrk(title, "/\\") || strstr(title, ".."))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Title must not contain path separators or '..'.");
    for (const char *p = title; *p; p++)
        if (!g_ascii_isalnum(*p) && *p != '_' && *p != '-')
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "Title may only contain letters, numbers, underscores, or hyphens.");
    return strlen(title) <= MAX_TITLE_CHARS ||
           fail_with(error, KEDGE_ERROR_USAGE, "Title may have at most %d characters.",
                     MAX_TITLE_CHARS);
}

/* The plan as it would be carried out. Caller frees. */
static bool read_plan(const ToolContext *context, const char *file, char **ret_text, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = NULL;
    if (!plan_file_read(context, file, &text, &problem) &&
        !error_is(problem, KEDGE_ERROR_NOT_FOUND)) {
        return pass_error(error, &problem);
    }
    if (!text || utf8_is_blank(text))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Plan file not found at %s. Write the finalized plan to %s before calling "
                         "exit_plan_mode.",
                         file, file);
    *ret_text = g_steal_pointer(&text);
    return true;
}

/* What was finalized before is not overwritten. */
static bool check_free(const ToolContext *context, const char *file, const char *final_file,
                       GError **error)
{
    g_autofree char *path = NULL;
    if (!plan_file_locate(context, final_file, &path, error))
        return false;
    return g_str_equal(file, final_file) || !file_exists(path) ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "Plan destination already exists at %s. Choose another title.", final_file);
}

/* What the person reads: the plan, as much as a dialog holds, and where all of it is. */
static char *question_text(const char *title, const char *path, const char *plan)
{
    g_autofree char *cut = str_truncate(plan, SHOWN_BYTES);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "Plan \"%s\" is ready (%s):\n\n%s", title, path, cut);
    if (strlen(cut) < strlen(plan))
        g_string_append_printf(text, "\n… (%zu more bytes in the file)",
                               strlen(plan) - strlen(cut));
    g_string_append(text, "\n\nHow does it go on?");
    return mask_text(text->str);
}

/* A text that is none of the options; NULL: the person says nothing. */
static bool ask_what_to_change(ToolCall *call, char **ret_words, GError **error)
{
    const ToolChoice choice = {
        .tool = tool_call_tool(call),
        .title = "What should be different? (nothing: the plan stays as it is, and you go on)",
        .is_patient = true,
    };
    ChoiceEnd end = CHOICE_CANCELLED;
    g_autofree char *words = NULL;
    if (!tool_call_choose(call, &choice, &end, &words, error))
        return false;
    *ret_words = end == CHOICE_MADE && !utf8_is_blank(words) ? g_steal_pointer(&words) : NULL;
    return true;
}

typedef struct Verdict {
    bool is_approved, is_fresh;
    char *words; // of a person who wants it changed; NULL: none
} Verdict;

static void verdict_clear(Verdict *self)
{
    g_free(self->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Verdict, verdict_clear)

static bool ask_person(ToolCall *call, const char *text, Verdict *ret_verdict, GError **error)
{
    static const char *const options[] = { APPROVE_FRESH, APPROVE_KEEP, KEEP_PLANNING, NULL };
    const ToolChoice choice = {
        .tool = tool_call_tool(call),
        .title = text,
        .options = options,
        .is_patient = true,
    };
    ChoiceEnd end = CHOICE_CANCELLED;
    g_autofree char *answer = NULL;
    if (!tool_call_choose(call, &choice, &end, &answer, error))
        return false;
    if (end != CHOICE_MADE || utf8_is_blank(answer))
        return true;
    if (g_str_equal(answer, KEEP_PLANNING))
        return ask_what_to_change(call, &ret_verdict->words, error);
    ret_verdict->is_fresh = g_str_equal(answer, APPROVE_FRESH);
    ret_verdict->is_approved = ret_verdict->is_fresh || g_str_equal(answer, APPROVE_KEEP);
    if (!ret_verdict->is_approved)
        ret_verdict->words = g_steal_pointer(&answer);
    return true;
}

/* With words of the person the model goes on; else the run ends. */
static bool carry_out(PlanMode *mode, const PlanDecision *decision, const Verdict *verdict,
                      ToolResult *result, GError **error)
{
    bool is_on = verdict->words ? plan_mode_is_on(mode)
                                : plan_mode_settle(mode, verdict->is_approved ? decision : NULL);
    if (!is_on)
        return fail_with(error, KEDGE_ERROR_DENIED, "Plan mode is not active.");
    g_autofree char *text = NULL;
    if (verdict->words)
        text = g_strconcat(READY "\nNot approved. The user wants it changed: ", verdict->words,
                           "\nChange the plan file, then hand the plan in again.", NULL);
    else
        text = g_strdup(verdict->is_approved ? READY
                                             : READY "\nNot approved. The user keeps planning.");
    tool_result_add_text(result, text);
    return true;
}

static bool fail_alone(const char *file, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "the plan in %s is not approved: nobody can be asked here. Leave it as it is "
                     "and say that it is ready; a person approves it in a conversation in a "
                     "terminal, or through a client that answers questions",
                     file);
}

bool plan_submit(ToolCall *call, const char *title, ToolResult *result, GError **error)
{
    const ToolContext *context = tool_call_context(call);
    PlanMode *mode = tool_context_plan_mode(context);
    g_autofree char *file = plan_mode_file(mode);
    g_autofree char *wanted = name_of_title(title ? title : "");
    g_autofree char *final_file = g_strdup_printf("local://%s.md", wanted);
    g_autofree char *plan = NULL;
    g_autofree char *path = NULL;
    if (!file)
        return fail_with(error, KEDGE_ERROR_USAGE, "Plan mode is not active.");
    if (!check_title(wanted, error) || !read_plan(context, file, &plan, error) ||
        !check_free(context, file, final_file, error) ||
        !plan_file_locate(context, file, &path, error))
        return false;
    plan_mode_note_word(mode);
    if (!plan_mode_can_approve(mode) || !plan_mode_may_write(mode))
        return fail_alone(file, error);

    g_autofree char *text = question_text(wanted, path, plan);
    g_auto(Verdict) verdict = { 0 };
    if (!ask_person(call, text, &verdict, error))
        return false;
    const PlanDecision decision = { wanted, plan, verdict.is_fresh };
    if (!carry_out(mode, &decision, &verdict, result, error))
        return false;
    json_t *details = tool_result_details(result);
    json_add(details, "planFilePath:%s planExists:%i title:%s finalPlanFilePath:%s approved:%i",
             file, true, wanted, final_file, verdict.is_approved);
    return true;
}
