/*
 * The operations of `kedge agent-tools`, each at the end of the file that its name says
 * (agent-tools-cli §1.1, in that order).
 */
#pragma once

#include "agenttools/operation.h"

// emit (agent-tools-cli §4)
extern const OperationDef operation_emit;
extern const OperationDef operation_emit_resume_run;
extern const OperationDef operation_emit_end_run;
extern const OperationDef operation_emit_get_run;
extern const OperationDef operation_emit_list_runs;
extern const OperationDef operation_emit_events;
extern const OperationDef operation_emit_workflow;
extern const OperationDef operation_emit_export;

// feedback (agent-tools-cli §5)
extern const OperationDef operation_feedback_read;
extern const OperationDef operation_feedback_resolve;
extern const OperationDef operation_feedback_reply;
extern const OperationDef operation_feedback_accept_edit;
extern const OperationDef operation_feedback_reopen;
extern const OperationDef operation_feedback_reject_edit;

// github-pr (agent-tools-cli §2)
extern const OperationDef operation_github_pr_submit_review;
extern const OperationDef operation_github_pr_add_reaction;
extern const OperationDef operation_github_pr_reply_comment;
extern const OperationDef operation_github_pr_fetch_comments;

// task (agent-tools-cli §3)
extern const OperationDef operation_task_create;
extern const OperationDef operation_task_list;
extern const OperationDef operation_task_pickup;
extern const OperationDef operation_task_complete;
extern const OperationDef operation_task_fail;
extern const OperationDef operation_task_cancel;
extern const OperationDef operation_task_get;
extern const OperationDef operation_task_heartbeat;
extern const OperationDef operation_task_release;
extern const OperationDef operation_task_retry;
extern const OperationDef operation_task_stats;
extern const OperationDef operation_task_prune;

// rp1-root-dir (agent-tools-cli §6)
extern const OperationDef operation_rp1_root_dir;

// comment-extract (agent-tools-cli §7)
extern const OperationDef operation_comment_extract;

// mmd-validate (agent-tools-cli §8)
extern const OperationDef operation_mmd_validate;
