/*
 * The coding tools, one file each, and what hooks into calls, and the URL schemes of this machine,
 * for src/tool_table.c.
 */
#pragma once

#include "tool/hook.h"
#include "tool/internal_url.h"

extern const ToolDef tool_read;
extern const ToolDef tool_write;
extern const ToolDef tool_edit;
extern const ToolDef tool_ast_grep;
extern const ToolDef tool_ast_edit;
extern const ToolDef tool_resolve;
extern const ToolDef tool_yield;
extern const ToolDef tool_report_finding;
extern const ToolDef tool_inspect_image;
extern const ToolDef tool_checkpoint;
extern const ToolDef tool_rewind;
extern const ToolDef tool_bash;
extern const ToolDef tool_eval;
extern const ToolDef tool_grep;
extern const ToolDef tool_find;
extern const ToolDef tool_job;
extern const ToolDef tool_calc;
extern const ToolDef tool_recipe;
extern const ToolDef tool_ls;
extern const ToolDef tool_search_tool_bm25;
extern const ToolDef tool_ssh;
extern const ToolDef tool_todo_write;
extern const ToolDef tool_ask;

extern const ToolHook bash_interceptor;   // points to a better tool before a command is run
extern const ToolHook recipe_interceptor; // the same, before a task's

extern const UrlScheme url_docs;
extern const UrlScheme url_agent;
extern const UrlScheme url_artifact;
extern const UrlScheme url_memory;
extern const UrlScheme url_local;
extern const UrlScheme url_plan;
extern const UrlScheme url_skill;
extern const UrlScheme url_rule;
extern const UrlScheme url_mcp;
extern const UrlScheme url_jobs;
