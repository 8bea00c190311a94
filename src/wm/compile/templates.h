/*
 * Texts of src/workflow/templates, made part of the program by tools/embed: of the caller workflow,
 * with @places@ (caller.c), and of what `kedge wm init` writes (starters.c).
 */
#pragma once

extern const char caller_yml[];        // all but the jobs of a task
extern const char caller_run_yml[];    // these, through the reusable workflow
extern const char caller_inline_yml[]; // these, with steps of the repository's own

extern const char config_yml[];
extern const char answer_md[];
extern const char code_review_md[];
extern const char implement_md[];
