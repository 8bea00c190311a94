/*
 * The files by which a step of Actions steers its job: variables and PATH of later steps, outputs,
 * the summary. Their names are not in an agent's environment, but it can find them where the runner
 * keeps them: what it wrote there is taken back when it has ended. One thread at a time.
 */
#pragma once

#include <glib.h>

/* Names of the variables that name them. NULL-terminated. */
extern const char *const wm_command_file_names[];

typedef struct WmCommandFiles WmCommandFiles;

/* As they are now; empty outside of Actions. */
WmCommandFiles *wm_command_files_new(void);
/* As they were, with a warning for each that has changed. */
void wm_command_files_restore(const WmCommandFiles *self);
void wm_command_files_free(WmCommandFiles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmCommandFiles, wm_command_files_free)
