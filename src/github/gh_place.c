/*
 * The places are a counting semaphore that poll() can wait on together with a cancel token: one
 * read is one place.
 */
#include "github/gh_place.h"

#include "base/limits.h"
#include "base/lock.h"
#include "base/timefmt.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#define MAX_WAIT_MS (60 * 60 * 1000) // when very many calls wait

static atomic_int places_fd = -1; // written once, by make_places()
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

static bool make_places(GError **error)
{
    if (places_fd >= 0)
        return true;
    HOLD_LOCK(&places_lock);
    if (places_fd < 0)
        places_fd = eventfd(LIMIT_GH_PROCESSES, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    int saved_errno = errno;
    bool is_made = places_fd >= 0;
    return is_made || fail_with_errno(error, saved_errno, "cannot count the running calls of gh");
}

void gh_place_leave(GhPlace place)
{
    if (place)
        eventfd_write(places_fd, 1);
}

bool gh_place_enter(Cancel *cancel, GhPlace *ret_place, GError **error)
{
    if (!make_places(error))
        return false;
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
        struct pollfd place = { .fd = places_fd, .events = POLLIN };
        cancel_poll(cancel, &place, 1, left);
    }
}
