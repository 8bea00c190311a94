/* See plan_approval.h. */
#include "conversation/plan_approval.h"

#include "agent/plan_words.h"
#include "base/file.h"
#include "session/session_tree.h"
#include "tool/plan_file.h"

#include <errno.h>
#include <stdio.h> // rename()

void plan_approval_record(Session *session, const char *mode, const char *file)
{
    json_t *fields = json_make("mode:%s", mode);
    if (file)
        json_set_take(fields, "data", json_pack("{s:s}", "planFilePath", file));
    session_append_fields(session, "mode_change", fields);
}

/* A command that runs in the background can write to it, too. */
static bool check_same(const char *file, const char *plan, const char *shown, GError **error)
{
    return strcmp(plan, shown) == 0 ||
           fail_with(error, KEDGE_ERROR_DENIED, "%s has changed since it was approved", file);
}

/* The name was free when the plan was handed in. */
static bool give_final_name(const ToolContext *context, const char *file, const char *final_file,
                            GError **error)
{
    g_autofree char *from = NULL;
    g_autofree char *to = NULL;
    if (!plan_file_locate(context, file, &from, error) ||
        !plan_file_locate(context, final_file, &to, error))
        return false;
    if (g_str_equal(from, to))
        return true;
    if (file_exists(to))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s exists already", final_file);
    return rename(from, to) == 0 ||
           fail_with_errno(error, errno, "cannot rename %s to %s", file, final_file);
}

/* The new session has the plan as a file of its own, and in its first message anyhow. */
static bool begin_anew(Engine *engine, const char *final_file, const char *plan, GError **error)
{
    g_autofree char *old_id = g_strdup(session_id(engine->session));
    usage_notes_append(engine->base.means.usages, engine->session);
    if (!engine_start_new(engine, old_id, error))
        return false;
    plan_file_write(engine->context, final_file, plan, NULL);
    return true;
}

bool plan_approval_run(Engine *engine, const char *file, const PlanDecision *decision,
                       char **ret_file, json_t **ret_prompt, GError **error)
{
    g_autofree char *final_file = g_strdup_printf("local://%s.md", decision->title);
    g_autofree char *plan = NULL;
    // what fails comes before what changes anything
    if (!session_flush(engine->session, error) ||
        !plan_file_read(engine->context, file, &plan, error) ||
        !check_same(file, plan, decision->plan, error) ||
        !give_final_name(engine->context, file, final_file, error))
        return false;
    plan_approval_record(engine->session, PLAN_MODE_NONE, NULL);
    if (decision->is_fresh ? !begin_anew(engine, final_file, plan, error)
                           : !session_flush(engine->session, error))
        return false;
    *ret_prompt = plan_words_execution(final_file, plan);
    *ret_file = g_steal_pointer(&final_file);
    return true;
}
