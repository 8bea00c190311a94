/*
 * A person's terminal for tests: a kernel pseudo-terminal whose end the test reads and writes, a
 * shell with job control on it (session, foreground group), and as its job a process with a
 * Terminal, which does what it is told by letters and says what it was told by callbacks.
 */
#pragma once

#include "unit.h"

#include <sys/types.h>

#define FIXTURE_MS 60000 // that a test waits for what must come

/* What the Terminal writes first: modes, queries. */
#define FIXTURE_START                                                                              \
    "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[?u\x1b[>q\x1b[?2026$p\x1b[?2027$p\x1b[?2004$p"          \
    "\x1b]11;?\x1b\\\x1b[c"

typedef struct TtyFixture {
    int master, slave; // the terminal's end; another one of the job's, so that it stays open
    pid_t shell, job;
    int to_shell, to_job, from_both; // pipes
    GString *screen;                 // bytes that came and were not yet expected
    GString *reports;                // the same of words
} TtyFixture;

/* `term` is the job's TERM, and all of its environment. Without a shell the job leads the session
   itself: its group is orphaned. */
TtyFixture *tty_fixture_start(const char *term, bool has_shell);
/* Ends what is left, and waits for all of it, guardians too. */
void tty_fixture_end(TtyFixture *self);

/* To the job: w writes "frame", b 300,000 bytes, l too many; q frees and exits, Q the same after a
   byte more; x exits; z suspends, as the
   key Z does; g gives, t takes; T, C set the title and clear it; a, n alternate
   screen on and off; S A B F crash by a signal; k SIGKILL. It reports ".LETTER" when done. To the
   shell, when its job has stopped: f, b continue it in the fore- or background, t ends it. */
void tty_fixture_tell(int fd, char letter);
/* Waits for a report and takes it: a letter of the job's callbacks (e event, r resume, z size, g
   gone, d drained, h an end signal), or of the shell: S stopped, E0 exit status, K9 signal. */
void tty_fixture_await(TtyFixture *self, const char *report);
bool tty_fixture_has(TtyFixture *self, const char *report);
/* Waits until the terminal has got `bytes`, next of all. */
void tty_fixture_expect(TtyFixture *self, const char *bytes);
/* The next `size` bytes; caller frees. */
char *tty_fixture_read(TtyFixture *self, size_t size);
void tty_fixture_type(TtyFixture *self, const char *bytes);
/* Waits for the end of the guardian, which the test inherits. With a shell only. */
void tty_fixture_await_guardian(TtyFixture *self);
/* Waits for settings: cooked as at the start, or raw. */
void tty_fixture_await_settings(TtyFixture *self, bool is_cooked);
