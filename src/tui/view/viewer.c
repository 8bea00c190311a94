/*
 * The viewer on the terminal (viewer.h): the alternate screen, and what is written to it.
 */
#include "tui/view/viewer.h"

#include "tui/view/viewer_pages.h"

struct Viewer {
    ViewerSpec spec;
    ViewerPages *pages;
    bool is_closed; // its owner has been told
    bool is_late;   // the terminal was busy
};

static void write_frame(Viewer *self, bool is_whole, GString *bytes)
{
    viewer_pages_draw(self->pages, is_whole, bytes);
    terminal_write(self->spec.terminal, bytes->str, bytes->len);
}

/* On a slow line fewer frames, not later ones. */
static void draw(Viewer *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    self->is_late = terminal_is_busy(self->spec.terminal);
    if (!self->is_late)
        write_frame(self, false, bytes);
}

Viewer *viewer_new(const ViewerSpec *spec)
{
    Viewer *self = g_new0(Viewer, 1);
    self->spec = *spec;
    self->spec.messages = NULL; // the pages have them
    self->pages = viewer_pages_new(spec->messages, &spec->block, spec->theme,
                                   terminal_caps(spec->terminal), terminal_size(spec->terminal));
    g_autoptr(GString) bytes = g_string_new("\x1b[?1049h");
    write_frame(self, true, bytes);
    return self;
}

void viewer_free(Viewer *self)
{
    static const char leave[] = "\x1b[?1049l";
    if (!self)
        return;
    terminal_write(self->spec.terminal, leave, sizeof(leave) - 1);
    viewer_pages_free(self->pages);
    g_free(self);
}

static void take(Viewer *self, ViewerOutcome outcome)
{
    if (outcome == VIEWER_CHANGED)
        draw(self);
    if (outcome == VIEWER_EDIT && self->spec.edit && !self->is_closed)
        self->spec.edit(viewer_pages_text(self->pages), self->spec.user_data);
    if (outcome != VIEWER_CLOSED || self->is_closed)
        return;
    self->is_closed = true;
    self->spec.closed(self->spec.user_data); // `self` may be gone
}

void viewer_key(Viewer *self, KeyPress key, Action action)
{
    take(self, viewer_pages_key(self->pages, key, action));
}

void viewer_paste(Viewer *self, const char *text, size_t size)
{
    take(self, viewer_pages_paste(self->pages, text, size));
}

void viewer_resize(Viewer *self)
{
    viewer_pages_resize(self->pages, terminal_size(self->spec.terminal));
    draw(self);
}

void viewer_draw(Viewer *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    viewer_pages_resize(self->pages, terminal_size(self->spec.terminal));
    write_frame(self, true, bytes);
}

void viewer_writable(Viewer *self)
{
    if (self->is_late)
        draw(self);
}
