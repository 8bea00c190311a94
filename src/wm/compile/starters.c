/*
 * The starter files (starters.h), whose texts are in src/workflow/templates.
 */
#include "wm/compile/starters.h"

#include "wm/compile/templates.h"

#include <stddef.h>

const WmStarter wm_starters[] = {
    { ".wm/config.yml", config_yml },
    { ".wm/tasks/answer.md", answer_md },
    { ".wm/tasks/code-review.md", code_review_md },
    { ".wm/tasks/implement.md", implement_md },
    { NULL, NULL },
};
