/*
 * What the profile of a child (proc.h) means: how much memory and how large a file it may have,
 * and the signal that ends its group when we end. Internal to base; everybody else names a profile.
 */
#pragma once

#include "base/proc.h"

/* 0: it does not end with us. */
int proc_profile_end_signal(ProcProfile profile);

/* Sets the limits of a child that has just been started. Its own are only lowered, so that what a
   person has set with `ulimit` still counts. */
void proc_profile_limit(ProcProfile profile, pid_t pid);
