/*
 * What libkedge sets up once in a process, before it does anything there.
 */
#pragma once

/* Lines for people go to the function of kedge_set_log(), and nowhere without one. Any time. */
void lib_process_init(void);
