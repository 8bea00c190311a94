/* When to draw: wishes become one frame, in the order of their times; held back, given up, and no
   wakeup without a wish. */
#include "unit.h"

#include "base/loop.h"
#include "base/worker.h"
#include "tui/screen/frame.h"

#include <string.h>

typedef struct Fixture {
    Loop *loop;
    FrameClock *clock;
    GString *log;
    bool is_busy;
    bool wishes_inside;
    unsigned quit_at; // frames
    unsigned frames, resizes;
} Fixture;

static bool draw(void *self_)
{
    Fixture *self = self_;
    g_string_append_c(self->log, self->is_busy ? 'b' : 'f');
    if (self->wishes_inside)
        frame_request(self->clock, FRAME_STREAM);
    if (++self->frames == self->quit_at)
        loop_quit(self->loop);
    return !self->is_busy;
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->loop = loop_new();
    self->clock = frame_clock_new(self->loop, draw, self);
    self->log = g_string_new(NULL);
    self->quit_at = 1;
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    frame_clock_free(self->clock);
    loop_free(self->loop);
    g_string_free(self->log, TRUE);
    g_free(self);
    return 0;
}

static void log_timer(void *self_)
{
    Fixture *self = self_;
    g_string_append_c(self->log, 't');
}

static void log_and_quit(void *self_)
{
    log_timer(self_);
    loop_quit(((Fixture *)self_)->loop);
}

static void wish_now(void *self_)
{
    frame_request(((Fixture *)self_)->clock, FRAME_NOW);
}

static void test_merges(void **state)
{
    Fixture *self = *state;
    for (int i = 0; i < 100; i++)
        frame_request(self->clock, i % 2 == 0 ? FRAME_NOW : FRAME_STREAM);
    assert_int_equal(self->frames, 0); // never from inside a wish
    loop_run(self->loop);
    loop_add_timer(self->loop, 100, log_and_quit, self); // later than any frame would be
    loop_run(self->loop);
    assert_string_equal(self->log->str, "ft");
}

/* The timer is set before or after the frame, so that a slow machine cannot change the order. */
static void test_pauses(void **state)
{
    Fixture *self = *state;
    frame_request(self->clock, FRAME_NOW);
    loop_add_timer(self->loop, 30, log_timer, self);
    loop_run(self->loop);
    frame_request(self->clock, FRAME_STREAM); // 33 ms after the frame, which was after the timer
    self->quit_at = 2;
    loop_run(self->loop);
    assert_string_equal(self->log->str, "ftf");

    frame_request(self->clock, FRAME_STREAM);
    frame_request(self->clock, FRAME_NOW); // the sooner of both: 16 ms
    loop_add_timer(self->loop, 17, log_timer, self);
    self->quit_at = 3;
    loop_run(self->loop);
    assert_memory_equal(self->log->str, "ftff",
                        4); // the timer may come in the same round, after it
}

static void test_wish_inside(void **state)
{
    Fixture *self = *state;
    self->wishes_inside = true;
    self->quit_at = 2;
    frame_request(self->clock, FRAME_NOW);
    loop_add_timer(self->loop, 20, log_timer, self); // due before the second frame, which is 33 ms
    loop_run(self->loop);                            // after the first
    assert_string_equal(self->log->str, "ftf");
}

/* Between two sizes nothing is drawn, whoever wishes it. */
static void test_resize_waits(void **state)
{
    Fixture *self = *state;
    loop_add_timer(self->loop, 45, log_timer, self);
    frame_request(self->clock, FRAME_NOW);
    frame_request(self->clock, FRAME_RESIZE);
    frame_request(self->clock, FRAME_NOW);
    loop_run(self->loop);
    loop_add_timer(self->loop, 100, log_and_quit, self);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "tft");
}

static void resize_on(void *self_)
{
    Fixture *self = self_;
    self->resizes++;
    frame_request(self->clock, FRAME_RESIZE);
    if (self->frames == 0)
        loop_add_timer(self->loop, 5, resize_on, self);
}

/* A window that is dragged on and on is drawn nevertheless. */
static void test_resize_goes_on(void **state)
{
    Fixture *self = *state;
    loop_add_timer(self->loop, 0, resize_on, self);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "f");
    assert_in_range(self->resizes, 2, 1000);
}

static void test_hold(void **state)
{
    Fixture *self = *state;
    frame_request(self->clock, FRAME_NOW);
    frame_hold(self->clock);
    frame_hold(self->clock);
    frame_request(self->clock, FRAME_STREAM);
    frame_release(self->clock);
    loop_add_timer(self->loop, 60, log_and_quit, self);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "t");
    frame_release(self->clock);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "tf");

    frame_hold(self->clock); // without a wish nothing is drawn at its end
    frame_release(self->clock);
    loop_add_timer(self->loop, 60, log_and_quit, self);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "tft");
}

/* A terminal that takes nothing: the wish is over until the next one. */
static void test_busy(void **state)
{
    Fixture *self = *state;
    self->is_busy = true;
    frame_request(self->clock, FRAME_NOW);
    loop_run(self->loop);
    loop_add_timer(self->loop, 100, log_and_quit, self);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "bt");
    self->is_busy = false;
    self->quit_at = 2;
    loop_add_timer(self->loop, 0, wish_now, self);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "btf");
}

static void quit_later(void *self_)
{
    g_usleep(300 * 1000);
    loop_quit(((Fixture *)self_)->loop);
}

static gint64 voluntary_switches(void)
{
    g_autofree char *status = NULL;
    assert_true(g_file_get_contents("/proc/thread-self/status", &status, NULL, NULL));
    const char *line = strstr(status, "\nvoluntary_ctxt_switches:");
    assert_non_null(line);
    return g_ascii_strtoll(line + strlen("\nvoluntary_ctxt_switches:"), NULL, 10);
}

/* After the last frame the loop sleeps until something comes. */
static void test_idle(void **state)
{
    Fixture *self = *state;
    frame_request(self->clock, FRAME_RESIZE);
    frame_request(self->clock, FRAME_STREAM);
    loop_run(self->loop);
    Worker *worker = worker_start("quit", quit_later, self);
    gint64 before = voluntary_switches();
    loop_run(self->loop);
    assert_in_range(voluntary_switches() - before, 1, 5);
    worker_join(worker);
    assert_string_equal(self->log->str, "f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_merges, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pauses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wish_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resize_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resize_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(test_busy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
