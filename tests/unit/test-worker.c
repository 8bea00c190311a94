/* Workers: they run, carry their name, take no signals, and join waits for them. */
#include "unit.h"

#include "base/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

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

static G_GNUC_UNUSED void block(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

/* Out of memory for stacks: NULL and a reason, not the end of the program. */
static void test_no_thread(void **state G_GNUC_UNUSED)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); // they have mapped more than any limit
#else
    enum { MAX = 500 };
    static Worker *workers[MAX];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct rlimit before, low;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    low = before;
    low.rlim_cur = 512 * 1024 * 1024;
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    int count = 0;
    while (count < MAX && (workers[count] = worker_start("block", block, &lock)))
        count++;
    int saved_errno = errno;
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++)
        worker_join(workers[i]);
    assert_true(count < MAX);
    assert_int_equal(saved_errno, EAGAIN);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worker),
        cmocka_unit_test(test_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
