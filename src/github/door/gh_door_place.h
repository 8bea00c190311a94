/*
 * The folder of a conversation's gh door: made, and removed again. What a kedge that was killed has
 * left is removed by the next one.
 */
#pragma once

#include "base/fd.h"

typedef struct GhDoorPlace {
    char *dir;   // NULL: none
    char *path;  // what comes first on PATH: the folder, and one whose `gh` refuses; "": nothing
    Fd listener; // -1: none
} GhDoorPlace;

/* Below $XDG_RUNTIME_DIR, else the temporary directory: mode 0700, with the link `gh` and a socket
   of mode 0600 that is listened on. The folder after it on PATH is in kedge's cache and stays: what
   outlives the conversation, or has lost its folder, gets no gh that nobody judges. False: there is
   no folder, but perhaps `path`. */
bool gh_door_place_make(GhDoorPlace *ret_place, GError **error);
void gh_door_place_sweep(const GhDoorPlace *self); // removes what others have left beside it
void gh_door_place_close(GhDoorPlace *self);       // the folder goes; `path` stays, and refuses
void gh_door_place_clear(GhDoorPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhDoorPlace, gh_door_place_clear)
