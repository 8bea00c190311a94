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

// ---- pools ----

enum { POOL_LIMIT = 8, POOL_TASKS = 100 };

typedef struct Crowd {
    WorkerPool *pool;
    pthread_mutex_t lock;
    unsigned running, most, done;
} Crowd;

typedef struct Member {
    Crowd *crowd;
    Worker *worker;
    bool has_child;
    int is_done; // atomic
} Member;

static void enter(Crowd *self)
{
    pthread_mutex_lock(&self->lock);
    self->running++;
    self->most = MAX(self->most, self->running);
    self->done++;
    pthread_mutex_unlock(&self->lock);
}

static void leave(Crowd *self)
{
    pthread_mutex_lock(&self->lock);
    self->running--;
    pthread_mutex_unlock(&self->lock);
}

/* As a conversation waits for another one, which has its turn on a thread of the pool. */
static void wait_for(Member *self)
{
    while (!g_atomic_int_get(&self->is_done))
        g_usleep(200);
    worker_join(self->worker);
}

static void member_work(void *self_)
{
    Member *self = self_;
    enter(self->crowd);
    g_usleep(500);
    leave(self->crowd);
    Member child = { .crowd = self->crowd };
    if (self->has_child) {
        assert_true(worker_pool_start(self->crowd->pool, member_work, &child, &child.worker));
        worker_begin_waiting(self->worker);
        worker_begin_waiting(self->worker); // another call of it waits, too
        worker_end_waiting(self->worker);
        wait_for(&child);
        worker_end_waiting(self->worker);
    }
    g_atomic_int_set(&self->is_done, 1);
}

static void run_crowd(Crowd *crowd, Member *members, bool has_children)
{
    pthread_mutex_init(&crowd->lock, NULL);
    crowd->pool = worker_pool_new("unit-pool", POOL_LIMIT);
    for (unsigned i = 0; i < POOL_TASKS; i++) {
        members[i] = (Member) { .crowd = crowd, .has_child = has_children };
        assert_true(worker_pool_start(crowd->pool, member_work, &members[i], &members[i].worker));
    }
}

static void end_crowd(Crowd *crowd)
{
    worker_pool_free(crowd->pool);
    pthread_mutex_destroy(&crowd->lock);
}

static void test_pool(void **state G_GNUC_UNUSED)
{
    Crowd crowd = { 0 };
    Member members[POOL_TASKS];
    run_crowd(&crowd, members, false);
    for (unsigned i = 0; i < POOL_TASKS; i++)
        wait_for(&members[i]);
    assert_int_equal(crowd.done, POOL_TASKS);
    assert_in_range(crowd.most, 1, POOL_LIMIT);
    end_crowd(&crowd);
}

/* Each waits for one that can only run when a place is free: with all of them waiting there would
   never be one, if those that wait took places. */
static void test_pool_of_parents(void **state G_GNUC_UNUSED)
{
    Crowd crowd = { 0 };
    Member members[POOL_TASKS];
    run_crowd(&crowd, members, true);
    for (unsigned i = 0; i < POOL_TASKS; i++)
        wait_for(&members[i]);
    assert_int_equal(crowd.running, 0);
    end_crowd(&crowd);
}

typedef struct Gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_open, has_passed;
} Gate;

static void gate_work(void *self_)
{
    Gate *self = self_;
    pthread_mutex_lock(&self->lock);
    while (!self->is_open)
        pthread_cond_wait(&self->opened, &self->lock);
    self->has_passed = true;
    pthread_mutex_unlock(&self->lock);
}

static void note_work(void *thread)
{
    *(pthread_t *)thread = pthread_self();
}

/* Who ends something that has not begun does not wait for those before it. */
static void test_pool_join_before_turn(void **state G_GNUC_UNUSED)
{
    Gate gate = { .lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER };
    WorkerPool *pool = worker_pool_new("unit-pool", 1);
    Worker *first = NULL, *second = NULL, *third = NULL;
    pthread_t second_ran = 0, third_ran = 0;
    assert_true(worker_pool_start(pool, gate_work, &gate, &first));
    assert_true(worker_pool_start(pool, note_work, &second_ran, &second));
    assert_true(worker_pool_start(pool, note_work, &third_ran, &third));
    worker_join(second); // the first one's end is not needed
    assert_true(pthread_equal(second_ran, pthread_self()));
    pthread_mutex_lock(&gate.lock);
    gate.is_open = true;
    pthread_cond_broadcast(&gate.opened);
    pthread_mutex_unlock(&gate.lock);
    worker_join(first);
    assert_true(gate.has_passed);
    worker_join(third);
    assert_true(third_ran != 0);
    worker_pool_free(pool);
}

typedef struct Meeting { // all of its guests are there at once, or no one leaves
    pthread_mutex_t lock;
    pthread_cond_t has_come;
    int guests, here;
} Meeting;

static void meet(void *meeting_)
{
    Meeting *meeting = meeting_;
    pthread_mutex_lock(&meeting->lock);
    meeting->here++;
    pthread_cond_broadcast(&meeting->has_come);
    while (meeting->here < meeting->guests)
        pthread_cond_wait(&meeting->has_come, &meeting->lock);
    pthread_mutex_unlock(&meeting->lock);
}

/* Work that comes faster than a sleeping thread wakes runs at once all the same, up to the limit.
 */
static void test_pool_burst(void **state G_GNUC_UNUSED)
{
    WorkerPool *pool = worker_pool_new("unit-pool", 4);
    for (int round = 0; round < 30; round++) {
        Meeting alone = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 0 };
        Meeting all = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 4, 0 };
        Worker *workers[5];
        assert_true(worker_pool_start(pool, meet, &alone, &workers[4]));
        worker_join(workers[4]);
        for (int i = 0; i < 4; i++)
            assert_true(worker_pool_start(pool, meet, &all, &workers[i]));
        for (int i = 0; i < 4; i++)
            worker_join(workers[i]);
    }
    worker_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worker),     cmocka_unit_test(test_no_thread),
        cmocka_unit_test(test_pool),       cmocka_unit_test(test_pool_of_parents),
        cmocka_unit_test(test_pool_burst), cmocka_unit_test(test_pool_join_before_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
