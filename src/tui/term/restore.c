/*
 * The terminal is made usable again whatever ends this process (restore.h).
 *
 * A signal handler can be told nothing but by a global. The plan is one of two slots: a new one is
 * written where no handler looks, then named.
 */
#include "tui/term/restore.h"

#include "base/log.h"
#include "tui/term/guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)
#define PATIENCE_MS 500 // at a crash; then the guardian goes on

/* SIGTRAP is how g_error() ends, SIGILL how compilers end the impossible. */
static const int crash_signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

static struct {
    UndoPlan slots[2];
    _Atomic(UndoPlan *) current; // NULL: nothing to undo
    pid_t pid;                   // a copy of this process must not undo anything
    int tty, guard_fd;
    bool is_at_exit;
    struct sigaction before[G_N_ELEMENTS(crash_signals)];
    stack_t stack, stack_before;
} state = { .tty = -1, .guard_fd = -1 };

/* Async-signal-safe; the second call does nothing. What could not be written in time is the
   guardian's. */
static void undo_now(void)
{
    UndoPlan *plan = getpid() == state.pid ? atomic_exchange(&state.current, NULL) : NULL;
    if (!plan || !plan->is_on)
        return;
    plan->is_on = !undo_all(state.tty, plan, PATIENCE_MS);
    guard_tell(state.guard_fd, plan);
}

/* The handler is gone already (SA_RESETHAND), and the signal waits until this returns. */
static void on_crash(int signal_number)
{
    undo_now();
    raise(signal_number);
}

static void set_handlers(void)
{
    state.stack = (stack_t) { .ss_sp = g_malloc(STACK_BYTES), .ss_size = STACK_BYTES };
    sigaltstack(&state.stack, &state.stack_before);
    struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND };
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < G_N_ELEMENTS(crash_signals); i++)
        sigaction(crash_signals[i], &action, &state.before[i]);
}

void restore_begin(int tty)
{
    g_autoptr(GError) error = NULL;
    g_assert(state.tty < 0);
    if (!guard_start(tty, &state.guard_fd, &error))
        log_info("%s: after SIGKILL the terminal stays as it is", error->message);
    state.tty = tty;
    state.pid = getpid();
    set_handlers();
    if (!state.is_at_exit)
        atexit(undo_now);
    state.is_at_exit = true;
}

void restore_set(const UndoPlan *plan)
{
    const UndoPlan *now = atomic_load(&state.current);
    UndoPlan *next = now == &state.slots[0] ? &state.slots[1] : &state.slots[0];
    *next = *plan;
    guard_tell(state.guard_fd, plan);
    atomic_store(&state.current, next);
}

void restore_end(bool is_undone)
{
    const UndoPlan nothing = { 0 };
    if (is_undone)
        guard_tell(state.guard_fd, &nothing);
    atomic_store(&state.current, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(crash_signals); i++)
        sigaction(crash_signals[i], &state.before[i], NULL);
    sigaltstack(&state.stack_before, NULL);
    g_free(state.stack.ss_sp);
    guard_end(state.guard_fd);
    state.guard_fd = state.tty = -1;
}
