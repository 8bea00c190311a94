/* See terminfo.h. */
#include "tui/term/terminfo.h"

#include "base/library.h"

#include <glib.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#define TINFO_LIBRARY "libtinfo.so.6"

enum { TRUE_COLOURS = 1 << 24 };

typedef struct TinfoLibrary {
    int (*setupterm)(const char *term, int fd, int *ret_error);
    int (*del_curterm)(void *terminal);
    int (*tigetflag)(const char *name);   // -1: no flag
    int (*tigetnum)(const char *name);    // -1: not there; -2: no number
    char *(*tigetstr)(const char *name);  // NULL: not there; -1: no text
    void *(*set_curterm)(void *terminal); // returns the one before
} TinfoLibrary;

// Written once, under tinfo_once; libtinfo itself has one terminal at a time.
static TinfoLibrary tinfo;
static bool is_tinfo_loaded;
static pthread_once_t tinfo_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t tinfo_lock = PTHREAD_MUTEX_INITIALIZER;

static void tinfo_load(void)
{
    static const LibrarySymbol symbols[] = {
        LIBRARY_SYMBOL(TinfoLibrary, "", setupterm), LIBRARY_SYMBOL(TinfoLibrary, "", del_curterm),
        LIBRARY_SYMBOL(TinfoLibrary, "", tigetflag), LIBRARY_SYMBOL(TinfoLibrary, "", tigetnum),
        LIBRARY_SYMBOL(TinfoLibrary, "", tigetstr),  LIBRARY_SYMBOL(TinfoLibrary, "", set_curterm),
    };
    is_tinfo_loaded =
        library_open(TINFO_LIBRARY, symbols, G_N_ELEMENTS(symbols), &tinfo, sizeof(tinfo));
}

/* The capability RGB is a flag, a number or a text; Tc is tmux's flag for the same. */
static bool has_true_colours(void)
{
    const char *text = tinfo.tigetstr("RGB");
    return tinfo.tigetflag("Tc") > 0 || tinfo.tigetflag("RGB") > 0 || tinfo.tigetnum("RGB") > 0 ||
           (text && (intptr_t)text != -1);
}

int terminfo_colours(const char *term)
{
    int error = 0, colours = -1;
    pthread_once(&tinfo_once, tinfo_load);
    if (!is_tinfo_loaded)
        return -1;
    pthread_mutex_lock(&tinfo_lock);
    if (tinfo.setupterm(term, STDIN_FILENO, &error) == 0) { // OK
        colours = has_true_colours() ? TRUE_COLOURS : MAX(tinfo.tigetnum("colors"), 0);
        tinfo.del_curterm(tinfo.set_curterm(NULL));
    }
    pthread_mutex_unlock(&tinfo_lock);
    return colours;
}
