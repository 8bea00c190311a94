/*
 * What a model needs of `gh run view --log-failed`: of each failed step the lines around its last
 * error. Pure.
 */
#pragma once

/* `output`: lines JOB<TAB>STEP<TAB>TIME TEXT. Never longer than 20 steps of about 4 KiB. NULL when
   it has another form. Caller frees. */
char *gh_failed_steps_text(const char *output);
