/*
 * The places are a counting semaphore that poll() can wait on together with a cancel token: one
 * read is one place.
 */
#include "github/gh_place.h"

#include "base/limits.h"
#include "base/timefmt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#define MAX_WAIT_MS (60 * 60 * 1000) // when very many calls wait

static int places_fd = -1; // written once, by make_places()
static pthread_once_t places_once = PTHREAD_ONCE_INIT;

static void make_places(void)
{
    places_fd = eventfd(LIMIT_GH_PROCESSES, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (places_fd < 0)
        g_error("cannot make a semaphore: %s", g_strerror(errno));
}

void gh_place_leave(GhPlace place)
{
    if (place)
        eventfd_write(places_fd, 1);
}

bool gh_place_enter(Cancel *cancel, GhPlace *ret_place, GError **error)
{
    pthread_once(&places_once, make_places);
    gint64 until = time_monotonic_ms() + MAX_WAIT_MS;
    for (;;) {
        if (!cancel_check(cancel, error))
            return false;
        eventfd_t one;
        if (eventfd_read(places_fd, &one) == 0) {
            *ret_place = true;
            return true;
        }
        gint64 left = until - time_monotonic_ms();
        if (left <= 0)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "too many calls of gh are running");
        struct pollfd fds[] = {
            { .fd = places_fd, .events = POLLIN },
            { .fd = cancel_fd(cancel), .events = POLLIN },
        };
        poll(fds, G_N_ELEMENTS(fds), (int)MIN(left, G_MAXINT));
    }
}
