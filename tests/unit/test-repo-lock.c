/*
 * The repository lock: order, cancel, other processes.
 */
#include "unit.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/worker.h"
#include "github/ops/repo_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct Shared {
    pthread_mutex_t mutex;
    char *dir;
    GString *order; // who held the lock, one letter each
    int holders, most_holders;
} Shared;

typedef struct Client {
    Shared *shared;
    char letter;
    Cancel *cancel;    // NULL: never
    atomic_int thread; // 0: it has not begun
    bool is_held;
    bool is_cancelled;
} Client;

static void client_run(void *data)
{
    Client *self = data;
    Shared *shared = self->shared;
    g_autoptr(GError) error = NULL;
    g_autoptr(RepoLock) lock = NULL;
    atomic_store(&self->thread, gettid());
    self->is_held = repo_lock_acquire("/repo", shared->dir, 10000, self->cancel, &lock, &error);
    self->is_cancelled = !self->is_held && error_is(error, KEDGE_ERROR_CANCELLED);
    if (!self->is_held)
        return;
    pthread_mutex_lock(&shared->mutex);
    g_string_append_c(shared->order, self->letter);
    shared->holders++;
    shared->most_holders = MAX(shared->most_holders, shared->holders);
    pthread_mutex_unlock(&shared->mutex);
    g_usleep(2000);
    pthread_mutex_lock(&shared->mutex);
    shared->holders--;
    pthread_mutex_unlock(&shared->mutex);
}

static void shared_init(Shared *self)
{
    pthread_mutex_init(&self->mutex, NULL);
    self->dir = g_dir_make_tmp("kedge-lock-XXXXXX", NULL);
    self->order = g_string_new(NULL);
}

static void shared_clear(Shared *self)
{
    assert_true(file_remove_tree(self->dir, NULL));
    g_free(self->dir);
    g_string_free(self->order, true);
    pthread_mutex_destroy(&self->mutex);
}

static size_t order_length(Shared *shared)
{
    pthread_mutex_lock(&shared->mutex);
    size_t length = shared->order->len;
    pthread_mutex_unlock(&shared->mutex);
    return length;
}

/* Until the client sleeps, which it does in the queue only. */
static void settle(Client *client)
{
    for (int i = 0; i < 10 * 1000; i++) {
        int thread = atomic_load(&client->thread);
        g_autofree char *path = g_strdup_printf("/proc/self/task/%d/stat", thread);
        g_autofree char *stat = NULL;
        if (thread && g_file_get_contents(path, &stat, NULL, NULL) && strstr(stat, ") S "))
            return;
        g_usleep(1000);
    }
    fail_msg("client %c does not wait", client->letter);
}

static void test_first_come_first_served(void **state G_GNUC_UNUSED)
{
    Shared shared = { 0 };
    shared_init(&shared);
    RepoLock *lock = NULL;
    assert_true(repo_lock_acquire("/repo", shared.dir, 1000, NULL, &lock, NULL));

    Client clients[5] = { { 0 } };
    Worker *workers[5] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(clients); i++) {
        clients[i] = (Client) { .shared = &shared, .letter = (char)('a' + i) };
        workers[i] = worker_start("client", client_run, &clients[i]);
        settle(&clients[i]);
    }
    assert_int_equal(order_length(&shared), 0);
    repo_lock_release(lock);
    for (size_t i = 0; i < G_N_ELEMENTS(clients); i++)
        worker_join(workers[i]);
    assert_string_equal(shared.order->str, "abcde");
    assert_int_equal(shared.most_holders, 1);
    shared_clear(&shared);
}

static void test_cancelled_waiter_leaves(void **state G_GNUC_UNUSED)
{
    Shared shared = { 0 };
    shared_init(&shared);
    RepoLock *lock = NULL;
    assert_true(repo_lock_acquire("/repo", shared.dir, 1000, NULL, &lock, NULL));

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Client gone = { .shared = &shared, .letter = 'a', .cancel = cancel };
    Client stays = { .shared = &shared, .letter = 'b' };
    Worker *first = worker_start("gone", client_run, &gone);
    settle(&gone);
    Worker *second = worker_start("stays", client_run, &stays);
    settle(&stays);
    cancel_fire(cancel);
    worker_join(first); // while the lock is still held
    assert_true(gone.is_cancelled);
    repo_lock_release(lock);
    worker_join(second);
    assert_true(stays.is_held);
    assert_string_equal(shared.order->str, "b");
    shared_clear(&shared);
}

static void test_cancelled_before(void **state G_GNUC_UNUSED)
{
    Shared shared = { 0 };
    shared_init(&shared);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    RepoLock *lock = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(repo_lock_acquire("/repo", shared.dir, 1000, cancel, &lock, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    // and the lock is free
    assert_true(repo_lock_acquire("/repo", shared.dir, 1000, NULL, &lock, NULL));
    repo_lock_release(lock);
    shared_clear(&shared);
}

static void test_other_repositories_do_not_wait(void **state G_GNUC_UNUSED)
{
    Shared one = { 0 }, two = { 0 };
    shared_init(&one);
    shared_init(&two);
    g_autoptr(RepoLock) first = NULL;
    g_autoptr(RepoLock) second = NULL;
    assert_true(repo_lock_acquire("/one", one.dir, 1000, NULL, &first, NULL));
    assert_true(repo_lock_acquire("/two", two.dir, 1000, NULL, &second, NULL));
    g_clear_pointer(&first, repo_lock_release);
    g_clear_pointer(&second, repo_lock_release);
    shared_clear(&one);
    shared_clear(&two);
}

/* A descriptor of its own stands for another process: flock belongs to the open file. */
static int lock_as_other(const char *dir)
{
    g_autofree char *path = g_build_filename(dir, "omp-worktree.lock", NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    return fd;
}

static void test_other_process(void **state G_GNUC_UNUSED)
{
    Shared shared = { 0 };
    shared_init(&shared);
    int fd = lock_as_other(shared.dir);

    RepoLock *lock = NULL;
    GError *error = NULL;
    assert_false(repo_lock_acquire("/repo", shared.dir, 150, NULL, &lock, &error));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
    assert_string_equal(error->message, "timed out waiting for another PR checkout in /repo");
    g_clear_error(&error);

    Client client = { .shared = &shared, .letter = 'a' };
    Worker *worker = worker_start("client", client_run, &client);
    settle(&client);
    assert_int_equal(order_length(&shared), 0);
    fd_close(fd); // the other process is done
    worker_join(worker);
    assert_true(client.is_held);

    fd = lock_as_other(shared.dir);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Client waiting = { .shared = &shared, .letter = 'b', .cancel = cancel };
    worker = worker_start("client", client_run, &waiting);
    settle(&waiting);
    cancel_fire(cancel);
    worker_join(worker);
    assert_true(waiting.is_cancelled);
    fd_close(fd);
    shared_clear(&shared);
}

static void test_holds_against_others(void **state G_GNUC_UNUSED)
{
    Shared shared = { 0 };
    shared_init(&shared);
    RepoLock *lock = NULL;
    assert_true(repo_lock_acquire("/repo", shared.dir, 1000, NULL, &lock, NULL));
    g_autofree char *path = g_build_filename(shared.dir, "omp-worktree.lock", NULL);
    g_auto(Fd) fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_not_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    repo_lock_release(lock);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    shared_clear(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_come_first_served),
        cmocka_unit_test(test_cancelled_waiter_leaves),
        cmocka_unit_test(test_cancelled_before),
        cmocka_unit_test(test_other_repositories_do_not_wait),
        cmocka_unit_test(test_other_process),
        cmocka_unit_test(test_holds_against_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
