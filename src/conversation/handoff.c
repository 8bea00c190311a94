/* See handoff.h. */
#include "conversation/handoff.h"

#include "agent/repo_record.h"
#include "agent/transcript.h"
#include "base/file.h"
#include "base/mask.h"
#include "base/timefmt.h"
#include "model/message.h"
#include "tool/plan_file.h"

#define ACTION         "handoff"
#define LEAST_MESSAGES 2
#define MAX_TOKENS     8192
#define RESERVE_TOKENS (MAX_TOKENS + 2048)
#define FILE_NAME      "handoff.md"

static const char handoff_system[] =
    "You write handoff documents: what an agent has to know that goes on with the work of the "
    "conversation without having seen it. You do not go on with it yourself and you answer none of "
    "its questions: you write the document and nothing else.";
static const char instruction[] =
    "Write the handoff document for the conversation above, in Markdown, in these sections:\n\n"
    "## Goal\n## Constraints & Preferences\n## Progress\n### Done\n### In Progress\n### Pending\n"
    "## Key Decisions\n## Critical Context\n## Next Steps\n\n"
    "Whoever reads it has nothing else. Keep exact file paths, names of functions and variables, "
    "commands with what came of them, and error messages; every instruction of the person that "
    "still holds and every question that is still open, in their own words. Output only the "
    "document.";

// ---- the document ----

static bool write_document(const Engine *engine, const char *instructions, Cancel *cancel,
                           GString *document, GError **error)
{
    const json_t *messages = agent_messages(engine->agent);
    g_autoptr(TurnSetup) setup = setup_slot_get(engine->base.setup);
    if (json_array_size(messages) < LEAST_MESSAGES)
        return fail_with(error, KEDGE_ERROR_USAGE, "Nothing to hand off (no messages yet)");
    if (!agent_has_credential(engine->agent, error))
        return false;
    const SummaryContext context = engine_summary_context(engine, setup);
    g_autofree char *transcript = transcript_text(messages, setup->model);
    g_autofree char *wanted = summary_instruction(instruction, instructions);
    const SummaryRequest request = {
        .purpose = "handoff",
        .system = handoff_system,
        .transcript = transcript,
        .instruction = wanted,
        .max_tokens = MAX_TOKENS,
        .reserve_tokens = RESERVE_TOKENS,
    };
    g_autofree char *text = NULL;
    if (!summary_ask(&context, &request, cancel, &text, error))
        return false;

    g_auto(FileLists) files = { 0 };
    file_lists_init(&files);
    file_lists_add(&files, messages);
    file_lists_settle(&files);
    g_string_append(document, text);
    file_lists_append_text(&files, document);
    return true;
}

// ---- the session that goes on with it ----

static json_t *message_of(const char *document)
{
    g_autofree char *text =
        g_strdup_printf("<handoff-context>\n%s\n</handoff-context>\n\n"
                        "The above is the handoff document of an earlier session. Go on with its "
                        "work when the person says so.",
                        document);
    json_t *content = json_array();
    json_append_take(content, message_text_block(text));
    return json_make("role:%s customType:%s content:%p display:%i attribution:%s timestamp:%jd",
                     "custom", "handoff", content, true, "agent", time_now_ms());
}

/* As a file beside the new session, where the settings want one. Caller frees; NULL: none. */
static char *save_document(const Engine *engine, const char *dir, const char *document)
{
    g_autofree char *path = dir ? g_build_filename(dir, FILE_NAME, NULL) : NULL;
    g_autofree char *masked = mask_text(document);
    if (!path || !settings_get_bool(engine->settings, "compaction.handoffSaveToDisk") ||
        !file_make_dirs(dir, 0700, NULL) ||
        !file_write_atomic(path, masked, strlen(masked), 0600, NULL))
        return NULL; // the session has it
    return g_steal_pointer(&path);
}

/* What is to be done goes with it. */
static void carry_todos(const json_t *phases, TodoList *todos)
{
    g_autoptr(json_t) open = todo_open_tasks(phases);
    if (json_array_size(open) > 0)
        todo_list_set(todos, phases, NULL, NULL);
}

/* The document may hold what was read there. */
static void carry_reads(Engine *engine, const char *const *names)
{
    for (; *names; names++)
        repo_reads_add_name(engine->base.parts.reads, *names);
    repo_record_append(engine->session, engine->base.parts.reads);
}

/* A plan that is not finished, for the plan mode that goes on. */
static char *unfinished_plan(const Engine *engine, char **ret_file)
{
    char *text = NULL;
    *ret_file = plan_mode_file(engine->base.parts.plan_mode);
    if (*ret_file)
        plan_file_read(engine->context, *ret_file, &text, NULL);
    return text;
}

static bool begin_anew(Engine *engine, const char *document, json_t **ret_data, GError **error)
{
    g_autofree char *old_id = g_strdup(session_id(engine->session));
    usage_notes_append(engine->base.means.usages, engine->session);
    g_autoptr(json_t) todos = todo_list_phases(tool_context_todos(engine->context));
    g_auto(GStrv) reads = repo_reads_names(engine->base.parts.reads);
    g_autofree char *plan_file = NULL;
    g_autofree char *plan = unfinished_plan(engine, &plan_file);
    if (!engine_start_new(engine, old_id, error))
        return false;

    carry_reads(engine, (const char *const *)reads);
    if (plan)
        plan_file_write(engine->context, plan_file, plan, NULL); // the old session has it, too
    g_autoptr(json_t) message = message_of(document);
    session_keep(engine->session); // no one would get the document again
    agent_add_message(engine->agent, message);
    g_autofree char *dir = session_artifacts_dir(engine->session);
    carry_todos(todos, tool_context_todos(engine->context));
    g_autofree char *saved_path = save_document(engine, dir, document);
    session_flush(engine->session, NULL); // what goes wrong is told at the end of the next turn
    *ret_data = json_object();
    json_set_text(*ret_data, "savedPath", saved_path);
    return true;
}

bool handoff_run(Engine *engine, const char *instructions, Cancel *cancel, json_t **ret_data,
                 GError **error)
{
    g_autoptr(GString) document = g_string_new(NULL);
    g_autoptr(GError) problem = NULL;
    *ret_data = NULL;
    if (write_document(engine, instructions, cancel, document, &problem))
        return begin_anew(engine, document->str, ret_data, error);
    if (error_is(problem, KEDGE_ERROR_CANCELLED))
        return true;
    return pass_error(error, &problem);
}

static void engine_emit(const Engine *engine, json_t *event)
{
    json_set_text(event, "action", ACTION);
    agent_events_emit(&engine->base.events, event);
}

bool handoff_run_automatically(Engine *engine, Cancel *cancel)
{
    json_t *start = agent_event_new(EVENT_AUTO_COMPACTION_START);
    json_set_text(start, "reason", "threshold");
    engine_emit(engine, start);
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) data = NULL;
    bool is_done = handoff_run(engine, NULL, cancel, &data, &problem);
    json_t *end = agent_event_new(EVENT_AUTO_COMPACTION_END);
    json_add(end, "aborted:%i willRetry:%i", is_done && !data, false);
    if (problem) {
        g_autofree char *text = g_strdup_printf("Auto-handoff failed: %s", problem->message);
        json_set_text(end, "errorMessage", text);
    }
    engine_emit(engine, end);
    return is_done && data;
}
