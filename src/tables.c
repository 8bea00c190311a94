/*
 * The table of contents of the program (tables.h). A new command or tool is one line here.
 */
#include "tables.h"

#include "cmd/commands.h"
#include "github/gh_doctor.h"
#include "github/github.h"
#include "tools/tools.h"

const Command *const command_table[] = {
    &command_launch, &command_gh,   &command_github, &command_grep,
    &command_mcp,    &command_read, &command_tool,   NULL,
};

const ToolDef *const tool_table[] = {
    &tool_read,
    &tool_bash,
    &tool_edit,
    &tool_github,
    &tool_find,
    &tool_grep,
    &tool_write,
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
    &tool_gh_doctor,
    NULL,
};
