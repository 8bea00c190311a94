/* Workers: they run, carry their name, take no signals, and join waits for them. */
#include "unit.h"

#include "base/worker.h"

#include <pthread.h>
#include <signal.h>

typedef struct Seen {
    int answer;
    char name[16];
    bool is_blocked[3];
} Seen;

static const int signals[] = { SIGINT, SIGTERM, SIGWINCH };

static void look(void *seen_)
{
    Seen *seen = seen_;
    g_usleep(20 * 1000); // by now the name is set, and join is waiting
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        seen->is_blocked[i] = sigismember(&mask, signals[i]) == 1;
    pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name));
    seen->answer = 42;
}

static void test_worker(void **state G_GNUC_UNUSED)
{
    Seen seen = { 0 };
    Worker *worker = worker_start("unit-worker", look, &seen);
    worker_join(worker);
    assert_int_equal(seen.answer, 42);
    assert_string_equal(seen.name, "unit-worker");
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        assert_true(seen.is_blocked[i]);

    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGINT), 0); // ours is as it was
    worker_join(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
