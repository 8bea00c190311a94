/*
 * A terminal for tests of what is drawn: libvterm, with what has scrolled off, and a reader of the
 * bytes that knows which of them may be sent at all.
 */
#pragma once

#include <vterm.h>

#include "tui/term/terminal.h"

typedef struct TestTerminal {
    VTerm *vt;
    VTermScreen *screen;
    TerminalSize size;
    GPtrArray *scrolled;   // of char *, the oldest first
    bool takes_back;       // a window that becomes higher shows them again
    bool is_alternate;     // the alternate screen is on
    bool allows_alternate; // and may be
    bool allows_marks;     // OSC 133;A;redraw=0, where a prompt begins
    int column;            // of the cursor, as the bytes say
    size_t link_count;     // links that were opened
} TestTerminal;

TestTerminal *test_terminal_new(int columns, int rows);
void test_terminal_free(TestTerminal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TestTerminal, test_terminal_free)

/* Takes the bytes of one frame and empties `bytes`. Fails the test when one of them may not be:
   a clear, a region, an unbalanced mode, a row past the margin. */
void test_terminal_take(TestTerminal *self, GString *bytes);
void test_terminal_resize(TestTerminal *self, int columns, int rows);

/* Without the blanks at its end. Caller frees. */
char *test_terminal_row(const TestTerminal *self, int row);
/* All that can be seen and scrolled to, rows joined by "\n", without blank rows at the end. */
char *test_terminal_all(const TestTerminal *self);
VTermPos test_terminal_cursor(const TestTerminal *self);
