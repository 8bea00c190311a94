/* See compaction.h. */
#include "agent/compaction.h"

#include "agent/compaction_plan.h"
#include "agent/transcript.h"
#include "base/worker.h"
#include "session/session_tree.h"

#define SUMMARY_PERCENT  80 // of compaction.reserveTokens
#define SUMMARY_LEAST    1024
#define SHORT_MAX_TOKENS 512
#define OVERHEAD_TOKENS  2048 // of the window: instructions and what the server adds

#define SECTIONS                                                                                   \
    "## Goal\n## Constraints & Preferences\n## Progress\n### Done\n### In Progress\n### Blocked\n" \
    "## Key Decisions\n## Next Steps\n## Critical Context\n\n"
#define RULES                                                                                      \
    "Keep exact file paths, names of functions and variables, commands and error messages. Keep "  \
    "any question that is still open and any instruction of the person that still holds, in "      \
    "their own words. Output only the summary."

static const char first_instruction[] =
    "The conversation above is about to leave the model's context. Write the summary with which "
    "another model goes on with the work, in these sections:\n\n" SECTIONS RULES;
static const char update_instruction[] =
    "The conversation above is about to leave the model's context; the previous summary stands "
    "for what came before it. Write an updated summary in these sections, keeping what still "
    "matters of the previous one, moving finished work to Done and renewing Next "
    "Steps:\n\n" SECTIONS RULES;
static const char prefix_instruction[] =
    "The conversation above is the first part of a turn whose later part stays in the model's "
    "context. Summarise it so that the later part can be understood: what the person asked for "
    "(in their own words), what was found out and done so far, and what the rest builds on. Keep "
    "exact paths, names and error messages. Output only the summary.";
static const char short_instruction[] =
    "Say in two or three sentences, in the first person, what has been done according to the "
    "summary above. Output only these sentences.";

// ---- one summary ----

typedef struct Part {
    const SummaryContext *context;
    Cancel *cancel;
    char *transcript, *instruction;
    int64_t max_tokens;
    char *text;
    GError *error;
} Part;

static void part_clear(Part *self)
{
    g_free(self->transcript);
    g_free(self->instruction);
    g_free(self->text);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Part, part_clear)

static void part_ask(void *self_)
{
    Part *self = self_;
    const SummaryRequest request = {
        .purpose = "compaction",
        .transcript = self->transcript,
        .instruction = self->instruction,
        .max_tokens = self->max_tokens,
        .reserve_tokens = self->max_tokens + OVERHEAD_TOKENS,
    };
    summary_ask(self->context, &request, self->cancel, &self->text, &self->error);
}

static int64_t summary_tokens(const Settings *settings)
{
    int64_t reserve = settings_get_int(settings, "compaction.reserveTokens");
    return MAX(CLAMP(reserve, 0, INT32_MAX) * SUMMARY_PERCENT / 100, SUMMARY_LEAST);
}

static char *history_instruction(const CompactionPlan *plan, const char *instructions)
{
    if (!plan->previous_summary)
        return summary_instruction(first_instruction, instructions);
    g_autofree char *text = g_strdup_printf("<previous-summary>\n%s\n</previous-summary>\n\n%s",
                                            plan->previous_summary, update_instruction);
    return summary_instruction(text, instructions);
}

static bool take_part(Part *self, GError **error)
{
    if (self->text)
        return true;
    return pass_error(error, &self->error);
}

/* The two halves of a turn that is split are asked for at the same time. */
static bool ask_parts(Part *history, Part *prefix, GError **error)
{
    Worker *worker = NULL;
    if (prefix->transcript)
        worker = worker_start("kedge-summary", part_ask, prefix);
    if (history->transcript)
        part_ask(history);
    worker_join(worker);
    if (prefix->transcript && !worker)
        part_ask(prefix);
    return (!history->transcript || take_part(history, error)) &&
           (!prefix->transcript || take_part(prefix, error));
}

/* Caller frees. */
static char *join_parts(const Part *history, const Part *prefix, const CompactionPlan *plan)
{
    const char *before = history->text            ? history->text
                         : plan->previous_summary ? plan->previous_summary
                                                  : "No prior history.";
    if (!prefix->text)
        return g_strdup(before);
    return g_strdup_printf("%s\n\n---\n\n**Turn Context (split turn):**\n\n%s", before,
                           prefix->text);
}

static bool write_summary(const CompactionPlan *plan, const SummaryContext *context,
                          const char *instructions, Cancel *cancel, char **ret_summary,
                          GError **error)
{
    int64_t max_tokens = summary_tokens(context->settings);
    g_auto(Part) history = { .context = context, .cancel = cancel, .max_tokens = max_tokens };
    g_auto(Part) prefix = { .context = context, .cancel = cancel, .max_tokens = max_tokens };
    if (json_array_size(plan->history) > 0) {
        history.transcript = transcript_text(plan->history, context->model);
        history.instruction = history_instruction(plan, instructions);
    }
    if (json_array_size(plan->turn_prefix) > 0) {
        prefix.transcript = transcript_text(plan->turn_prefix, context->model);
        prefix.instruction = g_strdup(prefix_instruction);
    }
    if (!ask_parts(&history, &prefix, error))
        return false;
    *ret_summary = join_parts(&history, &prefix, plan);
    return true;
}

/* A nicety: without it the summary stands alone. */
static char *write_short_summary(const char *summary, const SummaryContext *context, Cancel *cancel)
{
    g_auto(Part) part = {
        .context = context,
        .cancel = cancel,
        .transcript = g_strdup(summary),
        .instruction = g_strdup(short_instruction),
        .max_tokens = SHORT_MAX_TOKENS,
    };
    part_ask(&part);
    return g_steal_pointer(&part.text);
}

// ---- the entry ----

static json_t *file_details(const CompactionPlan *plan, GString *summary)
{
    g_auto(FileLists) files = { 0 };
    file_lists_init(&files);
    file_lists_carry_over(&files, plan->previous_details);
    file_lists_add(&files, plan->history);
    file_lists_add(&files, plan->turn_prefix);
    file_lists_settle(&files);
    file_lists_append_text(&files, summary);
    return file_lists_details(&files);
}

static json_t *make_result(const Conversation *conversation, const Model *model,
                           const CompactionPlan *plan, const char *text, const char *short_text)
{
    g_autoptr(GString) summary = g_string_new(text);
    json_t *result = json_object();
    json_t *details = file_details(plan, summary);
    json_add(result, "summary:%s shortSummary:%s firstKeptEntryId:%s tokensBefore:%jd details:%p",
             summary->str, short_text, plan->first_kept_id,
             conversation_tokens(conversation, model), details);
    return result;
}

static int64_t estimate_all(const json_t *messages)
{
    int64_t tokens = 0;
    json_each (messages, i, message)
        tokens += transcript_estimate(message);
    return tokens;
}

static bool make_plan(const Conversation *conversation, const Settings *settings,
                      const Model *model, CompactionPlan *ret_plan, GError **error)
{
    int64_t keep_tokens = compaction_keep_tokens(
        settings, server_facts_model(conversation->servers, model),
        conversation_counted_tokens(conversation, model), estimate_all(conversation->messages));
    g_autoptr(GPtrArray) path = session_context_path(conversation->session);
    return compaction_plan(path, keep_tokens, ret_plan, error);
}

bool compaction_has_work(const Conversation *conversation, const Settings *settings,
                         const Model *model)
{
    g_auto(CompactionPlan) plan = { 0 };
    return make_plan(conversation, settings, model, &plan, NULL);
}

bool compaction_run(Conversation *conversation, const SummaryContext *context,
                    const char *instructions, Cancel *cancel, json_t **ret_result, GError **error)
{
    g_auto(CompactionPlan) plan = { 0 };
    g_autofree char *summary = NULL;
    if (!make_plan(conversation, context->settings, context->model, &plan, error) ||
        !write_summary(&plan, context, instructions, cancel, &summary, error))
        return false;
    g_autofree char *short_summary = write_short_summary(summary, context, cancel);
    if (!cancel_check(cancel, error))
        return false;
    json_t *result = make_result(conversation, context->model, &plan, summary, short_summary);
    json_t *fields = json_copy(result);
    json_set_bool(fields, "fromExtension", false);
    usage_notes_append(context->usages, conversation->session); // the compaction is the leaf
    server_facts_note(conversation->servers, conversation->session);
    session_append_fields(conversation->session, "compaction", fields);
    session_flush(conversation->session, NULL); // what goes wrong is told at the end of the turn
    conversation_reload(conversation);
    *ret_result = result;
    return true;
}
