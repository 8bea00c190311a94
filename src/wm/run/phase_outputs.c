/* See phase_outputs.h. */
#include "wm/run/phase_outputs.h"

#include "base/str.h"
#include "wm/apply/apply.h"
#include "wm/run/outcome.h"
#include "wm/task/wm_log.h"

#define UNKNOWN_REPO "OWNER/REPO" // in what is planned where nothing can be looked up

/* Does any of the items ask for a write that is allowed? What cannot be read is for who applies
   it. */
static bool has_writes(const WmPipeline *self, const char *output_path)
{
    g_autoptr(json_t) items = NULL;
    if (!wm_items_read(output_path, &items, NULL))
        return true;
    size_t i = 0;
    const json_t *item = NULL;
    json_array_foreach (items, i, item) {
        const char *type = json_get_text(item, "type");
        WmKind kind = type ? wm_kind_of(type) : WM_KINDS;
        if (kind != WM_KINDS && wm_kind_table[kind].default_max > 0 &&
            self->policy->handlers[kind].is_enabled)
            return true;
    }
    return json_array_size(items) == 0 && self->policy->handlers[WM_ADD_COMMENT].is_enabled &&
           !str_is_empty(self->result->agent.last_response) && wm_pipeline_number(self) > 0;
}

/* GitHub, where there is something to write there; else *ret_api is NULL. */
static bool open_api(WmPipeline *self, const char *output_path, Cancel *cancel, WmApi **ret_api,
                     GError **error)
{
    g_autoptr(GError) failed = NULL;
    if (wm_pipeline_api(self, cancel, ret_api, &failed))
        return true;
    if (!self->is_staged && has_writes(self, output_path))
        return pass_error(error, &failed);
    if (self->is_staged)
        wm_log(WM_INFO, "wm: safe-outputs: nothing is looked up on GitHub", "reason",
               failed->message, NULL);
    return true;
}

bool wm_phase_outputs(WmPipeline *self, Cancel *cancel, GError **error)
{
    if (!self->policy->has_keys)
        return true;
    wm_pipeline_say(self, "safe-outputs: applying allowed GitHub actions from output.jsonl");
    g_autofree char *output_path = g_build_filename(self->dir.path, "output.jsonl", NULL);
    WmApi *api = NULL;
    if (!open_api(self, output_path, cancel, &api, error))
        return false;
    const char *repo = wm_pipeline_repo(self, cancel, NULL);
    const WmApply apply = {
        .project = self->project,
        .task = self->task,
        .policy = self->policy,
        .event = self->event,
        .numbers = self->numbers,
        .api = api,
        .repo = repo ? repo : UNKNOWN_REPO,
        .root = self->git.root,
        .start = self->start,
        .push = self->push.root ? &self->push : NULL,
        .run_dir = self->dir.path,
        .output_path = output_path,
        .last_response = self->result->agent.last_response,
        .actor = self->actor,
        .judge_usage = &self->result->judge_usage,
        .is_staged = self->is_staged,
        .is_quarantined = self->git.is_quarantined,
    };
    if (!self->result->plan)
        self->result->plan = json_array();
    bool is_done = wm_apply(&apply, cancel, self->result->outputs, self->result->plan, error);
    return wm_outcome_write_plan(self, is_done ? error : NULL) && is_done;
}
