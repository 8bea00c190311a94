/* See branch_summary.h. */
#include "agent/branch_summary.h"

#include "agent/transcript.h"
#include "session/session_tree.h"

#define SUMMARY_MAX_TOKENS 2048

#define INSTRUCTION                                                                                \
    "The conversation above is a branch that the person is leaving, to go on from an earlier "     \
    "point. "                                                                                      \
    "Summarise it for those who go on there, in these sections:\n\n"                               \
    "## Goal\n## Constraints & Preferences\n## Progress\n### Done\n### In Progress\n"              \
    "### Blocked\n## Key Decisions\n## Next Steps\n\n"                                             \
    "Say what was tried and what came of it. Keep exact paths, names and error messages. Output "  \
    "only the summary."

static json_t *messages_of(const GPtrArray *entries)
{
    json_t *messages = json_array();
    for (guint i = 0; i < entries->len; i++) {
        json_t *message = session_entry_message(entries->pdata[i]);
        if (message)
            json_append_take(messages, message);
    }
    return messages;
}

/* Those of summaries that the branch holds too, of what is no longer in its messages. */
static void gather_files(FileLists *self, const GPtrArray *entries, const json_t *messages)
{
    file_lists_init(self);
    for (guint i = 0; i < entries->len; i++) {
        const char *type = json_get_text(entries->pdata[i], "type");
        if (g_strcmp0(type, "compaction") == 0 || g_strcmp0(type, "branch_summary") == 0)
            file_lists_carry_over(self, json_get_object(entries->pdata[i], "details"));
    }
    file_lists_add(self, messages);
    file_lists_settle(self);
}

bool branch_summary(const SummaryContext *context, const GPtrArray *entries,
                    const char *instructions, Cancel *cancel, json_t **ret_fields, GError **error)
{
    g_autoptr(json_t) messages = messages_of(entries);
    *ret_fields = NULL;
    if (json_array_size(messages) == 0)
        return true;
    g_autofree char *transcript = transcript_text(messages, context->model);
    g_autofree char *instruction = summary_instruction(INSTRUCTION, instructions);
    const SummaryRequest request = {
        .purpose = "branch",
        .transcript = transcript,
        .instruction = instruction,
        .max_tokens = SUMMARY_MAX_TOKENS,
        .reserve_tokens = settings_get_int(context->settings, "branchSummary.reserveTokens"),
    };
    g_autofree char *text = NULL;
    if (!summary_ask(context, &request, cancel, &text, error))
        return false;

    g_auto(FileLists) files = { 0 };
    gather_files(&files, entries, messages);
    g_autoptr(GString) summary = g_string_new(text);
    file_lists_append_text(&files, summary);
    *ret_fields = json_object();
    json_set_text(*ret_fields, "summary", summary->str);
    json_set_take(*ret_fields, "details", file_lists_details(&files));
    return true;
}
