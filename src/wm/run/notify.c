/* See notify.h. */
#include "wm/run/notify.h"

#include "base/redact.h"
#include "base/timefmt.h"
#include "wm/apply/apply.h"
#include "wm/task/body.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/checkpoint.h"

#include <string.h>

#define N G_GINT64_FORMAT

/* What the reaction belongs to: its path behind the repository's, and its words. False: nothing. */
static bool find_subject(const WmPipeline *self, char **ret_path, char **ret_words)
{
    gint64 comment = self->numbers.comment;
    gint64 number = self->numbers.issue > 0 ? self->numbers.issue : self->numbers.pull;
    bool is_review = strcmp(self->event->name, "pull_request_review_comment") == 0;
    bool is_comment = is_review || strcmp(self->event->name, "issue_comment") == 0;
    if (is_comment && comment > 0) {
        *ret_path = g_strdup_printf("/%s/comments/%" N "/reactions", is_review ? "pulls" : "issues",
                                    comment);
        *ret_words = g_strdup_printf("comment %" N, comment);
        return true;
    }
    if (number <= 0)
        return false;
    *ret_path = g_strdup_printf("/issues/%" N "/reactions", number);
    *ret_words = g_strdup_printf("issue/PR #%" N, number);
    return true;
}

void wm_notify_react(WmPipeline *self, const char *reaction, Cancel *cancel)
{
    g_autofree char *tail = NULL, *words = NULL;
    if (!reaction || !wm_pipeline_speaks(self) || !find_subject(self, &tail, &words))
        return;
    wm_pipeline_say(self, "activation: adding reaction \"%s\" to %s", reaction, words);
    WmApi *api = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) body = json_object();
    json_set_text(body, "content", reaction);
    if (wm_pipeline_api(self, cancel, &api, &error)) {
        g_autofree char *path = wm_path(api, "%s", tail);
        const WmCall call = { .method = "POST", .path = path, .body = body, .is_repeatable = true };
        if (wm_api_call(api, &call, cancel, NULL, &error) || wm_api_says(error, "already_exists") ||
            wm_api_says(error, "already exists"))
            return;
    }
    wm_pipeline_note(self, "on.reaction: ", error);
}

bool wm_notify_status(WmPipeline *self, const char *template_text, const char *status,
                      Cancel *cancel)
{
    int64_t number = wm_pipeline_number(self);
    if (!template_text || number <= 0 || !wm_pipeline_speaks(self))
        return false;
    // an error may hold words of an agent
    g_autofree char *shown = redact_text(status);
    g_autofree char *harmless = wm_body_defuse(shown, false);
    g_autofree char *text =
        wm_message_expand(template_text, self->task->name, self->event->name, harmless);
    g_autofree char *body = wm_body_comment(text, NULL, self->task->name);
    if (body[0] == '\0')
        return false;
    WmApi *api = NULL;
    g_autoptr(GError) error = NULL;
    if (wm_pipeline_api(self, cancel, &api, &error) &&
        wm_post_comment(api, number, body, cancel, &error))
        return true;
    wm_log(WM_DEBUG, "wm: no status comment", "reason", error->message, NULL);
    return false;
}

void wm_notify_load_checkpoint(WmPipeline *self, Cancel *cancel)
{
    int64_t number = wm_pipeline_number(self);
    WmApi *api = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_checkpoint_is_on() || self->is_rehearsal || number <= 0)
        return;
    if (!wm_pipeline_api(self, cancel, &api, &error) ||
        !wm_checkpoint_load(api, number, cancel, &self->checkpoint, &error)) {
        wm_log(WM_DEBUG, "wm: no checkpoint", "reason", error->message, NULL);
        return;
    }
    if (self->checkpoint)
        wm_pipeline_say(self, "activation: checkpoint hint loaded (injected into prompt)");
}

/* "" where git fails. */
static char *ask_head(const WmPipeline *self, Cancel *cancel)
{
    const char *const args[] = { "rev-parse", "--verify", "--quiet", "HEAD", NULL };
    char *sha = NULL;
    return wm_git(&self->git, args, 0, cancel, &sha, NULL) ? sha : g_strdup("");
}

void wm_notify_post_checkpoint(WmPipeline *self, Cancel *cancel)
{
    int64_t number = wm_pipeline_number(self);
    const WmAgentResult *agent = &self->result->agent;
    if (!wm_checkpoint_is_on() || self->is_staged || self->is_rehearsal || number <= 0)
        return;
    g_autofree char *branch = NULL;
    wm_git_branch(&self->git, cancel, &branch, NULL);
    g_autofree char *sha = ask_head(self, cancel);
    g_autofree char *summary = wm_checkpoint_summary(agent->last_response, agent->tail);
    g_autofree char *shown = redact_text(summary);
    const WmCheckpoint checkpoint = {
        .branch = branch,
        .sha = sha,
        .summary = shown,
        .at_ms = time_now_ms(),
    };
    g_autofree char *text = wm_checkpoint_text(&checkpoint);
    g_autofree char *body = wm_body_comment(text, NULL, self->task->name);
    WmApi *api = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_pipeline_api(self, cancel, &api, &error) ||
        !wm_post_comment(api, number, body, cancel, &error))
        wm_pipeline_note(self, "checkpoint: ", error);
}
