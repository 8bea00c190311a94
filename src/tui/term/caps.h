/*
 * What a terminal can do (tui §4.7, §6, §12): from the environment at once, from its answers later.
 * Nothing waits for an answer. Pure.
 */
#pragma once

#include "tui/term/input.h"

typedef enum { DEPTH_NONE, DEPTH_16, DEPTH_256, DEPTH_TRUE } ColourDepth; // NONE: no colours

typedef enum { IMAGES_NONE, IMAGES_KITTY, IMAGES_ITERM2, IMAGES_SIXEL } ImageProtocol;

typedef struct TermCaps {
    bool is_dumb; // not one escape byte: the plain mode is for it
    bool is_over_ssh;
    bool is_tmux, is_screen, is_zellij;
    bool wraps_again;              // a narrower window wraps what was written
    bool has_sync;                 // mode 2026
    bool has_clusters;             // mode 2027
    bool has_kitty;                // keyboard protocol
    bool has_brackets;             // marks pastes, as it said itself
    bool has_links;                // OSC 8
    bool has_marks;                // OSC 133
    bool has_queries;              // may be asked
    bool is_answered;              // to all that was asked
    bool is_light, has_background; // of its background, when it was told
    ColourDepth depth;
    bool asks_depth; // nothing says that it has 24 bit colours, so it is asked itself
    ImageProtocol images;
    bool has_forced_images; // KEDGE_FORCE_IMAGE_PROTOCOL says which
} TermCaps;

typedef const char *(*EnvFunc)(const char *name); // as getenv()

/* Colours by the description of a terminal; -1: there is none of it. */
typedef int (*DescribedFunc)(const char *term);

/* `env`: NULL: the process's. `described`: NULL: no descriptions. */
TermCaps caps_of_environment(EnvFunc env, DescribedFunc described);
/* Other events change nothing. True: something has changed. */
bool caps_take_answer(TermCaps *self, const InputEvent *answer);
