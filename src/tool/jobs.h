/*
 * Background jobs (agent-tools §3.25): work of a tool that may go on after its call was answered,
 * each on a thread of its own. A JobTable belongs to a ToolContext: its jobs end with the
 * conversation, and no other conversation sees them.
 *
 * A job begins in the background, with an id, or in front of somebody who waits for it and may
 * send it to the background later. A finished one is kept for five minutes, and until its result
 * was told: by a call that asked for it, or to the listener's owner, who takes it.
 *
 * Thread safe; no function blocks, but for those that say so.
 */
#pragma once

#include "base/cancel.h"

#include <glib.h>
#include <stdint.h>

#define JOBS_MAX 100 // that run at once; the setting async.maxJobs lowers it

typedef struct JobTable JobTable;
typedef struct Job Job;

typedef enum {
    JOB_RUNNING,
    JOB_COMPLETED,
    JOB_FAILED,
    JOB_CANCELLED,
} JobStatus;

const char *job_status_name(JobStatus status); // "running" …

typedef struct JobOutcome {
    char *text; // the result, for a model; no secrets in it
    bool is_failed;
    char *artifact_id; // that holds all of it; NULL: none
} JobOutcome;

typedef struct JobSpec { // texts are copied
    const char *type;    // "bash"
    const char *label;
    /* On the job's thread; obeys job_cancel_token(). False: it could not do its work. */
    bool (*run)(Job *job, void *data, JobOutcome *ret_outcome, GError **error);
    void *data; // taken over, also on failure; lives as long as the job
    void (*destroy)(void *data);
    bool tells_cancelled; // its end is told also when somebody cancelled it: it may have done its
                          // work
    bool is_in_front;     // somebody waits for it: it has no id yet, and no one else sees it
    int64_t max_jobs;     // that may run at once; clamped to 1 … JOBS_MAX
} JobSpec;

JobTable *job_table_new(void);
void job_table_free(JobTable *self); // ends all jobs; NULL allowed

/* `func` is called when a job in the background has finished and no one watches it: on any thread,
   with the table locked, so it only passes the word on. NULL: no one listens any more. */
void job_table_listen(JobTable *self, void (*func)(void *user_data), void *user_data);
/* Somebody would hear of the end of a job. */
bool job_table_is_heard(JobTable *self);
/* Cancels all jobs and blocks until they have ended. */
void job_table_end_all(JobTable *self);

/* LIMIT when too many run. A reference for the caller. */
bool job_table_start(JobTable *self, const JobSpec *spec, Job **ret_job, GError **error);
unsigned job_table_count_running(JobTable *self); // in the background

/* Those in the background, running ones first, the oldest first; then finished ones, the newest
   first. New array of references. `now_ms` says which are too old to be kept. */
GPtrArray *job_table_list(JobTable *self, int64_t now_ms);
Job *job_table_find(JobTable *self, const char *id); // a reference, or NULL
/* Those that finished and were not told yet; from now on they count as told. New array of
   references. */
GPtrArray *job_table_take_untold(JobTable *self);

Job *job_ref(Job *self);
void job_unref(Job *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Job, job_unref)

/* Constant. */
const char *job_type(const Job *self);
const char *job_label(const Job *self);
void *job_data(const Job *self);

const char *job_id(const Job *self); // NULL while it is in front; then constant
JobStatus job_status(const Job *self);
int64_t job_started_at(const Job *self);
int64_t job_ended_at(const Job *self); // 0 while it runs
/* Of a job that has ended, else NULL; borrowed, constant from then on. */
const JobOutcome *job_outcome(const Job *self);
const GError *job_error(const Job *self); // why it has none; NULL: it has

/* For run(): when it fires, the job is to end. */
Cancel *job_cancel_token(const Job *self);
/* What it has printed so far, for whoever waits in front. */
void job_set_progress(Job *self, const char *text);
char *job_take_progress(Job *self); // NULL: nothing new. Caller frees

/* Asks it to end; no one is told of that end then. False: it has ended already. */
bool job_cancel(Job *self);
/* From now on it has an id. False: too many are there; it stays in front. */
bool job_send_to_background(Job *self, int64_t max_jobs);
/* Blocks until it has ended or has news, the time is over, or the token fires. True: it has ended.
 */
bool job_wait(Job *self, int64_t timeout_ms, Cancel *cancel);
/* The same for the first of several; without news. `jobs` of Job *. */
bool job_wait_any(const GPtrArray *jobs, int64_t timeout_ms, Cancel *cancel);
/* A job that is watched is not told of by itself; what ends the watch says whether its result was
   told. */
void job_watch(Job *self);
void job_unwatch(Job *self, bool is_told);
