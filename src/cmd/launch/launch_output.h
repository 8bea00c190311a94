/*
 * What a run prints (agent-core §6.1): the answer's text, or every event as a line of JSON; and
 * progress on standard error for people.
 */
#pragma once

#include "agent/event_hub.h"

typedef struct LaunchOutput {
    bool is_json;
    bool shows_progress;
    Cancel *cancel;                 // fired when standard output is closed; borrowed
    bool is_closed;                 // nothing more is printed
    bool has_failed;                // because it could not be written, not because no one reads it
    unsigned jobs_done, jobs_total; // of the Actions runs being watched, as last shown
} LaunchOutput;

/* EventFunc; `user_data` is the LaunchOutput. */
void launch_output_event(json_t *event, void *user_data);

/* JSON output: the session header, first. */
void launch_output_header(LaunchOutput *self, const json_t *header);

/* Text output: a line of data, masked like an answer. */
void launch_output_line(LaunchOutput *self, const char *line);
/* Text output: each text block of the last message and a newline. */
void launch_output_answer(LaunchOutput *self, const json_t *message);

/* After a run that ended well: false for a last answer that was cut or is empty; text output says
   so on standard error. */
bool launch_output_is_usable(const LaunchOutput *self, const json_t *message, const Model *model);
