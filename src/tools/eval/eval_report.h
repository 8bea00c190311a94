/*
 * What an eval call answers (agent-tools §3.5): the text of its cells, put together as it comes and
 * bounded with an artifact, images, and the details. One thread at a time.
 */
#pragma once

#include "tool/tool.h"
#include "tools/eval/eval_kernel.h"

typedef struct EvalReport EvalReport;

/* `cells` of EvalCell, borrowed. */
EvalReport *eval_report_new(ToolCall *call, const GPtrArray *cells);
void eval_report_free(EvalReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EvalReport, eval_report_free)

void eval_report_begin_cell(EvalReport *self, unsigned index, EvalLanguage language);
/* Of the open cell: what it prints, and a frame of its kernel (display, status, stdin, text,
   done). */
void eval_report_output(EvalReport *self, const char *data, size_t size);
void eval_report_frame(EvalReport *self, const json_t *frame);
/* `exit_code` -1: none, it was stopped. */
void eval_report_end_cell(EvalReport *self, bool has_failed, int exit_code, int64_t duration_ms);

/* A line of `details.notice`. */
void eval_report_set_notice(EvalReport *self, const char *notice);
/* A note for the model and in the meta of the result; takes `note`; NULL is ignored. */
void eval_report_add_note(EvalReport *self, char *note);
/* Progress to the door. */
void eval_report_update(EvalReport *self);

typedef enum {
    EVAL_REPORT_OK,
    EVAL_REPORT_FAILED,    // a cell raised an error
    EVAL_REPORT_TIMED_OUT, // a cell was stopped
    EVAL_REPORT_DIED,      // its kernel ended
} EvalReportEnd;

typedef struct EvalReportFacts {
    EvalReportEnd end;
    double timeout_s;   // of EVAL_REPORT_TIMED_OUT
    const char *suffix; // what is said behind all; NULL: nothing
} EvalReportFacts;

/* Ends the report. */
void eval_report_finish(EvalReport *self, const EvalReportFacts *facts, ToolResult *result);
/* Of a call that was cancelled: all that remains is the error. */
bool eval_report_fail_cancelled(EvalReport *self, GError **error);
