/*
 * The clipboard by a program of this machine (tui §12): `tmux load-buffer -w -` inside tmux, else,
 * not over ssh, wl-copy, xclip or pbcopy. It runs on a worker, at most CLIPBOARD_TIMEOUT_MS. A text
 * that comes while one is on its way replaces the one that waits. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"
#include "tui/term/caps.h"

enum { CLIPBOARD_TIMEOUT_MS = 5000, LIMIT_CLIPBOARD_BYTES = 16 * 1024 * 1024 };

typedef struct Clipboard Clipboard;
/* On the loop: no program took `text`. */
typedef void (*ClipboardFunc)(const char *text, void *user_data);

Clipboard *clipboard_new(Loop *loop, ClipboardFunc refused, void *user_data);
/* Stops what is on its way. */
void clipboard_free(Clipboard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Clipboard, clipboard_free)

/* False: no program is there to take it, or it is longer than LIMIT_CLIPBOARD_BYTES. */
bool clipboard_copy(Clipboard *self, const char *text, const TermCaps *caps, EnvFunc env);
