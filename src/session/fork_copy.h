/*
 * The artifacts of a forked session. Internal to session.
 */
#pragma once

/* Copies the regular files of a directory and, to a bounded depth, of those in it; best effort.
   Links are not followed. A missing source copies nothing. */
void fork_copy_artifacts(const char *from, const char *to);
