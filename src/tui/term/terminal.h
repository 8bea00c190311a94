/*
 * The terminal: opened, its modes switched on and off, read and written (tui §4.2 rule 6, §6, §11).
 * It is restored whatever happens: at the end, on signals, and, by a guardian process, when this
 * one is killed. One per process; its owner is the thread of its loop.
 *
 * Writing never blocks: what the terminal does not take waits, up to LIMIT_TERMINAL_QUEUE, and
 * nothing else should be drawn until it has gone (terminal_is_busy()). A write that does not fit is
 * refused whole; when the queue has gone, on_resume() says that all must be drawn again.
 *
 * The functions of the spec are all needed, and may call everything here but terminal_free().
 */
#pragma once

#include "base/loop.h"
#include "tui/term/caps.h"

enum { LIMIT_TERMINAL_QUEUE = 4 * 1024 * 1024 };

typedef struct TerminalSize {
    int columns, rows;           // at least 1
    int cell_width, cell_height; // in pixels; 0: the terminal does not say
} TerminalSize;

typedef struct TerminalSpec {
    Loop *loop;    // borrowed
    int escape_ms; // setting tui.escTimeoutMs; 0: 10 ms, over ssh 100
    EnvFunc env;   // NULL: the process's
    InputFunc on_event;
    void (*on_resize)(void *user_data);   // SIGWINCH: may come often
    void (*on_writable)(void *user_data); // what waited has gone
    void (*on_resume)(void *user_data);   // after SIGCONT: all must be drawn again
    void (*on_gone)(void *user_data);     // hung up; it is never touched again
    void *user_data;
} TerminalSpec;

typedef struct Terminal Terminal;

/* Standard input is a terminal that is not dumb. Nothing is written before the first
   terminal_write(): the modes and queries go with it. Before the first thread. */
bool terminal_open(const TerminalSpec *spec, Terminal **ret_terminal, GError **error);
/* Restores. What it still sends is read, at most 150 ms, when it owes an answer. */
void terminal_free(Terminal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Terminal, terminal_free)

const TermCaps *terminal_caps(const Terminal *self);
TerminalSize terminal_size(Terminal *self); // as it is now
/* Dropped while another program has it. Who writes CSI ?1049h or l goes to the alternate screen and
   back; that is undone like the modes, and the keyboard protocol goes along. */
void terminal_write(Terminal *self, const char *bytes, size_t size);
/* Also while another program has it, and when it has gone. */
bool terminal_is_busy(const Terminal *self);
/* Waits for what is still on its way, at most `timeout_ms`; false: it is still there. */
bool terminal_flush(Terminal *self, int timeout_ms);
/* What has been typed by now comes as events before this returns; on_gone() may be called. */
void terminal_read_early(Terminal *self);
/* Clean text; OSC 2. "" gives back what it was. */
void terminal_set_title(Terminal *self, const char *title);
/* A person who looks elsewhere is told: OSC 9 or 777, and BEL (tui §12). Clean text. */
void terminal_notify(Terminal *self, const char *text);
/* OSC 52, or what tmux takes. False: it is too long for a terminal. */
bool terminal_copy(Terminal *self, const char *text);

/* For another program in the foreground ($EDITOR): cooked, and not read, until terminal_take(),
   which takes the foreground back, too. Then all must be drawn again; on_resume() is not called. */
void terminal_give(Terminal *self);
void terminal_take(Terminal *self);
/* Ctrl+Z: the live area was wiped. Returns when the program goes on, or at once when it cannot be
   stopped; on_resume() is called in any case. */
void terminal_suspend(Terminal *self);
