/*
 * The table of tools (tool_table.h). A new tool is one line here.
 */
#include "tool_table.h"

#include "agenttools/agenttools.h"
#include "github/audit/gh_last_error.h"
#include "github/doctor/gh_doctor.h"
#include "github/door/gh_door.h"
#include "github/github.h"
#include "tools/eval/eval_user.h"
#include "tools/shell/bash_user.h"
#include "tools/tools.h"

const ToolDef *const tool_table[] = {
    &tool_read,
    &tool_bash,
    &tool_edit,
    &tool_ask,
    &tool_ast_grep,
    &tool_ast_edit,
    &tool_eval,
    &tool_calc,
    &tool_ssh,
    &tool_github,
    &tool_find,
    &tool_grep,
    &tool_inspect_image,
    &tool_checkpoint,
    &tool_rewind,
    &tool_job,
    &tool_recipe,
    &tool_todo_write,
    &tool_search_tool_bm25,
    &tool_write,
    &tool_ls,
    &tool_gh,
    &tool_gh_repo_view,
    &tool_gh_pr_view,
    &tool_gh_pr_list,
    &tool_gh_pr_diff,
    &tool_gh_pr_checks,
    &tool_gh_pr_files,
    &tool_gh_pr_current,
    &tool_gh_issue_view,
    &tool_gh_issue_list,
    &tool_gh_run_view,
    &tool_gh_run_list,
    &tool_gh_run_logs_failed,
    &tool_gh_search_prs,
    &tool_gh_search_issues,
    &tool_gh_api_get,
    &tool_gh_run_artifacts,
    &tool_gh_release_download,
    &tool_gh_review,
    &tool_gh_doctor,
    &tool_gh_last_error,
    &tool_resolve,
    &tool_yield,
    &tool_report_finding,
    // kedge agent-tools, in the order of its list
    &operation_emit.tool,
    &operation_emit_resume_run.tool,
    &operation_emit_end_run.tool,
    &operation_emit_get_run.tool,
    &operation_emit_list_runs.tool,
    &operation_emit_events.tool,
    &operation_emit_workflow.tool,
    &operation_emit_export.tool,
    &operation_feedback_read.tool,
    &operation_feedback_resolve.tool,
    &operation_feedback_reply.tool,
    &operation_feedback_accept_edit.tool,
    &operation_feedback_reopen.tool,
    &operation_feedback_reject_edit.tool,
    &operation_github_pr_submit_review.tool,
    &operation_github_pr_add_reaction.tool,
    &operation_github_pr_reply_comment.tool,
    &operation_github_pr_fetch_comments.tool,
    &operation_task_create.tool,
    &operation_task_list.tool,
    &operation_task_pickup.tool,
    &operation_task_complete.tool,
    &operation_task_fail.tool,
    &operation_task_cancel.tool,
    &operation_task_get.tool,
    &operation_task_heartbeat.tool,
    &operation_task_release.tool,
    &operation_task_retry.tool,
    &operation_task_stats.tool,
    &operation_task_prune.tool,
    &operation_rp1_root_dir.tool,
    &operation_comment_extract.tool,
    &operation_mmd_validate.tool,
    NULL,
};

static const ToolHook *const hooks[] = { &bash_interceptor, &recipe_interceptor, &gh_body_lines,
                                         &gh_shell_reader,  &gh_view_forgetter,  NULL };

// in the order in which a model is told of them (agent-tools §4.1), one a line
// clang-format off
static const UrlScheme *const schemes[] = {
    &url_docs,
    &url_agent,
    &url_artifact,
    &url_memory,
    &url_local,
    &url_plan,
    &url_skill,
    &url_rule,
    &url_mcp,
    &url_jobs,
    &url_issue,
    &url_pr,
    &url_run,
    &url_gh,
    NULL,
};
// clang-format on

const ContextTables context_tables = {
    .hooks = hooks,
    .schemes = schemes,
    .repos = &github_repo_lookup,
    .commands = &gh_command_door,
};

const UserShellFunc shell_for_users = bash_run_for_user;
const UserShellFunc python_for_users = eval_run_for_user;
